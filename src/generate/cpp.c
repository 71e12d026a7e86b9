/* C++ text that the header and the module's table share. */
#include "generate/private.h"

/* ---- words ---------------------------------------------------------------------------------- */

struct str gen_c_string(struct arena *a, struct str s)
{
    struct buf b;
    buf_init(&b, a);
    buf_add_char(&b, '"');
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\' || c == '?') { /* '?': no trigraph */
            buf_add_char(&b, '\\');
            buf_add_char(&b, (char)c);
        } else if (c < 0x20 || c == 0x7f) {
            buf_printf(&b, "\\%03o", c);
        } else {
            buf_add_char(&b, (char)c);
        }
    }
    buf_add_char(&b, '"');
    return buf_str(&b);
}

const char *gen_kokkos_scalar(enum type_kind k)
{
    switch (k) {
    case TYPE_BOOL: return "bool";
    case TYPE_INT8: return "::std::int8_t";
    case TYPE_INT16: return "::std::int16_t";
    case TYPE_INT32: return "::std::int32_t";
    case TYPE_INT64: return "::std::int64_t";
    case TYPE_UINT8: return "::std::uint8_t";
    case TYPE_UINT16: return "::std::uint16_t";
    case TYPE_UINT32: return "::std::uint32_t";
    case TYPE_UINT64: return "::std::uint64_t";
    case TYPE_FLOAT: return "float";
    case TYPE_DOUBLE: return "double";
    case TYPE_COMPLEX64: return "::Kokkos::complex<float>";
    case TYPE_COMPLEX128: return "::Kokkos::complex<double>";
    default: return "void";
    }
}

const char *gen_layout(enum view_layout layout)
{
    switch (layout) {
    case LAYOUT_LEFT: return "::pkc::layout::left";
    case LAYOUT_STRIDE: return "::pkc::layout::stride";
    default: return "::pkc::layout::right";
    }
}

const struct parameter *gen_parameter(const struct kernel *k, size_t i)
{
    return i < k->field_count ? &k->fields[i] : &k->parameters[i - k->field_count];
}

const struct type *gen_unsupported_parameter(const struct kernel *k)
{
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct type *t = gen_parameter(k, i)->type;
        const bool view = t->kind == TYPE_VIEW && !t->scratch && type_is_scalar(t->element->kind);
        if (!view && !type_is_scalar(t->kind) && t->kind != TYPE_RANDOM_POOL) {
            return t;
        }
    }
    return NULL;
}

bool gen_read_only(const struct parameter *p)
{
    return p->type->kind == TYPE_VIEW && p->var != NULL && p->var->read_only;
}

bool gen_left_to_right(const struct kernel *k)
{
    bool left = false;
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct type *t = gen_parameter(k, i)->type;
        if (t->kind == TYPE_VIEW && t->rank > 1) {
            if (t->layout != LAYOUT_LEFT) {
                return false;
            }
            left = true;
        }
    }
    return left;
}

/* ---- accumulators --------------------------------------------------------------------------- */

static const struct type *acc_type(const struct kernel *k)
{
    for (size_t i = 0; i < k->leading_count; i++) {
        const struct ir_var *v = k->leading[i].var;
        if (v != NULL && v->kind == VAR_ACC) {
            return v->type;
        }
    }
    return k->acc;
}

enum gen_acc gen_acc_form(const struct kernel *k)
{
    const struct type *t = acc_type(k);
    if (t == NULL || t->kind != TYPE_STRUCT) {
        return GEN_ACC_SCALAR;
    }
    const struct struct_type *s = t->struct_type;
    if (s->field_count > 0 && str_equal_c(s->fields[0].name, "val")) {
        return GEN_ACC_VAL_LOC;
    }
    return s->field_count > 2 ? GEN_ACC_MIN_MAX_LOC : GEN_ACC_MIN_MAX;
}

const char *gen_acc_form_name(enum gen_acc form)
{
    switch (form) {
    case GEN_ACC_VAL_LOC: return "PKC_ACC_VAL_LOC";
    case GEN_ACC_MIN_MAX: return "PKC_ACC_MIN_MAX";
    case GEN_ACC_MIN_MAX_LOC: return "PKC_ACC_MIN_MAX_LOC";
    default: return "PKC_ACC_SCALAR";
    }
}

enum type_kind gen_acc_scalar(const struct kernel *k)
{
    const struct type *t = acc_type(k);
    return t->kind == TYPE_STRUCT ? t->struct_type->fields[0].type->kind : t->kind;
}

/* ---- signatures ----------------------------------------------------------------------------- */

static void add_leading(struct arena *a, struct buf *b, const struct kernel *k,
                        const struct parameter *p)
{
    const enum ir_var_kind kind = p->var != NULL ? p->var->kind : VAR_INDEX;
    buf_printf(b, STR_FMT ": ", STR_ARG(p->name));
    switch (kind) {
    case VAR_TEAM: buf_add_c(b, "TeamMember"); break;
    case VAR_LAST_PASS: buf_add_c(b, "bool"); break;
    case VAR_ACC:
        buf_printf(b, "Acc[" STR_FMT "]", STR_ARG(type_spell(a, type_scalar(gen_acc_scalar(k)))));
        break;
    default: buf_add_c(b, "int"); break;
    }
}

/* As the source has it: "View1D[double]", "List[List[double]]". */
static void add_type(struct arena *a, struct buf *b, const struct parameter *p)
{
    if (!gen_read_only(p)) {
        buf_add(b, type_spell(a, p->type));
        return;
    }
    for (int i = 0; i < p->type->rank; i++) {
        buf_add_c(b, "List[");
    }
    buf_add(b, type_spell(a, p->type->element));
    for (int i = 0; i < p->type->rank; i++) {
        buf_add_char(b, ']');
    }
}

struct str gen_signature(struct arena *a, const struct kernel *k)
{
    struct buf b;
    buf_init(&b, a);
    buf_printf(&b, STR_FMT "(", STR_ARG(k->name));
    for (size_t i = 0; i < k->leading_count; i++) {
        buf_add_c(&b, i > 0 ? ", " : "");
        add_leading(a, &b, k, &k->leading[i]);
    }
    for (size_t i = 0; i < k->parameter_count; i++) {
        buf_printf(&b, "%s" STR_FMT ": ", i + k->leading_count > 0 ? ", " : "",
                   STR_ARG(k->parameters[i].name));
        add_type(a, &b, &k->parameters[i]);
    }
    buf_add_char(&b, ')');
    return buf_str(&b);
}

struct str gen_label(struct arena *a, const struct gen_workunit *w)
{
    return str_format(a, STR_FMT "::" STR_FMT, STR_ARG(w->module), STR_ARG(w->kernel->qualified));
}

/* ---- ARGS ----------------------------------------------------------------------------------- */

static bool uses_complex(const struct kernel *k)
{
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct type *t = gen_parameter(k, i)->type;
        if (type_is_complex(t->kind) ||
            (t->kind == TYPE_VIEW && type_is_complex(t->element->kind))) {
            return true;
        }
    }
    return false;
}

void gen_args_includes(struct buf *b, const struct gen_result *r, struct str module)
{
    bool complex = false;
    for (size_t i = 0; i < r->workunit_count; i++) {
        const struct gen_workunit *w = &r->workunits[i];
        complex = complex ||
                  ((module.len == 0 || str_equal(w->module, module)) && uses_complex(w->kernel));
    }
    if (complex) {
        buf_add_c(b, "#include <pykokkos_cache/complex.hpp>\n");
    }
    buf_add_c(b, "#include <pykokkos_cache/view.hpp>\n");
}

void gen_args_and_declarations(struct arena *a, struct buf *b, const struct gen_result *r,
                               struct str module)
{
    const struct str namespace_text = gen_namespace_text(a, module);
    struct str open = STR("");
    buf_printf(b, "namespace " STR_FMT "\n{\n", STR_ARG(namespace_text));
    for (size_t i = 0; i < r->workunit_count; i++) {
        const struct gen_workunit *w = &r->workunits[i];
        if (!str_equal(w->module, module)) {
            continue;
        }
        if (!str_equal(w->tag, open)) {
            buf_add_c(b, open.len > 0 ? "\n}\n" : "");
            buf_printf(b, "inline namespace " STR_FMT "\n{\n", STR_ARG(w->tag));
            open = w->tag;
        }
        buf_add_char(b, '\n');
        kernel_args_struct(b, w->kernel);
        buf_add_c(b, b->ptr[b->len - 1] == '\n' ? "" : "\n");
        buf_add_c(b, "PKC_EXPORT ");
        kernel_declaration(b, w->kernel);
        buf_add_c(b, ";\n");
        struct buf stores;
        buf_init(&stores, a);
        if (kernel_stores_declaration(&stores, w->kernel)) {
            buf_printf(b, "extern PKC_EXPORT " STR_FMT ";\n", STR_ARG(buf_str(&stores)));
        }
        if (w->kernel->policy == POLICY_TEAM) {
            buf_add_c(b, "PKC_EXPORT ");
            kernel_plan_declaration(b, w->kernel);
            buf_add_c(b, ";\n");
        }
    }
    buf_add_c(b, open.len > 0 ? "\n}\n" : "\n");
    buf_printf(b, "} // namespace " STR_FMT "\n", STR_ARG(namespace_text));
}

struct str gen_without_leading_blanks(struct str text)
{
    size_t at = 0;
    while (at < text.len && text.ptr[at] == '\n') {
        at++;
    }
    return str_slice(text, at, text.len);
}

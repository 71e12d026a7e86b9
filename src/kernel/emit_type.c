/* Types in C++, and plain pieces of text. */
#include "kernel/emit.h"

void emit_text(struct emit *e, const char *c_string)
{
    buf_add_c(e->out, c_string);
}

void emit_str(struct emit *e, struct str s)
{
    buf_add(e->out, s);
}

void emit_line_begin(struct emit *e)
{
    for (int i = 0; i < e->indent; i++) {
        buf_add_c(e->out, "    ");
    }
}

void emit_string(struct emit *e, struct str s)
{
    buf_add_char(e->out, '"');
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        switch (c) {
        case '"': emit_text(e, "\\\""); break;
        case '\\': emit_text(e, "\\\\"); break;
        case '\n': emit_text(e, "\\n"); break;
        case '\t': emit_text(e, "\\t"); break;
        case '\r': emit_text(e, "\\r"); break;
        /* No trigraph. */
        case '?': emit_text(e, "\\?"); break;
        default:
            if (c < 0x20 || c == 0x7f) {
                buf_printf(e->out, "\\%03o", c);
            } else {
                buf_add_char(e->out, (char)c);
            }
        }
    }
    buf_add_char(e->out, '"');
}

static const char *scalar_name(enum type_kind k)
{
    switch (k) {
    case TYPE_VOID: return "void";
    case TYPE_BOOL: return "bool";
    case TYPE_INT8: return "pkc::int8";
    case TYPE_INT16: return "pkc::int16";
    case TYPE_INT32: return "pkc::int32";
    case TYPE_INT64: return "pkc::int64";
    case TYPE_UINT8: return "pkc::uint8";
    case TYPE_UINT16: return "pkc::uint16";
    case TYPE_UINT32: return "pkc::uint32";
    case TYPE_UINT64: return "pkc::uint64";
    case TYPE_INT128: return "pkc::int128";
    case TYPE_FLOAT: return "float";
    case TYPE_DOUBLE: return "double";
    case TYPE_COMPLEX64: return "pkc::complex<float>";
    case TYPE_COMPLEX128: return "pkc::complex<double>";
    default: return NULL;
    }
}

static const char *const layouts[] = {
    [LAYOUT_RIGHT] = "",
    [LAYOUT_LEFT] = ", pkc::layout::left",
    [LAYOUT_STRIDE] = ", pkc::layout::stride",
};

static void add_type(struct buf *out, const struct type *t, bool *header)
{
    const char *scalar = scalar_name(t->kind);
    if (scalar) {
        if (header && type_is_complex(t->kind)) {
            header[HEADER_COMPLEX] = true;
        }
        buf_add_c(out, scalar);
    } else if (t->kind == TYPE_VIEW) {
        if (header) {
            header[HEADER_VIEW] = true;
        }
        buf_add_c(out, "pkc::view<");
        add_type(out, t->element, header);
        buf_printf(out, ", %d%s>", t->rank, layouts[t->layout]);
    } else if (t->kind == TYPE_ARRAY) {
        if (header) {
            header[HEADER_LIST] = true;
        }
        buf_add_c(out, "pkc::list<");
        add_type(out, t->element, header);
        buf_printf(out, ", %lld>", (long long)t->length);
    } else if (t->kind == TYPE_STRUCT) {
        buf_add(out, t->struct_type->name);
    } else if (t->kind == TYPE_RANDOM_POOL) { /* in ARGS: its states */
        if (header) {
            header[HEADER_VIEW] = true;
        }
        buf_add_c(out, "pkc::view<pkc::uint64, 1>");
    } else if (t->kind == TYPE_RANDOM_GENERATOR) {
        if (header) {
            header[HEADER_RANDOM] = true;
        }
        buf_add_c(out, "pkc::random_state");
    } else if (t->kind == TYPE_TEAM) {
        buf_add_c(out, "pkc::team");
    } else {
        buf_add_c(out, "void");
    }
}

void emit_type(struct emit *e, const struct type *t)
{
    add_type(e->out, t, e->header);
}

struct str emit_type_name(struct emit *e, const struct type *t)
{
    struct buf b;
    buf_init(&b, e->arena);
    add_type(&b, t, e->header);
    return buf_str(&b);
}

void kernel_args_struct(struct buf *out, const struct kernel *k)
{
    const struct str symbol = kernel_symbol(out->arena, k);
    buf_printf(out, "struct " STR_FMT "_args {\n", STR_ARG(symbol));
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct parameter *p =
            i < k->field_count ? &k->fields[i] : &k->parameters[i - k->field_count];
        buf_add_c(out, "    ");
        add_type(out, p->type, NULL);
        buf_add_char(out, ' ');
        buf_add(out, kernel_args_member(out->arena, k, i));
        buf_add_c(out, ";\n");
    }
    buf_add_c(out, "};\n");
}

struct str kernel_args_member(struct arena *a, const struct kernel *k, size_t i)
{
    if (i < k->field_count) {
        return cpp_identifier(a, k->fields[i].name);
    }
    const struct str name = cpp_identifier(a, k->parameters[i - k->field_count].name);
    for (size_t n = 0; n < k->field_count; n++) {
        if (str_equal(k->fields[n].name, k->parameters[i - k->field_count].name)) {
            /* A method's parameter named as a field. No identifier ends in three of these. */
            return str_format(a, STR_FMT "_0_", STR_ARG(name));
        }
    }
    return name;
}

/* The C++ header of a module: its workunits as functions, its functor classes as structs. */
#include "generate/private.h"
#include "pkc_generate_templates.h"

struct header {
    struct arena *arena;
    const struct gen_request *request;
    const struct gen_result *result;
    const struct gen_module *module;
    struct str namespace_text;
    struct str space;
    struct buf out;
};

/* A name that no parameter of the kernel has in C++. */
static struct str free_name(struct arena *a, const struct kernel *k, struct str wanted)
{
    for (size_t i = 0; i < k->field_count + k->parameter_count;) {
        if (str_equal(cpp_identifier(a, gen_parameter(k, i)->name), wanted)) {
            wanted = str_format(a, STR_FMT "0", STR_ARG(wanted));
            i = 0;
        } else {
            i++;
        }
    }
    return wanted;
}

/* The parameter's name in its function; not a field's, which it would hide. */
static struct str parameter_name(struct arena *a, const struct kernel *k, size_t index)
{
    struct str name = cpp_identifier(a, k->parameters[index].name);
    for (size_t i = 0; i < k->field_count; i++) {
        if (str_equal(cpp_identifier(a, k->fields[i].name), name)) {
            return free_name(a, k, str_format(a, STR_FMT "_argument", STR_ARG(name)));
        }
    }
    return name;
}

static void add_view(struct buf *b, const char *template, const struct parameter *p)
{
    buf_printf(b, "::pkc::%s<%s%s, %d, %s>", template, gen_read_only(p) ? "const " : "",
               gen_kokkos_scalar(p->type->element->kind), p->type->rank,
               gen_layout(p->type->layout));
}

static void add_policy_type(const struct header *h, struct buf *b, const struct kernel *k)
{
    switch (k->policy) {
    case POLICY_MDRANGE:
        buf_printf(b, "::pkc::mdrange_policy<" STR_FMT ", %d>", STR_ARG(h->space), k->rank);
        break;
    case POLICY_TEAM: buf_printf(b, "::pkc::team_policy<" STR_FMT ">", STR_ARG(h->space)); break;
    default: buf_printf(b, "::pkc::range_policy<" STR_FMT ">", STR_ARG(h->space)); break;
    }
}

/* What a reduce returns. */
static void add_result_type(struct buf *b, const struct kernel *k)
{
    const char *scalar = gen_kokkos_scalar(gen_acc_scalar(k));
    switch (gen_acc_form(k)) {
    case GEN_ACC_VAL_LOC: buf_printf(b, "::pkc::val_loc<%s>", scalar); break;
    case GEN_ACC_MIN_MAX: buf_printf(b, "::pkc::min_max<%s>", scalar); break;
    case GEN_ACC_MIN_MAX_LOC: buf_printf(b, "::pkc::min_max_loc<%s>", scalar); break;
    default: buf_add_c(b, scalar); break;
    }
}

/* The accumulator as the kernel stores it. */
static void add_acc_type(struct buf *b, const struct kernel *k)
{
    switch (gen_acc_scalar(k)) {
    case TYPE_COMPLEX64: buf_add_c(b, "::pkc::complex<float>"); break;
    case TYPE_COMPLEX128: buf_add_c(b, "::pkc::complex<double>"); break;
    default: add_result_type(b, k); break;
    }
}

static const char *default_reducer(enum gen_acc form)
{
    switch (form) {
    case GEN_ACC_VAL_LOC: return "";
    case GEN_ACC_MIN_MAX: return " = ::pkc::MinMax";
    case GEN_ACC_MIN_MAX_LOC: return " = ::pkc::MinMaxLoc";
    default: return " = ::pkc::Sum";
    }
}

/* "double dot(const ::pkc::range_policy<…> &policy, …)" with what stands before it. */
static void add_prototype(struct header *h, const struct kernel *k, const char *indent,
                          struct str policy, struct str reducer)
{
    struct arena *a = h->arena;
    struct buf *b = &h->out;
    const bool member = k->class_name.len > 0;
    buf_printf(b, "%s// " STR_FMT "\n", indent, STR_ARG(gen_signature(a, k)));
    if (k->operation != OPERATION_FOR) {
        buf_printf(b, "%stemplate <class " STR_FMT "%s>\n", indent, STR_ARG(reducer),
                   default_reducer(gen_acc_form(k)));
    }
    buf_printf(b, "%s%s", indent, member ? "" : "inline ");
    if (k->operation == OPERATION_FOR) {
        buf_add_c(b, "void");
    } else {
        add_result_type(b, k);
    }
    buf_printf(b, " " STR_FMT "(const ", STR_ARG(cpp_identifier(a, k->name)));
    add_policy_type(h, b, k);
    buf_printf(b, " &" STR_FMT, STR_ARG(policy));
    for (size_t i = 0; i < k->parameter_count; i++) {
        const struct type *t = k->parameters[i].type;
        buf_printf(b, ",\n%s    const ", indent);
        if (t->kind == TYPE_VIEW) {
            add_view(b, "array", &k->parameters[i]);
            buf_add_c(b, " &");
        } else if (t->kind == TYPE_RANDOM_POOL) {
            buf_add_c(b, "::pkc::random_pool_argument &");
        } else {
            buf_printf(b, "%s ", gen_kokkos_scalar(t->kind));
        }
        buf_add(b, parameter_name(a, k, i));
    }
    buf_printf(b, ")%s\n", member ? " const" : "");
}

static void add_call(struct header *h, const struct gen_workunit *w, const char *indent,
                     struct str policy, struct str reducer, struct str args)
{
    struct arena *a = h->arena;
    struct buf *b = &h->out;
    const struct kernel *k = w->kernel;
    buf_printf(b, "%s    ", indent);
    if (k->operation == OPERATION_FOR) {
        buf_add_c(b, "::pkc::run(");
    } else {
        buf_printf(b, "return ::pkc::%s<" STR_FMT ", ",
                   k->operation == OPERATION_SCAN ? "scan" : "reduce", STR_ARG(reducer));
        add_acc_type(b, k);
        if (k->operation == OPERATION_REDUCE) {
            buf_printf(b, ", %s", gen_acc_form_name(gen_acc_form(k)));
        }
        buf_add_c(b, ">(");
    }
    buf_printf(b, "::" STR_FMT "(), " STR_FMT, STR_ARG(gen_dispatch_symbol(a, h->request)),
               STR_ARG(gen_c_string(a, gen_label(a, w))));
    if (k->operation != OPERATION_FOR) {
        buf_printf(b, ", \"%s\"", type_dtype(gen_acc_scalar(k)));
    }
    buf_printf(b, ", " STR_FMT ", ", STR_ARG(policy));
    if (k->policy == POLICY_MDRANGE) {
        buf_printf(b, "%d, ", gen_left_to_right(k) ? 1 : 0);
    } else if (k->policy == POLICY_TEAM) {
        buf_printf(b, "::" STR_FMT "::" STR_FMT "_plan, ", STR_ARG(h->namespace_text),
                   STR_ARG(kernel_symbol(a, k)));
    }
    buf_printf(b, "::" STR_FMT "::" STR_FMT "_kernel, &" STR_FMT ");\n", STR_ARG(h->namespace_text),
               STR_ARG(kernel_symbol(a, k)), STR_ARG(args));
}

static void add_function(struct header *h, const struct gen_workunit *w, const char *indent)
{
    struct arena *a = h->arena;
    struct buf *b = &h->out;
    const struct kernel *k = w->kernel;
    const struct str policy = free_name(a, k, STR("policy"));
    const struct str args = free_name(a, k, STR("args"));
    const struct str reducer = free_name(a, k, STR("Reducer"));
    buf_add_char(b, '\n');
    add_prototype(h, k, indent, policy, reducer);
    /* "struct": a workunit may have the same name, and hide it. */
    buf_printf(b, "%s{\n%s    struct ::" STR_FMT "::" STR_FMT "_args " STR_FMT "{};\n", indent,
               indent, STR_ARG(h->namespace_text), STR_ARG(kernel_symbol(a, k)), STR_ARG(args));
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct str name = i < k->field_count ? cpp_identifier(a, k->fields[i].name)
                                                   : parameter_name(a, k, i - k->field_count);
        buf_printf(b, "%s    ::pkc::assign(" STR_FMT "." STR_FMT ", " STR_FMT, indent,
                   STR_ARG(args), STR_ARG(kernel_args_member(a, k, i)), STR_ARG(name));
        if (i >= k->field_count && gen_parameter(k, i)->type->kind == TYPE_VIEW) {
            buf_printf(b, ", ::" STR_FMT "::" STR_FMT "_stores_[%zu], " STR_FMT,
                       STR_ARG(h->namespace_text), STR_ARG(kernel_symbol(a, k)), i,
                       STR_ARG(gen_c_string(a, gen_parameter(k, i)->name)));
        }
        buf_add_c(b, ");\n");
    }
    add_call(h, w, indent, policy, reducer, args);
    buf_printf(b, "%s}\n", indent);
}

/* ---- classes -------------------------------------------------------------------------------- */

static bool in_module(const struct header *h, const struct gen_workunit *w)
{
    return str_equal(w->module, h->module->name);
}

/* A host function: fields in, the call, assigned fields back. */
static void add_host(struct header *h, const struct gen_workunit *w)
{
    struct arena *a = h->arena;
    struct buf *b = &h->out;
    const struct kernel *k = w->kernel;
    const struct str args = free_name(a, k, STR("args"));
    const struct str symbol = kernel_symbol(a, k);
    buf_printf(b,
               "\n    void " STR_FMT "()\n    {\n        struct ::" STR_FMT "::" STR_FMT
               "_args " STR_FMT "{};\n",
               STR_ARG(cpp_identifier(a, k->name)), STR_ARG(h->namespace_text), STR_ARG(symbol),
               STR_ARG(args));
    for (size_t i = 0; i < k->field_count; i++) {
        buf_printf(b, "        ::pkc::assign(" STR_FMT "." STR_FMT ", " STR_FMT ");\n",
                   STR_ARG(args), STR_ARG(kernel_args_member(a, k, i)),
                   STR_ARG(cpp_identifier(a, k->fields[i].name)));
    }
    buf_printf(b,
               "        ::pkc::run_host(::" STR_FMT "(), ::" STR_FMT "::" STR_FMT "_host, &" STR_FMT
               ");\n",
               STR_ARG(gen_dispatch_symbol(a, h->request)), STR_ARG(h->namespace_text),
               STR_ARG(symbol), STR_ARG(args));
    for (size_t i = 0; i < k->field_count; i++) {
        if (k->fields[i].var->assigned) {
            buf_printf(b, "        ::pkc::give_back(" STR_FMT ", " STR_FMT "." STR_FMT ");\n",
                       STR_ARG(cpp_identifier(a, k->fields[i].name)), STR_ARG(args),
                       STR_ARG(kernel_args_member(a, k, i)));
        }
    }
    buf_add_c(b, "    }\n");
}

/* Those that could not be translated: calling one says why. */
static void add_absent(struct header *h, struct str class_name)
{
    for (size_t i = 0; i < h->result->absent_count; i++) {
        const struct gen_absent *absent = h->result->absent[i];
        if (str_equal(absent->module, h->module->name) &&
            str_equal(absent->class_name, class_name)) {
            buf_printf(&h->out,
                       "\n    template <int Called = 1> void " STR_FMT
                       "()\n    {\n        static_assert(Called == 0, " STR_FMT ");\n    }\n",
                       STR_ARG(cpp_identifier(h->arena, absent->name)),
                       STR_ARG(gen_c_string(h->arena, absent->reason)));
        }
    }
}

/* The struct of a class, with all of its workunits. */
static void add_class(struct header *h, const struct vec *members)
{
    struct arena *a = h->arena;
    struct buf *b = &h->out;
    const struct kernel *k = ((const struct gen_workunit *)members->items[0])->kernel;
    buf_printf(b, "\nstruct " STR_FMT " {\n", STR_ARG(cpp_identifier(a, k->class_name)));
    for (size_t i = 0; i < k->field_count; i++) {
        const struct type *t = k->fields[i].type;
        const struct str name = cpp_identifier(a, k->fields[i].name);
        buf_add_c(b, "    ");
        if (t->kind == TYPE_VIEW) {
            add_view(b, "array_field", &k->fields[i]);
            buf_printf(b, " " STR_FMT ";\n", STR_ARG(name));
        } else if (t->kind == TYPE_RANDOM_POOL) {
            buf_printf(b, "::pkc::random_pool " STR_FMT ";\n", STR_ARG(name));
        } else {
            buf_printf(b, "%s " STR_FMT "{};\n", gen_kokkos_scalar(t->kind), STR_ARG(name));
        }
    }
    for (size_t i = 0; i < members->count; i++) {
        const struct gen_workunit *w = members->items[i];
        if (w->kernel->host) {
            add_host(h, w);
        } else {
            add_function(h, w, "    ");
        }
    }
    add_absent(h, k->class_name);
    buf_add_c(b, "};\n");
}

/* Kokkos' pools, which cost time to parse, only where they are used. */
static bool has_pool(const struct header *h)
{
    for (size_t i = 0; i < h->result->workunit_count; i++) {
        const struct gen_workunit *w = &h->result->workunits[i];
        const struct kernel *k = w->kernel;
        for (size_t p = 0; in_module(h, w) && p < k->field_count + k->parameter_count; p++) {
            if (gen_parameter(k, p)->type->kind == TYPE_RANDOM_POOL) {
                return true;
            }
        }
    }
    return false;
}

/* Bytes that are usual for a workunit, and around them all: room that is made at once. */
#define USUAL_FUNCTION ((size_t)1000)
#define USUAL_DECLARATION ((size_t)500)
#define USUAL_FRAME ((size_t)8000)

struct str gen_header(struct arena *a, const struct gen_request *r, const struct gen_result *result,
                      const struct gen_module *m)
{
    struct header h = {a, r, result, m, gen_namespace_text(a, m->name), gen_space(a, r), {0}};
    struct map classes;
    gen_find_classes(a, result, m->name, &classes);
    size_t count = 0;
    for (size_t i = 0; i < result->workunit_count; i++) {
        count += in_module(&h, &result->workunits[i]);
    }
    buf_init(&h.out, a);
    buf_reserve(&h.out, count * USUAL_FUNCTION);
    for (size_t i = 0; i < result->workunit_count; i++) {
        const struct gen_workunit *w = &result->workunits[i];
        if (!in_module(&h, w)) {
            continue;
        }
        h.arena = arena_like(a); /* what is put together for one is not kept */
        const struct vec *members = map_get(&classes, w->kernel->class_name);
        if (w->kernel->class_name.len == 0) {
            add_function(&h, w, "");
        } else if (members->items[0] == w) {
            add_class(&h, members); /* where its first workunit is */
        }
        arena_free(h.arena);
    }
    h.arena = a;
    struct buf kernels;
    buf_init(&kernels, a);
    buf_reserve(&kernels, count * USUAL_DECLARATION);
    gen_args_and_declarations(a, &kernels, result, m->name);
    const struct template_value values[] = {
        {"FILE", gen_percent(a, gen_python_file(a, r, m))},
        {"GUARD",
         gen_identifier(a, "PYKOKKOS_CACHE_MODULE_",
                        str_format(a, STR_FMT "/" STR_FMT, STR_ARG(r->target), STR_ARG(m->name)))},
        {"PARTS", has_pool(&h) ? STR("random_pool") : STR("module")},
        {"DISPATCH", gen_dispatch_symbol(a, r)},
        {"KERNELS", buf_str(&kernels)},
        {"NAMESPACE", h.namespace_text},
        {"TAG", gen_identifier(a, "pkc_target_", r->target)},
        {"FUNCTIONS", gen_without_leading_blanks(buf_str(&h.out))},
    };
    struct buf b;
    buf_init(&b, a);
    buf_reserve(&b, h.out.len + kernels.len + USUAL_FRAME);
    template_expand(&b, template_header_hpp, values, sizeof values / sizeof values[0]);
    return buf_str(&b);
}

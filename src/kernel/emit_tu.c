/* The whole kernel TU. */
#include "kernel/emit.h"

#include "pkc_kernel_templates.h"

#include <stdlib.h>

static const char *const header_names[HEADER_COUNT] = {
    [HEADER_BASE] = "base",       [HEADER_VIEW] = "view",
    [HEADER_SUBVIEW] = "subview", [HEADER_LIST] = "list",
    [HEADER_INT] = "int",         [HEADER_INT128] = "int128",
    [HEADER_EXACT] = "exact",     [HEADER_CONVERT] = "convert",
    [HEADER_LOOP] = "loop",       [HEADER_MINMAX] = "minmax",
    [HEADER_FLOAT] = "float",     [HEADER_ROUND] = "round",
    [HEADER_COMPLEX] = "complex", [HEADER_COMPLEX_MATH] = "complex_math",
    [HEADER_ATOMIC] = "atomic",   [HEADER_ATOMIC_COMPLEX] = "atomic_complex",
    [HEADER_PRINT] = "print",     [HEADER_SEARCH] = "search",
    [HEADER_RANDOM] = "random",   [HEADER_CHECK] = "check",
    [HEADER_TEAM] = "team",       [HEADER_SCRATCH] = "scratch",
    [HEADER_HOST] = "host",
};

/* Text for a comment: nothing in it ends or continues the line. */
static struct str comment_text(struct arena *a, struct str s)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        buf_add_char(&b, c < 0x20 || c == 0x7f || c == '\\' ? '?' : (char)c);
    }
    return buf_str(&b);
}

static struct str includes(struct emit *e)
{
    struct buf b;
    buf_init(&b, e->arena);
    bool others = false;
    for (int h = HEADER_BASE + 1; h < HEADER_COUNT; h++) {
        others = others || e->header[h];
    }
    e->header[HEADER_BASE] = !others; /* each of the others includes it */
    for (int h = 0; h < HEADER_COUNT; h++) {
        if (e->header[h]) {
            buf_printf(&b, "#include <pykokkos_cache/%s.hpp>\n", header_names[h]);
        }
    }
    return buf_str(&b);
}

static int compare_entries(const void *a, const void *b)
{
    return str_compare(((const struct map_entry *)a)->key, ((const struct map_entry *)b)->key);
}

/* Declarations of the C functions that are called. */
static struct str library(struct emit *e)
{
    struct buf b;
    buf_init(&b, e->arena);
    if (e->library.count > 1) { /* qsort takes no null pointer, even for none */
        qsort(e->library.entries, e->library.count, sizeof e->library.entries[0], compare_entries);
    }
    for (size_t i = 0; i < e->library.count; i++) {
        buf_printf(&b, "%s\n", (const char *)e->library.entries[i].value);
    }
    return buf_str(&b);
}

static void add_struct(struct emit *e, struct buf *b, const struct struct_type *s)
{
    buf_printf(b, "%sstruct " STR_FMT " {\n", b->len > 0 ? "\n" : "", STR_ARG(s->name));
    for (size_t f = 0; f < s->field_count; f++) {
        buf_printf(b, "    " STR_FMT " " STR_FMT ";\n",
                   STR_ARG(emit_type_name(e, s->fields[f].type)),
                   STR_ARG(cpp_identifier(e->arena, s->fields[f].name)));
    }
    buf_add_c(b, "};\n");
}

/* Class types, and what a reducer that finds a place accumulates. */
static struct str structs(struct emit *e)
{
    const struct kernel *k = e->kernel;
    struct buf b;
    buf_init(&b, e->arena);
    bool acc_listed = false;
    const struct struct_type *acc = NULL;
    for (size_t i = 0; i < k->leading_count; i++) {
        const struct ir_var *v = k->leading[i].var;
        if (v && v->kind == VAR_ACC && v->type->kind == TYPE_STRUCT) {
            acc = v->type->struct_type;
        }
    }
    for (size_t i = 0; i < k->struct_count; i++) {
        add_struct(e, &b, k->structs[i]);
        acc_listed = acc_listed || k->structs[i] == acc;
    }
    if (acc && !acc_listed) {
        add_struct(e, &b, acc);
    }
    return buf_str(&b);
}

static struct str namespace_name(struct arena *a, const struct str *parts, size_t count)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < count; i++) {
        buf_add_c(&b, i > 0 ? "::" : "");
        buf_add(&b, parts[i]);
    }
    return buf_str(&b);
}

typedef void part_fn(struct emit *e);

static struct str part(struct emit *e, part_fn *write)
{
    struct buf b;
    buf_init(&b, e->arena);
    e->out = &b;
    write(e);
    return buf_str(&b);
}

static void write_args(struct emit *e)
{
    kernel_args_struct(e->out, e->kernel);
    for (size_t i = 0; i < e->kernel->parameter_count; i++) {
        emit_type_name(e, e->kernel->parameters[i].type); /* for its header */
    }
    for (size_t i = 0; i < e->kernel->field_count; i++) {
        emit_type_name(e, e->kernel->fields[i].type);
    }
    emit_stores(e);
}

void kernel_tu(struct buf *out, const struct kernel *k, const struct str *namespace_parts,
               size_t namespace_count, struct str tag, struct str python_file)
{
    struct arena *a = arena_new(NULL, NULL);
    struct emit e = {.arena = a, .kernel = k, .symbol = kernel_symbol(a, k)};
    map_init(&e.library, a);
    map_init(&e.all_names, a);
    map_init(&e.active_names, a);
    map_init(&e.taken_globally, a);
    map_init(&e.taken, a);
    e.vars.arena = e.infos.arena = e.before.arena = a;
    for (size_t i = 0; i < namespace_count; i++) {
        map_set(&e.all_names, namespace_parts[i], &e);
    }
    map_set(&e.all_names, tag, &e);
    emit_usage(&e);
    emit_ranges(&e);
    const struct str helpers = part(&e, emit_helpers);
    const struct str function = part(&e, k->host ? emit_host_function : emit_kernel_function);
    const struct str plan = k->policy == POLICY_TEAM ? part(&e, emit_plan) : STR("");
    const struct str args = part(&e, write_args);
    const struct str struct_text = structs(&e);
    const struct template_value values[] = {
        {"FILE", comment_text(a, python_file)},
        {"FUNCTION",
         comment_text(a, k->fused.len == 0 ? k->qualified
                                           : str_format(a, STR_FMT " = " STR_FMT,
                                                        STR_ARG(k->qualified), STR_ARG(k->fused)))},
        {"INCLUDES", includes(&e)},
        {"LIBRARY", library(&e)},
        {"NAMESPACE", namespace_name(a, namespace_parts, namespace_count)},
        {"TAG", tag},
        {"STRUCTS", struct_text},
        {"ARGS", args},
        {"FUNCTIONS", helpers},
        {"KERNEL", function},
        {"PLAN", plan},
    };
    template_expand(out, template_kernel_cpp, values, sizeof values / sizeof values[0]);
    arena_free(a);
}

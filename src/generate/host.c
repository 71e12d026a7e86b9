/*
 * The @pk.main and @pk.callback methods of workload classes, as host functions. One that uses what
 * a translated one cannot is absent: a warning says why, and so does who calls it. The class's
 * workunits are there in any case.
 */
#include "generate/private.h"

struct hosts {
    struct arena *arena;
    const struct gen_request *request;
    struct vec *found;  /* struct gen_workunit * */
    struct vec *absent; /* struct gen_absent * */
    struct kernel_cache *cache;
};

/* The workunits of a class (struct gen_workunit *), as its host functions may call them. False: one
 * was refused, so that nothing can be said of the class. */
static bool find_callees(struct hosts *h, const struct vec *members, struct host_callee **out)
{
    *out = ARENA_ARRAY(h->arena, struct host_callee, members->count);
    for (size_t i = 0; i < members->count; i++) {
        const struct gen_workunit *w = members->items[i];
        if (w->kernel == NULL) {
            return false;
        }
        (*out)[i] =
            (struct host_callee){w->kernel, gen_label(h->arena, w), gen_left_to_right(w->kernel)};
    }
    return true;
}

static void add_absent(struct hosts *h, const struct gen_workunit *first,
                       const struct py_workunit *method, const struct kernel_reason *why)
{
    struct arena *a = h->arena;
    struct gen_absent *out = ARENA_NEW(a, struct gen_absent);
    const struct str file = path_basename(why->module->path);
    *out = (struct gen_absent){
        .module = first->module,
        .class_name = method->class_node->u.class_def.name,
        .name = method->name,
        .reason = str_format(a,
                             STR_FMT ":%d:%d: " STR_FMT " is not translated: " STR_FMT
                                     "; call the workunits instead, such as " STR_FMT,
                             STR_ARG(file), why->span.line, why->span.column + 1,
                             STR_ARG(method->qualified), STR_ARG(why->message),
                             STR_ARG(first->workunit->qualified)),
    };
    vec_push(h->absent, out);
    if (py_decorator_of(method->module, method->node, NULL) != PY_DECORATOR_MAIN) {
        return; /* a callback is host code, which most are free to use all of Python in */
    }
    struct ast_node at = {.kind = AST_NONE, .span = why->span};
    py_warning(why->module, &at, method->qualified,
               str_format(a, STR_FMT " is not translated: " STR_FMT, STR_ARG(method->qualified),
                          STR_ARG(why->message)),
               str_format(a, STR_FMT "%scall the workunits instead, such as " STR_FMT,
                          STR_ARG(why->hint), why->hint.len > 0 ? "; or " : "",
                          STR_ARG(first->workunit->qualified)));
}

static void add_method(struct hosts *h, const struct vec *members, const struct py_workunit *method)
{
    struct arena *a = h->arena;
    const struct kernel_options options = {h->request->default_real, h->cache};
    const struct gen_workunit *first = members->items[0];
    struct host_callee *callees;
    if (!find_callees(h, members, &callees)) {
        return;
    }
    struct kernel_reason why = {0};
    const struct kernel *k = kernel_lower_host(a, method, callees, members->count, &options, &why);
    if (k == NULL) {
        add_absent(h, first, method, &why);
        return;
    }
    struct gen_workunit *out = ARENA_NEW(a, struct gen_workunit);
    out->workunit = method;
    out->module = first->module;
    out->kernel = k;
    out->file = gen_host_file(a, out->module, kernel_symbol(a, k));
    if (!py_ast_hash(a, method, &out->ast_hash)) {
        py_error(method->module, method->node, method->qualified,
                 STR("its AST hash cannot be computed"), STR(""));
        return;
    }
    vec_push(h->found, out);
}

/* The workload classes with their workunits; fused ones are no Python function that could be
 * called.
 */
static void find_workloads(struct arena *a, const struct vec *found, struct map *classes)
{
    map_init(classes, a);
    for (size_t i = 0; i < found->count; i++) {
        struct gen_workunit *w = found->items[i];
        if (w->workunit->style != PY_WORKLOAD || w->part_count > 0) {
            continue;
        }
        const struct str key =
            str_format(a, STR_FMT "/%p", STR_ARG(w->module), (const void *)w->workunit->class_node);
        struct vec *members = map_get(classes, key);
        if (members == NULL) {
            members = ARENA_NEW(a, struct vec);
            vec_init(members, a);
            map_set(classes, key, members);
        }
        vec_push(members, w);
    }
}

void gen_hosts(struct arena *a, const struct gen_request *r, struct kernel_cache *cache,
               struct vec *found, struct vec *absent)
{
    struct hosts h = {a, r, found, absent, cache};
    struct map classes;
    find_workloads(a, found, &classes);
    for (size_t i = 0; i < classes.count; i++) {
        const struct vec *members = classes.entries[i].value;
        const struct py_workunit *w = ((const struct gen_workunit *)members->items[0])->workunit;
        size_t count;
        const struct py_workunit *list = py_host_methods(w->module, w->class_node, &count);
        for (size_t n = 0; n < count; n++) {
            add_method(&h, members, &list[n]);
        }
    }
}

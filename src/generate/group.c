/*
 * Large targets: many kernels in one TU, so that a build tool has hundreds of objects to look at
 * and not ten thousands. The launcher compiles each by itself (see launch/group.c).
 *
 * The group of a kernel depends on its name and on the number of groups, which is a power of two
 * near the square root of the number of kernels: an added kernel changes one group, as a rule.
 */
#include "generate/private.h"

size_t gen_group_count(const struct gen_request *r, size_t kernels)
{
    if (r->group_over == 0 || kernels <= r->group_over) {
        return 0;
    }
    size_t groups = 1;
    while (groups * groups < kernels) {
        groups *= 2;
    }
    return groups;
}

struct str gen_group_file(struct arena *a, struct str kernel_file, size_t groups)
{
    uint64_t h = 14695981039346656037U;
    for (size_t i = 0; i < kernel_file.len; i++) {
        h = (h ^ (unsigned char)kernel_file.ptr[i]) * 1099511628211U;
    }
    h ^= h >> 32;
    /* No kernel's file begins with a digit. */
    return str_format(a, "groups/%zu-of-%zu.kernel.cpp", (size_t)(h % groups), groups);
}

bool gen_is_group(struct str path)
{
    const struct str folder = STR("groups/");
    return str_starts_with(path, folder.ptr) && path.len > folder.len &&
           path.ptr[folder.len] >= '0' && path.ptr[folder.len] <= '9';
}

/* What the TU defines that another may define, too. */
static const struct str *own_names(struct arena *a, const struct kernel *k, size_t *count)
{
    struct str *names =
        ARENA_ARRAY(a, struct str, k->function_count + k->struct_count + k->leading_count);
    struct map seen;
    size_t n = 0;
    map_init(&seen, a);
    for (size_t i = 0; i < k->function_count; i++) {
        if (!k->functions[i]->inner && !map_has(&seen, k->functions[i]->symbol)) {
            map_set(&seen, k->functions[i]->symbol, &seen);
            names[n++] = k->functions[i]->symbol;
        }
    }
    for (size_t i = 0; i < k->struct_count + k->leading_count; i++) {
        const struct struct_type *s = NULL;
        if (i < k->struct_count) {
            s = k->structs[i];
        } else {
            const struct ir_var *v = k->leading[i - k->struct_count].var;
            s = v != NULL && v->kind == VAR_ACC && v->type->kind == TYPE_STRUCT
                    ? v->type->struct_type
                    : NULL;
        }
        if (s != NULL && !map_has(&seen, s->name)) {
            map_set(&seen, s->name, &seen);
            names[n++] = s->name;
        }
    }
    *count = n;
    return names;
}

void gen_group_add(struct buf *b, const struct gen_workunit *w, struct str meta, struct str text)
{
    struct arena *a = arena_like(b->arena);
    size_t count = 0;
    const struct str *names = own_names(a, w->kernel, &count);
    const struct group_part part = {.file = gen_percent(a, w->file),
                                    .symbol = kernel_symbol(a, w->kernel),
                                    .meta = meta,
                                    .text = text};
    group_add(b, &part, names, count);
    arena_free(a);
}

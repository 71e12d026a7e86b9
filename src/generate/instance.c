/* INSTANTIATE entries: parsed, and given to the workunits that they name. */
#include "generate/private.h"

static void entry_error(struct diags *diags, struct str message, struct str hint)
{
    diags_add(diags, (struct diag){.severity = DIAG_ERROR, .message = message, .hint = hint});
}

struct gen_entry *gen_entries(struct arena *a, const struct gen_request *r, struct diags *diags)
{
    struct gen_entry *entries = ARENA_ARRAY(a, struct gen_entry, r->instantiate_count);
    for (size_t i = 0; i < r->instantiate_count; i++) {
        struct error error = {""};
        entries[i].valid =
            instantiation_parse(a, r->instantiate[i], r->default_real, &entries[i].parsed, &error);
        if (!entries[i].valid) {
            entry_error(diags,
                        str_format(a, "INSTANTIATE \"" STR_FMT "\": %s", STR_ARG(r->instantiate[i]),
                                   error.text),
                        STR(""));
        }
    }
    return entries;
}

bool gen_is_called(struct str name, struct str module, struct str qualified)
{
    if (str_equal(name, qualified)) {
        return true;
    }
    return name.len == module.len + 1 + qualified.len && name.ptr[module.len] == '.' &&
           str_equal(str_slice(name, 0, module.len), module) &&
           str_equal(str_slice(name, module.len + 1, name.len), qualified);
}

bool gen_entry_fits(const struct gen_entry *entry, struct str module, struct str qualified)
{
    return entry->valid && gen_is_called(entry->parsed.workunit, module, qualified);
}

struct str gen_nearest_workunit(struct str name, const struct vec *found)
{
    const size_t limit = name.len / 3 + 1;
    size_t best = limit + 1;
    struct str near = STR("");
    for (size_t i = 0; i < found->count; i++) {
        const struct py_workunit *w = ((const struct gen_workunit *)found->items[i])->workunit;
        const struct str candidates[] = {w->qualified, w->name};
        for (size_t k = 0; k < 2; k++) {
            const size_t distance = str_distance(name, candidates[k], limit);
            if (distance < best) {
                best = distance;
                near = w->qualified;
            }
        }
    }
    return near;
}

void gen_unused_entries(struct arena *a, const struct gen_request *r,
                        const struct gen_entry *entries, const struct vec *found,
                        struct diags *diags)
{
    for (size_t i = 0; i < r->instantiate_count; i++) {
        if (!entries[i].valid || entries[i].used) {
            continue;
        }
        const struct str name = entries[i].parsed.workunit;
        const struct str near = gen_nearest_workunit(name, found);
        entry_error(diags,
                    str_format(a, "INSTANTIATE \"" STR_FMT "\": there is no workunit '" STR_FMT "'",
                               STR_ARG(r->instantiate[i]), STR_ARG(name)),
                    near.len > 0 ? str_format(a, "did you mean '" STR_FMT "'?", STR_ARG(near))
                                 : STR(""));
    }
}

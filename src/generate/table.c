/* The Python module's table: constants for the runtime, no Kokkos and no Python header. */
#include "generate/private.h"
#include "pkc_generate_templates.h"

struct table {
    struct arena *arena;
    const struct gen_request *request;
    const struct gen_result *result;
    struct buf out;
};

static void add_parameter(struct table *t, const struct gen_workunit *w, size_t i)
{
    struct arena *a = t->arena;
    const struct kernel *k = w->kernel;
    const struct parameter *p = gen_parameter(k, i);
    const bool pool = p->type->kind == TYPE_RANDOM_POOL; /* an array of its states */
    const bool view = p->type->kind == TYPE_VIEW || pool;
    const enum type_kind scalar = pool   ? TYPE_UINT64
                                  : view ? p->type->element->kind
                                         : p->type->kind;
    const char *layout = !view                              ? "0"
                         : p->type->layout == LAYOUT_LEFT   ? "PKC_LAYOUT_LEFT"
                         : p->type->layout == LAYOUT_STRIDE ? "PKC_LAYOUT_STRIDE"
                                                            : "PKC_LAYOUT_RIGHT";
    buf_printf(&t->out,
               "    {" STR_FMT ", \"%s\", offsetof(struct ::" STR_FMT "::" STR_FMT "_args, " STR_FMT
               "), %s, %d, %s, %d},\n",
               STR_ARG(gen_c_string(a, p->name)), type_dtype(scalar),
               STR_ARG(gen_namespace_text(a, w->module)), STR_ARG(kernel_symbol(a, k)),
               STR_ARG(kernel_args_member(a, k, i)), view ? "PKC_VIEW" : "PKC_SCALAR",
               pool   ? 1
               : view ? p->type->rank
                      : 0,
               layout, k->host && !view && !pool ? !p->var->assigned : gen_read_only(p));
}

/* parameters_<index>: fields, then parameters. */
static void add_parameters(struct table *t, size_t index)
{
    const struct gen_workunit *w = &t->result->workunits[index];
    const size_t count = w->kernel->field_count + w->kernel->parameter_count;
    if (count == 0) {
        return;
    }
    buf_printf(&t->out, "\nconst struct pkc_parameter parameters_%zu[] = {\n", index);
    for (size_t i = 0; i < count; i++) {
        add_parameter(t, w, i);
    }
    buf_add_c(&t->out, "};\n");
}

/* The last member of a workunit: which arrays it stores to. */
static void add_stores(struct table *t, const struct gen_workunit *w)
{
    struct buf stores;
    buf_init(&stores, t->arena);
    if (kernel_stores_declaration(&stores, w->kernel)) {
        buf_printf(&t->out, "::" STR_FMT "::" STR_FMT "_stores_},\n",
                   STR_ARG(gen_namespace_text(t->arena, w->module)),
                   STR_ARG(kernel_symbol(t->arena, w->kernel)));
    } else {
        buf_add_c(&t->out, "nullptr},\n");
    }
}

static void add_host(struct table *t, size_t index)
{
    struct arena *a = t->arena;
    const struct gen_workunit *w = &t->result->workunits[index];
    const struct kernel *k = w->kernel;
    const struct str symbol = kernel_symbol(a, k);
    const struct str space = gen_namespace_text(a, w->module);
    buf_printf(&t->out,
               "    {" STR_FMT ", " STR_FMT ",\n     " STR_FMT
               ",\n     PKC_HOST, 0, 0, 0, nullptr, 0, sizeof(struct ::" STR_FMT "::" STR_FMT
               "_args), %zu, %zu, ",
               STR_ARG(gen_c_string(a, k->name)), STR_ARG(gen_c_string(a, gen_label(a, w))),
               STR_ARG(gen_c_string(a, str_format(a, STR_FMT "()", STR_ARG(k->name)))),
               STR_ARG(space), STR_ARG(symbol), k->field_count, k->field_count);
    if (k->field_count > 0) {
        buf_printf(&t->out, "parameters_%zu,\n", index);
    } else {
        buf_add_c(&t->out, "nullptr,\n");
    }
    buf_printf(&t->out,
               "     reinterpret_cast<pkc_any_kernel *>(::" STR_FMT "::" STR_FMT
               "_host), nullptr, ",
               STR_ARG(space), STR_ARG(symbol));
    add_stores(t, w);
}

/* Those that could not be translated: no function, and the reason for a signature. */
static size_t add_absent(struct table *t, struct str module, struct str class_name)
{
    struct arena *a = t->arena;
    size_t count = 0;
    for (size_t i = 0; i < t->result->absent_count && class_name.len > 0; i++) {
        const struct gen_absent *absent = t->result->absent[i];
        if (!str_equal(absent->module, module) || !str_equal(absent->class_name, class_name)) {
            continue;
        }
        const struct str label = str_format(a, STR_FMT "::" STR_FMT "." STR_FMT, STR_ARG(module),
                                            STR_ARG(class_name), STR_ARG(absent->name));
        buf_printf(&t->out,
                   "    {" STR_FMT ", " STR_FMT ",\n     " STR_FMT
                   ",\n     PKC_HOST, 0, 0, 0, nullptr, 0, 0, 0, 0, nullptr, nullptr, nullptr, "
                   "nullptr},\n",
                   STR_ARG(gen_c_string(a, absent->name)), STR_ARG(gen_c_string(a, label)),
                   STR_ARG(gen_c_string(a, absent->reason)));
        count++;
    }
    return count;
}

static void add_workunit(struct table *t, size_t index)
{
    struct arena *a = t->arena;
    struct buf *b = &t->out;
    const struct gen_workunit *w = &t->result->workunits[index];
    const struct kernel *k = w->kernel;
    const struct str symbol = kernel_symbol(a, k);
    const struct str space = gen_namespace_text(a, w->module);
    const bool reduces = k->operation != OPERATION_FOR;
    const size_t count = k->field_count + k->parameter_count;
    buf_printf(b, "    {" STR_FMT ", " STR_FMT ",\n     " STR_FMT ",\n",
               STR_ARG(gen_c_string(a, k->name)), STR_ARG(gen_c_string(a, gen_label(a, w))),
               STR_ARG(gen_c_string(a, gen_signature(a, k))));
    buf_printf(b, "     %d, %d, %d, %d, ", (int)k->operation, (int)k->policy, k->rank,
               gen_left_to_right(k) ? 1 : 0);
    if (reduces) {
        buf_printf(b, "\"%s\", %s, ", type_dtype(gen_acc_scalar(k)),
                   gen_acc_form_name(gen_acc_form(k)));
    } else {
        buf_add_c(b, "nullptr, 0, ");
    }
    buf_printf(b, "sizeof(struct ::" STR_FMT "::" STR_FMT "_args), %zu, %zu, ", STR_ARG(space),
               STR_ARG(symbol), k->field_count, count);
    if (count > 0) {
        buf_printf(b, "parameters_%zu,\n", index);
    } else {
        buf_add_c(b, "nullptr,\n");
    }
    buf_printf(b, "     reinterpret_cast<pkc_any_kernel *>(::" STR_FMT "::" STR_FMT "_kernel), ",
               STR_ARG(space), STR_ARG(symbol));
    if (k->policy == POLICY_TEAM) {
        buf_printf(b, "::" STR_FMT "::" STR_FMT "_plan, ", STR_ARG(space), STR_ARG(symbol));
    } else {
        buf_add_c(b, "nullptr, ");
    }
    add_stores(t, w);
}

/* An array of these workunits (NULL: none). Returns how many. */
static size_t add_workunits(struct table *t, const struct vec *workunits, struct str name)
{
    if (workunits == NULL) {
        return 0;
    }
    buf_printf(&t->out, "\nconst struct pkc_workunit " STR_FMT "[] = {\n", STR_ARG(name));
    for (size_t i = 0; i < workunits->count; i++) {
        const struct gen_workunit *w = workunits->items[i];
        if (w->kernel->host) {
            add_host(t, (size_t)(w - t->result->workunits));
        } else {
            add_workunit(t, (size_t)(w - t->result->workunits));
        }
    }
    const struct gen_workunit *first = workunits->items[0];
    const size_t absent = add_absent(t, first->module, first->kernel->class_name);
    buf_add_c(&t->out, "};\n");
    return workunits->count + absent;
}

void gen_find_classes(struct arena *a, const struct gen_result *result, struct str module,
                      struct map *classes)
{
    map_init(classes, a);
    for (size_t i = 0; i < result->workunit_count; i++) {
        const struct gen_workunit *w = &result->workunits[i];
        if (!str_equal(w->module, module)) {
            continue;
        }
        struct vec *members = map_get(classes, w->kernel->class_name);
        if (members == NULL) {
            members = ARENA_NEW(a, struct vec);
            vec_init(members, a);
            map_set(classes, w->kernel->class_name, members);
        }
        vec_push(members, (void *)(uintptr_t)w);
    }
}

static void add_source(struct table *t, size_t source)
{
    struct arena *a = t->arena;
    struct buf *b = &t->out;
    const struct str module = t->result->modules[source].name;
    struct map classes;
    gen_find_classes(a, t->result, module, &classes);
    struct buf list;
    size_t class_count = 0;
    buf_init(&list, a);
    for (size_t c = 0; c < classes.count; c++) {
        const struct str class_name = classes.entries[c].key;
        const struct vec *members = classes.entries[c].value;
        if (class_name.len == 0) {
            continue;
        }
        const struct gen_workunit *w = members->items[0];
        const size_t first = (size_t)(w - t->result->workunits);
        const struct kernel *k = w->kernel;
        const struct str name = str_format(a, "methods_%zu_%zu", source, class_count++);
        const size_t count = add_workunits(t, members, name);
        buf_printf(&list, "    {" STR_FMT ", %zu, ", STR_ARG(gen_c_string(a, class_name)),
                   k->field_count);
        if (k->field_count > 0) {
            buf_printf(&list, "parameters_%zu", first);
        } else {
            buf_add_c(&list, "nullptr");
        }
        buf_printf(&list, ", %zu, " STR_FMT "},\n", count, STR_ARG(name));
    }
    const struct str functions = str_format(a, "workunits_%zu", source);
    const size_t function_count = add_workunits(t, map_get(&classes, STR("")), functions);
    if (class_count > 0) {
        buf_printf(b, "\nconst struct pkc_class classes_%zu[] = {\n" STR_FMT "};\n", source,
                   STR_ARG(buf_str(&list)));
    }
    buf_printf(b, "\nconst struct pkc_source_module source_%zu = {" STR_FMT ", %zu, ", source,
               STR_ARG(gen_c_string(a, module)), function_count);
    buf_add(b, function_count > 0 ? functions : STR("nullptr"));
    buf_printf(b, ", %zu, ", class_count);
    buf_add(b, class_count > 0 ? str_format(a, "classes_%zu", source) : STR("nullptr"));
    buf_add_c(b, "};\n");
}

struct str gen_table(struct arena *a, const struct gen_request *r, const struct gen_result *result)
{
    struct table t = {a, r, result, {0}};
    struct buf includes, kernels, sources;
    const struct str name = r->module_name.len > 0 ? r->module_name : r->target;
    buf_init(&t.out, a);
    buf_init(&includes, a);
    buf_init(&kernels, a);
    buf_init(&sources, a);
    gen_args_includes(&includes, result, STR(""));
    for (size_t i = 0; i < result->workunit_count; i++) {
        add_parameters(&t, i);
    }
    for (size_t i = 0; i < result->module_count; i++) {
        buf_add_c(&kernels, i > 0 ? "\n" : "");
        gen_args_and_declarations(a, &kernels, result, result->modules[i].name);
        add_source(&t, i);
        buf_printf(&sources, "&source_%zu,\n", i);
    }
    const struct template_value values[] = {
        {"INCLUDES", buf_str(&includes)},
        {"DISPATCH", gen_dispatch_symbol(a, r)},
        {"KERNELS", buf_str(&kernels)},
        {"TABLES", gen_without_leading_blanks(buf_str(&t.out))},
        {"SOURCES", buf_str(&sources)},
        {"SOURCE_COUNT", str_format(a, "%zu", result->module_count)},
        {"NAME", name},
        {"NAME_TEXT", gen_c_string(a, name)},
    };
    struct buf b;
    buf_init(&b, a);
    template_expand(&b, template_module_cpp, values, sizeof values / sizeof values[0]);
    return buf_str(&b);
}

/*
 * The front end on any bytes: it must end, report what is wrong in some line of the file, and give
 * the same tree and hashes when it is run again.
 */
#include <stdlib.h>

#include "python/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Looks at each expression statement and assignment as a constant. */
static void evaluate_all(void *context, const struct ast_node *node)
{
    const struct py_module *m = context;
    struct py_value value;
    if (node->kind == AST_ASSIGN) {
        (void)py_evaluate(m, node->u.assign.value, &value);
    } else if (node->kind == AST_EXPR) {
        (void)py_evaluate(m, node->u.value.value, &value);
        (void)py_resolve(m, node->u.value.value);
    } else if (node->kind == AST_CLASS_DEF) {
        size_t count = 0;
        (void)py_class_fields(m, node, &count);
        (void)py_class_method(m, node, STR("f"), NULL);
    }
    ast_for_each_child(node, evaluate_all, context);
}

/* Everything that the front end says of the text. */
static void describe(struct buf *out, struct str text)
{
    struct diags diags;
    diags_init(&diags, out->arena);
    struct py_program *p = py_program_new(out->arena, &diags);
    struct module *m = module_from_text(p, STR("/nowhere/fuzz.py"), text);
    ast_dump(out, m->pub.tree);
    evaluate_all(&m->pub, m->pub.tree);
    for (size_t i = 0; i < m->sites.count; i++) {
        buf_printf(out, "%d ", (int)py_lookup(&m->pub, m->sites.entries[i].key).kind);
    }
    size_t count = 0;
    const struct py_workunit *workunits = py_workunits(&m->pub, &count);
    struct str before = STR("");
    for (size_t i = 0; i < count; i++) {
        struct buf form;
        buf_init(&form, out->arena);
        py_canonical(&form, &workunits[i]);
        buf_add(out, buf_str(&form));
        py_canonical_difference(out, before, buf_str(&form), &workunits[i]);
        before = buf_str(&form);
    }
    int lines = 1;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n' || text.ptr[i] == '\r' ? 1 : 0;
    }
    for (size_t i = 0; i < diags.count; i++) {
        require(diags.items[i].line <= lines);
        require(diags.items[i].message.len > 0);
    }
    require(m->pub.error_count <= diags.error_count);
    diags_format(out, &diags, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str text = str_copy(a, (struct str){(const char *)data, size});
    struct buf first;
    struct buf second;
    buf_init(&first, a);
    buf_init(&second, a);
    describe(&first, text);
    describe(&second, text);
    require(str_equal(buf_str(&first), buf_str(&second)));
    arena_free(a);
    return 0;
}

/* writer: the lines of a canonical form, and what names stand for in it. */
#include "python/writer.h"

#include "python/value.h"

/* ---- lines ---------------------------------------------------------------------------------- */

void write_begin(struct writer *w, const struct ast_node *node, const char *text)
{
    static const char blanks[] = "                                                              ";
    size_t depth = (size_t)w->depth;
    while (depth > 0) {
        const size_t part = depth < sizeof(blanks) - 1 ? depth : sizeof(blanks) - 1;
        buf_add_bytes(&w->out, blanks, part);
        depth -= part;
    }
    buf_add_c(&w->out, text);
    if (w->keep_lines) {
        struct form_line *place = ARENA_NEW(w->arena, struct form_line);
        *place = (struct form_line){node, w->module};
        vec_push(&w->lines, place);
    }
}

void write_end(struct writer *w)
{
    buf_add_char(&w->out, '\n');
}

void write_line(struct writer *w, const struct ast_node *node, const char *text)
{
    write_begin(w, node, text);
    write_end(w);
}

/* "text name"; the name's own line ends, if it can have any, are escaped. */
void write_name(struct writer *w, const struct ast_node *node, const char *text, struct str name)
{
    write_begin(w, node, text);
    buf_add_char(&w->out, ' ');
    buf_add(&w->out, name);
    write_end(w);
}

void write_seq(struct writer *w, const struct ast_node *owner, const char *label,
               struct ast_seq seq)
{
    if (label != NULL) {
        write_line(w, owner, label);
    }
    w->depth++;
    for (size_t i = 0; i < seq.count; i++) {
        if (seq.items[i] == NULL) {
            write_line(w, owner, "none");
        } else {
            write_node(w, seq.items[i]);
        }
    }
    w->depth--;
}

void write_labelled(struct writer *w, const char *label, const struct ast_node *node)
{
    if (node != NULL) {
        write_line(w, node, label);
        w->depth++;
        write_node(w, node);
        w->depth--;
    }
}

/* ---- references ----------------------------------------------------------------------------- */

static void add_ref(struct writer *w, struct item item)
{
    const void *pair[2] = {item.node, item.class_node};
    const struct str key = {(const char *)pair, sizeof(pair)};
    if (map_has(&w->refs_seen, key)) {
        return;
    }
    struct item *kept = ARENA_NEW(w->arena, struct item);
    *kept = item;
    map_set(&w->refs_seen, str_copy(w->arena, key), kept);
    vec_push(&w->refs, kept);
}

static void qualified_line(struct writer *w, const struct ast_node *node, const char *text,
                           const struct module *where, struct str name)
{
    write_begin(w, node, text);
    buf_add_char(&w->out, ' ');
    if (where != w->home) {
        buf_add(&w->out, where->dotted);
    }
    buf_add_char(&w->out, '.');
    buf_add(&w->out, name);
    write_end(w);
}

/* A constant's kind and value: "int 3". */
void write_value(struct writer *w, const struct py_value *value)
{
    static const char *const kinds[] = {
        [PY_VALUE_NONE] = "",    [PY_VALUE_ELLIPSIS] = "",    [PY_VALUE_BOOL] = "bool ",
        [PY_VALUE_INT] = "int ", [PY_VALUE_FLOAT] = "float ", [PY_VALUE_COMPLEX] = "complex ",
        [PY_VALUE_STR] = "str ", [PY_VALUE_BYTES] = "bytes ", [PY_VALUE_TUPLE] = "tuple ",
    };
    buf_add_c(&w->out, kinds[value->kind]);
    value_repr(&w->out, value);
}

/* The line of a name, or of a dotted chain of names, that is free in the function. */
static void emit_binding(struct writer *w, const struct ast_node *node,
                         const struct py_binding *binding, struct str spelling)
{
    struct module *where = module_of(binding->module);
    switch (binding->kind) {
    case PY_UNBOUND: write_name(w, node, "unbound", spelling); break;
    case PY_BUILTIN: write_name(w, node, "builtin", binding->qualified); break;
    case PY_EXTERNAL: write_name(w, node, "external", binding->qualified); break;
    case PY_MODULE: write_name(w, node, "module", where->dotted); break;
    case PY_FUNCTION:
        w->uses_workunit = w->uses_workunit || py_decorator_of(&where->pub, binding->node, NULL) ==
                                                   PY_DECORATOR_WORKUNIT;
        qualified_line(w, node, "function", where, binding->node->u.function.name);
        add_ref(w, (struct item){ITEM_FUNCTION, where, binding->node, NULL, NULL});
        break;
    case PY_CLASS:
        qualified_line(w, node, "class", where, binding->node->u.class_def.name);
        add_ref(w, (struct item){ITEM_CLASS, where, binding->node, NULL, NULL});
        break;
    case PY_CONSTANT:
        write_begin(w, node, "constant ");
        buf_add(&w->out, binding->qualified.len > 0 ? binding->qualified : spelling);
        buf_add_char(&w->out, ' ');
        write_value(w, &binding->value);
        write_end(w);
        break;
    case PY_ALIAS:
        if (w->aliases > 16) {
            write_name(w, node, "alias", spelling);
            break;
        }
        {
            /* What it stands for, as seen where it is bound. */
            struct module *module = w->module;
            const struct scope *scope = w->scope;
            w->module = where;
            w->scope = NULL;
            w->aliases++;
            write_node(w, binding->node);
            w->aliases--;
            w->scope = scope;
            w->module = module;
        }
        break;
    case PY_HOST:
        write_name(w, node, "host", binding->qualified.len > 0 ? binding->qualified : spelling);
        break;
    }
}

void write_free_name(struct writer *w, const struct ast_node *node)
{
    const struct str id = node->u.name.id;
    if (scope_has(w->scope, id)) {
        write_name(w, node, "name", id);
        return;
    }
    const struct py_binding binding = py_lookup(&w->module->pub, id);
    emit_binding(w, node, &binding, id);
}

/* The name at the root of a.b.c; NULL: something else is there. */
static const struct ast_node *root_name(const struct ast_node *node)
{
    while (node->kind == AST_ATTRIBUTE) {
        node = node->u.attribute.value;
    }
    return node->kind == AST_NAME ? node : NULL;
}

void write_attribute(struct writer *w, const struct ast_node *node)
{
    const struct ast_node *root = root_name(node);
    if (root != NULL && !scope_has(w->scope, root->u.name.id)) {
        const struct py_binding binding = py_resolve(&w->module->pub, node);
        if (binding.kind != PY_UNBOUND) {
            emit_binding(w, node, &binding, node->u.attribute.attr);
            return;
        }
    }
    write_name(w, node, "Attribute", node->u.attribute.attr);
    w->depth++;
    write_node(w, node->u.attribute.value);
    w->depth--;
    const bool of_self = w->class_node != NULL && node->u.attribute.value->kind == AST_NAME &&
                         str_equal(node->u.attribute.value->u.name.id, w->self);
    if (of_self) {
        const struct py_module *where = NULL;
        const struct ast_node *method =
            py_class_method(&w->class_module->pub, w->class_node, node->u.attribute.attr, &where);
        if (method != NULL) {
            add_ref(w, (struct item){ITEM_METHOD, module_of(where), method, w->class_module,
                                     w->class_node});
        }
    }
}

/*
 * canonical: a definition as text that holds its structure and what its free names mean.
 *
 * One node a line, its children below it, one blank deeper. Where a node has more than one list,
 * a line that begins with ':' names the list. Local names stand as they are; a free name stands
 * as what it resolves to, so that the spelling of imports and aliases does not matter:
 *
 *     external pykokkos.View1D      constant SCALE int 3      function helpers.shift
 *     builtin int                   unbound sqrt              function .own_module
 */
#include "python/canonical.h"

#include "python/scope.h"
#include "python/value.h"

struct writer {
    struct arena *arena;
    struct py_program *program;
    struct buf out;
    struct module *module; /* where names are looked up */
    struct module *home;   /* the item's own */
    const struct scope *scope;
    struct module *class_module; /* in a method */
    const struct ast_node *class_node;
    struct str self;
    int depth;
    int aliases; /* nesting of aliases that are followed */
    struct vec refs;
    struct map refs_seen;
    bool keep_lines;
    struct vec lines;
};

static void emit(struct writer *w, const struct ast_node *node);
static void emit_function(struct writer *w, const struct ast_node *node);

/* ---- lines ---------------------------------------------------------------------------------- */

static void begin_line(struct writer *w, const struct ast_node *node, const char *text)
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

static void end_line(struct writer *w)
{
    buf_add_char(&w->out, '\n');
}

static void line(struct writer *w, const struct ast_node *node, const char *text)
{
    begin_line(w, node, text);
    end_line(w);
}

/* "text name"; the name's own line ends, if it can have any, are escaped. */
static void line_name(struct writer *w, const struct ast_node *node, const char *text,
                      struct str name)
{
    begin_line(w, node, text);
    buf_add_char(&w->out, ' ');
    buf_add(&w->out, name);
    end_line(w);
}

static void emit_seq(struct writer *w, const struct ast_node *owner, const char *label,
                     struct ast_seq seq)
{
    if (label != NULL) {
        line(w, owner, label);
    }
    w->depth++;
    for (size_t i = 0; i < seq.count; i++) {
        if (seq.items[i] == NULL) {
            line(w, owner, "none");
        } else {
            emit(w, seq.items[i]);
        }
    }
    w->depth--;
}

static void emit_labelled(struct writer *w, const char *label, const struct ast_node *node)
{
    if (node != NULL) {
        line(w, node, label);
        w->depth++;
        emit(w, node);
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
    begin_line(w, node, text);
    buf_add_char(&w->out, ' ');
    if (where != w->home) {
        buf_add(&w->out, where->dotted);
    }
    buf_add_char(&w->out, '.');
    buf_add(&w->out, name);
    end_line(w);
}

/* A constant's kind and value: "int 3". */
static void add_value(struct writer *w, const struct py_value *value)
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
    case PY_UNBOUND: line_name(w, node, "unbound", spelling); break;
    case PY_BUILTIN: line_name(w, node, "builtin", binding->qualified); break;
    case PY_EXTERNAL: line_name(w, node, "external", binding->qualified); break;
    case PY_MODULE: line_name(w, node, "module", where->dotted); break;
    case PY_FUNCTION:
        qualified_line(w, node, "function", where, binding->node->u.function.name);
        add_ref(w, (struct item){ITEM_FUNCTION, where, binding->node, NULL, NULL});
        break;
    case PY_CLASS:
        qualified_line(w, node, "class", where, binding->node->u.class_def.name);
        add_ref(w, (struct item){ITEM_CLASS, where, binding->node, NULL, NULL});
        break;
    case PY_CONSTANT:
        begin_line(w, node, "constant ");
        buf_add(&w->out, binding->qualified.len > 0 ? binding->qualified : spelling);
        buf_add_char(&w->out, ' ');
        add_value(w, &binding->value);
        end_line(w);
        break;
    case PY_ALIAS:
        if (w->aliases > 16) {
            line_name(w, node, "alias", spelling);
            break;
        }
        {
            /* What it stands for, as seen where it is bound. */
            struct module *module = w->module;
            const struct scope *scope = w->scope;
            w->module = where;
            w->scope = NULL;
            w->aliases++;
            emit(w, binding->node);
            w->aliases--;
            w->scope = scope;
            w->module = module;
        }
        break;
    case PY_HOST:
        line_name(w, node, "host", binding->qualified.len > 0 ? binding->qualified : spelling);
        break;
    }
}

static void emit_name(struct writer *w, const struct ast_node *node)
{
    const struct str id = node->u.name.id;
    if (scope_has(w->scope, id)) {
        line_name(w, node, "name", id);
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

static void emit_attribute(struct writer *w, const struct ast_node *node)
{
    const struct ast_node *root = root_name(node);
    if (root != NULL && !scope_has(w->scope, root->u.name.id)) {
        const struct py_binding binding = py_resolve(&w->module->pub, node);
        if (binding.kind != PY_UNBOUND) {
            emit_binding(w, node, &binding, node->u.attribute.attr);
            return;
        }
    }
    line_name(w, node, "Attribute", node->u.attribute.attr);
    w->depth++;
    emit(w, node->u.attribute.value);
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

/* ---- nodes ---------------------------------------------------------------------------------- */

/* An annotation given as text means what the text says. */
static void emit_annotation(struct writer *w, const char *label, const struct ast_node *node)
{
    if (node == NULL) {
        return;
    }
    emit_labelled(w, label, py_annotation(&w->module->pub, node));
}

static void emit_parameter(struct writer *w, const char *text, const struct ast_node *arg,
                           const struct ast_node *fallback)
{
    if (arg == NULL || arg->kind != AST_ARG) {
        return;
    }
    line_name(w, arg, text, arg->u.arg.arg);
    w->depth++;
    emit_annotation(w, ":type", arg->u.arg.annotation);
    emit_labelled(w, ":default", fallback);
    w->depth--;
}

static void emit_arguments(struct writer *w, const struct ast_node *args)
{
    const struct ast_seq posonly = args->u.arguments.posonly;
    const struct ast_seq plain = args->u.arguments.args;
    const struct ast_seq defaults = args->u.arguments.defaults;
    const size_t positional = posonly.count + plain.count;
    for (size_t i = 0; i < positional; i++) {
        const struct ast_node *arg =
            i < posonly.count ? posonly.items[i] : plain.items[i - posonly.count];
        const struct ast_node *fallback = i + defaults.count < positional
                                              ? NULL
                                              : defaults.items[i + defaults.count - positional];
        emit_parameter(w, i < posonly.count ? "positional" : "parameter", arg, fallback);
    }
    emit_parameter(w, "vararg", args->u.arguments.vararg, NULL);
    for (size_t i = 0; i < args->u.arguments.kwonly.count; i++) {
        emit_parameter(w, "keyword-only", args->u.arguments.kwonly.items[i],
                       args->u.arguments.kw_defaults.items[i]);
    }
    emit_parameter(w, "kwarg", args->u.arguments.kwarg, NULL);
}

/* The inside of a function, below the line that names it. */
static void emit_function(struct writer *w, const struct ast_node *node)
{
    w->depth++;
    for (size_t i = 0; i < node->u.function.decorators.count; i++) {
        emit_labelled(w, ":decorator", node->u.function.decorators.items[i]);
    }
    for (size_t i = 0; i < node->u.function.type_params.count; i++) {
        emit_labelled(w, ":type_param", node->u.function.type_params.items[i]);
    }
    emit_arguments(w, node->u.function.args);
    emit_annotation(w, ":returns", node->u.function.returns);
    struct scope scope;
    scope_of_function(&scope, w->arena, node, w->scope);
    const struct scope *outer = w->scope;
    w->scope = &scope;
    emit_seq(w, node, ":body", py_body(node));
    w->scope = outer;
    w->depth--;
}

static void emit_class(struct writer *w, const struct ast_node *node)
{
    w->depth++;
    emit_seq(w, node, ":decorators", node->u.class_def.decorators);
    emit_seq(w, node, ":bases", node->u.class_def.bases);
    emit_seq(w, node, ":keywords", node->u.class_def.keywords);
    emit_seq(w, node, ":body", py_body(node));
    w->depth--;
}

static void emit_with_scope(struct writer *w, const struct ast_node *node)
{
    struct scope scope;
    scope_of_expression(&scope, w->arena, node, w->scope);
    const struct scope *outer = w->scope;
    line(w, node, ast_kind_name(node->kind));
    w->depth++;
    if (node->kind == AST_LAMBDA) {
        emit_arguments(w, node->u.lambda.args);
        w->scope = &scope;
        emit_labelled(w, ":body", node->u.lambda.body);
    } else {
        w->scope = &scope;
        emit(w, node->u.comp.elt);
        emit_labelled(w, ":value", node->u.comp.value);
        emit_seq(w, node, ":generators", node->u.comp.generators);
    }
    w->scope = outer;
    w->depth--;
}

static void emit_compare(struct writer *w, const struct ast_node *node)
{
    begin_line(w, node, "Compare");
    for (size_t i = 0; i < node->u.compare.comparators.count; i++) {
        buf_add_char(&w->out, ' ');
        buf_add_c(&w->out, ast_cmp_operator_text(node->u.compare.ops[i]));
    }
    end_line(w);
    w->depth++;
    emit(w, node->u.compare.left);
    w->depth--;
    emit_seq(w, node, NULL, node->u.compare.comparators);
}

static void emit_import(struct writer *w, const struct ast_node *node)
{
    begin_line(w, node, ast_kind_name(node->kind));
    buf_printf(&w->out, " %d ", node->u.import.level);
    buf_add(&w->out, node->u.import.module);
    end_line(w);
    emit_seq(w, node, NULL, node->u.import.names);
}

static void emit_simple_statement(struct writer *w, const struct ast_node *node)
{
    switch (node->kind) {
    case AST_ASSIGN:
    case AST_DELETE:
        line(w, node, ast_kind_name(node->kind));
        emit_seq(w, node, NULL, node->u.assign.targets);
        w->depth++;
        emit_labelled(w, ":value", node->u.assign.value);
        w->depth--;
        break;
    case AST_AUG_ASSIGN:
        begin_line(w, node, "AugAssign ");
        buf_add_c(&w->out, ast_operator_text(node->u.aug_assign.op));
        end_line(w);
        w->depth++;
        emit(w, node->u.aug_assign.target);
        emit(w, node->u.aug_assign.value);
        w->depth--;
        break;
    case AST_ANN_ASSIGN:
        line(w, node, node->u.ann_assign.simple ? "AnnAssign" : "AnnAssign target");
        w->depth++;
        emit(w, node->u.ann_assign.target);
        emit_annotation(w, ":type", node->u.ann_assign.annotation);
        emit_labelled(w, ":value", node->u.ann_assign.value);
        w->depth--;
        break;
    case AST_RAISE:
        line(w, node, "Raise");
        w->depth++;
        emit_labelled(w, ":exc", node->u.raise.exc);
        emit_labelled(w, ":cause", node->u.raise.cause);
        w->depth--;
        break;
    case AST_ASSERT:
        line(w, node, "Assert");
        w->depth++;
        emit(w, node->u.assert_stmt.test);
        emit_labelled(w, ":msg", node->u.assert_stmt.msg);
        w->depth--;
        break;
    case AST_IMPORT:
    case AST_IMPORT_FROM: emit_import(w, node); break;
    case AST_GLOBAL:
    case AST_NONLOCAL:
        begin_line(w, node, ast_kind_name(node->kind));
        for (size_t i = 0; i < node->u.names.count; i++) {
            buf_add_char(&w->out, ' ');
            buf_add(&w->out, node->u.names.names[i]);
        }
        end_line(w);
        break;
    default: line(w, node, ast_kind_name(node->kind)); break;
    }
}

static void emit_compound(struct writer *w, const struct ast_node *node)
{
    line(w, node, ast_kind_name(node->kind));
    w->depth++;
    switch (node->kind) {
    case AST_FOR:
    case AST_ASYNC_FOR:
        emit(w, node->u.for_loop.target);
        emit(w, node->u.for_loop.iter);
        emit_seq(w, node, ":body", node->u.for_loop.body);
        emit_seq(w, node, ":else", node->u.for_loop.orelse);
        break;
    case AST_WHILE:
    case AST_IF:
        emit(w, node->u.branch.test);
        emit_seq(w, node, ":body", node->u.branch.body);
        emit_seq(w, node, ":else", node->u.branch.orelse);
        break;
    case AST_WITH:
    case AST_ASYNC_WITH:
        emit_seq(w, node, ":items", node->u.with.items);
        emit_seq(w, node, ":body", node->u.with.body);
        break;
    default:
        emit_seq(w, node, ":body", node->u.try_stmt.body);
        emit_seq(w, node, ":handlers", node->u.try_stmt.handlers);
        emit_seq(w, node, ":else", node->u.try_stmt.orelse);
        emit_seq(w, node, ":finally", node->u.try_stmt.finalbody);
        break;
    }
    w->depth--;
}

static void emit_other(struct writer *w, const struct ast_node *node)
{
    begin_line(w, node, ast_kind_name(node->kind));
    if (node->u.other.text.len > 0) {
        buf_add_char(&w->out, ' ');
        buf_add(&w->out, node->u.other.text);
    }
    end_line(w);
    emit_seq(w, node, NULL, node->u.other.children);
}

static void emit_expression(struct writer *w, const struct ast_node *node)
{
    static const char *const unary[] = {"UnaryOp ~", "UnaryOp not", "UnaryOp +", "UnaryOp -"};
    switch (node->kind) {
    case AST_BIN_OP:
        begin_line(w, node, "BinOp ");
        buf_add_c(&w->out, ast_operator_text(node->u.bin_op.op));
        end_line(w);
        w->depth++;
        emit(w, node->u.bin_op.left);
        emit(w, node->u.bin_op.right);
        w->depth--;
        break;
    case AST_UNARY_OP:
        line(w, node, unary[node->u.unary_op.op]);
        w->depth++;
        emit(w, node->u.unary_op.operand);
        w->depth--;
        break;
    case AST_BOOL_OP:
        line(w, node, node->u.bool_op.op == OP_AND ? "BoolOp and" : "BoolOp or");
        emit_seq(w, node, NULL, node->u.bool_op.values);
        break;
    case AST_CALL:
        line(w, node, "Call");
        w->depth++;
        emit(w, node->u.call.func);
        w->depth--;
        emit_seq(w, node, NULL, node->u.call.args);
        if (node->u.call.keywords.count > 0) {
            w->depth++;
            emit_seq(w, node, ":keywords", node->u.call.keywords);
            w->depth--;
        }
        break;
    case AST_KEYWORD:
        line_name(w, node, "keyword", node->u.keyword.arg);
        w->depth++;
        emit(w, node->u.keyword.value);
        w->depth--;
        break;
    case AST_SUBSCRIPT:
        line(w, node, "Subscript");
        w->depth++;
        emit(w, node->u.subscript.value);
        emit(w, node->u.subscript.slice);
        w->depth--;
        break;
    case AST_SLICE:
        line(w, node, "Slice");
        w->depth++;
        emit_labelled(w, ":lower", node->u.slice.lower);
        emit_labelled(w, ":upper", node->u.slice.upper);
        emit_labelled(w, ":step", node->u.slice.step);
        w->depth--;
        break;
    case AST_IF_EXP:
        line(w, node, "IfExp");
        w->depth++;
        emit(w, node->u.if_exp.test);
        emit(w, node->u.if_exp.body);
        emit(w, node->u.if_exp.orelse);
        w->depth--;
        break;
    case AST_NAMED_EXPR:
        line(w, node, "NamedExpr");
        w->depth++;
        emit(w, node->u.named_expr.target);
        emit(w, node->u.named_expr.value);
        w->depth--;
        break;
    case AST_SET:
    case AST_LIST:
    case AST_TUPLE:
        line(w, node, ast_kind_name(node->kind));
        emit_seq(w, node, NULL, node->u.seq.elts);
        break;
    case AST_ALIAS:
        begin_line(w, node, "alias ");
        buf_add(&w->out, node->u.alias.name);
        buf_add_c(&w->out, " as ");
        buf_add(&w->out, node->u.alias.asname);
        end_line(w);
        break;
    default: emit_other(w, node); break;
    }
}

static void emit(struct writer *w, const struct ast_node *node)
{
    switch (node->kind) {
    case AST_NAME: emit_name(w, node); break;
    case AST_ATTRIBUTE: emit_attribute(w, node); break;
    case AST_CONSTANT:
        begin_line(w, node, "Constant ");
        add_value(w, &node->u.constant.value);
        end_line(w);
        break;
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF:
        line_name(w, node, ast_kind_name(node->kind), node->u.function.name);
        emit_function(w, node);
        break;
    case AST_CLASS_DEF:
        line_name(w, node, "ClassDef", node->u.class_def.name);
        emit_class(w, node);
        break;
    case AST_RETURN:
    case AST_EXPR:
    case AST_AWAIT:
    case AST_YIELD:
    case AST_YIELD_FROM:
    case AST_STARRED:
        line(w, node, ast_kind_name(node->kind));
        if (node->u.value.value != NULL) {
            w->depth++;
            emit(w, node->u.value.value);
            w->depth--;
        }
        break;
    case AST_LAMBDA:
    case AST_LIST_COMP:
    case AST_SET_COMP:
    case AST_DICT_COMP:
    case AST_GENERATOR_EXP: emit_with_scope(w, node); break;
    case AST_COMPARE: emit_compare(w, node); break;
    case AST_FOR:
    case AST_ASYNC_FOR:
    case AST_WHILE:
    case AST_IF:
    case AST_WITH:
    case AST_ASYNC_WITH:
    case AST_TRY:
    case AST_TRY_STAR: emit_compound(w, node); break;
    case AST_ASSIGN:
    case AST_DELETE:
    case AST_AUG_ASSIGN:
    case AST_ANN_ASSIGN:
    case AST_RAISE:
    case AST_ASSERT:
    case AST_IMPORT:
    case AST_IMPORT_FROM:
    case AST_GLOBAL:
    case AST_NONLOCAL:
    case AST_PASS:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_ERROR:
    case AST_NONE: emit_simple_statement(w, node); break;
    default: emit_expression(w, node); break;
    }
}

/* ---- items ---------------------------------------------------------------------------------- */

static struct str first_parameter(const struct ast_node *function)
{
    const struct ast_node *args = function->u.function.args;
    const struct ast_seq list =
        args->u.arguments.posonly.count > 0 ? args->u.arguments.posonly : args->u.arguments.args;
    return list.count > 0 ? list.items[0]->u.arg.arg : STR("");
}

static void emit_fields(struct writer *w, struct module *m, const struct ast_node *class_node)
{
    size_t count = 0;
    const struct py_field *fields = py_class_fields(&m->pub, class_node, &count);
    struct module *module = w->module;
    for (size_t i = 0; i < count; i++) {
        line_name(w, fields[i].node, "field", fields[i].name);
        w->module = module_of(fields[i].module);
        w->depth++;
        emit_annotation(w, ":type", fields[i].annotation);
        w->depth--;
    }
    w->module = module;
}

/* Class variables, of base classes too: `self.N` may mean one. */
static void emit_class_values(struct writer *w, struct module *m, const struct ast_node *class_node,
                              int levels)
{
    struct module *module = w->module;
    w->module = m;
    const struct ast_seq body = py_body(class_node);
    for (size_t i = 0; i < body.count; i++) {
        if (body.items[i]->kind == AST_ASSIGN ||
            (body.items[i]->kind == AST_ANN_ASSIGN && body.items[i]->u.ann_assign.value != NULL)) {
            emit(w, body.items[i]);
        }
    }
    for (size_t i = 0; levels < 32 && i < class_node->u.class_def.bases.count; i++) {
        const struct py_binding base = py_resolve(&m->pub, class_node->u.class_def.bases.items[i]);
        if (base.kind == PY_CLASS && base.node != class_node) {
            emit_class_values(w, module_of(base.module), base.node, levels + 1);
        }
    }
    w->module = module;
}

/* A class type: its fields and all its methods, for an object's methods are called by name. */
static void emit_class_item(struct writer *w, const struct item *item)
{
    const struct ast_node *node = item->node;
    w->depth = 1;
    emit_seq(w, node, ":decorators", node->u.class_def.decorators);
    emit_seq(w, node, ":bases", node->u.class_def.bases);
    emit_fields(w, item->module, node);
    emit_class_values(w, item->module, node, 0);
    if (py_decorator_of(&item->module->pub, node, NULL) != PY_DECORATOR_CLASSTYPE) {
        return;
    }
    w->class_module = item->module;
    w->class_node = node;
    for (size_t i = 0; i < node->u.class_def.body.count; i++) {
        const struct ast_node *method = node->u.class_def.body.items[i];
        if (method->kind == AST_FUNCTION_DEF) {
            w->self = first_parameter(method);
            emit(w, method);
        }
    }
}

static void emit_function_item(struct writer *w, const struct item *item)
{
    w->class_module = item->class_module;
    w->class_node = item->class_node;
    w->self = item->class_node != NULL ? first_parameter(item->node) : STR("");
    if (item->kind == ITEM_WORKUNIT && item->class_node != NULL) {
        w->depth = 1;
        emit_fields(w, item->class_module, item->class_node);
        emit_class_values(w, item->class_module, item->class_node, 0);
        w->depth = 0;
    }
    emit_function(w, item->node);
}

const struct form *form_of(struct py_program *p, const struct item *item, bool lines)
{
    const void *pair[2] = {item->node, item->class_node};
    const struct str key = {(const char *)pair, sizeof(pair)};
    /* A workunit's own form is not kept: it is wanted once, or with its class's fields. */
    const bool keep = !lines && item->kind != ITEM_WORKUNIT;
    struct form *form = keep ? map_get(&item->module->forms, key) : NULL;
    if (form != NULL) {
        return form;
    }
    struct writer w = {
        .arena = p->arena,
        .program = p,
        .module = item->module,
        .home = item->module,
        .keep_lines = lines,
    };
    if (keep || lines) {
        buf_init(&w.out, p->arena);
    } else {
        w.out = p->form_text;
        w.out.len = 0;
    }
    vec_init(&w.refs, p->arena);
    vec_init(&w.lines, p->arena);
    map_init(&w.refs_seen, p->arena);
    if (item->kind == ITEM_CLASS) {
        emit_class_item(&w, item);
    } else {
        emit_function_item(&w, item);
    }
    if (!keep && !lines) {
        p->form_text = w.out;
    }
    form = ARENA_NEW(p->arena, struct form);
    form->text = buf_str(&w.out);
    form->refs = ARENA_ARRAY(p->arena, struct item, w.refs.count);
    form->ref_count = w.refs.count;
    for (size_t i = 0; i < w.refs.count; i++) {
        form->refs[i] = *(const struct item *)w.refs.items[i];
    }
    form->lines = ARENA_ARRAY(p->arena, struct form_line, w.lines.count);
    form->line_count = w.lines.count;
    for (size_t i = 0; i < w.lines.count; i++) {
        form->lines[i] = *(const struct form_line *)w.lines.items[i];
    }
    if (keep) {
        map_set(&item->module->forms, str_copy(p->arena, key), form);
    }
    return form;
}

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
#include "python/writer.h"

/* ---- nodes ---------------------------------------------------------------------------------- */

/* An annotation given as text means what the text says. */
static void emit_annotation(struct writer *w, const char *label, const struct ast_node *node)
{
    if (node == NULL) {
        return;
    }
    write_labelled(w, label, py_annotation(&w->module->pub, node));
}

static void emit_parameter(struct writer *w, const char *text, const struct ast_node *arg,
                           const struct ast_node *fallback)
{
    if (arg == NULL || arg->kind != AST_ARG) {
        return;
    }
    write_name(w, arg, text, arg->u.arg.arg);
    w->depth++;
    emit_annotation(w, ":type", arg->u.arg.annotation);
    write_labelled(w, ":default", fallback);
    if (fallback != NULL && py_bound_after(&w->module->pub, fallback).len > 0) {
        write_line(w, fallback, ":bound-again"); /* refused: not the same as bound once, above */
    }
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
        write_labelled(w, ":decorator", node->u.function.decorators.items[i]);
    }
    for (size_t i = 0; i < node->u.function.type_params.count; i++) {
        write_labelled(w, ":type_param", node->u.function.type_params.items[i]);
    }
    emit_arguments(w, node->u.function.args);
    emit_annotation(w, ":returns", node->u.function.returns);
    struct scope scope;
    scope_of_function(&scope, w->arena, node, w->scope);
    const struct scope *outer = w->scope;
    w->scope = &scope;
    write_seq(w, node, ":body", py_body(node));
    w->scope = outer;
    w->depth--;
}

static void emit_class(struct writer *w, const struct ast_node *node)
{
    w->depth++;
    write_seq(w, node, ":decorators", node->u.class_def.decorators);
    write_seq(w, node, ":bases", node->u.class_def.bases);
    write_seq(w, node, ":keywords", node->u.class_def.keywords);
    write_seq(w, node, ":body", py_body(node));
    w->depth--;
}

static void emit_with_scope(struct writer *w, const struct ast_node *node)
{
    struct scope scope;
    scope_of_expression(&scope, w->arena, node, w->scope);
    const struct scope *outer = w->scope;
    write_line(w, node, ast_kind_name(node->kind));
    w->depth++;
    if (node->kind == AST_LAMBDA) {
        emit_arguments(w, node->u.lambda.args);
        w->scope = &scope;
        write_labelled(w, ":body", node->u.lambda.body);
    } else {
        w->scope = &scope;
        write_node(w, node->u.comp.elt);
        write_labelled(w, ":value", node->u.comp.value);
        write_seq(w, node, ":generators", node->u.comp.generators);
    }
    w->scope = outer;
    w->depth--;
}

static void emit_compare(struct writer *w, const struct ast_node *node)
{
    write_begin(w, node, "Compare");
    for (size_t i = 0; i < node->u.compare.comparators.count; i++) {
        buf_add_char(&w->out, ' ');
        buf_add_c(&w->out, ast_cmp_operator_text(node->u.compare.ops[i]));
    }
    write_end(w);
    w->depth++;
    write_node(w, node->u.compare.left);
    w->depth--;
    write_seq(w, node, NULL, node->u.compare.comparators);
}

static void emit_import(struct writer *w, const struct ast_node *node)
{
    write_begin(w, node, ast_kind_name(node->kind));
    buf_printf(&w->out, " %d ", node->u.import.level);
    buf_add(&w->out, node->u.import.module);
    write_end(w);
    write_seq(w, node, NULL, node->u.import.names);
}

static void emit_simple_statement(struct writer *w, const struct ast_node *node)
{
    switch (node->kind) {
    case AST_ASSIGN:
    case AST_DELETE:
        write_line(w, node, ast_kind_name(node->kind));
        write_seq(w, node, NULL, node->u.assign.targets);
        w->depth++;
        write_labelled(w, ":value", node->u.assign.value);
        w->depth--;
        break;
    case AST_AUG_ASSIGN:
        write_begin(w, node, "AugAssign ");
        buf_add_c(&w->out, ast_operator_text(node->u.aug_assign.op));
        write_end(w);
        w->depth++;
        write_node(w, node->u.aug_assign.target);
        write_node(w, node->u.aug_assign.value);
        w->depth--;
        break;
    case AST_ANN_ASSIGN:
        write_line(w, node, node->u.ann_assign.simple ? "AnnAssign" : "AnnAssign target");
        w->depth++;
        write_node(w, node->u.ann_assign.target);
        emit_annotation(w, ":type", node->u.ann_assign.annotation);
        write_labelled(w, ":value", node->u.ann_assign.value);
        w->depth--;
        break;
    case AST_RAISE:
        write_line(w, node, "Raise");
        w->depth++;
        write_labelled(w, ":exc", node->u.raise.exc);
        write_labelled(w, ":cause", node->u.raise.cause);
        w->depth--;
        break;
    case AST_ASSERT:
        write_line(w, node, "Assert");
        w->depth++;
        write_node(w, node->u.assert_stmt.test);
        write_labelled(w, ":msg", node->u.assert_stmt.msg);
        w->depth--;
        break;
    case AST_IMPORT:
    case AST_IMPORT_FROM: emit_import(w, node); break;
    case AST_GLOBAL:
    case AST_NONLOCAL:
        write_begin(w, node, ast_kind_name(node->kind));
        for (size_t i = 0; i < node->u.names.count; i++) {
            buf_add_char(&w->out, ' ');
            buf_add(&w->out, node->u.names.names[i]);
        }
        write_end(w);
        break;
    default: write_line(w, node, ast_kind_name(node->kind)); break;
    }
}

static void emit_compound(struct writer *w, const struct ast_node *node)
{
    write_line(w, node, ast_kind_name(node->kind));
    w->depth++;
    switch (node->kind) {
    case AST_FOR:
    case AST_ASYNC_FOR:
        write_node(w, node->u.for_loop.target);
        write_node(w, node->u.for_loop.iter);
        write_seq(w, node, ":body", node->u.for_loop.body);
        write_seq(w, node, ":else", node->u.for_loop.orelse);
        break;
    case AST_WHILE:
    case AST_IF:
        write_node(w, node->u.branch.test);
        write_seq(w, node, ":body", node->u.branch.body);
        write_seq(w, node, ":else", node->u.branch.orelse);
        break;
    case AST_WITH:
    case AST_ASYNC_WITH:
        write_seq(w, node, ":items", node->u.with.items);
        write_seq(w, node, ":body", node->u.with.body);
        break;
    default:
        write_seq(w, node, ":body", node->u.try_stmt.body);
        write_seq(w, node, ":handlers", node->u.try_stmt.handlers);
        write_seq(w, node, ":else", node->u.try_stmt.orelse);
        write_seq(w, node, ":finally", node->u.try_stmt.finalbody);
        break;
    }
    w->depth--;
}

static void emit_other(struct writer *w, const struct ast_node *node)
{
    write_begin(w, node, ast_kind_name(node->kind));
    if (node->u.other.text.len > 0) {
        buf_add_char(&w->out, ' ');
        buf_add(&w->out, node->u.other.text);
    }
    write_end(w);
    write_seq(w, node, NULL, node->u.other.children);
}

static void emit_expression(struct writer *w, const struct ast_node *node)
{
    static const char *const unary[] = {"UnaryOp ~", "UnaryOp not", "UnaryOp +", "UnaryOp -"};
    switch (node->kind) {
    case AST_BIN_OP:
        write_begin(w, node, "BinOp ");
        buf_add_c(&w->out, ast_operator_text(node->u.bin_op.op));
        write_end(w);
        w->depth++;
        write_node(w, node->u.bin_op.left);
        write_node(w, node->u.bin_op.right);
        w->depth--;
        break;
    case AST_UNARY_OP:
        write_line(w, node, unary[node->u.unary_op.op]);
        w->depth++;
        write_node(w, node->u.unary_op.operand);
        w->depth--;
        break;
    case AST_BOOL_OP:
        write_line(w, node, node->u.bool_op.op == OP_AND ? "BoolOp and" : "BoolOp or");
        write_seq(w, node, NULL, node->u.bool_op.values);
        break;
    case AST_CALL:
        write_line(w, node, "Call");
        w->depth++;
        write_node(w, node->u.call.func);
        w->depth--;
        write_seq(w, node, NULL, node->u.call.args);
        if (node->u.call.keywords.count > 0) {
            w->depth++;
            write_seq(w, node, ":keywords", node->u.call.keywords);
            w->depth--;
        }
        break;
    case AST_KEYWORD:
        write_name(w, node, "keyword", node->u.keyword.arg);
        w->depth++;
        write_node(w, node->u.keyword.value);
        w->depth--;
        break;
    case AST_SUBSCRIPT:
        write_line(w, node, "Subscript");
        w->depth++;
        write_node(w, node->u.subscript.value);
        write_node(w, node->u.subscript.slice);
        w->depth--;
        break;
    case AST_SLICE:
        write_line(w, node, "Slice");
        w->depth++;
        write_labelled(w, ":lower", node->u.slice.lower);
        write_labelled(w, ":upper", node->u.slice.upper);
        write_labelled(w, ":step", node->u.slice.step);
        w->depth--;
        break;
    case AST_IF_EXP:
        write_line(w, node, "IfExp");
        w->depth++;
        write_node(w, node->u.if_exp.test);
        write_node(w, node->u.if_exp.body);
        write_node(w, node->u.if_exp.orelse);
        w->depth--;
        break;
    case AST_NAMED_EXPR:
        write_line(w, node, "NamedExpr");
        w->depth++;
        write_node(w, node->u.named_expr.target);
        write_node(w, node->u.named_expr.value);
        w->depth--;
        break;
    case AST_SET:
    case AST_LIST:
    case AST_TUPLE:
        write_line(w, node, ast_kind_name(node->kind));
        write_seq(w, node, NULL, node->u.seq.elts);
        break;
    case AST_ALIAS:
        write_begin(w, node, "alias ");
        buf_add(&w->out, node->u.alias.name);
        buf_add_c(&w->out, " as ");
        buf_add(&w->out, node->u.alias.asname);
        write_end(w);
        break;
    default: emit_other(w, node); break;
    }
}

void write_node(struct writer *w, const struct ast_node *node)
{
    switch (node->kind) {
    case AST_NAME: write_free_name(w, node); break;
    case AST_ATTRIBUTE: write_attribute(w, node); break;
    case AST_CONSTANT:
        write_begin(w, node, "Constant ");
        write_value(w, &node->u.constant.value);
        write_end(w);
        break;
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF:
        write_name(w, node, ast_kind_name(node->kind), node->u.function.name);
        emit_function(w, node);
        break;
    case AST_CLASS_DEF:
        write_name(w, node, "ClassDef", node->u.class_def.name);
        emit_class(w, node);
        break;
    case AST_RETURN:
    case AST_EXPR:
    case AST_AWAIT:
    case AST_YIELD:
    case AST_YIELD_FROM:
    case AST_STARRED:
        write_line(w, node, ast_kind_name(node->kind));
        if (node->u.value.value != NULL) {
            w->depth++;
            write_node(w, node->u.value.value);
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
        write_name(w, fields[i].node, "field", fields[i].name);
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
            write_node(w, body.items[i]);
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
    write_seq(w, node, ":decorators", node->u.class_def.decorators);
    write_seq(w, node, ":bases", node->u.class_def.bases);
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
            write_node(w, method);
        }
    }
}

static void find_host_statement(void *context, const struct ast_node *node)
{
    bool *found = context;
    switch (node->kind) {
    case AST_RAISE:
    case AST_TRY:
    case AST_TRY_STAR:
    case AST_WITH:
    case AST_IMPORT:
    case AST_IMPORT_FROM:
    case AST_YIELD:
    case AST_YIELD_FROM: *found = true; break;
    case AST_FUNCTION_DEF:
    case AST_CLASS_DEF:
    case AST_LAMBDA: break;
    default: ast_for_each_child(node, find_host_statement, context); break;
    }
}

static bool is_undecorated(const struct item *item)
{
    return item->kind == ITEM_FUNCTION &&
           py_decorator_of(&item->module->pub, item->node, NULL) == PY_DECORATOR_NONE;
}

/* A function without a decorator of PyKokkos that does what no kernel can do, as a library's
 * `def log(view): … raise …` that dispatches the workunit in which log(x) is the intrinsic. No
 * workunit is made from its body, so that what it reaches does not count. */
static bool is_host_function(const struct item *item)
{
    if (!is_undecorated(item)) {
        return false;
    }
    bool found = item->node->kind == AST_ASYNC_FUNCTION_DEF;
    for (size_t i = 0; i < item->node->u.function.body.count && !found; i++) {
        find_host_statement(&found, item->node->u.function.body.items[i]);
    }
    return found;
}

static void emit_host_item(struct writer *w, const struct item *item)
{
    w->out.len = 0;
    w->lines.count = 0;
    w->refs.count = 0;
    w->depth = 1;
    write_line(w, item->node, "host function");
}

static void emit_function_item(struct writer *w, const struct item *item)
{
    if (is_host_function(item)) {
        emit_host_item(w, item);
        return;
    }
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
    /* Nor has a workunit a place in a kernel, wherever its name stands. */
    if (w->uses_workunit && is_undecorated(item)) {
        emit_host_item(w, item);
    }
}

static void note_reached(struct py_program *p, const void *definition)
{
    if (!map_has(&p->reached, pointer_key(&definition))) {
        map_set(&p->reached, str_copy(p->arena, pointer_key(&definition)), p);
    }
}

bool py_is_reached(const struct py_module *m, const struct ast_node *definition)
{
    const void *address = definition;
    return map_has(&m->program->reached, pointer_key(&address));
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
        note_reached(p, form->refs[i].node);
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

/*
 * dump: an AST as the text of CPython's ast.dump().
 *
 * The nodes do not store whether they are loaded, stored or deleted; that follows from where
 * they stand, and is handed down.
 */
#include "python/ast.h"

#include <string.h>

#include "python/value.h"

static void dump(struct buf *out, const struct ast_node *node, const char *ctx);

static void dump_items(struct buf *out, const struct ast_node *const *items, size_t count,
                       const char *ctx)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add_c(out, i > 0 ? ", " : "");
        if (items[i] == NULL) {
            buf_add_c(out, "None");
        } else {
            dump(out, items[i], ctx);
        }
    }
    buf_add_char(out, ']');
}

/* "name=" with what must stand before it. */
static void field(struct buf *out, const char *name)
{
    buf_add_c(out, out->ptr[out->len - 1] == '(' ? "" : ", ");
    buf_add_c(out, name);
    buf_add_char(out, '=');
}

static void seq_field(struct buf *out, const char *name, struct ast_seq seq, const char *ctx)
{
    field(out, name);
    dump_items(out, seq.items, seq.count, ctx);
}

static void node_field(struct buf *out, const char *name, const struct ast_node *node,
                       const char *ctx)
{
    if (node != NULL) {
        field(out, name);
        dump(out, node, ctx);
    }
}

static void text_field(struct buf *out, const char *name, struct str text)
{
    field(out, name);
    value_repr_text(out, text, false);
}

static void optional_text_field(struct buf *out, const char *name, struct str text)
{
    if (text.len > 0) {
        text_field(out, name, text);
    }
}

static void ctx_field(struct buf *out, const char *ctx)
{
    field(out, "ctx");
    buf_add_c(out, ctx);
    buf_add_c(out, "()");
}

static void op_field(struct buf *out, enum ast_operator op)
{
    field(out, "op");
    buf_add_c(out, ast_operator_name(op));
    buf_add_c(out, "()");
}

/* The children of u.other from `*at`: after a mark, up to the next mark. */
static void other_seq_field(struct buf *out, const char *name, struct ast_seq children, size_t *at,
                            const char *ctx)
{
    const size_t from = ++*at;
    while (*at < children.count &&
           (children.items[*at] == NULL || children.items[*at]->kind != AST_NONE)) {
        ++*at;
    }
    field(out, name);
    dump_items(out, children.items + (from > children.count ? children.count : from),
               from > children.count ? 0 : *at - from, ctx);
}

static void type_params_field(struct buf *out, struct ast_seq params)
{
    if (params.count > 0) {
        seq_field(out, "type_params", params, "Load");
    }
}

static void dump_names(struct buf *out, struct str list, char separator)
{
    field(out, "kwd_attrs");
    buf_add_char(out, '[');
    size_t start = 0;
    for (size_t i = 0; i <= list.len; i++) {
        if (i == list.len || list.ptr[i] == separator) {
            if (i > start) {
                buf_add_c(out, start > 0 ? ", " : "");
                value_repr_text(out, str_slice(list, start, i), false);
            }
            start = i + 1;
        }
    }
    buf_add_char(out, ']');
}

static void dump_pattern(struct buf *out, const struct ast_node *node)
{
    const struct str text = node->u.other.text;
    const struct ast_seq children = node->u.other.children;
    size_t colon = 0;
    while (colon < text.len && text.ptr[colon] != ':') {
        colon++;
    }
    const struct str kind = str_slice(text, 0, colon);
    const struct str names = str_slice(text, colon + 1, text.len);
    size_t at = 0;
    buf_add(out, kind);
    buf_add_char(out, '(');
    if (str_equal_c(kind, "MatchValue")) {
        node_field(out, "value", children.items[0], "Load");
    } else if (str_equal_c(kind, "MatchSingleton")) {
        field(out, "value");
        value_repr(out, &children.items[0]->u.constant.value);
    } else if (str_equal_c(kind, "MatchSequence") || str_equal_c(kind, "MatchOr")) {
        other_seq_field(out, "patterns", children, &at, "Load");
    } else if (str_equal_c(kind, "MatchMapping")) {
        other_seq_field(out, "keys", children, &at, "Load");
        other_seq_field(out, "patterns", children, &at, "Load");
        optional_text_field(out, "rest", names);
    } else if (str_equal_c(kind, "MatchClass")) {
        node_field(out, "cls", children.items[0], "Load");
        at = 1;
        other_seq_field(out, "patterns", children, &at, "Load");
        dump_names(out, names, ',');
        other_seq_field(out, "kwd_patterns", children, &at, "Load");
    } else if (str_equal_c(kind, "MatchStar")) {
        optional_text_field(out, "name", names);
    } else {
        node_field(out, "pattern", children.items[0], "Load");
        optional_text_field(out, "name", names);
    }
    buf_add_char(out, ')');
}

static void dump_type_param(struct buf *out, const struct ast_node *node)
{
    const struct str text = node->u.other.text;
    size_t colon = 0;
    while (colon < text.len && text.ptr[colon] != ':') {
        colon++;
    }
    buf_add(out, str_slice(text, 0, colon));
    buf_add_char(out, '(');
    text_field(out, "name", str_slice(text, colon + 1, text.len));
    const struct ast_seq children = node->u.other.children;
    node_field(out, "bound", children.count > 0 ? children.items[0] : NULL, "Load");
    node_field(out, "default_value", children.count > 1 ? children.items[1] : NULL, "Load");
    buf_add_char(out, ')');
}

static void dump_other(struct buf *out, const struct ast_node *node)
{
    const struct ast_seq children = node->u.other.children;
    size_t at = 0;
    switch (node->kind) {
    case AST_DICT:
        other_seq_field(out, "keys", children, &at, "Load");
        other_seq_field(out, "values", children, &at, "Load");
        break;
    case AST_FORMATTED_VALUE: {
        const struct str conversion = node->u.other.text;
        node_field(out, "value", children.items[0], "Load");
        field(out, "conversion");
        buf_printf(out, "%d", conversion.len > 0 ? conversion.ptr[0] : -1);
        node_field(out, "format_spec", children.items[1], "Load");
        break;
    }
    case AST_JOINED_STR:
    case AST_TEMPLATE_STR: other_seq_field(out, "values", children, &at, "Load"); break;
    case AST_COMPREHENSION:
        node_field(out, "target", children.items[0], "Store");
        node_field(out, "iter", children.items[1], "Load");
        at = 2;
        other_seq_field(out, "ifs", children, &at, "Load");
        field(out, "is_async");
        buf_add_c(out, node->u.other.text.len > 0 ? "1" : "0");
        break;
    case AST_EXCEPT_HANDLER:
        node_field(out, "type", children.items[0], "Load");
        optional_text_field(out, "name", node->u.other.text);
        at = 1;
        other_seq_field(out, "body", children, &at, "Load");
        break;
    case AST_WITH_ITEM:
        node_field(out, "context_expr", children.items[0], "Load");
        node_field(out, "optional_vars", children.items[1], "Store");
        break;
    case AST_MATCH:
        node_field(out, "subject", children.items[0], "Load");
        at = 1;
        other_seq_field(out, "cases", children, &at, "Load");
        break;
    case AST_MATCH_CASE:
        node_field(out, "pattern", children.items[0], "Load");
        node_field(out, "guard", children.items[1], "Load");
        at = 2;
        other_seq_field(out, "body", children, &at, "Load");
        break;
    case AST_TYPE_ALIAS:
        node_field(out, "name", children.items[0], "Store");
        if (children.count > 4) {
            at = 1;
            other_seq_field(out, "type_params", children, &at, "Load");
        }
        node_field(out, "value", children.items[children.count - 1], "Load");
        break;
    default: break;
    }
}

static void dump_arguments(struct buf *out, const struct ast_node *node)
{
    seq_field(out, "posonlyargs", node->u.arguments.posonly, "Load");
    seq_field(out, "args", node->u.arguments.args, "Load");
    node_field(out, "vararg", node->u.arguments.vararg, "Load");
    seq_field(out, "kwonlyargs", node->u.arguments.kwonly, "Load");
    seq_field(out, "kw_defaults", node->u.arguments.kw_defaults, "Load");
    node_field(out, "kwarg", node->u.arguments.kwarg, "Load");
    seq_field(out, "defaults", node->u.arguments.defaults, "Load");
}

static void dump_statement(struct buf *out, const struct ast_node *node)
{
    static const char *const load = "Load";
    switch (node->kind) {
    case AST_MODULE:
        seq_field(out, "body", node->u.module.body, load);
        buf_add_c(out, ", type_ignores=[]");
        break;
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF:
        text_field(out, "name", node->u.function.name);
        node_field(out, "args", node->u.function.args, load);
        seq_field(out, "body", node->u.function.body, load);
        seq_field(out, "decorator_list", node->u.function.decorators, load);
        node_field(out, "returns", node->u.function.returns, load);
        type_params_field(out, node->u.function.type_params);
        break;
    case AST_CLASS_DEF:
        text_field(out, "name", node->u.class_def.name);
        seq_field(out, "bases", node->u.class_def.bases, load);
        seq_field(out, "keywords", node->u.class_def.keywords, load);
        seq_field(out, "body", node->u.class_def.body, load);
        seq_field(out, "decorator_list", node->u.class_def.decorators, load);
        type_params_field(out, node->u.class_def.type_params);
        break;
    case AST_DELETE: seq_field(out, "targets", node->u.assign.targets, "Del"); break;
    case AST_ASSIGN:
        seq_field(out, "targets", node->u.assign.targets, "Store");
        node_field(out, "value", node->u.assign.value, load);
        break;
    case AST_AUG_ASSIGN:
        node_field(out, "target", node->u.aug_assign.target, "Store");
        op_field(out, node->u.aug_assign.op);
        node_field(out, "value", node->u.aug_assign.value, load);
        break;
    case AST_ANN_ASSIGN:
        node_field(out, "target", node->u.ann_assign.target, "Store");
        node_field(out, "annotation", node->u.ann_assign.annotation, load);
        node_field(out, "value", node->u.ann_assign.value, load);
        field(out, "simple");
        buf_add_c(out, node->u.ann_assign.simple ? "1" : "0");
        break;
    case AST_FOR:
    case AST_ASYNC_FOR:
        node_field(out, "target", node->u.for_loop.target, "Store");
        node_field(out, "iter", node->u.for_loop.iter, load);
        seq_field(out, "body", node->u.for_loop.body, load);
        seq_field(out, "orelse", node->u.for_loop.orelse, load);
        break;
    case AST_WHILE:
    case AST_IF:
        node_field(out, "test", node->u.branch.test, load);
        seq_field(out, "body", node->u.branch.body, load);
        seq_field(out, "orelse", node->u.branch.orelse, load);
        break;
    case AST_WITH:
    case AST_ASYNC_WITH:
        seq_field(out, "items", node->u.with.items, load);
        seq_field(out, "body", node->u.with.body, load);
        break;
    case AST_RAISE:
        node_field(out, "exc", node->u.raise.exc, load);
        node_field(out, "cause", node->u.raise.cause, load);
        break;
    case AST_TRY:
    case AST_TRY_STAR:
        seq_field(out, "body", node->u.try_stmt.body, load);
        seq_field(out, "handlers", node->u.try_stmt.handlers, load);
        seq_field(out, "orelse", node->u.try_stmt.orelse, load);
        seq_field(out, "finalbody", node->u.try_stmt.finalbody, load);
        break;
    case AST_ASSERT:
        node_field(out, "test", node->u.assert_stmt.test, load);
        node_field(out, "msg", node->u.assert_stmt.msg, load);
        break;
    case AST_IMPORT: seq_field(out, "names", node->u.import.names, load); break;
    case AST_IMPORT_FROM:
        optional_text_field(out, "module", node->u.import.module);
        seq_field(out, "names", node->u.import.names, load);
        field(out, "level");
        buf_printf(out, "%d", node->u.import.level);
        break;
    case AST_GLOBAL:
    case AST_NONLOCAL:
        field(out, "names");
        buf_add_char(out, '[');
        for (size_t i = 0; i < node->u.names.count; i++) {
            buf_add_c(out, i > 0 ? ", " : "");
            value_repr_text(out, node->u.names.names[i], false);
        }
        buf_add_char(out, ']');
        break;
    default: dump_other(out, node); break;
    }
}

static void dump_compare(struct buf *out, const struct ast_node *node)
{
    static const char *const names[] = {"Eq",  "NotEq", "Lt",    "LtE", "Gt",
                                        "GtE", "Is",    "IsNot", "In",  "NotIn"};
    node_field(out, "left", node->u.compare.left, "Load");
    field(out, "ops");
    buf_add_char(out, '[');
    for (size_t i = 0; i < node->u.compare.comparators.count; i++) {
        buf_printf(out, "%s%s()", i > 0 ? ", " : "", names[node->u.compare.ops[i]]);
    }
    buf_add_char(out, ']');
    seq_field(out, "comparators", node->u.compare.comparators, "Load");
}

static void dump_fields(struct buf *out, const struct ast_node *node, const char *ctx)
{
    static const char *const load = "Load";
    static const char *const unary[] = {"Invert", "Not", "UAdd", "USub"};
    switch (node->kind) {
    case AST_NONE:
    case AST_PASS:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_ERROR: break; /* they have no fields, and no room for any */
    case AST_RETURN:
    case AST_EXPR:
    case AST_AWAIT:
    case AST_YIELD:
    case AST_YIELD_FROM: node_field(out, "value", node->u.value.value, load); break;
    case AST_STARRED:
        node_field(out, "value", node->u.value.value, ctx);
        ctx_field(out, ctx);
        break;
    case AST_BOOL_OP:
        field(out, "op");
        buf_add_c(out, node->u.bool_op.op == OP_AND ? "And()" : "Or()");
        seq_field(out, "values", node->u.bool_op.values, load);
        break;
    case AST_NAMED_EXPR:
        node_field(out, "target", node->u.named_expr.target, "Store");
        node_field(out, "value", node->u.named_expr.value, load);
        break;
    case AST_BIN_OP:
        node_field(out, "left", node->u.bin_op.left, load);
        op_field(out, node->u.bin_op.op);
        node_field(out, "right", node->u.bin_op.right, load);
        break;
    case AST_UNARY_OP:
        field(out, "op");
        buf_printf(out, "%s()", unary[node->u.unary_op.op]);
        node_field(out, "operand", node->u.unary_op.operand, load);
        break;
    case AST_LAMBDA:
        node_field(out, "args", node->u.lambda.args, load);
        node_field(out, "body", node->u.lambda.body, load);
        break;
    case AST_IF_EXP:
        node_field(out, "test", node->u.if_exp.test, load);
        node_field(out, "body", node->u.if_exp.body, load);
        node_field(out, "orelse", node->u.if_exp.orelse, load);
        break;
    case AST_LIST_COMP:
    case AST_SET_COMP:
    case AST_GENERATOR_EXP:
        node_field(out, "elt", node->u.comp.elt, load);
        seq_field(out, "generators", node->u.comp.generators, load);
        break;
    case AST_DICT_COMP:
        node_field(out, "key", node->u.comp.elt, load);
        node_field(out, "value", node->u.comp.value, load);
        seq_field(out, "generators", node->u.comp.generators, load);
        break;
    case AST_COMPARE: dump_compare(out, node); break;
    case AST_CALL:
        node_field(out, "func", node->u.call.func, load);
        seq_field(out, "args", node->u.call.args, load);
        seq_field(out, "keywords", node->u.call.keywords, load);
        break;
    case AST_CONSTANT:
        field(out, "value");
        value_repr(out, &node->u.constant.value);
        if (node->u.constant.is_unicode_u) {
            buf_add_c(out, ", kind='u'");
        }
        break;
    case AST_ATTRIBUTE:
        node_field(out, "value", node->u.attribute.value, load);
        text_field(out, "attr", node->u.attribute.attr);
        ctx_field(out, ctx);
        break;
    case AST_SUBSCRIPT:
        node_field(out, "value", node->u.subscript.value, load);
        node_field(out, "slice", node->u.subscript.slice, load);
        ctx_field(out, ctx);
        break;
    case AST_NAME:
        text_field(out, "id", node->u.name.id);
        ctx_field(out, ctx);
        break;
    case AST_SET: seq_field(out, "elts", node->u.seq.elts, load); break;
    case AST_LIST:
    case AST_TUPLE:
        seq_field(out, "elts", node->u.seq.elts, ctx);
        ctx_field(out, ctx);
        break;
    case AST_SLICE:
        node_field(out, "lower", node->u.slice.lower, load);
        node_field(out, "upper", node->u.slice.upper, load);
        node_field(out, "step", node->u.slice.step, load);
        break;
    case AST_ARGUMENTS: dump_arguments(out, node); break;
    case AST_ARG:
        text_field(out, "arg", node->u.arg.arg);
        node_field(out, "annotation", node->u.arg.annotation, load);
        break;
    case AST_KEYWORD:
        optional_text_field(out, "arg", node->u.keyword.arg);
        node_field(out, "value", node->u.keyword.value, load);
        break;
    case AST_ALIAS:
        text_field(out, "name", node->u.alias.name);
        optional_text_field(out, "asname", node->u.alias.asname);
        break;
    default: dump_statement(out, node); break;
    }
}

static void dump(struct buf *out, const struct ast_node *node, const char *ctx)
{
    if (node->kind == AST_PATTERN) {
        dump_pattern(out, node);
        return;
    }
    if (node->kind == AST_TYPE_PARAM) {
        dump_type_param(out, node);
        return;
    }
    buf_add_c(out, ast_kind_name(node->kind));
    buf_add_char(out, '(');
    dump_fields(out, node, ctx);
    buf_add_char(out, ')');
}

void ast_dump(struct buf *out, const struct ast_node *node)
{
    dump(out, node, "Load");
}

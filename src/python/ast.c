/* ast: the names of nodes and operators, and the walk over children. */
#include "python/ast.h"

static const char *const kind_names[AST_KIND_COUNT] = {
    [AST_NONE] = "None",
    [AST_MODULE] = "Module",
    [AST_FUNCTION_DEF] = "FunctionDef",
    [AST_ASYNC_FUNCTION_DEF] = "AsyncFunctionDef",
    [AST_CLASS_DEF] = "ClassDef",
    [AST_RETURN] = "Return",
    [AST_DELETE] = "Delete",
    [AST_ASSIGN] = "Assign",
    [AST_TYPE_ALIAS] = "TypeAlias",
    [AST_AUG_ASSIGN] = "AugAssign",
    [AST_ANN_ASSIGN] = "AnnAssign",
    [AST_FOR] = "For",
    [AST_ASYNC_FOR] = "AsyncFor",
    [AST_WHILE] = "While",
    [AST_IF] = "If",
    [AST_WITH] = "With",
    [AST_ASYNC_WITH] = "AsyncWith",
    [AST_MATCH] = "Match",
    [AST_RAISE] = "Raise",
    [AST_TRY] = "Try",
    [AST_TRY_STAR] = "TryStar",
    [AST_ASSERT] = "Assert",
    [AST_IMPORT] = "Import",
    [AST_IMPORT_FROM] = "ImportFrom",
    [AST_GLOBAL] = "Global",
    [AST_NONLOCAL] = "Nonlocal",
    [AST_EXPR] = "Expr",
    [AST_PASS] = "Pass",
    [AST_BREAK] = "Break",
    [AST_CONTINUE] = "Continue",
    [AST_BOOL_OP] = "BoolOp",
    [AST_NAMED_EXPR] = "NamedExpr",
    [AST_BIN_OP] = "BinOp",
    [AST_UNARY_OP] = "UnaryOp",
    [AST_LAMBDA] = "Lambda",
    [AST_IF_EXP] = "IfExp",
    [AST_DICT] = "Dict",
    [AST_SET] = "Set",
    [AST_LIST_COMP] = "ListComp",
    [AST_SET_COMP] = "SetComp",
    [AST_DICT_COMP] = "DictComp",
    [AST_GENERATOR_EXP] = "GeneratorExp",
    [AST_AWAIT] = "Await",
    [AST_YIELD] = "Yield",
    [AST_YIELD_FROM] = "YieldFrom",
    [AST_COMPARE] = "Compare",
    [AST_CALL] = "Call",
    [AST_FORMATTED_VALUE] = "FormattedValue",
    [AST_JOINED_STR] = "JoinedStr",
    [AST_TEMPLATE_STR] = "TemplateStr",
    [AST_CONSTANT] = "Constant",
    [AST_ATTRIBUTE] = "Attribute",
    [AST_SUBSCRIPT] = "Subscript",
    [AST_STARRED] = "Starred",
    [AST_NAME] = "Name",
    [AST_LIST] = "List",
    [AST_TUPLE] = "Tuple",
    [AST_SLICE] = "Slice",
    [AST_COMPREHENSION] = "comprehension",
    [AST_EXCEPT_HANDLER] = "ExceptHandler",
    [AST_ARGUMENTS] = "arguments",
    [AST_ARG] = "arg",
    [AST_KEYWORD] = "keyword",
    [AST_ALIAS] = "alias",
    [AST_WITH_ITEM] = "withitem",
    [AST_MATCH_CASE] = "match_case",
    [AST_PATTERN] = "pattern",
    [AST_TYPE_PARAM] = "type_param",
    [AST_ERROR] = "Error",
};

static const char *const operator_names[] = {
    "Add",    "Sub",    "Mult",  "MatMult", "Div",    "Mod",      "Pow",
    "LShift", "RShift", "BitOr", "BitXor",  "BitAnd", "FloorDiv",
};

static const char *const operator_texts[] = {
    "+", "-", "*", "@", "/", "%", "**", "<<", ">>", "|", "^", "&", "//",
};

static const char *const cmp_texts[] = {
    "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in",
};

const char *ast_kind_name(enum ast_kind kind)
{
    if ((size_t)kind >= AST_KIND_COUNT || kind_names[kind] == NULL) {
        return "?";
    }
    return kind_names[kind];
}

const char *ast_operator_name(enum ast_operator op)
{
    return operator_names[op];
}

const char *ast_operator_text(enum ast_operator op)
{
    return operator_texts[op];
}

const char *ast_cmp_operator_text(enum ast_cmp_operator op)
{
    return cmp_texts[op];
}

static void visit_one(const struct ast_node *node, ast_visit_fn *visit, void *context)
{
    if (node != NULL) {
        visit(context, node);
    }
}

static void visit_seq(struct ast_seq seq, ast_visit_fn *visit, void *context)
{
    for (size_t i = 0; i < seq.count; i++) {
        visit_one(seq.items[i], visit, context);
    }
}

static void visit_arguments(const struct ast_node *n, ast_visit_fn *visit, void *context)
{
    visit_seq(n->u.arguments.posonly, visit, context);
    visit_seq(n->u.arguments.args, visit, context);
    visit_one(n->u.arguments.vararg, visit, context);
    visit_seq(n->u.arguments.kwonly, visit, context);
    visit_seq(n->u.arguments.kw_defaults, visit, context);
    visit_one(n->u.arguments.kwarg, visit, context);
    visit_seq(n->u.arguments.defaults, visit, context);
}

static void visit_statement(const struct ast_node *n, ast_visit_fn *visit, void *context)
{
    switch (n->kind) {
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF:
        visit_seq(n->u.function.decorators, visit, context);
        visit_seq(n->u.function.type_params, visit, context);
        visit_one(n->u.function.args, visit, context);
        visit_one(n->u.function.returns, visit, context);
        visit_seq(n->u.function.body, visit, context);
        break;
    case AST_CLASS_DEF:
        visit_seq(n->u.class_def.decorators, visit, context);
        visit_seq(n->u.class_def.type_params, visit, context);
        visit_seq(n->u.class_def.bases, visit, context);
        visit_seq(n->u.class_def.keywords, visit, context);
        visit_seq(n->u.class_def.body, visit, context);
        break;
    case AST_DELETE:
    case AST_ASSIGN:
        visit_seq(n->u.assign.targets, visit, context);
        visit_one(n->u.assign.value, visit, context);
        break;
    case AST_AUG_ASSIGN:
        visit_one(n->u.aug_assign.target, visit, context);
        visit_one(n->u.aug_assign.value, visit, context);
        break;
    case AST_ANN_ASSIGN:
        visit_one(n->u.ann_assign.target, visit, context);
        visit_one(n->u.ann_assign.annotation, visit, context);
        visit_one(n->u.ann_assign.value, visit, context);
        break;
    case AST_FOR:
    case AST_ASYNC_FOR:
        visit_one(n->u.for_loop.target, visit, context);
        visit_one(n->u.for_loop.iter, visit, context);
        visit_seq(n->u.for_loop.body, visit, context);
        visit_seq(n->u.for_loop.orelse, visit, context);
        break;
    case AST_WHILE:
    case AST_IF:
        visit_one(n->u.branch.test, visit, context);
        visit_seq(n->u.branch.body, visit, context);
        visit_seq(n->u.branch.orelse, visit, context);
        break;
    case AST_WITH:
    case AST_ASYNC_WITH:
        visit_seq(n->u.with.items, visit, context);
        visit_seq(n->u.with.body, visit, context);
        break;
    case AST_RAISE:
        visit_one(n->u.raise.exc, visit, context);
        visit_one(n->u.raise.cause, visit, context);
        break;
    case AST_TRY:
    case AST_TRY_STAR:
        visit_seq(n->u.try_stmt.body, visit, context);
        visit_seq(n->u.try_stmt.handlers, visit, context);
        visit_seq(n->u.try_stmt.orelse, visit, context);
        visit_seq(n->u.try_stmt.finalbody, visit, context);
        break;
    case AST_ASSERT:
        visit_one(n->u.assert_stmt.test, visit, context);
        visit_one(n->u.assert_stmt.msg, visit, context);
        break;
    case AST_IMPORT:
    case AST_IMPORT_FROM: visit_seq(n->u.import.names, visit, context); break;
    default: break;
    }
}

void ast_for_each_child(const struct ast_node *n, ast_visit_fn *visit, void *context)
{
    switch (n->kind) {
    case AST_NONE:
    case AST_GLOBAL:
    case AST_NONLOCAL:
    case AST_PASS:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_CONSTANT:
    case AST_NAME:
    case AST_ALIAS:
    case AST_ERROR:
    case AST_KIND_COUNT: break;
    case AST_MODULE: visit_seq(n->u.module.body, visit, context); break;
    case AST_RETURN:
    case AST_EXPR:
    case AST_AWAIT:
    case AST_YIELD:
    case AST_YIELD_FROM:
    case AST_STARRED: visit_one(n->u.value.value, visit, context); break;
    case AST_BOOL_OP: visit_seq(n->u.bool_op.values, visit, context); break;
    case AST_NAMED_EXPR:
        visit_one(n->u.named_expr.target, visit, context);
        visit_one(n->u.named_expr.value, visit, context);
        break;
    case AST_BIN_OP:
        visit_one(n->u.bin_op.left, visit, context);
        visit_one(n->u.bin_op.right, visit, context);
        break;
    case AST_UNARY_OP: visit_one(n->u.unary_op.operand, visit, context); break;
    case AST_LAMBDA:
        visit_one(n->u.lambda.args, visit, context);
        visit_one(n->u.lambda.body, visit, context);
        break;
    case AST_IF_EXP:
        visit_one(n->u.if_exp.test, visit, context);
        visit_one(n->u.if_exp.body, visit, context);
        visit_one(n->u.if_exp.orelse, visit, context);
        break;
    case AST_LIST_COMP:
    case AST_SET_COMP:
    case AST_DICT_COMP:
    case AST_GENERATOR_EXP:
        visit_one(n->u.comp.elt, visit, context);
        visit_one(n->u.comp.value, visit, context);
        visit_seq(n->u.comp.generators, visit, context);
        break;
    case AST_COMPARE:
        visit_one(n->u.compare.left, visit, context);
        visit_seq(n->u.compare.comparators, visit, context);
        break;
    case AST_CALL:
        visit_one(n->u.call.func, visit, context);
        visit_seq(n->u.call.args, visit, context);
        visit_seq(n->u.call.keywords, visit, context);
        break;
    case AST_ATTRIBUTE: visit_one(n->u.attribute.value, visit, context); break;
    case AST_SUBSCRIPT:
        visit_one(n->u.subscript.value, visit, context);
        visit_one(n->u.subscript.slice, visit, context);
        break;
    case AST_SET:
    case AST_LIST:
    case AST_TUPLE: visit_seq(n->u.seq.elts, visit, context); break;
    case AST_SLICE:
        visit_one(n->u.slice.lower, visit, context);
        visit_one(n->u.slice.upper, visit, context);
        visit_one(n->u.slice.step, visit, context);
        break;
    case AST_ARGUMENTS: visit_arguments(n, visit, context); break;
    case AST_ARG: visit_one(n->u.arg.annotation, visit, context); break;
    case AST_KEYWORD: visit_one(n->u.keyword.value, visit, context); break;
    case AST_DICT:
    case AST_FORMATTED_VALUE:
    case AST_JOINED_STR:
    case AST_TEMPLATE_STR:
    case AST_COMPREHENSION:
    case AST_EXCEPT_HANDLER:
    case AST_WITH_ITEM:
    case AST_MATCH:
    case AST_MATCH_CASE:
    case AST_PATTERN:
    case AST_TYPE_PARAM:
    case AST_TYPE_ALIAS: visit_seq(n->u.other.children, visit, context); break;
    default: visit_statement(n, visit, context); break;
    }
}

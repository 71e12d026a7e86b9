/* lower_simple: statements of one line: assignments, imports, jumps and the like. */
#include "python/syntax.h"

const struct ast_node *lower_missing(struct lower *l, TSNode node)
{
    return lower_fail(l, syn_span(l, node), "SyntaxError: invalid syntax");
}

/* ---- assignments ---------------------------------------------------------------------------- */

static const struct ast_node *lower_annotated(struct lower *l, TSNode node, struct kids kids)
{
    struct ast_node *result = ast_new(l->arena, AST_ANN_ASSIGN, syn_span(l, node));
    struct kid left;
    struct kid type;
    struct kid right;
    if (!kid_by_field(l, kids, FIELD_left, &left) || !kid_by_field(l, kids, FIELD_type, &type)) {
        return lower_missing(l, node);
    }
    const struct ast_node *target = lower_expr(l, left.node);
    if (target->kind == AST_TUPLE || target->kind == AST_LIST) {
        lower_fail(l, target->span,
                   target->kind == AST_TUPLE
                       ? "SyntaxError: only single target (not tuple) can be annotated"
                       : "SyntaxError: only single target (not list) can be annotated");
    } else if (target->kind != AST_NAME && target->kind != AST_ATTRIBUTE &&
               target->kind != AST_SUBSCRIPT) {
        lower_fail(l, target->span, "SyntaxError: illegal target for annotation");
    }
    result->u.ann_assign.target = target;
    result->u.ann_assign.annotation = lower_type(l, type.node);
    result->u.ann_assign.simple = left.syn == SYN_identifier;
    if (kid_by_field(l, kids, FIELD_right, &right)) {
        if (right.syn == SYN_assignment || right.syn == SYN_augmented_assignment) {
            return lower_missing(l, right.node);
        }
        result->u.ann_assign.value = lower_value(l, right.node);
    }
    return result;
}

/* `a = b = value`: the grammar nests to the right; walked without recursion. */
static const struct ast_node *lower_assignment(struct lower *l, TSNode node)
{
    struct kids kids = kids_open(l, node);
    struct kid found;
    if (kid_by_field(l, kids, FIELD_type, &found)) {
        const struct ast_node *annotated = lower_annotated(l, node, kids);
        kids_close(l, kids);
        return annotated;
    }
    struct ast_node *result = ast_new(l->arena, AST_ASSIGN, syn_span(l, node));
    const size_t begin = seq_begin(l);
    for (;;) {
        struct kid left;
        struct kid right;
        const bool complete =
            kid_by_field(l, kids, FIELD_left, &left) && kid_by_field(l, kids, FIELD_right, &right);
        const bool annotated = kid_by_field(l, kids, FIELD_type, &found);
        kids_close(l, kids);
        if (!complete || annotated) {
            (void)seq_end(l, begin);
            return lower_missing(l, node);
        }
        const struct ast_node *target = lower_expr(l, left.node);
        lower_check_target(l, target, "assign to");
        if (target->kind == AST_STARRED) {
            lower_fail(l, target->span,
                       "SyntaxError: starred assignment target must be in a list or tuple");
        }
        seq_push(l, target);
        if (right.syn != SYN_assignment) {
            result->u.assign.targets = seq_end(l, begin);
            if (right.syn == SYN_augmented_assignment) {
                return lower_missing(l, right.node);
            }
            result->u.assign.value = lower_value(l, right.node);
            return result;
        }
        kids = kids_open(l, right.node);
    }
}

static const struct ast_node *lower_augmented(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_AUG_ASSIGN, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    if (kids.count != 3) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    const struct kid left = kid_at(l, kids, 0);
    const struct str text = syn_text(l, kid_at(l, kids, 1).node);
    const struct kid right = kid_at(l, kids, 2);
    kids_close(l, kids);
    const struct ast_node *target = lower_expr(l, left.node);
    if (target->kind != AST_NAME && target->kind != AST_ATTRIBUTE &&
        target->kind != AST_SUBSCRIPT) {
        return lower_fail(l, target->span,
                          "SyntaxError: illegal expression for augmented assignment");
    }
    const struct str op = str_slice(text, 0, text.len - 1);
    int number = OP_ADD;
    while (number < OP_FLOOR_DIV &&
           !str_equal_c(op, ast_operator_text((enum ast_operator)number))) {
        number++;
    }
    if (right.syn == SYN_assignment || right.syn == SYN_augmented_assignment) {
        return lower_missing(l, right.node);
    }
    result->u.aug_assign.op = (enum ast_operator)number;
    result->u.aug_assign.target = target;
    result->u.aug_assign.value = lower_value(l, right.node);
    return result;
}

static const struct ast_node *new_value(struct lower *l, enum ast_kind kind, struct ast_span span,
                                        const struct ast_node *value)
{
    struct ast_node *result = ast_new(l->arena, kind, span);
    result->u.value.value = value;
    return result;
}

/* An expression, a tuple without brackets, or an assignment. */
static const struct ast_node *lower_expression_statement(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    if (kids.count == 0) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    const struct kid first = kid_at(l, kids, 0);
    const struct ast_node *result = NULL;
    if (kids.count > 1) {
        const size_t begin = seq_begin(l);
        for (size_t i = 0; i < kids.count; i++) {
            const struct kid kid = kid_at(l, kids, i);
            if (ts_node_is_named(kid.node)) {
                seq_push(l, lower_expr(l, kid.node));
            }
        }
        struct ast_node *tuple = ast_new(l->arena, AST_TUPLE, syn_span(l, node));
        tuple->u.seq.elts = seq_end(l, begin);
        result = new_value(l, AST_EXPR, tuple->span, tuple);
    } else if (first.syn == SYN_assignment) {
        result = lower_assignment(l, first.node);
    } else if (first.syn == SYN_augmented_assignment) {
        result = lower_augmented(l, first.node);
    } else {
        const struct ast_node *value = lower_value(l, first.node);
        result = new_value(l, AST_EXPR, syn_span(l, first.node), value);
    }
    kids_close(l, kids);
    return result;
}

/* ---- simple statements ---------------------------------------------------------------------- */

static const struct ast_node *lower_return(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const struct ast_node *value = NULL;
    if (kids.count > 1) {
        value = lower_value(l, kid_at(l, kids, 1).node);
    }
    kids_close(l, kids);
    if (l->function_depth == 0) {
        return lower_fail(l, syn_span(l, node), "SyntaxError: 'return' outside function");
    }
    return new_value(l, AST_RETURN, syn_span(l, node), value);
}

static const struct ast_node *lower_delete(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_DELETE, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const struct kid operand = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    const struct ast_node *targets = lower_expr(l, operand.node);
    lower_check_target(l, targets, "delete");
    if (operand.syn == SYN_expression_list && targets->kind == AST_TUPLE) {
        result->u.assign.targets = targets->u.seq.elts;
    } else {
        const size_t begin = seq_begin(l);
        seq_push(l, targets);
        result->u.assign.targets = seq_end(l, begin);
    }
    return result;
}

static const struct ast_node *lower_raise(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_RAISE, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.field == FIELD_cause) {
            result->u.raise.cause = lower_expr(l, kid.node);
        } else if (kid.syn == SYN_expression_list) {
            lower_fail(l, syn_span(l, kid.node), "SyntaxError: invalid syntax");
        } else if (ts_node_is_named(kid.node)) {
            result->u.raise.exc = lower_expr(l, kid.node);
        }
    }
    kids_close(l, kids);
    if (result->u.raise.cause != NULL && result->u.raise.exc == NULL) {
        return lower_missing(l, node);
    }
    return result;
}

static const struct ast_node *lower_assert(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_ASSERT, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    if (kids.count != 2 && kids.count != 4) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    result->u.assert_stmt.test = lower_expr(l, kid_at(l, kids, 1).node);
    if (kids.count == 4) {
        result->u.assert_stmt.msg = lower_expr(l, kid_at(l, kids, 3).node);
    }
    kids_close(l, kids);
    return result;
}

static const struct ast_node *lower_names(struct lower *l, TSNode node, enum ast_kind kind)
{
    struct ast_node *result = ast_new(l->arena, kind, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    result->u.names.names = ARENA_ARRAY(l->arena, struct str, kids.count);
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_identifier) {
            result->u.names.names[result->u.names.count++] = lower_identifier(l, kid.node);
        }
    }
    kids_close(l, kids);
    if (kind == AST_GLOBAL && l->globals != NULL) {
        for (size_t i = 0; i < result->u.names.count; i++) {
            map_set(l->globals, result->u.names.names[i], result);
        }
    }
    if (kind == AST_NONLOCAL && l->scope_depth == 0) {
        return lower_fail(l, result->span,
                          "SyntaxError: nonlocal declaration not allowed at module level");
    }
    return result;
}

/* Python 2's `print x` and `exec x`. What Python 3 takes as an expression is one. */
static const struct ast_node *lower_print(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const bool chevron = kids.count > 1 && kid_at(l, kids, 1).syn == SYN_chevron;
    if (!chevron) {
        kids_close(l, kids);
        return lower_fail(l, syn_span(l, node),
                          syn_is(l, node, "exec")
                              ? "SyntaxError: invalid syntax"
                              : "SyntaxError: Missing parentheses in call to 'print'. Did you "
                                "mean print(...)?");
    }
    /* `print >>file, x` is a comparison of shifts in Python 3: legal text */
    const struct kid keyword = kid_at(l, kids, 0);
    const struct kids inner = kids_open(l, kid_at(l, kids, 1).node);
    struct ast_node *shift = ast_new(
        l->arena, AST_BIN_OP, span_join(syn_span(l, node), syn_span(l, kid_at(l, kids, 1).node)));
    shift->u.bin_op.left = lower_name(l, keyword.node);
    shift->u.bin_op.op = OP_RSHIFT;
    shift->u.bin_op.right = lower_expr(l, kid_at(l, inner, inner.count - 1).node);
    kids_close(l, inner);
    const size_t begin = seq_begin(l);
    seq_push(l, shift);
    for (size_t i = 2; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (ts_node_is_named(kid.node)) {
            seq_push(l, lower_expr(l, kid.node));
        }
    }
    const bool tuple = kids.count > 2;
    kids_close(l, kids);
    const struct ast_seq elts = seq_end(l, begin);
    if (!tuple) {
        return new_value(l, AST_EXPR, shift->span, shift);
    }
    struct ast_node *all = ast_new(l->arena, AST_TUPLE, syn_span(l, node));
    all->u.seq.elts = elts;
    return new_value(l, AST_EXPR, all->span, all);
}

static const struct ast_node *lower_type_alias(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_TYPE_ALIAS, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    struct kid left;
    struct kid right;
    const bool complete =
        kid_by_field(l, kids, FIELD_left, &left) && kid_by_field(l, kids, FIELD_right, &right);
    kids_close(l, kids);
    if (!complete) {
        return lower_missing(l, node);
    }
    while (left.syn == SYN_type) {
        const struct kids inner = kids_open(l, left.node);
        left = kid_at(l, inner, 0);
        kids_close(l, inner);
    }
    const struct ast_node *name = NULL;
    struct ast_seq params = {NULL, 0};
    if (left.syn == SYN_generic_type) {
        const struct kids inner = kids_open(l, left.node);
        const struct kid id = kid_at(l, inner, 0);
        const struct kid list = kid_at(l, inner, inner.count - 1);
        kids_close(l, inner);
        name = lower_name(l, id.node);
        params = lower_type_params(l, list.node);
    } else if (left.syn == SYN_identifier) {
        name = lower_name(l, left.node);
    } else {
        return lower_missing(l, left.node);
    }
    const size_t begin = seq_begin(l);
    seq_push(l, name);
    seq_push_mark(l, result->span);
    for (size_t i = 0; i < params.count; i++) {
        seq_push(l, params.items[i]);
    }
    seq_push_mark(l, result->span);
    seq_push(l, lower_type(l, right.node));
    result->u.other.children = seq_end(l, begin);
    return result;
}

/* ---- imports -------------------------------------------------------------------------------- */

static struct str dotted_text(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    if (kids.count <= 1) {
        kids_close(l, kids);
        return lower_identifier(l, node);
    }
    struct buf text;
    buf_init(&text, l->arena);
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_identifier) {
            if (text.len > 0) {
                buf_add_char(&text, '.');
            }
            buf_add(&text, lower_identifier(l, kid.node));
        }
    }
    kids_close(l, kids);
    return buf_str(&text);
}

static const struct ast_node *lower_alias(struct lower *l, struct kid kid)
{
    struct ast_node *alias = ast_new(l->arena, AST_ALIAS, syn_span(l, kid.node));
    if (kid.syn == SYN_wildcard_import) {
        alias->u.alias.name = STR("*");
        return alias;
    }
    if (kid.syn != SYN_aliased_import) {
        alias->u.alias.name = dotted_text(l, kid.node);
        return alias;
    }
    const struct kids kids = kids_open(l, kid.node);
    const struct kid name = kid_at(l, kids, 0);
    const struct kid asname = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    alias->u.alias.name = dotted_text(l, name.node);
    alias->u.alias.asname = lower_identifier(l, asname.node);
    return alias;
}

static void lower_relative(struct lower *l, TSNode node, struct ast_node *import)
{
    const struct kids kids = kids_open(l, node);
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_import_prefix) {
            const struct str dots = syn_text(l, kid.node);
            for (size_t j = 0; j < dots.len; j++) {
                import->u.import.level += dots.ptr[j] == '.' ? 1 : 0;
            }
        } else if (kid.syn == SYN_dotted_name) {
            import->u.import.module = dotted_text(l, kid.node);
        }
    }
    kids_close(l, kids);
}

static const struct ast_node *lower_import(struct lower *l, TSNode node, enum syn syn)
{
    struct ast_node *result = ast_new(
        l->arena, syn == SYN_import_statement ? AST_IMPORT : AST_IMPORT_FROM, syn_span(l, node));
    result->u.import.module = syn == SYN_future_import_statement ? STR("__future__") : STR("");
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.field == FIELD_module_name && kid.syn == SYN_relative_import) {
            lower_relative(l, kid.node, result);
        } else if (kid.field == FIELD_module_name) {
            result->u.import.module = dotted_text(l, kid.node);
        } else if (ts_node_is_named(kid.node)) {
            seq_push(l, lower_alias(l, kid));
        }
    }
    kids_close(l, kids);
    result->u.import.names = seq_end(l, begin);
    if (result->u.import.names.count == 0) {
        return lower_missing(l, node);
    }
    return result;
}

static const struct ast_node *lower_jump(struct lower *l, TSNode node, enum ast_kind kind)
{
    if (l->loop_depth == 0) {
        return lower_fail(l, syn_span(l, node),
                          kind == AST_BREAK ? "SyntaxError: 'break' outside loop"
                                            : "SyntaxError: 'continue' not properly in loop");
    }
    return ast_new(l->arena, kind, syn_span(l, node));
}

/* ---- all of them ---------------------------------------------------------------------------- */

const struct ast_node *lower_simple(struct lower *l, TSNode node, enum syn syn)
{
    switch (syn) {
    case SYN_expression_statement: return lower_expression_statement(l, node);
    case SYN_return_statement: return lower_return(l, node);
    case SYN_import_statement:
    case SYN_import_from_statement:
    case SYN_future_import_statement: return lower_import(l, node, syn);
    case SYN_pass_statement: return ast_new(l->arena, AST_PASS, syn_span(l, node));
    case SYN_break_statement: return lower_jump(l, node, AST_BREAK);
    case SYN_continue_statement: return lower_jump(l, node, AST_CONTINUE);
    case SYN_delete_statement: return lower_delete(l, node);
    case SYN_raise_statement: return lower_raise(l, node);
    case SYN_assert_statement: return lower_assert(l, node);
    case SYN_global_statement: return lower_names(l, node, AST_GLOBAL);
    case SYN_nonlocal_statement: return lower_names(l, node, AST_NONLOCAL);
    case SYN_type_alias_statement: return lower_type_alias(l, node);
    case SYN_print_statement: return lower_print(l, node);
    case SYN_exec_statement:
        return lower_fail(l, syn_span(l, node),
                          "SyntaxError: Missing parentheses in call to 'exec'. Did you mean "
                          "exec(...)?");
    default: return lower_missing(l, node);
    }
}

/* lower_compound: calls, comprehensions, lambdas and parameter lists. */
#include "python/syntax.h"

static const struct ast_node *lower_keyword(struct lower *l, TSNode node, bool splat)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *keyword = ast_new(l->arena, AST_KEYWORD, syn_span(l, node));
    keyword->u.keyword.arg = splat ? STR("") : lower_identifier(l, kid_at(l, kids, 0).node);
    keyword->u.keyword.value = lower_expr(l, kid_at(l, kids, kids.count - 1).node);
    kids_close(l, kids);
    return keyword;
}

/* Few keywords: compared pairwise; many: through a map. */
static void check_repeated_keywords(struct lower *l, struct ast_seq keywords)
{
    struct map seen;
    const bool many = keywords.count > 8;
    if (many) {
        map_init(&seen, l->arena);
    }
    for (size_t i = 0; i < keywords.count; i++) {
        const struct ast_node *keyword = keywords.items[i];
        const struct str name = keyword->u.keyword.arg;
        bool repeated = false;
        if (name.len == 0) {
            continue;
        }
        if (many) {
            repeated = map_has(&seen, name);
            map_set(&seen, name, (void *)keyword);
        }
        for (size_t j = 0; !many && j < i; j++) {
            repeated = repeated || str_equal(keywords.items[j]->u.keyword.arg, name);
        }
        if (repeated) {
            lower_fail(l, keyword->span,
                       str_format(l->arena, "SyntaxError: keyword argument repeated: " STR_FMT,
                                  STR_ARG(name))
                           .ptr);
            return;
        }
    }
}

void lower_call_arguments(struct lower *l, TSNode node, struct ast_seq *args,
                          struct ast_seq *keywords)
{
    const struct kids kids = kids_open(l, node);
    /* Two sequences from one list: the keywords wait on the stack of children. */
    const size_t begin = seq_begin(l);
    bool saw_keyword = false;
    bool saw_splat = false;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (!ts_node_is_named(kid.node)) {
            continue;
        }
        if (kid.syn == SYN_keyword_argument) {
            saw_keyword = true;
            continue;
        }
        if (kid.syn == SYN_dictionary_splat) {
            saw_splat = true;
            continue;
        }
        const struct ast_node *arg = lower_expr(l, kid.node);
        if (saw_splat && arg->kind == AST_STARRED) {
            lower_fail(l, arg->span,
                       "SyntaxError: iterable argument unpacking follows keyword argument "
                       "unpacking");
        } else if (arg->kind != AST_STARRED && (saw_keyword || saw_splat)) {
            lower_fail(l, arg->span,
                       saw_splat
                           ? "SyntaxError: positional argument follows keyword argument unpacking"
                           : "SyntaxError: positional argument follows keyword argument");
        }
        seq_push(l, arg);
    }
    *args = seq_end(l, begin);
    for (size_t i = 0; (saw_keyword || saw_splat) && i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_keyword_argument || kid.syn == SYN_dictionary_splat) {
            seq_push(l, lower_keyword(l, kid.node, kid.syn == SYN_dictionary_splat));
        }
    }
    *keywords = seq_end(l, begin);
    kids_close(l, kids);
    check_repeated_keywords(l, *keywords);
}

const struct ast_node *lower_call(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const struct kid function = kid_at(l, kids, 0);
    const struct kid arguments = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    struct ast_node *call = ast_new(l->arena, AST_CALL, syn_span(l, node));
    const struct ast_node *func = lower_expr(l, function.node);
    const struct ast_node *star = func->kind == AST_STARRED ? func : NULL;
    call->u.call.func = star == NULL ? func : star->u.value.value;
    if (arguments.syn == SYN_generator_expression) {
        const size_t begin = seq_begin(l);
        seq_push(l, lower_expr(l, arguments.node));
        call->u.call.args = seq_end(l, begin);
    } else {
        lower_call_arguments(l, arguments.node, &call->u.call.args, &call->u.call.keywords);
    }
    if (star == NULL) {
        return call;
    }
    /* `*f(x)`: the grammar stars the function alone */
    struct ast_node *starred = ast_new(l->arena, AST_STARRED, call->span);
    call->span = span_join(call->u.call.func->span, call->span);
    starred->u.value.value = call;
    return starred;
}

static const struct ast_node *lower_generator(struct lower *l, TSNode node, size_t *used,
                                              struct kids outer)
{
    struct ast_node *generator = ast_new(l->arena, AST_COMPREHENSION, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const struct ast_node *target = NULL;
    const size_t iters = seq_begin(l);
    bool comma = false;
    struct ast_span iter_end = generator->span;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.field == FIELD_left && target == NULL) {
            target = lower_tuple_of(l, kid.node);
            lower_check_target(l, target, "assign to");
        } else if (kid.field == FIELD_right && ts_node_is_named(kid.node)) {
            seq_push(l, lower_expr(l, kid.node));
            iter_end = syn_span(l, kid.node);
        } else if (target != NULL && syn_is(l, kid.node, ",")) {
            comma = true;
        } else if (syn_is(l, kid.node, "async")) {
            generator->u.other.text = STR("async");
        }
    }
    kids_close(l, kids);
    const struct ast_seq iter = seq_end(l, iters);
    if (target == NULL || iter.count != 1 || comma) {
        *used = outer.count;
        return lower_fail(l, iter_end, "SyntaxError: invalid syntax");
    }
    const size_t begin = seq_begin(l);
    seq_push(l, target);
    seq_push(l, iter.items[0]);
    seq_push_mark(l, generator->span);
    while (*used < outer.count && kid_at(l, outer, *used).syn == SYN_if_clause) {
        const struct kids clause = kids_open(l, kid_at(l, outer, *used).node);
        seq_push(l, lower_expr(l, kid_at(l, clause, clause.count - 1).node));
        kids_close(l, clause);
        (*used)++;
    }
    generator->u.other.children = seq_end(l, begin);
    return generator;
}

const struct ast_node *lower_comprehension(struct lower *l, TSNode node, enum ast_kind kind)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, kind, syn_span(l, node));
    struct kid body;
    if (!kid_by_field(l, kids, FIELD_body, &body)) {
        kids_close(l, kids);
        return lower_fail(l, result->span, "SyntaxError: invalid syntax");
    }
    if (kind == AST_DICT_COMP) {
        const struct kids pair = kids_open(l, body.node);
        result->u.comp.elt = lower_expr(l, kid_at(l, pair, 0).node);
        result->u.comp.value = lower_expr(l, kid_at(l, pair, pair.count - 1).node);
        kids_close(l, pair);
    } else {
        result->u.comp.elt = lower_expr(l, body.node);
        if (result->u.comp.elt->kind == AST_STARRED) {
            lower_fail(l, result->u.comp.elt->span,
                       "SyntaxError: iterable unpacking cannot be used in comprehension");
        }
    }
    const size_t begin = seq_begin(l);
    for (size_t i = 0; i < kids.count;) {
        const struct kid kid = kid_at(l, kids, i++);
        if (kid.syn == SYN_for_in_clause) {
            seq_push(l, lower_generator(l, kid.node, &i, kids));
        }
    }
    result->u.comp.generators = seq_end(l, begin);
    kids_close(l, kids);
    return result;
}

/* A parameter list under construction. */
struct signature {
    const struct ast_node **items;    /* parameters in order */
    const struct ast_node **defaults; /* beside each; NULL: none */
    size_t count;
    size_t positional;   /* how many stand before a `/` */
    size_t keyword_from; /* where those after `*` begin; SIZE_MAX: no `*` */
    const struct ast_node *vararg, *kwarg;
    bool bare_star;
};

static const struct ast_node *new_arg(struct lower *l, struct ast_span span, TSNode name,
                                      const TSNode *type)
{
    struct ast_node *arg = ast_new(l->arena, AST_ARG, span);
    arg->u.arg.arg = lower_identifier(l, name);
    arg->u.arg.annotation = type == NULL ? NULL : lower_type(l, *type);
    return arg;
}

static void add_star(struct lower *l, struct signature *s, TSNode node, const TSNode *type,
                     bool twice)
{
    const struct kids kids = kids_open(l, node);
    const struct kid name = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    const struct ast_span span = syn_span(l, name.node);
    if (name.syn != SYN_identifier) {
        lower_fail(l, span, "SyntaxError: invalid syntax");
        return;
    }
    struct ast_span whole = span;
    if (type != NULL) {
        whole = span_join(span, syn_span(l, *type));
    }
    if (s->kwarg != NULL) {
        lower_fail(l, span, "SyntaxError: arguments cannot follow var-keyword argument");
        return;
    }
    if (twice) {
        s->kwarg = new_arg(l, whole, name.node, type);
        return;
    }
    if (s->keyword_from != SIZE_MAX) {
        lower_fail(l, span, "SyntaxError: * argument may appear only once");
        return;
    }
    s->vararg = new_arg(l, whole, name.node, type);
    s->keyword_from = s->count;
}

static void add_separator(struct lower *l, struct signature *s, TSNode node, bool slash)
{
    const struct ast_span span = syn_span(l, node);
    if (s->kwarg != NULL) {
        lower_fail(l, span, "SyntaxError: arguments cannot follow var-keyword argument");
    } else if (slash) {
        if (s->count == 0) {
            lower_fail(l, span, "SyntaxError: at least one argument must precede /");
        } else if (s->positional > 0) {
            lower_fail(l, span, "SyntaxError: / may appear only once");
        } else if (s->keyword_from != SIZE_MAX) {
            lower_fail(l, span, "SyntaxError: / must be ahead of *");
        }
        s->positional = s->count;
    } else {
        if (s->keyword_from != SIZE_MAX) {
            lower_fail(l, span, "SyntaxError: * argument may appear only once");
        }
        s->keyword_from = s->count;
        s->bare_star = true;
    }
}

/* A parameter without a default, after one that has one? */
static void check_default(struct lower *l, const struct signature *s, struct ast_span span)
{
    if (s->keyword_from == SIZE_MAX && s->count > 0 && s->defaults[s->count - 1] != NULL) {
        lower_fail(l, span, "SyntaxError: non-default argument follows default argument");
    }
}

static void add_plain(struct lower *l, struct signature *s, struct kid kid)
{
    const struct ast_span span = syn_span(l, kid.node);
    if (s->kwarg != NULL) {
        lower_fail(l, span, "SyntaxError: arguments cannot follow var-keyword argument");
        return;
    }
    if (kid.syn == SYN_identifier) {
        s->items[s->count] = new_arg(l, span, kid.node, NULL);
        check_default(l, s, span);
        s->count++;
        return;
    }
    const struct kids kids = kids_open(l, kid.node);
    const struct kid name = kid_at(l, kids, 0);
    struct kid type = {0};
    struct kid value = {0};
    const bool has_type = kid_by_field(l, kids, FIELD_type, &type);
    const bool has_value = kid_by_field(l, kids, FIELD_value, &value);
    kids_close(l, kids);
    if (name.syn == SYN_list_splat_pattern || name.syn == SYN_dictionary_splat_pattern) {
        add_star(l, s, name.node, has_type ? &type.node : NULL,
                 name.syn == SYN_dictionary_splat_pattern);
        return;
    }
    if (name.syn != SYN_identifier) {
        lower_fail(l, span, "SyntaxError: invalid syntax");
        return;
    }
    struct ast_span whole = syn_span(l, name.node);
    if (has_type) {
        whole = span_join(whole, syn_span(l, type.node));
    }
    s->items[s->count] = new_arg(l, whole, name.node, has_type ? &type.node : NULL);
    if (has_value) {
        s->defaults[s->count] = lower_expr(l, value.node);
    } else {
        check_default(l, s, span);
    }
    s->count++;
}

static void check_duplicates(struct lower *l, const struct signature *s)
{
    struct map seen;
    map_init(&seen, l->arena);
    for (size_t i = 0; i < s->count + 2; i++) {
        const struct ast_node *arg = i < s->count    ? s->items[i]
                                     : i == s->count ? s->vararg
                                                     : s->kwarg;
        if (arg == NULL || arg->kind != AST_ARG) {
            continue;
        }
        if (map_has(&seen, arg->u.arg.arg)) {
            lower_fail(l, arg->span,
                       str_format(l->arena,
                                  "SyntaxError: duplicate argument '" STR_FMT
                                  "' in function definition",
                                  STR_ARG(arg->u.arg.arg))
                           .ptr);
            return;
        }
        map_set(&seen, arg->u.arg.arg, (void *)arg);
    }
}

static const struct ast_node *build_arguments(struct lower *l, const struct signature *s,
                                              struct ast_span span)
{
    struct ast_node *node = ast_new(l->arena, AST_ARGUMENTS, span);
    const size_t keyword_from = s->keyword_from == SIZE_MAX ? s->count : s->keyword_from;
    size_t first_default = keyword_from;
    while (first_default > 0 && s->defaults[first_default - 1] != NULL) {
        first_default--;
    }
    node->u.arguments.posonly = (struct ast_seq){s->items, s->positional};
    node->u.arguments.args =
        (struct ast_seq){s->items + s->positional, keyword_from - s->positional};
    node->u.arguments.vararg = s->vararg;
    node->u.arguments.kwonly = (struct ast_seq){s->items + keyword_from, s->count - keyword_from};
    node->u.arguments.kw_defaults =
        (struct ast_seq){s->defaults + keyword_from, s->count - keyword_from};
    node->u.arguments.kwarg = s->kwarg;
    node->u.arguments.defaults =
        (struct ast_seq){s->defaults + first_default, keyword_from - first_default};
    return node;
}

const struct ast_node *lower_parameters(struct lower *l, const TSNode *node, struct ast_span at)
{
    struct signature s = {.keyword_from = SIZE_MAX};
    s.items = (const struct ast_node **)arena_array(l->arena, 1, sizeof(const struct ast_node *));
    s.defaults = s.items; /* no parameter has one */
    if (node == NULL) {
        return build_arguments(l, &s, at);
    }
    const struct kids kids = kids_open(l, *node);
    s.items = (const struct ast_node **)arena_array(l->arena, kids.count + 1,
                                                    sizeof(const struct ast_node *));
    s.defaults = (const struct ast_node **)arena_array(l->arena, kids.count + 1,
                                                       sizeof(const struct ast_node *));
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (!ts_node_is_named(kid.node)) {
            continue;
        }
        switch (kid.syn) {
        case SYN_keyword_separator:
        case SYN_positional_separator:
            add_separator(l, &s, kid.node, kid.syn == SYN_positional_separator);
            break;
        case SYN_list_splat_pattern: add_star(l, &s, kid.node, NULL, false); break;
        case SYN_dictionary_splat_pattern: add_star(l, &s, kid.node, NULL, true); break;
        case SYN_identifier:
        case SYN_typed_parameter:
        case SYN_default_parameter:
        case SYN_typed_default_parameter: add_plain(l, &s, kid); break;
        case SYN_tuple_pattern:
            lower_fail(l, syn_span(l, kid.node),
                       "SyntaxError: Function parameters cannot be parenthesized");
            break;
        default: lower_fail(l, syn_span(l, kid.node), "SyntaxError: invalid syntax"); break;
        }
    }
    kids_close(l, kids);
    if (s.bare_star && s.keyword_from == s.count) {
        lower_fail(l, syn_span(l, *node), "SyntaxError: named arguments must follow bare *");
    }
    check_duplicates(l, &s);
    return build_arguments(l, &s, syn_span(l, *node));
}

const struct ast_node *lower_lambda(struct lower *l, TSNode node)
{
    struct ast_node *lambda = ast_new(l->arena, AST_LAMBDA, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    struct kid parameters;
    struct kid body;
    const bool has_parameters = kid_by_field(l, kids, FIELD_parameters, &parameters);
    const bool has_body = kid_by_field(l, kids, FIELD_body, &body);
    kids_close(l, kids);
    if (!has_body) {
        return lower_fail(l, lambda->span, "SyntaxError: invalid syntax");
    }
    lambda->u.lambda.args =
        lower_parameters(l, has_parameters ? &parameters.node : NULL, lambda->span);
    const int loops = l->loop_depth;
    l->loop_depth = 0;
    l->function_depth++;
    lambda->u.lambda.body = lower_expr(l, body.node);
    l->function_depth--;
    l->loop_depth = loops;
    return lambda;
}

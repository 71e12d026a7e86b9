/* Scratch memory: views of it. */
#include "kernel/lower.h"

/* The rank of pk.ScratchView2D and its kin; 0: `n` does not name one. */
static int scratch_rank(struct low_scope *s, const struct ast_node *n)
{
    if ((n->kind != AST_NAME && n->kind != AST_ATTRIBUTE) || low_is_local(s, n)) {
        return 0;
    }
    const struct str last = n->kind == AST_NAME ? n->u.name.id : n->u.attribute.attr;
    if (last.len != 13 && n->kind == AST_ATTRIBUTE) {
        return 0; /* it is asked for every call */
    }
    struct py_binding b = py_resolve(s->module, n);
    for (int i = 0; b.kind == PY_ALIAS && i < 20; i++) {
        b = py_resolve(b.module, b.node);
    }
    const struct str prefix = STR("pykokkos.ScratchView");
    const struct str name = b.qualified;
    if (b.kind != PY_EXTERNAL || !str_starts_with(name, prefix.ptr) || name.len != prefix.len + 2 ||
        name.ptr[prefix.len + 1] != 'D' || name.ptr[prefix.len] < '1' ||
        name.ptr[prefix.len] > '8') {
        return 0;
    }
    return name.ptr[prefix.len] - '0';
}

/* team.team_scratch(level), team.thread_scratch(level) */
static bool read_memory(struct low_scope *s, const struct ast_node *n, enum ir_scratch *out)
{
    static const char hint[] = "begin with team.team_scratch(0) or team.thread_scratch(0)";
    const bool call = n->kind == AST_CALL && n->u.call.func->kind == AST_ATTRIBUTE;
    const struct str name = call ? n->u.call.func->u.attribute.attr : (struct str){0};
    const bool thread = str_equal_c(name, "thread_scratch");

    if (!thread && !str_equal_c(name, "team_scratch")) {
        low_error(s, n, str_from(hint), "a scratch view needs scratch memory of a team");
        return false;
    }
    const struct ir_expr *team = low_expr(s, n->u.call.func->u.attribute.value);
    if (!team->type) {
        return false;
    }
    if (team->type->kind != TYPE_TEAM) {
        low_error(s, n, str_from(hint), "a " STR_FMT " has no scratch memory",
                  STR_ARG(low_spell(s, team->type)));
        return false;
    }
    const struct ir_expr **args =
        low_arguments(s, n, 1, 1, thread ? "thread_scratch" : "team_scratch");
    if (!args) {
        return false;
    }
    if (!low_is_int_constant(args[0]) || args[0]->integer < 0 || args[0]->integer > 1) {
        low_error(s, n->u.call.args.items[0], STR("level 0 is small and near, level 1 large"),
                  "the level of scratch memory must be 0 or 1");
        return false;
    }
    *out = (enum ir_scratch)((thread ? SCRATCH_THREAD_0 : SCRATCH_TEAM_0) + (int)args[0]->integer);
    return true;
}

/* The type that the call itself names, pk.ScratchView1D[T](…), or its variable's annotation. */
static const struct type *read_view_type(struct low_scope *s, const struct ast_node *call, int rank,
                                         const struct type *annotated)
{
    const struct ast_node *func = call->u.call.func;

    if (func->kind == AST_SUBSCRIPT) {
        return low_annotation(s, s->module, func, LOW_USE_VALUE, NULL);
    }
    if (!annotated) {
        low_error(s, call,
                  low_hint(s,
                           "annotate the variable: x: pk.ScratchView%dD[float] = …, or write "
                           "pk.ScratchView%dD[float](…)",
                           rank, rank),
                  "the scratch view has no element type");
        return NULL;
    }
    if (annotated->kind != TYPE_VIEW || !annotated->scratch || annotated->rank != rank) {
        low_error(s, call, STR("make annotation and value the same"),
                  "the annotation says " STR_FMT ", the value is a ScratchView%dD",
                  STR_ARG(low_spell(s, annotated)), rank);
        return NULL;
    }
    return annotated;
}

/* Memory first, then one extent a dimension; without any the view is empty, as in Kokkos. */
static const struct ir_expr *make_view(struct low_scope *s, const struct ast_node *n,
                                       const struct type *t)
{
    const struct ast_seq *args = &n->u.call.args;
    const size_t rank = (size_t)t->rank;
    struct low_operands o;
    enum ir_scratch memory;
    bool ok = true;

    if (n->u.call.keywords.count) {
        low_error(s, n->u.call.keywords.items[0], STR("write it without the name"),
                  "a scratch view takes no keyword arguments here");
        return low_unknown(s, n);
    }
    if (args->count != 1 && args->count != rank + 1) {
        low_error(s, n, low_hint(s, "write pk.ScratchView%dD(team.team_scratch(0), …)", t->rank),
                  "a ScratchView%dD takes scratch memory and %d extent%s, not %zu", t->rank,
                  t->rank, t->rank == 1 ? "" : "s", args->count ? args->count - 1 : 0);
        return low_unknown(s, n);
    }
    if (!read_memory(s, args->items[0], &memory)) {
        return low_unknown(s, n);
    }
    if (args->count == 1) {
        low_warning(s, n, STR("give its extents after the scratch memory"),
                    "a scratch view without extents is empty");
    }
    low_operands_begin(&o, s, rank);
    for (size_t i = 0; i < rank; i++) {
        const struct ast_node *item = args->count == 1 ? NULL : args->items[i + 1];
        low_operands_add(&o, item ? low_index(s, low_expr(s, item), item, "the extent")
                                  : low_int(s, n, 0));
        ok &= o.items[i]->type != NULL;
    }
    low_operands_seal(&o);
    if (!ok) {
        return low_unknown(s, n);
    }
    struct ir_expr *e = low_expr_new(s, IR_SCRATCH, t, n, rank);
    e->scratch = memory;
    e->effects = EFFECT_READS | EFFECT_WRITES; /* takes the next piece */
    for (size_t i = 0; i < rank; i++) {
        e->args[i] = o.items[i];
    }
    return e;
}

const struct ir_expr *low_scratch_view(struct low_scope *s, const struct ast_node *value,
                                       const struct type *t)
{
    if (value->kind != AST_CALL) {
        return NULL;
    }
    const struct ast_node *func = value->u.call.func;
    const int rank = scratch_rank(s, func->kind == AST_SUBSCRIPT ? func->u.subscript.value : func);
    if (!rank) {
        return NULL;
    }
    const struct type *view = read_view_type(s, value, rank, t);
    return view ? make_view(s, value, view) : low_unknown(s, value);
}

/* ---- the decorator -------------------------------------------------------------------------- */

const struct ir_expr *low_scratch_parameter(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *object = n->u.attribute.value;
    const struct str name = n->u.attribute.attr;
    const struct kernel *k = s->unit->l->kernel;

    if (!s->lambda_parameter.len || object->kind != AST_NAME ||
        !str_equal(object->u.name.id, s->lambda_parameter)) {
        return NULL;
    }
    if (str_equal_c(name, "team_size")) {
        struct ir_expr *e = low_expr_new(s, IR_TEAM_CALL, type_scalar(TYPE_INT64), n, 0);
        e->team = TEAM_SIZE;
        return e;
    }
    for (size_t i = 0; i < k->parameter_count; i++) {
        if (str_equal(k->parameters[i].name, name) && k->parameters[i].type) {
            return low_var(s, n, k->parameters[i].var);
        }
    }
    for (size_t i = 0; i < k->field_count; i++) {
        if (str_equal(k->fields[i].name, name) && k->fields[i].var && k->fields[i].type) {
            return low_var(s, n, k->fields[i].var);
        }
    }
    low_error_span(s, &n->u.attribute.attr_span,
                   STR("name a parameter of the workunit, or team_size"),
                   STR_FMT " has no parameter " STR_FMT, STR_ARG(k->qualified), STR_ARG(name));
    return low_unknown(s, n);
}

/* The count of one item; NULL: refused. */
static const struct ir_expr *read_count(struct low_unit *u, const struct ast_node *value)
{
    struct lower *l = u->l;
    struct low_scope *s = low_scope_new(u, NULL, l->workunit->module, l->workunit->node, NULL);
    const struct ast_node *body = value;
    struct vec block;

    if (value->kind == AST_LAMBDA) {
        const struct ast_seq *args = &value->u.lambda.args->u.arguments.args;
        if (args->count != 1) {
            low_error(s, value, STR("write lambda p: p.n"),
                      "the size of scratch memory is a function of one argument");
            return NULL;
        }
        s->lambda_parameter = args->items[0]->u.arg.arg;
        low_scope_parameter(s, s->lambda_parameter, args->items[0], VAR_PARAMETER);
        body = value->u.lambda.body;
    }
    low_scope_begin(s);
    struct vec *outer = low_block_begin(s, &block);
    const size_t diags = u->diags.count;
    const struct ir_expr *e = low_expr(s, body);
    if (e->type) {
        e = low_index(s, e, body, "the size of scratch memory");
    }
    low_block_end(s, outer);
    if ((!e->type && u->diags.count == diags) || block.count) {
        low_error(s, body, STR("compute it from p's members: lambda p: 2 * p.n + p.team_size"),
                  "this is no size of scratch memory");
        return NULL;
    }
    return e->type ? e : NULL;
}

static void read_item(struct low_unit *u, struct low_scope *s, const struct ast_node *n,
                      struct kernel_scratch *items, size_t *count)
{
    if (n->kind != AST_TUPLE || n->u.seq.elts.count != 2) {
        low_error(s, n, STR("write (pk.double, lambda p: p.n)"),
                  "an item of scratch= is a pair: element type and number of elements");
        return;
    }
    const struct ast_node *const *parts = (const struct ast_node *const *)n->u.seq.elts.items;
    const struct type *t =
        low_annotation(s, u->l->workunit->module, parts[0], LOW_USE_ELEMENT, NULL);
    if (t && !type_is_scalar(t->kind)) {
        low_error(s, parts[0], STR("write (pk.double, lambda p: p.n)"),
                  "scratch memory holds numbers and bools");
        return;
    }
    const struct ir_expr *e = read_count(u, parts[1]);
    if (t && e) {
        items[(*count)++] = (struct kernel_scratch){t, e};
    }
}

void low_scratch_decorator(struct low_unit *u)
{
    struct lower *l = u->l;
    struct low_scope *s = u->top;
    const struct ast_node *call = NULL;

    (void)py_decorator_of(l->workunit->module, l->workunit->node, &call);
    for (size_t i = 0; call && i < call->u.call.keywords.count; i++) {
        const struct ast_node *k = call->u.call.keywords.items[i];
        const struct ast_node *value = k->u.keyword.value;
        bool parameter = false;
        for (size_t j = 0; j < l->kernel->parameter_count; j++) {
            parameter |= str_equal_c(l->kernel->parameters[j].name, "scratch");
        }
        if (!str_equal_c(k->u.keyword.arg, "scratch") ||
            (parameter && value->kind == AST_CALL)) { /* a view of that name */
            continue;
        }
        if (value->kind != AST_LIST && value->kind != AST_TUPLE) {
            low_error(s, value, STR("write scratch=[(pk.double, lambda p: p.n)]"),
                      "scratch= is a list of pairs: element type and number of elements");
            continue;
        }
        if (l->kernel->policy != POLICY_TEAM) {
            low_error(s, k, STR("begin with the team: team: pk.TeamMember"),
                      "only a workunit of teams has scratch memory");
            continue;
        }
        struct kernel_scratch *items =
            ARENA_ARRAY(l->a, struct kernel_scratch, value->u.seq.elts.count + 1);
        for (size_t j = 0; j < value->u.seq.elts.count; j++) {
            read_item(u, s, value->u.seq.elts.items[j], items, &l->kernel->scratch_count);
        }
        l->kernel->scratch = items;
    }
}

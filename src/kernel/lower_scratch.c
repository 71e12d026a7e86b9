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

/* range() loops as C++ loops. */
#include "kernel/emit.h"

/* ---- loops ---------------------------------------------------------------------------------- */

/* Does the expression keep its value while the loop runs, at no cost? */
static bool is_fixed(struct emit *e, const struct ir_expr *x)
{
    switch (x->kind) {
    case IR_INT: return true;
    case IR_VAR: return emit_var_of(e, x->var)->writes == 0 || emit_var_of(e, x->var)->constant;
    case IR_EXTENT: return x->args[1]->kind == IR_INT && is_fixed(e, x->args[0]);
    case IR_CONVERT: return x->type->kind == TYPE_INT64 && is_fixed(e, x->args[0]);
    default: return false;
    }
}

/* 1, -1: the constant step has this sign; 0: it is known only when running. */
static int step_sign(const struct ir_stmt *s)
{
    if (!s->step) {
        return 1;
    }
    if (s->step->kind != IR_INT || s->step->integer == 0) {
        return 0;
    }
    return s->step->integer > 0 ? 1 : -1;
}

static bool is_unit_step(const struct ir_stmt *s)
{
    return !s->step ||
           (s->step->kind == IR_INT && (s->step->integer == 1 || s->step->integer == -1));
}

/* for (counter = start; counter < stop; counter += step): the counter passes `stop` by less than a
 * step, which must not overflow. */
static bool can_count_directly(struct emit *e, const struct ir_stmt *s)
{
    const int sign = step_sign(s);
    if (sign == 0 || is_unit_step(s)) {
        return sign != 0;
    }
    const struct emit_interval stop = emit_info_of(e, s->stop).range;
    return sign > 0 ? stop.hi + s->step->integer <= INT64_MAX
                    : stop.lo + s->step->integer >= INT64_MIN;
}

static struct str direct_loop(struct emit *e, const struct ir_stmt *s, struct str counter)
{
    const int sign = step_sign(s);
    const bool fixed = is_fixed(e, s->stop);
    buf_printf(e->out, "for (pkc::int64 " STR_FMT " = ", STR_ARG(counter));
    emit_expr(e, s->start, PREC_CONDITIONAL);
    struct str end = {0};
    if (!fixed) {
        end = emit_take_name(e, str_format(e->arena, STR_FMT "_end", STR_ARG(counter)));
        buf_printf(e->out, ", " STR_FMT " = ", STR_ARG(end));
        emit_expr(e, s->stop, PREC_CONDITIONAL);
    }
    buf_printf(e->out, "; " STR_FMT " %c ", STR_ARG(counter), sign > 0 ? '<' : '>');
    if (fixed) {
        emit_expr(e, s->stop, PREC_SHIFT);
    } else {
        emit_str(e, end);
    }
    if (is_unit_step(s)) {
        buf_printf(e->out, "; %s" STR_FMT ")", sign > 0 ? "++" : "--", STR_ARG(counter));
    } else {
        const py_int128 step = s->step->integer;
        buf_printf(e->out, "; " STR_FMT " %s ", STR_ARG(counter), sign > 0 ? "+=" : "-=");
        emit_int_constant(e, sign > 0 ? step : -step, TYPE_INT64, PREC_ANY);
        emit_text(e, ")");
    }
    return end;
}

/* The number of rounds first: neither the step's sign nor the limits matter. */
static void counted_loop(struct emit *e, const struct ir_stmt *s, struct str counter,
                         struct str names[3])
{
    static const char *const endings[] = {"stop", "step", "left"};
    const struct ir_expr *const values[] = {s->stop, s->step};
    e->header[HEADER_INT] = true;
    buf_printf(e->out, "pkc::int64 " STR_FMT " = ", STR_ARG(counter));
    emit_expr(e, s->start, PREC_CONDITIONAL);
    emit_end_line(e);
    for (int i = 0; i < 3; i++) {
        names[i] =
            emit_take_name(e, str_format(e->arena, STR_FMT "_%s", STR_ARG(counter), endings[i]));
        emit_line_begin(e);
        if (i < 2) {
            buf_printf(e->out, "const pkc::int64 " STR_FMT " = ", STR_ARG(names[i]));
            emit_expr(e, values[i], PREC_CONDITIONAL);
            emit_end_line(e);
        }
    }
    const struct str left = names[2];
    buf_printf(e->out,
               "for (pkc::uint64 " STR_FMT " = pkc::range_count(" STR_FMT ", " STR_FMT ", " STR_FMT
               "); " STR_FMT " > 0; --" STR_FMT ", " STR_FMT " = pkc::add(" STR_FMT ", " STR_FMT
               "))",
               STR_ARG(left), STR_ARG(counter), STR_ARG(names[0]), STR_ARG(names[1]), STR_ARG(left),
               STR_ARG(left), STR_ARG(counter), STR_ARG(counter), STR_ARG(names[1]));
}

struct float_search {
    const struct ir_var *counter;
    bool converts, leaves;
};

static void find_float(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    struct float_search *s = context;
    s->converts = s->converts || (x->kind == IR_CONVERT && type_is_float(x->type->kind) &&
                                  x->args[0]->kind == IR_VAR && x->args[0]->var == s->counter);
}

static void find_leave(void *context, const struct ir_stmt *x, const struct ir_function *f)
{
    (void)f;
    struct float_search *s = context;
    s->leaves = s->leaves || x->kind == IR_BREAK || x->kind == IR_CONTINUE || x->kind == IR_RETURN;
}

/* A loop with float(counter) in it, and no way out of its body, which then can be a lambda. */
static bool is_float_loop(const struct ir_stmt *s)
{
    struct float_search found = {.counter = s->var};
    const struct emit_walk w = {find_leave, find_float, &found};
    emit_walk_block(&w, &s->body, NULL);
    return found.converts && !found.leaves;
}

static void float_loop(struct emit *e, const struct ir_stmt *s)
{
    const struct str name = emit_var_of(e, s->var)->name;
    const struct str at = emit_take_name(e, str_format(e->arena, STR_FMT "_at", STR_ARG(name)));
    const struct ir_expr *const bounds[] = {s->start, s->stop};
    e->header[HEADER_LOOP] = true;
    emit_line_begin(e);
    emit_text(e, "pkc::count_up(");
    for (int i = 0; i < 2; i++) {
        emit_expr(e, bounds[i], PREC_CONDITIONAL);
        emit_text(e, ", ");
    }
    buf_printf(e->out, "[&](const auto " STR_FMT ") PKC_LAMBDA {\n", STR_ARG(at));
    e->indent++;
    emit_line_begin(e);
    buf_printf(e->out, "const pkc::int64 " STR_FMT " = " STR_FMT ";\n", STR_ARG(name), STR_ARG(at));
    emit_block(e, &s->body);
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "});\n");
    emit_release_name(e, at);
}

void emit_loop(struct emit *e, const struct ir_stmt *s)
{
    const struct emit_var *v = emit_var_of(e, s->var);
    const bool own = !v->outside && (v->var->kind == VAR_LOCAL || v->var->kind == VAR_TEMP);
    if (own && !s->step && is_float_loop(s)) {
        float_loop(e, s);
        return;
    }
    const struct str counter =
        own ? v->name : emit_take_name(e, str_format(e->arena, STR_FMT "_next", STR_ARG(v->name)));
    const bool direct = can_count_directly(e, s);
    struct str names[4] = {{0}};
    names[3] = counter;
    emit_line_begin(e);
    if (!direct) {
        emit_text(e, "{\n");
        e->indent++;
        emit_line_begin(e);
        counted_loop(e, s, counter, names);
    } else {
        names[0] = direct_loop(e, s, counter);
    }
    emit_text(e, " {\n");
    e->indent++;
    if (!own) {
        emit_line_begin(e);
        if (v->declared_by == s) {
            emit_declare(e, v, v->constant);
        } else {
            emit_str(e, v->name);
        }
        buf_printf(e->out, " = " STR_FMT ";\n", STR_ARG(counter));
    }
    emit_block(e, &s->body);
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}\n");
    if (!direct) {
        e->indent--;
        emit_line_begin(e);
        emit_text(e, "}\n");
    }
    for (int i = 0; i < 4; i++) {
        emit_release_name(e, names[i]);
    }
}

/* Statements: one a line. */
#include "kernel/emit.h"

static void end_line(struct emit *e)
{
    emit_text(e, ";\n");
}

/* ---- declarations --------------------------------------------------------------------------- */

static void declare(struct emit *e, const struct emit_var *v, bool constant)
{
    if (v->reads == 0) {
        emit_text(e, "[[maybe_unused]] ");
    }
    emit_text(e, constant ? "const " : "");
    emit_type(e, v->var->type);
    emit_text(e, " ");
    emit_str(e, v->name);
}

static const char *zero_of(enum type_kind k)
{
    switch (k) {
    case TYPE_BOOL: return " = false";
    case TYPE_FLOAT: return " = 0.0f";
    case TYPE_DOUBLE: return " = 0.0";
    default: return type_is_integer(k) ? " = 0" : "{}";
    }
}

static void declare_before(struct emit *e, const struct ir_stmt *s)
{
    const struct emit_before *before = emit_table_get(&e->before, s);
    if (!before) {
        return;
    }
    for (size_t i = 0; i < before->vars.count + before->zeroed.count; i++) {
        const bool zero = i >= before->vars.count;
        const struct emit_var *v =
            zero ? before->zeroed.items[i - before->vars.count] : before->vars.items[i];
        emit_line_begin(e);
        declare(e, v, false);
        emit_text(e, zero ? zero_of(v->var->type->kind) : "");
        end_line(e);
    }
    for (size_t i = 0; i < before->lambdas.count; i++) {
        emit_lambda(e, before->lambdas.items[i]);
    }
}

/* ---- assignments ---------------------------------------------------------------------------- */

static const char *augmented(enum ir_expr_kind kind)
{
    switch (kind) {
    case IR_ADD: return "+=";
    case IR_SUB: return "-=";
    case IR_MUL: return "*=";
    case IR_TRUEDIV: return "/=";
    case IR_BIT_AND: return "&=";
    case IR_BIT_OR: return "|=";
    case IR_BIT_XOR: return "^=";
    case IR_LSHIFT: return "<<=";
    case IR_RSHIFT: return ">>=";
    default: return NULL;
    }
}

/* Can `value` be written as `place op= …`: is it `place op …` by an operator of C++? */
static const char *augmented_op(struct emit *e, const struct ir_expr *value)
{
    const char *op = augmented(value->kind);
    if (!op || value->arg_count != 2) {
        return NULL;
    }
    const enum type_kind k = value->type->kind;
    if (type_is_float(k) || type_is_complex(k)) {
        return op;
    }
    if (k != TYPE_INT64 && k != TYPE_UINT64) {
        return NULL;
    }
    return emit_int_is_infix(e, value) ? op : NULL;
}

static void set_place(struct emit *e, const struct ir_expr *place, const struct ir_expr *value)
{
    const char *op = augmented_op(e, value);
    emit_expr(e, place, PREC_POSTFIX);
    if (op && emit_same(place, value->args[0])) {
        buf_printf(e->out, " %s ", op);
        emit_expr(e, value->args[1], PREC_CONDITIONAL);
    } else {
        emit_text(e, " = ");
        emit_expr(e, value, PREC_ANY);
    }
}

static void assign(struct emit *e, const struct ir_stmt *s)
{
    const struct emit_var *v = emit_var_of(e, s->var);
    if (s->value->kind == IR_VAR && s->value->var == s->var) {
        return;
    }
    emit_line_begin(e);
    if (v->declared_by == s) {
        declare(e, v, v->constant);
        emit_text(e, " = ");
        emit_expr(e, s->value, PREC_ANY);
    } else {
        const struct ir_expr place = {.kind = IR_VAR, .type = s->var->type, .var = s->var};
        set_place(e, &place, s->value);
    }
    end_line(e);
}

static const struct ir_expr *converted(struct emit *e, const struct ir_expr *x,
                                       const struct type *to)
{
    if (x->kind == IR_CONVERT && type_equal(x->args[0]->type, to)) {
        return x->args[0];
    }
    const struct ir_expr **args = ARENA_ARRAY(e->arena, const struct ir_expr *, 1);
    args[0] = x;
    struct ir_expr *c = ARENA_NEW(e->arena, struct ir_expr);
    *c = (struct ir_expr){.kind = IR_CONVERT, .type = to, .args = args, .arg_count = 1};
    return c;
}

/* acc op= value. Integers narrower than 64 bits are widened for it, as everywhere. */
static void update(struct emit *e, const struct ir_stmt *s)
{
    const struct type *type = s->var->type;
    const bool widen = type_is_integer(type->kind) && type_size(type->kind) < 8 &&
                       s->op != IR_MIN && s->op != IR_MAX;
    struct ir_expr *acc = ARENA_NEW(e->arena, struct ir_expr);
    *acc = (struct ir_expr){.kind = IR_VAR, .type = type, .var = s->var};
    const struct ir_expr **args = ARENA_ARRAY(e->arena, const struct ir_expr *, 2);
    const struct type *wide = widen ? type_scalar(TYPE_INT64) : type;
    args[0] = widen ? converted(e, acc, wide) : acc;
    args[1] = widen ? converted(e, s->value, wide) : s->value;
    struct ir_expr *value = ARENA_NEW(e->arena, struct ir_expr);
    *value = (struct ir_expr){.kind = s->op, .type = wide, .args = args, .arg_count = 2};
    emit_line_begin(e);
    set_place(e, acc, widen ? converted(e, value, type) : value);
    end_line(e);
}

/* ---- loops ---------------------------------------------------------------------------------- */

static void block_in_braces(struct emit *e, const struct ir_block *b)
{
    emit_text(e, " {\n");
    e->indent++;
    emit_block(e, b);
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}");
}

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
    end_line(e);
    for (int i = 0; i < 3; i++) {
        names[i] =
            emit_take_name(e, str_format(e->arena, STR_FMT "_%s", STR_ARG(counter), endings[i]));
        emit_line_begin(e);
        if (i < 2) {
            buf_printf(e->out, "const pkc::int64 " STR_FMT " = ", STR_ARG(names[i]));
            emit_expr(e, values[i], PREC_CONDITIONAL);
            end_line(e);
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

static void loop(struct emit *e, const struct ir_stmt *s)
{
    const struct emit_var *v = emit_var_of(e, s->var);
    const bool own = !v->outside && (v->var->kind == VAR_LOCAL || v->var->kind == VAR_TEMP);
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
            declare(e, v, v->constant);
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

/* A nested pattern of a team of one thread: a loop that calls the inner function. */
static void nested_pattern(struct emit *e, const struct ir_stmt *s)
{
    const bool gives = s->operation != OPERATION_FOR;
    const struct str at = emit_take_name(e, STR("at"));
    const struct str end = emit_take_name(e, STR("at_end"));
    struct str total = {0};
    const struct ir_function *f = s->function;
    if (gives) {
        const struct type *t = s->var                   ? s->var->type
                               : f->parameter_count > 1 ? f->parameters[1]->type
                                                        : type_scalar(TYPE_DOUBLE);
        total = emit_take_name(e, STR("total"));
        emit_line_begin(e);
        emit_type(e, t);
        emit_text(e, " ");
        emit_str(e, total);
        if (s->value) {
            emit_text(e, " = ");
            emit_expr(e, s->value, PREC_CONDITIONAL);
        } else {
            emit_text(e, zero_of(t->kind));
        }
        end_line(e);
    }
    emit_line_begin(e);
    buf_printf(e->out, "for (pkc::int64 " STR_FMT " = ", STR_ARG(at));
    emit_expr(e, s->start, PREC_CONDITIONAL);
    buf_printf(e->out, ", " STR_FMT " = ", STR_ARG(end));
    emit_expr(e, s->stop, PREC_CONDITIONAL);
    buf_printf(e->out, "; " STR_FMT " < " STR_FMT "; ++" STR_FMT ") {\n", STR_ARG(at), STR_ARG(end),
               STR_ARG(at));
    e->indent++;
    emit_line_begin(e);
    emit_str(e, f->symbol);
    buf_printf(e->out, "(" STR_FMT, STR_ARG(at));
    if (gives) {
        buf_printf(e->out, ", " STR_FMT, STR_ARG(total));
    }
    emit_text(e, s->operation == OPERATION_SCAN && f->parameter_count > 2 ? ", true);\n" : ");\n");
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}\n");
    if (gives && s->var) {
        emit_line_begin(e);
        emit_str(e, emit_var_of(e, s->var)->name);
        buf_printf(e->out, " = " STR_FMT ";\n", STR_ARG(total));
    }
    emit_release_name(e, at);
    emit_release_name(e, end);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void branch(struct emit *e, const struct ir_stmt *s)
{
    emit_text(e, "if (");
    emit_expr(e, s->test, PREC_ANY);
    emit_text(e, ")");
    block_in_braces(e, &s->body);
    if (s->orelse.count == 1 && s->orelse.items[0]->kind == IR_IF &&
        !emit_table_get(&e->before, s->orelse.items[0])) {
        emit_text(e, " else ");
        branch(e, s->orelse.items[0]);
        return;
    }
    if (s->orelse.count > 0) {
        emit_text(e, " else");
        block_in_braces(e, &s->orelse);
    }
    emit_text(e, "\n");
}

static void return_from(struct emit *e, const struct ir_stmt *s)
{
    emit_line_begin(e);
    if (e->return_form == RETURN_CONTINUE) {
        emit_text(e, "continue");
    } else {
        emit_text(e, "return");
        if (s->value) {
            emit_text(e, " ");
            emit_expr(e, s->value, PREC_ANY);
        }
    }
    end_line(e);
}

static void evaluate(struct emit *e, const struct ir_expr *x)
{
    const bool barrier = x->kind == IR_TEAM_CALL && x->team == TEAM_BARRIER;
    const bool effects = x->kind == IR_CALL || x->kind == IR_ATOMIC || x->kind == IR_PRINTF ||
                         x->kind == IR_RANDOM || (x->effects & EFFECT_WRITES) != 0;
    if (barrier || !effects) {
        return; /* nothing of it is left to see */
    }
    const bool drops = x->type->kind != TYPE_VOID && x->kind != IR_CALL && x->kind != IR_ATOMIC &&
                       x->kind != IR_PRINTF;
    emit_line_begin(e);
    emit_text(e, drops ? "static_cast<void>(" : "");
    emit_expr(e, x, PREC_ANY);
    emit_text(e, drops ? ")" : "");
    end_line(e);
}

static void statement(struct emit *e, const struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_ASSIGN: assign(e, s); break;
    case IR_STORE:
        emit_line_begin(e);
        set_place(e, s->target, s->value);
        end_line(e);
        break;
    case IR_ACC_UPDATE: update(e, s); break;
    case IR_EVAL: evaluate(e, s->value); break;
    case IR_IF:
        emit_line_begin(e);
        branch(e, s);
        break;
    case IR_WHILE:
        emit_line_begin(e);
        emit_text(e, "while (");
        if (s->test) {
            emit_expr(e, s->test, PREC_ANY);
        } else {
            emit_text(e, "true");
        }
        emit_text(e, ")");
        block_in_braces(e, &s->body);
        emit_text(e, "\n");
        break;
    case IR_FOR: loop(e, s); break;
    case IR_BREAK:
        emit_line_begin(e);
        emit_text(e, "break;\n");
        break;
    case IR_CONTINUE:
        emit_line_begin(e);
        emit_text(e, "continue;\n");
        break;
    case IR_RETURN: return_from(e, s); break;
    case IR_PARALLEL: nested_pattern(e, s); break;
    case IR_SINGLE:
        emit_line_begin(e);
        emit_text(e, "{\n");
        e->indent++;
        emit_block(e, &s->body);
        e->indent--;
        emit_line_begin(e);
        emit_text(e, "}\n");
        break;
    case IR_CHECK:
        e->header[HEADER_CHECK] = true;
        emit_line_begin(e);
        emit_text(e, "PKC_CHECK(");
        emit_expr(e, s->test, PREC_CONDITIONAL);
        emit_text(e, ", ");
        emit_string(e, s->text);
        emit_text(e, ");\n");
        break;
    }
}

void emit_block(struct emit *e, const struct ir_block *b)
{
    for (size_t i = 0; i < b->count; i++) {
        declare_before(e, b->items[i]);
        statement(e, b->items[i]);
        if (b->items[i]->kind == IR_RETURN || b->items[i]->kind == IR_BREAK ||
            b->items[i]->kind == IR_CONTINUE) {
            break; /* what follows is never reached */
        }
    }
}

/* Statements: one a line. */
#include "kernel/emit.h"

void emit_end_line(struct emit *e)
{
    emit_text(e, ";\n");
}

/* ---- declarations --------------------------------------------------------------------------- */

void emit_declare(struct emit *e, const struct emit_var *v, bool constant)
{
    if (v->reads == 0) {
        emit_text(e, "[[maybe_unused]] ");
    }
    const enum type_kind kind = v->var->type->kind;
    /* objects and lists are passed by reference: whom they are passed to may change them */
    emit_text(e, constant && kind != TYPE_STRUCT && kind != TYPE_ARRAY ? "const " : "");
    emit_type(e, v->var->type);
    emit_text(e, " ");
    emit_str(e, v->name);
}

const char *emit_zero_of(enum type_kind k)
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
        emit_declare(e, v, false);
        emit_text(e, zero ? emit_zero_of(v->var->type->kind) : "");
        emit_end_line(e);
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
        emit_declare(e, v, v->constant);
        emit_text(e, " = ");
        emit_expr(e, s->value, PREC_ANY);
    } else {
        const struct ir_expr place = {.kind = IR_VAR, .type = s->var->type, .var = s->var};
        set_place(e, &place, s->value);
    }
    emit_end_line(e);
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
    emit_end_line(e);
}

static void block_in_braces(struct emit *e, const struct ir_block *b)
{
    emit_text(e, " {\n");
    e->indent++;
    emit_block(e, b);
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}");
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
    } else if (e->return_form == RETURN_SUCCESS) {
        emit_text(e, "return 0");
    } else {
        emit_text(e, "return");
        if (s->value) {
            emit_text(e, " ");
            emit_expr(e, s->value, PREC_ANY);
        }
    }
    emit_end_line(e);
}

static void evaluate(struct emit *e, const struct ir_expr *x)
{
    const bool effects = x->kind == IR_CALL || x->kind == IR_ATOMIC || x->kind == IR_PRINTF ||
                         x->kind == IR_RANDOM || (x->effects & EFFECT_WRITES) != 0;
    if (!effects) {
        return; /* nothing of it is left to see */
    }
    const bool drops = x->type->kind != TYPE_VOID && x->kind != IR_CALL && x->kind != IR_ATOMIC &&
                       x->kind != IR_PRINTF;
    emit_line_begin(e);
    emit_text(e, drops ? "static_cast<void>(" : "");
    emit_expr(e, x, PREC_ANY);
    emit_text(e, drops ? ")" : "");
    emit_end_line(e);
}

static void statement(struct emit *e, const struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_ASSIGN: assign(e, s); break;
    case IR_STORE:
        emit_line_begin(e);
        set_place(e, s->target, s->value);
        emit_end_line(e);
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
    case IR_FOR: emit_loop(e, s); break;
    case IR_BREAK:
        emit_line_begin(e);
        emit_text(e, "break;\n");
        break;
    case IR_CONTINUE:
        emit_line_begin(e);
        emit_text(e, "continue;\n");
        break;
    case IR_RETURN: return_from(e, s); break;
    case IR_PARALLEL: emit_nested_pattern(e, s); break;
    case IR_SINGLE: emit_single(e, s); break;
    case IR_LAUNCH: emit_launch(e, s); break;
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

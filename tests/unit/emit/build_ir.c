#include "build_ir.h"

#include <stdarg.h>

void maker_init(struct maker *m, struct arena *a, const char *name, enum operation operation)
{
    m->arena = a;
    m->kernel = ARENA_NEW(a, struct kernel);
    m->kernel->name = m->kernel->qualified = str_from(name);
    m->kernel->operation = operation;
    m->kernel->policy = POLICY_RANGE;
    m->kernel->rank = 0;
    vec_init(&m->parameters, a);
    vec_init(&m->vars, a);
    vec_init(&m->functions, a);
    vec_init(&m->leading, a);
    vec_init(&m->structs, a);
}

static struct parameter *parameters_of(struct maker *m, const struct vec *v)
{
    struct parameter *p = ARENA_ARRAY(m->arena, struct parameter, v->count);
    for (size_t i = 0; i < v->count; i++) {
        const struct ir_var *var = v->items[i];
        p[i] = (struct parameter){.name = var->name, .type = var->type, .var = var};
    }
    return p;
}

const struct kernel *maker_finish(struct maker *m, struct ir_block body)
{
    struct kernel *k = m->kernel;
    k->parameters = parameters_of(m, &m->parameters);
    k->parameter_count = m->parameters.count;
    k->leading = parameters_of(m, &m->leading);
    k->leading_count = m->leading.count;
    k->vars = (const struct ir_var **)m->vars.items;
    k->var_count = m->vars.count;
    k->functions = (const struct ir_function **)m->functions.items;
    k->function_count = m->functions.count;
    k->structs = (const struct struct_type **)m->structs.items;
    k->struct_count = m->structs.count;
    k->body = body;
    if (k->rank > 1) {
        k->policy = POLICY_MDRANGE;
    }
    return k;
}

const struct type *scalar(enum type_kind k)
{
    return type_scalar(k);
}

const struct type *view_of(struct maker *m, enum type_kind k, int rank, enum view_layout layout)
{
    struct type *t = ARENA_NEW(m->arena, struct type);
    *t =
        (struct type){.kind = TYPE_VIEW, .element = type_scalar(k), .rank = rank, .layout = layout};
    return t;
}

const struct type *list_of(struct maker *m, enum type_kind k, int64_t length)
{
    struct type *t = ARENA_NEW(m->arena, struct type);
    *t = (struct type){.kind = TYPE_ARRAY, .element = type_scalar(k), .length = length};
    return t;
}

static struct ir_var *new_var(struct maker *m, enum ir_var_kind kind, const char *name,
                              const struct type *t)
{
    struct ir_var *v = ARENA_NEW(m->arena, struct ir_var);
    *v = (struct ir_var){.kind = kind, .name = str_from(name), .type = t};
    return v;
}

static const struct ir_var *leading_var(struct maker *m, enum ir_var_kind kind, const char *name,
                                        enum type_kind k)
{
    struct ir_var *v = new_var(m, kind, name, type_scalar(k));
    vec_push(&m->leading, v);
    return v;
}

const struct ir_var *index_var(struct maker *m, const char *name)
{
    m->kernel->rank++;
    return leading_var(m, VAR_INDEX, name, TYPE_INT64);
}

const struct ir_var *acc_var(struct maker *m, const char *name, enum type_kind k)
{
    m->kernel->acc = type_scalar(k);
    return leading_var(m, VAR_ACC, name, k);
}

const struct ir_var *last_pass_var(struct maker *m, const char *name)
{
    return leading_var(m, VAR_LAST_PASS, name, TYPE_BOOL);
}

const struct ir_var *parameter_var(struct maker *m, const char *name, const struct type *t)
{
    struct ir_var *v = new_var(m, VAR_PARAMETER, name, t);
    vec_push(&m->parameters, v);
    return v;
}

const struct ir_var *local_var(struct maker *m, const char *name, const struct type *t)
{
    struct ir_var *v = new_var(m, VAR_LOCAL, name, t);
    vec_push(&m->vars, v);
    return v;
}

struct ir_function *function(struct maker *m, const char *name, const struct type *returns,
                             bool inner)
{
    struct ir_function *f = ARENA_NEW(m->arena, struct ir_function);
    f->name = f->symbol = str_from(name);
    f->returns = returns;
    f->inner = inner;
    f->parameters = ARENA_ARRAY(m->arena, const struct ir_var *, 8);
    f->vars = ARENA_ARRAY(m->arena, const struct ir_var *, 8);
    vec_push(&m->functions, f);
    return f;
}

const struct ir_var *function_var(struct maker *m, struct ir_function *f, const char *name,
                                  const struct type *t, bool parameter)
{
    struct ir_var *v = new_var(m, parameter ? VAR_PARAMETER : VAR_LOCAL, name, t);
    v->owner = f;
    if (parameter) {
        f->parameters[f->parameter_count++] = v;
    } else {
        f->vars[f->var_count++] = v;
    }
    return v;
}

/* ---- expressions ---------------------------------------------------------------------------- */

static struct ir_expr *new_expr(struct maker *m, enum ir_expr_kind kind, const struct type *t,
                                size_t args)
{
    struct ir_expr *x = ARENA_NEW(m->arena, struct ir_expr);
    x->kind = kind;
    x->type = t;
    x->args = ARENA_ARRAY(m->arena, const struct ir_expr *, args);
    x->arg_count = args;
    return x;
}

expr integer(struct maker *m, int64_t value)
{
    struct ir_expr *x = new_expr(m, IR_INT, scalar(TYPE_INT64), 0);
    x->integer = value;
    return x;
}

expr uinteger(struct maker *m, uint64_t value)
{
    struct ir_expr *x = new_expr(m, IR_INT, scalar(TYPE_UINT64), 0);
    x->integer = value;
    return x;
}

expr number(struct maker *m, double value)
{
    struct ir_expr *x = new_expr(m, IR_FLOAT, scalar(TYPE_DOUBLE), 0);
    x->number = value;
    return x;
}

expr number32(struct maker *m, double value)
{
    struct ir_expr *x = new_expr(m, IR_FLOAT, scalar(TYPE_FLOAT), 0);
    x->number = value;
    return x;
}

expr boolean(struct maker *m, bool value)
{
    struct ir_expr *x = new_expr(m, IR_BOOL, scalar(TYPE_BOOL), 0);
    x->integer = value;
    return x;
}

expr get(struct maker *m, const struct ir_var *v)
{
    struct ir_expr *x = new_expr(m, IR_VAR, v->type, 0);
    x->var = v;
    return x;
}

static void take_args(struct ir_expr *x, size_t from, va_list list)
{
    for (size_t i = from; i < x->arg_count; i++) {
        x->args[i] = va_arg(list, expr);
        x->effects |= x->args[i]->effects;
    }
}

expr element(struct maker *m, expr view, size_t rank, ...)
{
    struct ir_expr *x = new_expr(m, IR_ELEMENT, view->type->element, rank + 1);
    x->args[0] = view;
    x->effects = EFFECT_READS;
    va_list list;
    va_start(list, rank);
    take_args(x, 1, list);
    va_end(list);
    return x;
}

static const struct type *result_type(enum ir_expr_kind kind, expr a)
{
    switch (kind) {
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: return scalar(TYPE_BOOL);
    case IR_TRUEDIV_INT:
    case IR_POW_INT_DOUBLE: return scalar(TYPE_DOUBLE);
    case IR_EXTENT:
    case IR_SIZE: return scalar(TYPE_INT64);
    default: return a->type;
    }
}

expr op1(struct maker *m, enum ir_expr_kind kind, expr a)
{
    struct ir_expr *x = new_expr(m, kind, result_type(kind, a), 1);
    x->args[0] = a;
    x->effects = a->effects;
    return x;
}

expr op2(struct maker *m, enum ir_expr_kind kind, expr a, expr b)
{
    struct ir_expr *x = new_expr(m, kind, result_type(kind, a), 2);
    x->args[0] = a;
    x->args[1] = b;
    x->effects = a->effects | b->effects;
    return x;
}

expr op3(struct maker *m, enum ir_expr_kind kind, expr a, expr b, expr c)
{
    struct ir_expr *x = new_expr(m, kind, kind == IR_SELECT ? b->type : a->type, 3);
    x->args[0] = a;
    x->args[1] = b;
    x->args[2] = c;
    x->effects = a->effects | b->effects | c->effects;
    return x;
}

expr convert(struct maker *m, enum type_kind to, expr a)
{
    struct ir_expr *x = new_expr(m, IR_CONVERT, scalar(to), 1);
    x->args[0] = a;
    x->effects = a->effects;
    return x;
}

expr math1(struct maker *m, enum ir_math f, expr a)
{
    struct ir_expr *x = new_expr(m, IR_MATH, a->type, 1);
    x->args[0] = a;
    x->math = f;
    x->effects = a->effects;
    return x;
}

expr call(struct maker *m, const struct ir_function *f, size_t count, ...)
{
    struct ir_expr *x = new_expr(m, IR_CALL, f->returns, count);
    x->function = f;
    x->effects = EFFECT_READS | EFFECT_WRITES;
    va_list list;
    va_start(list, count);
    take_args(x, 0, list);
    va_end(list);
    return x;
}

expr atomic(struct maker *m, enum ir_atomic_op op, enum ir_fetch fetch, expr place, expr value)
{
    struct ir_expr *x = new_expr(m, IR_ATOMIC, place->type, 2);
    x->args[0] = place;
    x->args[1] = value;
    x->atomic = op;
    x->fetch = fetch;
    x->effects = EFFECT_READS | EFFECT_WRITES;
    return x;
}

expr member(struct maker *m, expr a, const char *name, const struct type *t)
{
    struct ir_expr *x = new_expr(m, IR_MEMBER, t, 1);
    x->args[0] = a;
    x->name = str_from(name);
    return x;
}

expr print(struct maker *m, const char *format, size_t count, ...)
{
    struct ir_expr *x = new_expr(m, IR_PRINTF, scalar(TYPE_VOID), count);
    x->text = str_from(format);
    x->effects = EFFECT_WRITES;
    va_list list;
    va_start(list, count);
    take_args(x, 0, list);
    va_end(list);
    return x;
}

/* ---- statements ----------------------------------------------------------------------------- */

struct ir_block block(struct maker *m, size_t count, ...)
{
    struct ir_block b = {ARENA_ARRAY(m->arena, const struct ir_stmt *, count), count};
    va_list list;
    va_start(list, count);
    for (size_t i = 0; i < count; i++) {
        b.items[i] = va_arg(list, stmt);
    }
    va_end(list);
    return b;
}

static struct ir_stmt *new_stmt(struct maker *m, enum ir_stmt_kind kind)
{
    struct ir_stmt *s = ARENA_NEW(m->arena, struct ir_stmt);
    s->kind = kind;
    return s;
}

stmt assign(struct maker *m, const struct ir_var *v, expr value)
{
    struct ir_stmt *s = new_stmt(m, IR_ASSIGN);
    s->var = v;
    s->value = value;
    return s;
}

stmt store(struct maker *m, expr target, expr value)
{
    struct ir_stmt *s = new_stmt(m, IR_STORE);
    s->target = target;
    s->value = value;
    return s;
}

stmt update(struct maker *m, const struct ir_var *acc, enum ir_expr_kind op, expr value)
{
    struct ir_stmt *s = new_stmt(m, IR_ACC_UPDATE);
    s->var = acc;
    s->op = op;
    s->value = value;
    return s;
}

stmt evaluate(struct maker *m, expr value)
{
    struct ir_stmt *s = new_stmt(m, IR_EVAL);
    s->value = value;
    return s;
}

stmt branch(struct maker *m, expr test, struct ir_block body, struct ir_block orelse)
{
    struct ir_stmt *s = new_stmt(m, IR_IF);
    s->test = test;
    s->body = body;
    s->orelse = orelse;
    return s;
}

stmt loop(struct maker *m, const struct ir_var *v, expr start, expr stop, expr step,
          struct ir_block body)
{
    struct ir_stmt *s = new_stmt(m, IR_FOR);
    s->var = v;
    s->start = start;
    s->stop = stop;
    s->step = step;
    s->body = body;
    return s;
}

stmt loop_while(struct maker *m, expr test, struct ir_block body)
{
    struct ir_stmt *s = new_stmt(m, IR_WHILE);
    s->test = test;
    s->body = body;
    return s;
}

stmt jump(struct maker *m, enum ir_stmt_kind kind, expr value)
{
    struct ir_stmt *s = new_stmt(m, kind);
    s->value = value;
    return s;
}

stmt check(struct maker *m, expr test, const char *text)
{
    struct ir_stmt *s = new_stmt(m, IR_CHECK);
    s->test = test;
    s->text = str_from(text);
    return s;
}

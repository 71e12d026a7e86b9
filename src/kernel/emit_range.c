/* Which values an integer expression can have: decides where plain C++ arithmetic is right, and
 * what can be done in 32 bits. */
#include "kernel/emit.h"

#define WIDE ((py_int128)1 << 100) /* beyond all 64-bit values, and far from overflowing */

static const struct emit_interval nothing = {1, 0};

static bool is_nothing(struct emit_interval r)
{
    return r.lo > r.hi;
}

struct emit_interval emit_type_range(enum type_kind k)
{
    switch (k) {
    case TYPE_BOOL: return (struct emit_interval){0, 1};
    case TYPE_INT8: return (struct emit_interval){INT8_MIN, INT8_MAX};
    case TYPE_INT16: return (struct emit_interval){INT16_MIN, INT16_MAX};
    case TYPE_INT32: return (struct emit_interval){INT32_MIN, INT32_MAX};
    case TYPE_INT64: return (struct emit_interval){INT64_MIN, INT64_MAX};
    case TYPE_UINT8: return (struct emit_interval){0, UINT8_MAX};
    case TYPE_UINT16: return (struct emit_interval){0, UINT16_MAX};
    case TYPE_UINT32: return (struct emit_interval){0, UINT32_MAX};
    case TYPE_UINT64: return (struct emit_interval){0, UINT64_MAX};
    default: return (struct emit_interval){-WIDE, WIDE};
    }
}

bool emit_within(struct emit_interval r, py_int128 lo, py_int128 hi)
{
    return r.lo >= lo && r.hi <= hi;
}

static struct emit_interval join(struct emit_interval a, struct emit_interval b)
{
    if (is_nothing(a)) {
        return b;
    }
    if (is_nothing(b)) {
        return a;
    }
    return (struct emit_interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static py_int128 floor_div(py_int128 a, py_int128 b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/* The least 2^k - 1 that is no smaller than any magnitude in `r`. */
static py_int128 mask_over(struct emit_interval r)
{
    py_int128 mask = 0;
    while (mask < r.hi || -mask - 1 > r.lo) {
        mask = mask * 2 + 1;
    }
    return mask;
}

static struct emit_interval product(struct emit_interval a, struct emit_interval b)
{
    const py_int128 corners[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    struct emit_interval r = {corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        r = join(r, (struct emit_interval){corners[i], corners[i]});
    }
    return r;
}

static struct emit_interval floor_quotient(struct emit_interval a, struct emit_interval b)
{
    if (b.lo > 0) {
        return (struct emit_interval){
            a.lo >= 0 ? a.lo / b.hi : floor_div(a.lo, b.lo),
            a.hi >= 0 ? a.hi / b.lo : floor_div(a.hi, b.hi),
        };
    }
    const py_int128 magnitude = -a.lo > a.hi ? -a.lo : a.hi;
    return (struct emit_interval){-magnitude, magnitude};
}

static struct emit_interval modulo(struct emit_interval a, struct emit_interval b)
{
    const py_int128 most = b.hi > 0 ? b.hi - 1 : 0;
    if (b.lo > 0 && a.lo >= 0) {
        return (struct emit_interval){0, a.hi < most ? a.hi : most};
    }
    return (struct emit_interval){b.lo < 0 ? b.lo + 1 : 0, most};
}

static struct emit_interval bits(enum ir_expr_kind op, struct emit_interval a,
                                 struct emit_interval b)
{
    if (op == IR_BIT_AND && (a.lo >= 0 || b.lo >= 0)) {
        const py_int128 hi = a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : a.hi < b.hi ? a.hi : b.hi;
        return (struct emit_interval){0, hi};
    }
    const py_int128 mask = mask_over(join(a, b));
    return (struct emit_interval){a.lo >= 0 && b.lo >= 0 ? 0 : -mask - 1, mask};
}

static struct emit_interval shifted_right(struct emit_interval a, struct emit_interval count)
{
    if (count.lo == count.hi && count.lo >= 0 && count.lo < 64) {
        return (struct emit_interval){a.lo >> (int)count.lo, a.hi >> (int)count.lo};
    }
    return (struct emit_interval){a.lo < 0 ? a.lo : 0, a.hi > 0 ? a.hi : 0};
}

static struct emit_interval magnitude_of(struct emit_interval a)
{
    if (a.lo >= 0) {
        return a;
    }
    return (struct emit_interval){a.hi < 0 ? -a.hi : 0, -a.lo > a.hi ? -a.lo : a.hi};
}

/* The exact result of an operator on integers, however large; nothing: it is not known. */
static struct emit_interval exact_result(const struct ir_expr *x, struct emit_interval a,
                                         struct emit_interval b)
{
    switch (x->kind) {
    case IR_ADD: return (struct emit_interval){a.lo + b.lo, a.hi + b.hi};
    case IR_SUB: return (struct emit_interval){a.lo - b.hi, a.hi - b.lo};
    case IR_MUL: return product(a, b);
    case IR_NEG: return (struct emit_interval){-a.hi, -a.lo};
    case IR_INVERT: return (struct emit_interval){~a.hi, ~a.lo};
    case IR_FLOORDIV: return floor_quotient(a, b);
    case IR_MOD: return modulo(a, b);
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR: return bits(x->kind, a, b);
    case IR_LSHIFT:
        if (b.lo == b.hi && b.lo >= 0 && b.lo < 63) {
            const py_int128 factor = (py_int128)1 << (int)b.lo;
            return product(a, (struct emit_interval){factor, factor});
        }
        return nothing;
    case IR_RSHIFT: return shifted_right(a, b);
    case IR_MATH: return x->math == MATH_ABS_INT ? magnitude_of(a) : nothing;
    default: return nothing;
    }
}

static bool is_integer_kind(enum type_kind k)
{
    return k == TYPE_BOOL || (type_is_integer(k) && k != TYPE_INT128);
}

/* Integer operators, all operands of the type INT64 or UINT64. */
static struct emit_info operator_info(struct emit *e, const struct ir_expr *x)
{
    const struct emit_interval full = emit_type_range(x->type->kind);
    struct emit_info info = {.range = full};
    const struct emit_info a = emit_info_of(e, x->args[0]);
    const struct emit_info b = x->arg_count > 1 ? emit_info_of(e, x->args[1]) : a;
    if (is_nothing(a.range) || is_nothing(b.range)) {
        info.range = nothing;
        return info;
    }
    if (x->type->kind == TYPE_UINT64 && x->kind == IR_MUL &&
        (a.range.hi > INT64_MAX || b.range.hi > INT64_MAX)) {
        return info; /* the product of two such would not fit 128 bits */
    }
    const struct emit_interval exact = exact_result(x, a.range, b.range);
    if (is_nothing(exact)) {
        return info;
    }
    info.fits = emit_within(exact, full.lo, full.hi);
    if (info.fits) {
        info.range = exact;
    }
    /* The type of a shift's text is its first operand's. */
    const bool second_ok = x->kind == IR_LSHIFT || x->kind == IR_RSHIFT
                               ? b.range.lo >= 0 && b.range.hi < 32
                               : b.narrow;
    info.narrow = x->type->kind == TYPE_INT64 && a.narrow && second_ok &&
                  (x->kind != IR_LSHIFT || a.range.lo >= 0) &&
                  emit_within(exact, INT32_MIN, INT32_MAX);
    return info;
}

static struct emit_info convert_info(struct emit *e, const struct ir_expr *x)
{
    const enum type_kind from = x->args[0]->type->kind;
    struct emit_info info = {.range = emit_type_range(x->type->kind)};
    if (x->type->kind == TYPE_BOOL || !is_integer_kind(from)) {
        return info;
    }
    const struct emit_info inner = emit_info_of(e, x->args[0]);
    if (is_nothing(inner.range)) {
        info.range = nothing;
    } else if (emit_within(inner.range, info.range.lo, info.range.hi)) {
        info.range = inner.range;
    }
    if (x->type->kind == TYPE_INT64) {
        info.narrow =
            from == TYPE_INT64 ? inner.narrow : from != TYPE_UINT32 && from != TYPE_UINT64;
    }
    return info;
}

static struct emit_interval with_min(struct emit_interval a, struct emit_interval b)
{
    return (struct emit_interval){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static struct emit_interval with_max(struct emit_interval a, struct emit_interval b)
{
    return (struct emit_interval){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* One of several values: min, max, select (without its test). */
static struct emit_info choice_info(struct emit *e, const struct ir_expr *x, size_t from)
{
    struct emit_info info = emit_info_of(e, x->args[from]);
    for (size_t i = from + 1; i < x->arg_count; i++) {
        const struct emit_info next = emit_info_of(e, x->args[i]);
        info.narrow = info.narrow && next.narrow;
        if (is_nothing(info.range) || is_nothing(next.range)) {
            info.range = x->kind == IR_SELECT ? join(info.range, next.range) : nothing;
        } else {
            info.range = x->kind == IR_MIN   ? with_min(info.range, next.range)
                         : x->kind == IR_MAX ? with_max(info.range, next.range)
                                             : join(info.range, next.range);
        }
    }
    info.fits = true;
    return info;
}

static struct emit_info compute(struct emit *e, const struct ir_expr *x)
{
    const enum type_kind k = x->type->kind;
    struct emit_info info = {.range = emit_type_range(k)};
    if (k == TYPE_INT128 && x->kind == IR_CONVERT && is_integer_kind(x->args[0]->type->kind)) {
        info.range = emit_info_of(e, x->args[0]).range;
    } else if (k == TYPE_INT128 && x->kind == IR_INT) {
        info.range = (struct emit_interval){x->integer, x->integer};
    }
    if (!is_integer_kind(k)) {
        return info;
    }
    switch (x->kind) {
    case IR_INT:
    case IR_BOOL:
        info.range = (struct emit_interval){x->integer, x->integer};
        info.narrow = k == TYPE_INT64 && x->integer >= INT32_MIN && x->integer <= INT32_MAX;
        return info;
    case IR_VAR:
        if (k == TYPE_INT64 || k == TYPE_UINT64) {
            info.range = emit_var_of(e, x->var)->range;
        }
        return info;
    case IR_EXTENT:
    case IR_SIZE: info.range = (struct emit_interval){0, INT64_MAX}; return info;
    case IR_CONVERT: return convert_info(e, x);
    case IR_TEAM_CALL:
        info.range = (struct emit_interval){x->team == TEAM_SIZE, 1 << 20};
        if (x->team == TEAM_LEAGUE_RANK || x->team == TEAM_LEAGUE_SIZE) {
            info.range = (struct emit_interval){0, EMIT_INDEX_MAX};
        }
        return info;
    case IR_MIN:
    case IR_MAX: return choice_info(e, x, 0);
    case IR_SELECT: return choice_info(e, x, 1);
    case IR_MATH:
        if (x->math == MATH_SIGN) {
            info.range = (struct emit_interval){-1, 1};
            return info;
        }
        if (x->math == MATH_LOWER_BOUND || x->math == MATH_UPPER_BOUND) {
            info.range = (struct emit_interval){0, INT64_MAX};
            return info;
        }
        return x->math == MATH_ABS_INT ? operator_info(e, x) : info;
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_NEG:
    case IR_INVERT:
    case IR_FLOORDIV:
    case IR_MOD:
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR:
    case IR_LSHIFT:
    case IR_RSHIFT: return k == TYPE_BOOL ? info : operator_info(e, x);
    default: return info;
    }
}

/* Sums are trusted not to wrap: that takes centuries of counting. Products of products do at once.
 */
static bool may_wrap(struct emit *e, const struct ir_expr *x, const struct emit_info *info)
{
    if (info->range.lo >= 0) {
        return false;
    }
    bool wraps = false;
    switch (x->kind) {
    case IR_VAR: return emit_var_of(e, x->var)->wraps;
    case IR_MUL:
    case IR_LSHIFT:
    case IR_POW_INT: wraps = !info->fits; break;
    case IR_ADD:
    case IR_SUB:
    case IR_NEG:
    case IR_INVERT:
    case IR_FLOORDIV:
    case IR_MOD:
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR:
    case IR_RSHIFT:
    case IR_SELECT:
    case IR_MIN:
    case IR_MAX:
    case IR_CONVERT: break;
    default: return false;
    }
    for (size_t i = 0; i < x->arg_count && !wraps; i++) {
        wraps = is_integer_kind(x->args[i]->type->kind) && emit_info_of(e, x->args[i]).wraps;
    }
    return wraps;
}

struct emit_info emit_info_of(struct emit *e, const struct ir_expr *x)
{
    struct emit_info *known = emit_table_get(&e->infos, x);
    if (!known) {
        known = ARENA_NEW(e->arena, struct emit_info);
        *known = compute(e, x);
        known->wraps = is_integer_kind(x->type->kind) && may_wrap(e, x, known);
        emit_table_set(&e->infos, x, known);
    }
    return *known;
}

/* ---- variables: a fixed point over all assignments ------------------------------------------ */

struct rounds {
    struct emit *e;
    bool changed;
    bool widen; /* no end in sight: a bound that still moves goes to its type's */
};

static struct emit_interval limits_of(const struct emit_var *v)
{
    struct emit_interval r = emit_type_range(v->var->type->kind);
    if (v->var->nonnegative && !v->wraps && r.lo < 0) {
        r.lo = 0;
    }
    return r;
}

/* Gives the variable a value that may have wrapped. */
static void assigned_wrapped(struct rounds *r, const struct ir_var *var,
                             const struct ir_expr *value)
{
    struct emit_var *v = emit_var_of(r->e, var);
    if (!v->wraps && is_integer_kind(value->type->kind) && emit_info_of(r->e, value).wraps) {
        v->wraps = true;
        v->range = limits_of(v);
        r->changed = true;
    }
}

static void assigned(struct rounds *r, const struct ir_var *var, struct emit_interval value)
{
    struct emit_var *v = emit_var_of(r->e, var);
    const struct emit_interval limits = limits_of(v);
    struct emit_interval next = join(v->range, value);
    if (is_nothing(next) || (next.lo == v->range.lo && next.hi == v->range.hi)) {
        return;
    }
    if (!emit_within(next, limits.lo, limits.hi)) {
        next = limits;
    }
    if (r->widen && next.lo != v->range.lo) {
        next.lo = limits.lo;
    }
    if (r->widen && next.hi != v->range.hi) {
        next.hi = limits.hi;
    }
    if (next.lo != v->range.lo || next.hi != v->range.hi) {
        v->range = next;
        r->changed = true;
    }
}

static void assigned_by_loop(struct rounds *r, const struct ir_stmt *s, const struct ir_var *var)
{
    const struct emit_interval start = emit_info_of(r->e, s->start).range;
    const struct emit_interval stop = emit_info_of(r->e, s->stop).range;
    const struct emit_interval step =
        s->step ? emit_info_of(r->e, s->step).range : (struct emit_interval){1, 1};
    if (is_nothing(start) || is_nothing(stop) || is_nothing(step)) {
        return;
    }
    if (step.hi > 0 && start.lo < stop.hi) {
        assigned(r, var, (struct emit_interval){start.lo, stop.hi - 1});
    }
    if (step.lo < 0 && stop.lo < start.hi) {
        assigned(r, var, (struct emit_interval){stop.lo + 1, start.hi});
    }
}

static void visit_stmt(void *context, const struct ir_stmt *s, const struct ir_function *f)
{
    (void)f;
    struct rounds *r = context;
    if (s->kind == IR_PARALLEL && s->function->parameter_count > 0) {
        assigned_by_loop(r, s, s->function->parameters[0]);
    }
    if (!s->var || (s->var->type->kind != TYPE_INT64 && s->var->type->kind != TYPE_UINT64)) {
        return;
    }
    if (s->kind == IR_FOR) {
        assigned_by_loop(r, s, s->var);
    } else if (s->kind == IR_ASSIGN) {
        assigned_wrapped(r, s->var, s->value);
        assigned(r, s->var, emit_info_of(r->e, s->value).range);
    } else {
        assigned(r, s->var, limits_of(emit_var_of(r->e, s->var)));
    }
}

static void visit_expr(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    for (size_t i = 0; x->kind == IR_CALL && i < x->arg_count && i < x->function->parameter_count;
         i++) {
        const struct ir_var *p = x->function->parameters[i];
        if (p->type && is_integer_kind(p->type->kind)) {
            assigned_wrapped(context, p, x->args[i]);
        }
    }
}

static void begin_var(struct emit *e, const struct ir_var *var)
{
    struct emit_var *v = emit_var_of(e, var);
    switch (var->kind) {
    case VAR_LOCAL:
    case VAR_TEMP: v->range = nothing; break;
    case VAR_INDEX: v->range = (struct emit_interval){-EMIT_INDEX_MAX, EMIT_INDEX_MAX}; break;
    default: v->range = limits_of(v); break;
    }
}

static void begin_use(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    if (x->kind == IR_VAR) {
        begin_var(context, x->var);
    }
}

static void begin_assigned(void *context, const struct ir_stmt *s, const struct ir_function *f)
{
    (void)f;
    if (s->var) {
        begin_var(context, s->var);
    }
}

/* The index of a nested range has its bounds', unless its function is called by name too. */
static void begin_nested(void *context, const struct ir_stmt *s, const struct ir_function *f)
{
    (void)f;
    if (s->kind == IR_PARALLEL && s->function->parameter_count > 0) {
        emit_var_of(context, s->function->parameters[0])->range = nothing;
    }
}

static void begin_called(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    if (x->kind == IR_CALL && x->function->parameter_count > 0) {
        struct emit_var *p = emit_var_of(context, x->function->parameters[0]);
        p->range = limits_of(p);
    }
}

static void finish_use(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    struct emit_var *v = x->kind == IR_VAR ? emit_var_of(context, x->var) : NULL;
    if (v && is_nothing(v->range)) {
        v->range = limits_of(v);
    }
}

void emit_ranges(struct emit *e)
{
    const struct emit_walk begin = {begin_assigned, begin_use, e};
    emit_walk_kernel(&begin, e->kernel);
    /* Parameters of functions are given any value by their calls. */
    for (size_t i = 0; i < e->kernel->function_count; i++) {
        const struct ir_function *f = e->kernel->functions[i];
        for (size_t j = 0; j < f->parameter_count; j++) {
            struct emit_var *p = emit_var_of(e, f->parameters[j]);
            p->range = limits_of(p);
        }
    }
    const struct emit_walk nested = {begin_nested, NULL, e};
    const struct emit_walk called = {NULL, begin_called, e};
    emit_walk_kernel(&nested, e->kernel);
    emit_walk_kernel(&called, e->kernel);
    struct rounds r = {.e = e, .changed = true};
    const struct emit_walk round = {visit_stmt, visit_expr, &r};
    for (int n = 0; r.changed; n++) {
        r.changed = false;
        r.widen = n >= 3;
        e->infos = (struct emit_table){.arena = e->arena};
        emit_walk_kernel(&round, e->kernel);
    }
    const struct emit_walk finish = {NULL, finish_use, e};
    emit_walk_kernel(&finish, e->kernel);
    e->infos = (struct emit_table){.arena = e->arena};
}

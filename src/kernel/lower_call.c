/* What a call calls: a local function, a module's, a method, or something built in. */
#include "kernel/lower.h"

const struct ir_expr **low_arguments(struct low_scope *s, const struct ast_node *n, size_t least,
                                     size_t most, const char *name)
{
    const struct ast_seq *args = &n->u.call.args;
    struct low_operands o;
    bool ok = true;

    if (n->u.call.keywords.count) {
        low_error(s, n->u.call.keywords.items[0], STR("write it without the name"),
                  "%s takes no keyword arguments here", name);
        return NULL;
    }
    if (args->count < least || args->count > most) {
        if (least == most) {
            low_error(s, n, STR(""), "%s takes %zu argument%s, not %zu", name, least,
                      least == 1 ? "" : "s", args->count);
        } else {
            low_error(s, n, STR(""), "%s takes %zu to %zu arguments, not %zu", name, least, most,
                      args->count);
        }
        return NULL;
    }
    low_operands_begin(&o, s, args->count ? args->count : 1);
    for (size_t i = 0; i < args->count; i++) {
        low_operands_add(&o, low_expr(s, args->items[i]));
        ok &= o.items[i]->type != NULL;
    }
    low_operands_seal(&o);
    return ok ? o.items : NULL;
}

/* ---- casts ---------------------------------------------------------------------------------- */

static const struct ir_expr *constant_call(struct low_scope *s, const struct ast_node *n)
{
    struct py_value value;

    if (!py_evaluate(s->module, n, &value)) {
        return NULL;
    }
    switch (value.kind) {
    case PY_VALUE_BOOL:
    case PY_VALUE_INT:
    case PY_VALUE_FLOAT: return low_constant(s, n, &value);
    default: return NULL;
    }
}

static const struct ir_expr *cast_value(struct low_scope *s, const struct ast_node *n,
                                        const struct ir_expr *x, enum type_kind kind, bool python)
{
    if (kind == TYPE_BOOL) {
        return low_truth(s, x, n);
    }
    const struct ir_expr *number = low_number(s, x, n, "the argument");
    if (!number->type) {
        return number;
    }
    if (type_is_complex(number->type->kind) && !type_is_complex(kind)) {
        low_error(s, n, STR("use .real, .imag or abs()"),
                  "a complex number cannot become a " STR_FMT,
                  STR_ARG(low_spell(s, type_scalar(kind))));
        return low_unknown(s, n);
    }
    if (python && kind == TYPE_INT64 && type_is_integer(number->type->kind) &&
        !(number->note && number->note->test)) {
        return number; /* int() of an int is that int, also of a uint64 */
    }
    const struct ir_expr *e = low_convert(s, number, kind);
    if (e->note && e->note->weak && !low_is_constant(x) && e->kind != IR_FLOAT) {
        struct ir_expr *strong = (struct ir_expr *)(uintptr_t)e;
        strong->note = NULL;
    }
    return e;
}

static const struct ir_expr *make_complex(struct low_scope *s, const struct ast_node *n,
                                          const struct ir_expr *const *args, enum type_kind kind)
{
    const enum type_kind part = kind == TYPE_COMPLEX64 ? TYPE_FLOAT : TYPE_DOUBLE;
    struct ir_expr *e = low_expr_new(s, IR_COMPLEX, type_scalar(kind), n, 2);

    for (int i = 0; i < 2; i++) {
        const struct ir_expr *x = low_number(s, args[i], n, "the argument");
        if (!x->type) {
            return x;
        }
        if (type_is_complex(x->type->kind)) {
            low_error(s, n, STR("give real numbers"), "the parts of a complex number are real");
            return low_unknown(s, n);
        }
        e->args[i] = low_convert(s, x, part);
        e->effects |= x->effects;
    }
    return e;
}

const struct ir_expr *low_cast(struct low_scope *s, const struct ast_node *n, enum type_kind kind,
                               bool python)
{
    const struct str name = low_spell(s, type_scalar(kind));
    const struct ast_seq *given = &n->u.call.args;

    if (given->count && given->items[0]->kind == AST_CONSTANT &&
        given->items[0]->u.constant.value.kind == PY_VALUE_STR) {
        const struct ir_expr *e = constant_call(s, n);
        if (e) {
            return python ? e : low_convert(s, e, kind);
        }
    }
    const struct ir_expr **args = low_arguments(s, n, 0, type_is_complex(kind) ? 2 : 1, name.ptr);
    if (!args) {
        return low_unknown(s, n);
    }
    if (!given->count) {
        return low_convert(s, low_int(s, n, 0), kind);
    }
    if (given->count == 2) {
        return make_complex(s, n, args, kind);
    }
    const struct ir_expr *folded = python ? low_fold(s, n, args, 1) : NULL;
    return folded ? folded : cast_value(s, n, args[0], kind, python);
}

/* ---- builtins ------------------------------------------------------------------------------- */

static const struct ir_expr *call_abs(struct low_scope *s, const struct ast_node *n)
{
    const struct ir_expr **args = low_arguments(s, n, 1, 1, "abs");

    if (!args) {
        return low_unknown(s, n);
    }
    const struct ir_expr *folded = low_fold(s, n, args, 1);
    if (folded) {
        return folded;
    }
    const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));
    if (!x->type) {
        return x;
    }
    switch (x->type->kind) {
    case TYPE_UINT64: return x;
    case TYPE_INT64:
        return low_nonnegative(x) ? x : low_math(s, n, MATH_ABS_INT, TYPE_INT64, &x, 1);
    case TYPE_INT128:
        x = low_simple(s, x);
        return low_select(
            s, n,
            low_binary(s, IR_LT, TYPE_BOOL, n, x, low_convert(s, low_int(s, n, 0), TYPE_INT128)),
            low_unary(s, IR_NEG, TYPE_INT128, n, x), x);
    case TYPE_COMPLEX64: return low_math(s, n, MATH_ABS_COMPLEX, TYPE_FLOAT, &x, 1);
    case TYPE_COMPLEX128: return low_math(s, n, MATH_ABS_COMPLEX, TYPE_DOUBLE, &x, 1);
    default: return low_math(s, n, MATH_FABS, x->type->kind, &x, 1);
    }
}

static const struct ir_expr *call_extreme(struct low_scope *s, const struct ast_node *n,
                                          enum ir_expr_kind kind)
{
    const char *name = kind == IR_MIN ? "min" : "max";

    if (n->u.call.args.count == 1) {
        low_error(s, n, STR("give two or more numbers, or write a loop"),
                  "%s of one argument is not translated", name);
        return low_unknown(s, n);
    }
    const struct ir_expr **args = low_arguments(s, n, 2, 1000, name);
    if (!args) {
        return low_unknown(s, n);
    }
    const size_t count = n->u.call.args.count;
    const struct ir_expr *folded = low_fold(s, n, args, count);
    if (folded) {
        return folded;
    }
    for (size_t i = 0; i < count; i++) {
        args[i] = low_settle(s, low_number(s, args[i], n->u.call.args.items[i], "the argument"));
        if (!args[i]->type) {
            return args[i];
        }
        if (type_is_complex(args[i]->type->kind)) {
            low_error(s, n->u.call.args.items[i], STR("compare abs(), .real or .imag"),
                      "complex numbers have no order");
            return low_unknown(s, n);
        }
    }
    const struct type *t = low_unify(s, n, args, count, name);
    if (!t) {
        return low_unknown(s, n);
    }
    struct ir_expr *e = low_expr_new(s, kind, t, n, count);
    for (size_t i = 0; i < count; i++) {
        e->args[i] = args[i];
        e->effects |= args[i]->effects;
    }
    return e;
}

static const struct ir_expr *call_round(struct low_scope *s, const struct ast_node *n,
                                        enum low_origin origin)
{
    const struct ir_expr **args = low_arguments(s, n, 1, 2, "round");

    if (!args) {
        return low_unknown(s, n);
    }
    const size_t count = n->u.call.args.count;
    const struct ir_expr *folded = origin <= LOW_BUILTIN ? low_fold(s, n, args, count) : NULL;
    if (folded) {
        return folded;
    }
    const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));
    if (!x->type) {
        return x;
    }
    if (type_is_complex(x->type->kind)) {
        low_error(s, n, STR("round .real and .imag"), "a complex number cannot be rounded");
        return low_unknown(s, n);
    }
    if (count == 2) {
        const struct ir_expr *two[2] = {low_convert(s, x, TYPE_DOUBLE), NULL};
        two[1] = low_index(s, args[1], n->u.call.args.items[1], "the number of digits");
        if (type_is_integer(x->type->kind)) {
            if (two[1]->type && low_nonnegative(two[1])) {
                return x;
            }
            low_error(s, n, STR("compute with // and *"),
                      "round() of an integer to a power of ten is not translated");
            return low_unknown(s, n);
        }
        return two[1]->type ? low_math(s, n, MATH_ROUND_DIGITS, TYPE_DOUBLE, two, 2) : two[1];
    }
    if (type_is_integer(x->type->kind)) {
        return x;
    }
    x = low_math(s, n, MATH_ROUND_EVEN, x->type->kind, &x, 1);
    return origin <= LOW_BUILTIN ? low_convert(s, x, TYPE_INT64) : x;
}

static const struct ir_expr *call_pow(struct low_scope *s, const struct ast_node *n,
                                      enum low_origin origin)
{
    if (n->u.call.args.count == 3) {
        low_error(s, n, STR("write pow(x, y) % z where the power fits 64 bits"),
                  "pow() with three arguments is not translated");
        return low_unknown(s, n);
    }
    const struct ir_expr **args = low_arguments(s, n, 2, 2, "pow");
    if (!args) {
        return low_unknown(s, n);
    }
    const struct ir_expr *folded = origin <= LOW_BUILTIN ? low_fold(s, n, args, 2) : NULL;
    if (folded) {
        return folded;
    }
    const struct ir_expr *x = args[0], *y = args[1];
    if (origin == LOW_MATH || origin == LOW_PK) { /* C's: of floats */
        x = low_number(s, x, n, "the base");
        y = low_number(s, y, n, "the exponent");
        if (x->type && type_is_integer(x->type->kind)) {
            x = low_convert(s, x,
                            y->type && y->type->kind == TYPE_FLOAT ? TYPE_FLOAT : TYPE_DOUBLE);
        }
    }
    return low_arith(s, n, OP_POW, x, y);
}

static const struct ir_expr *call_len(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_seq *given = &n->u.call.args;

    if (given->count == 1 && given->items[0]->kind == AST_CONSTANT) {
        const struct ir_expr *e = constant_call(s, n);
        if (e) {
            return e;
        }
    }
    const struct ir_expr **args = low_arguments(s, n, 1, 1, "len");
    if (!args) {
        return low_unknown(s, n);
    }
    if (args[0]->type->kind == TYPE_VIEW) {
        return low_extent(s, n, args[0], 0);
    }
    if (args[0]->type->kind == TYPE_ARRAY) {
        return low_int(s, n, args[0]->type->length);
    }
    low_error(s, n, STR(""), "a " STR_FMT " has no length", STR_ARG(low_spell(s, args[0]->type)));
    return low_unknown(s, n);
}

/* ---- intrinsics by name --------------------------------------------------------------------- */

enum builtin {
    CALL_INT,
    CALL_FLOAT,
    CALL_BOOL,
    CALL_COMPLEX,
    CALL_ABS,
    CALL_MIN,
    CALL_MAX,
    CALL_ROUND,
    CALL_POW,
    CALL_LEN,
    CALL_PRINT,
    CALL_PRINTF
};

static const struct {
    const char *name;
    enum builtin call;
    unsigned origins;
} builtins[] = {
    {"int", CALL_INT, LOW_BUILTIN},
    {"float", CALL_FLOAT, LOW_BUILTIN},
    {"bool", CALL_BOOL, LOW_BUILTIN},
    {"complex", CALL_COMPLEX, LOW_BUILTIN},
    {"abs", CALL_ABS, LOW_BARE | LOW_BUILTIN | LOW_NUMPY | LOW_PK},
    {"absolute", CALL_ABS, LOW_NUMPY},
    {"min", CALL_MIN, LOW_BARE | LOW_BUILTIN | LOW_PK},
    {"max", CALL_MAX, LOW_BARE | LOW_BUILTIN | LOW_PK},
    {"round", CALL_ROUND, LOW_BARE | LOW_BUILTIN | LOW_NUMPY | LOW_PK},
    {"pow", CALL_POW, LOW_BARE | LOW_BUILTIN | LOW_MATH | LOW_NUMPY | LOW_PK},
    {"power", CALL_POW, LOW_NUMPY},
    {"len", CALL_LEN, LOW_BARE | LOW_BUILTIN},
    {"print", CALL_PRINT, LOW_BUILTIN},
    {"printf", CALL_PRINTF, LOW_BARE | LOW_PK},
};

enum { BUILTIN_COUNT = sizeof builtins / sizeof builtins[0] };

static int find_builtin(struct str name, enum low_origin origin)
{
    for (int i = 0; i < BUILTIN_COUNT; i++) {
        if ((builtins[i].origins & origin) && str_equal_c(name, builtins[i].name)) {
            return i;
        }
    }
    return -1;
}

bool low_intrinsic_known(struct str name, enum low_origin origin)
{
    return find_builtin(name, origin) >= 0 || low_math_known(name, origin) ||
           ((origin & (LOW_BARE | LOW_PK)) && low_atomic_known(name));
}

size_t low_intrinsic_count(void)
{
    return BUILTIN_COUNT + low_math_count();
}

struct str low_intrinsic_name(size_t i)
{
    return i < BUILTIN_COUNT ? str_from(builtins[i].name) : low_math_name(i - BUILTIN_COUNT);
}

static const struct ir_expr *call_builtin(struct low_scope *s, const struct ast_node *n,
                                          enum builtin call, enum low_origin origin)
{
    switch (call) {
    case CALL_INT: return low_cast(s, n, TYPE_INT64, true);
    case CALL_FLOAT: return low_cast(s, n, TYPE_DOUBLE, true);
    case CALL_BOOL: return low_cast(s, n, TYPE_BOOL, true);
    case CALL_COMPLEX: return low_cast(s, n, TYPE_COMPLEX128, true);
    case CALL_ABS: return call_abs(s, n);
    case CALL_MIN: return call_extreme(s, n, IR_MIN);
    case CALL_MAX: return call_extreme(s, n, IR_MAX);
    case CALL_ROUND: return call_round(s, n, origin);
    case CALL_POW: return call_pow(s, n, origin);
    case CALL_LEN: return call_len(s, n);
    case CALL_PRINT: return low_print_call(s, n);
    case CALL_PRINTF: return low_printf_call(s, n);
    }
    return low_unknown(s, n);
}

const struct ir_expr *low_intrinsic(struct low_scope *s, const struct ast_node *n, struct str name,
                                    enum low_origin origin)
{
    const int builtin = find_builtin(name, origin);
    bool known = false;

    if (builtin >= 0) {
        return call_builtin(s, n, builtins[builtin].call, origin);
    }
    if ((origin & (LOW_BARE | LOW_PK)) && low_atomic_known(name)) {
        return low_atomic_call(s, n, name);
    }
    const struct ir_expr *e = low_math_call(s, n, name, origin, &known);
    if (known) {
        return e;
    }
    if (str_equal_c(name, "range")) {
        low_error(s, n, STR("for i in range(n):"), "range() stands only in a for loop");
    } else if (str_equal_c(name, "super")) {
        low_error(s, n, STR("call the method by its class' own name"), "super() is not translated");
    } else {
        low_error(s, n, low_suggest(s, name), "the function " STR_FMT " is not known in a workunit",
                  STR_ARG(name));
    }
    return low_unknown(s, n);
}

/* ---- dispatch ------------------------------------------------------------------------------- */

static struct str last_part(struct str dotted)
{
    size_t at = dotted.len;

    while (at > 0 && dotted.ptr[at - 1] != '.') {
        at--;
    }
    return str_slice(dotted, at, dotted.len);
}

static const struct ir_expr *call_external(struct low_scope *s, const struct ast_node *n,
                                           struct str qualified)
{
    const struct str name = last_part(qualified);
    const enum type_kind k = low_scalar_named(qualified, s->unit->l->options->default_real);
    struct str parallel;

    if (str_starts_with(qualified, "math.")) {
        return low_intrinsic(s, n, name, LOW_MATH);
    }
    if (k != TYPE_VOID) {
        return low_cast(s, n, k, false);
    }
    if (str_starts_with(qualified, "numpy.")) {
        return low_intrinsic(s, n, name, LOW_NUMPY);
    }
    if (str_starts_with(qualified, "pykokkos.")) {
        if (low_is_parallel(s, n, &parallel)) {
            return low_parallel(s, n, parallel);
        }
        return low_intrinsic(s, n, name, LOW_PK);
    }
    low_error(s, n, STR("call @pk.function helpers, math functions or builtins"),
              STR_FMT " is a function of the host program, not known in a workunit",
              STR_ARG(qualified));
    return low_unknown(s, n);
}

static const struct ir_expr *call_module_function(struct low_scope *s, const struct ast_node *n,
                                                  const struct py_binding *b)
{
    const struct ast_node *call;
    const struct str name = b->node->u.function.name;
    const bool bare = n->u.call.func->kind == AST_NAME;

    switch (py_decorator_of(b->module, b->node, &call)) {
    case PY_DECORATOR_WORKUNIT:
        if (bare && low_intrinsic_known(n->u.call.func->u.name.id, LOW_BARE)) {
            return low_intrinsic(s, n, n->u.call.func->u.name.id, LOW_BARE);
        }
        low_error(s, n, STR("put the common part into a @pk.function"),
                  STR_FMT " calls a workunit, " STR_FMT, STR_ARG(s->node->u.function.name),
                  STR_ARG(name));
        return low_unknown(s, n);
    case PY_DECORATOR_NONE:
        if (bare && low_intrinsic_known(n->u.call.func->u.name.id, LOW_BARE)) {
            const struct ir_expr *e = low_try_function(s, n, b->module, b->node);
            return e ? e : low_intrinsic(s, n, n->u.call.func->u.name.id, LOW_BARE);
        }
        break;
    default: break;
    }
    return low_call_function(s, n, b->module, b->node, NULL, NULL, NULL);
}

static const struct ir_expr *call_binding(struct low_scope *s, const struct ast_node *n,
                                          struct py_binding b, struct str name)
{
    const struct ast_node *decorator;

    for (int i = 0; b.kind == PY_ALIAS && i < 20; i++) {
        b = py_resolve(b.module, b.node); /* T = pk.double; f = math.sin */
    }
    switch (b.kind) {
    case PY_FUNCTION: return call_module_function(s, n, &b);
    case PY_CLASS:
        if (py_decorator_of(b.module, b.node, &decorator) != PY_DECORATOR_CLASSTYPE) {
            low_error(s, n, STR("decorate the class with @pk.classtype"),
                      STR_FMT " is not a @pk.classtype", STR_ARG(name));
            return low_unknown(s, n);
        } else {
            struct low_class *c = low_class_of(s, b.module, b.node);
            return c ? low_construct(s, n, c) : low_unknown(s, n);
        }
    case PY_EXTERNAL: return call_external(s, n, b.qualified);
    case PY_BUILTIN: return low_intrinsic(s, n, b.qualified, LOW_BUILTIN);
    case PY_UNBOUND:
        if (low_intrinsic_known(name, LOW_BARE)) {
            return low_intrinsic(s, n, name, LOW_BARE);
        }
        low_error(s, n, low_suggest(s, name), "unknown function " STR_FMT, STR_ARG(name));
        return low_unknown(s, n);
    default:
        low_error(s, n, STR("call @pk.function helpers, math functions or builtins"),
                  STR_FMT " is not a function that a workunit can call", STR_ARG(name));
        return low_unknown(s, n);
    }
}

static const struct ir_expr *call_name(struct low_scope *s, const struct ast_node *n)
{
    const struct str name = n->u.call.func->u.name.id;
    struct low_variable *v = low_scope_find(s, name);

    if (!v) {
        struct py_binding b = py_lookup(s->module, name);
        /* a workunit's or helper's own parameter hides the module's names; classes do not */
        return call_binding(s, n, b, name);
    }
    if (v->poisoned) {
        return low_unknown(s, n);
    }
    if (v->inner) {
        if (v->scope == s && !low_flow_assigned(s, v)) {
            low_error(s, n, STR("define it before the call"),
                      STR_FMT " may not have been defined when it is called here", STR_ARG(name));
            return low_unknown(s, n);
        }
        return low_call_inner(s, n, v->inner);
    }
    low_error(s, n, STR(""), STR_FMT " is a variable, not a function", STR_ARG(name));
    return low_unknown(s, n);
}

static const struct ir_expr *call_self_method(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *func = n->u.call.func;
    const struct str name = func->u.attribute.attr;
    const struct py_module *where = NULL;
    const struct ast_node *decorator;
    const struct ast_node *method =
        py_class_method(s->self_class_module, s->self_class_node, name, &where);

    if (!method) {
        low_error_span(s, &func->u.attribute.attr_span, STR(""), "the class has no method " STR_FMT,
                       STR_ARG(name));
        return low_unknown(s, n);
    }
    if (py_decorator_of(where, method, &decorator) == PY_DECORATOR_WORKUNIT) {
        low_error(s, n, STR("put the common part into a @pk.function"),
                  STR_FMT " calls a workunit, " STR_FMT, STR_ARG(s->node->u.function.name),
                  STR_ARG(name));
        return low_unknown(s, n);
    }
    if (s->self == LOW_SELF_CLASSTYPE) {
        return low_call_function(s, n, where, method, s->self_class,
                                 low_name(s, func->u.attribute.value), NULL);
    }
    return low_call_function(s, n, where, method, NULL, NULL, s->self_class_node);
}

static const struct ir_expr *call_method(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *func = n->u.call.func;
    const struct str name = func->u.attribute.attr;
    const struct ast_node *object_node = func->u.attribute.value;

    if (object_node->kind == AST_CALL && object_node->u.call.func->kind == AST_NAME &&
        str_equal_c(object_node->u.call.func->u.name.id, "super")) {
        low_error(s, n, STR("call the method by self."), "super() is not translated");
        return low_unknown(s, n);
    }
    const struct ir_expr *object = low_expr(s, object_node);
    if (!object->type) {
        return object;
    }
    switch (object->type->kind) {
    case TYPE_TEAM: return low_team_method(s, n, name);
    case TYPE_VIEW: return low_view_method(s, n, object, name);
    case TYPE_STRUCT: {
        struct low_class *c = low_class_by_type(s->unit->l, object->type->struct_type);
        const struct py_module *where = NULL;
        const struct ast_node *method =
            c ? py_class_method(c->module, c->node, name, &where) : NULL;
        if (!method) {
            low_error_span(s, &func->u.attribute.attr_span, STR(""),
                           STR_FMT " has no method " STR_FMT, STR_ARG(low_spell(s, object->type)),
                           STR_ARG(name));
            return low_unknown(s, n);
        }
        return low_call_function(s, n, where, method, c, object, NULL);
    }
    default: break;
    }
    if (type_is_complex(object->type->kind) && str_equal_c(name, "conjugate")) {
        return low_arguments(s, n, 0, 0, "conjugate")
                   ? low_math(s, n, MATH_CONJ, object->type->kind, &object, 1)
                   : low_unknown(s, n);
    }
    low_error_span(s, &func->u.attribute.attr_span, STR(""), "a " STR_FMT " has no method " STR_FMT,
                   STR_ARG(low_spell(s, object->type)), STR_ARG(name));
    return low_unknown(s, n);
}

static bool star_arguments(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < n->u.call.args.count; i++) {
        if (n->u.call.args.items[i]->kind == AST_STARRED) {
            low_error(s, n->u.call.args.items[i], STR("write the arguments out"),
                      "a star argument (*) is not translated");
            return true;
        }
    }
    for (size_t i = 0; i < n->u.call.keywords.count; i++) {
        if (!n->u.call.keywords.items[i]->u.keyword.arg.len) {
            low_error(s, n->u.call.keywords.items[i], STR("write the arguments out"),
                      "a double star argument (**) is not translated");
            return true;
        }
    }
    return false;
}

const struct ir_expr *low_call(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *func = n->u.call.func;

    if (star_arguments(s, n)) {
        return low_unknown(s, n);
    }
    if (func->kind == AST_NAME) {
        return call_name(s, n);
    }
    if (func->kind != AST_ATTRIBUTE) {
        low_error(s, func, STR(""), "this is not a function that a workunit can call");
        return low_unknown(s, n);
    }
    if (low_is_self(s, func->u.attribute.value)) {
        return call_self_method(s, n);
    }
    if (!low_is_local(s, func)) {
        const struct py_binding b = py_resolve(s->module, func);
        if (b.kind != PY_UNBOUND) {
            return call_binding(s, n, b, low_source(s, func, 60));
        }
        const struct py_binding root = py_resolve(s->module, func->u.attribute.value);
        if (root.kind == PY_MODULE || root.kind == PY_UNBOUND || root.kind == PY_HOST) {
            low_error(s, n, low_suggest(s, func->u.attribute.attr), "unknown function " STR_FMT,
                      STR_ARG(low_source(s, func, 60)));
            return low_unknown(s, n);
        }
    }
    return call_method(s, n);
}

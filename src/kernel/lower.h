/*
 * Private to lowering: AST -> IR.
 *
 * A function is lowered together with its inner functions (a "unit"), again and again until the
 * types of its variables no longer change; only the last pass's statements and diagnostics count.
 * An expression whose type is not known yet, or that was refused, has type NULL; what is made of
 * it has too, silently.
 *
 * lower.c           one workunit: the order of things, signature, instance's name
 * lower_fuse.c      several workunits as one kernel
 * lower_host.c      @pk.main: host functions that call workunits
 * lower_shape.c     its parameters: operation, policy, types
 * lower_site.c      call sites in the module: policy, ranks, the INSTANTIATE line to offer
 * lower_unit.c      passes until types settle; what the kernel reaches
 * lower_scope.c     names and variables of a function, before it is lowered
 * lower_flow.c      what is assigned on every path
 * lower_type.c      annotations -> types; lower_type_text.c types in text
 * lower_name.c      reading a name or an attribute
 * lower_value.c     constants, promotion; lower_convert.c conversion; lower_range.c bounds
 * lower_operand.c   evaluation order: temporaries, effects
 * lower_expr.c      expressions: logic, conditional values; lower_compare.c comparison
 * lower_arith.c     + - * / // % ** << >> & | ^ ~
 * lower_view.c      elements, subviews, extents; lower_place.c places to store to
 * lower_call.c      what a call calls; lower_builtin.c casts and builtins
 * lower_math.c      math functions; lower_numpy.c NumPy's operators, maximum and their kin
 * lower_random.c    random pools and generators
 * lower_pair.c      divmod, modf, polar
 * lower_search.c    lower_bound, upper_bound, inclusive_scan
 * lower_atomic.c, lower_print.c, lower_team.c, lower_scratch.c: those calls
 * lower_stmt.c      statements; lower_assign.c assignment; lower_update.c augmented assignment and
 *                   accumulators; lower_loop.c loops
 * lower_function.c  helpers; lower_default.c their defaults; lower_inner.c inner functions
 * lower_class.c     functors' fields, class types
 */
#ifndef PKC_KERNEL_LOWER_H
#define PKC_KERNEL_LOWER_H

#include "kernel/kernel.h"

__extension__ typedef unsigned __int128 low_uint128;

enum {
    LOW_MAX_DEPTH = 1000,    /* nested expressions and statements */
    LOW_MAX_CALL_DEPTH = 60, /* helpers instantiated while another is lowered */
    LOW_MAX_PASSES = 200,
    LOW_MAX_TYPE_DEPTH = 40, /* nested brackets of an annotation */
};

/* What lowering knows of an expression beyond the IR. */
struct lower_note {
    bool constant; /* IR_INT, IR_FLOAT, IR_BOOL, IR_COMPLEX from literals and module constants */
    bool weak;     /* a float made of literals alone: adapts to float32 */
    bool too_big;  /* an int beyond 127 bits */
    /* int ** int whose exponent's sign is not known: the expression itself is its value where
     * `test` (exponent >= 0) holds, and `as_double` is right always */
    const struct ir_expr *test;
    const struct ir_expr *as_double;
    const struct ast_node *power; /* the ** itself */
};

struct low_diag {
    enum diag_severity severity;
    const struct py_module *module;
    struct ast_span span;
    struct str message, hint;
};

/* A @pk.classtype that the kernel uses. */
struct low_class {
    const struct py_module *module;
    const struct ast_node *node;
    struct struct_type *struct_type;
    bool resolving; /* its fields are being read: it cannot hold itself */
    bool broken;    /* refused, and said so */
};

/* One workunit being lowered. */
struct lower {
    struct arena *a;
    const struct kernel_options *options;
    const struct py_workunit *workunit;
    struct kernel *kernel;
    struct vec instances;             /* struct low_instance *, in order of creation */
    struct vec classes;               /* struct low_class * */
    struct vec structs;               /* struct struct_type *, inner ones first */
    struct map symbols;               /* taken C++ names of functions and structs */
    struct map fields;                /* name -> struct parameter * of a functor class */
    struct vec diags;                 /* struct low_diag *: of no unit */
    struct vec running;               /* struct low_instance *, the innermost last */
    struct low_variable *float_index; /* a work index annotated as a float: its value ... */
    const struct ir_var *index;       /* ... comes from this one; NULL: none */
    bool host;                        /* a host function: fields may be assigned, workunits called */
    const struct host_callee *callees;
    size_t callee_count;
};

/* A local that begins as a copy: of a parameter or index that others read after it. */
struct low_copy {
    struct low_variable *to;
    const struct ir_var *from;
};

/* A function with its inner functions: what is lowered in one go. */
struct low_unit {
    struct lower *l;
    struct low_scope *top;
    struct vec diags;  /* struct low_diag *, of the current pass */
    struct vec called; /* struct low_instance *, of the current pass */
    bool changed;      /* a type that was used has changed: one more pass */
    int pass;
    int depth;
    unsigned temp_count;
    const struct low_instance *instance;    /* NULL: the workunit */
    void (*prepare)(struct low_scope *top); /* before each pass; may be NULL */
    struct vec copies; /* struct low_copy *: what `prepare` is followed by */
    struct ir_block body;
};

/* Bits by low_variable.index: assigned on every path to here. */
struct low_flow {
    bool dead; /* not reached */
    uint64_t *bits;
};

struct low_loop {
    struct low_loop *outer;
    struct low_flow at_break, at_continue; /* meet over all of them; dead: none */
};

/* A `for` over a variable, while its function is lowered. */
struct low_for {
    struct low_for *outer; /* the enclosing `for` over the same variable */
    struct ir_stmt *stmt;
    bool read; /* read with this as the innermost `for` over the variable */
    const struct ast_node *overwritten; /* what gave the variable its value before; NULL: none */
};

struct low_variable {
    struct low_scope *scope;
    struct str name;
    struct ir_var *var;           /* NULL: an inner function, or poisoned */
    const struct ast_node *first; /* where it is bound first */
    const struct type *declared;  /* by annotation */
    bool fixed;                   /* parameter with a type: never widened */
    bool read_only;               /* List[T] parameter */
    bool rebound;                 /* a parameter that the body assigns, too */
    bool poisoned;                /* bound by a refused statement: reading it says nothing more */
    bool shared;                  /* an inner function assigns it */
    bool used;                    /* read or assigned in this pass */
    bool maybe_negative;          /* an int that may be below 0 */
    bool only_literals;           /* int: all values so far are literals >= 0 */
    bool captured;
    bool read_outside;            /* read with no `for` over it around */
    struct low_for *loop;         /* the innermost `for` over it at this point */
    struct vec loops;             /* struct low_for * of this pass */
    struct low_for *last_loop;    /* it left the present value */
    const struct ast_node *plain; /* the assignment before, other than by a loop */
    struct low_inner *inner;      /* an inner function's name */
    size_t index;
};

/* An inner function. */
struct low_inner {
    struct low_scope *scope;
    struct low_variable *name;
    struct ir_function *function;
    struct vec needs; /* struct low_variable *: captured, must be assigned where it is used */
    struct vec gives; /* struct low_variable *: nonlocals assigned on every path through it */
    bool lowered;     /* in this pass */
    bool running;
    unsigned effects;
    bool reported;
};

enum low_self { LOW_SELF_NONE, LOW_SELF_FUNCTOR, LOW_SELF_CLASSTYPE };

/* One Python function: a workunit, helper or inner function. */
struct low_scope {
    struct low_unit *unit;
    struct low_scope *parent; /* inner function: the enclosing one */
    struct low_inner *inner;
    const struct py_module *module;
    const struct ast_node *node;
    struct ir_function *function; /* NULL: the workunit */
    struct map names;             /* struct low_variable *: own names, and parents' by nonlocal */
    struct vec variables;         /* struct low_variable *, by index */
    struct vec inners;            /* struct low_inner * */
    struct vec parameters;        /* struct low_variable * */
    enum low_self self;
    struct str self_name;
    struct low_class *self_class;
    struct low_variable *self_variable;     /* class types */
    const struct ast_node *self_class_node; /* functors: where methods are looked up */
    const struct py_module *self_class_module;
    bool constructor;
    struct str lambda_parameter; /* of a lambda in the workunit's decorator */

    /* of the current pass */
    struct vec temps;  /* struct ir_var * */
    struct vec *block; /* struct ir_stmt *: where statements go */
    struct low_flow flow;
    struct low_loop *loop;
    const struct type *declared_returns;
    const struct type *returns; /* joined so far; kept over passes */
    bool returns_value, returns_nothing;
    bool returned;     /* a return statement came before */
    bool returns_used; /* kept over passes: a recursive call took `returns` */
    int nesting;       /* branches and loops around */
};

/* A helper for one tuple of argument types. */
struct low_instance {
    const struct ast_node *node;
    const struct py_module *module;
    struct low_class *self_class;
    const struct type **types;
    size_t type_count;
    struct ir_function *function;
    struct low_unit *unit;
    bool running;
    bool recursive;
    struct low_instance *head; /* valid only while this one, still running, ... */
    int head_pass;             /* ... is in this pass */
    bool reported;
    unsigned effects;
};

/* ---- lower_error.c -------------------------------------------------------------------------- */

void low_error(struct low_scope *s, const struct ast_node *n, struct str hint, const char *format,
               ...) PKC_PRINTF(4, 5);
void low_error_span(struct low_scope *s, const struct ast_span *span, struct str hint,
                    const char *format, ...) PKC_PRINTF(4, 5);
void low_warning(struct low_scope *s, const struct ast_node *n, struct str hint, const char *format,
                 ...) PKC_PRINTF(4, 5);
/* An error of the workunit itself, outside any unit. */
void low_error_top(struct lower *l, const struct py_module *m, const struct ast_node *n,
                   struct str hint, const char *format, ...) PKC_PRINTF(5, 6);
/* Hands a list of diagnostics to the program's; returns how many are errors. */
size_t low_report(struct lower *l, const struct vec *diags);
size_t low_count_errors(const struct vec *diags);
struct str low_hint(struct low_scope *s, const char *format, ...) PKC_PRINTF(2, 3);
struct str low_spell(struct low_scope *s, const struct type *t);
/* The text of a node in its file, at most `limit` bytes of one line. */
struct str low_source(struct low_scope *s, const struct ast_node *n, size_t limit);

/* ---- lower.c -------------------------------------------------------------------------------- */

struct lower *low_new(struct arena *a, const struct kernel_options *options);
/* An empty kernel of the workunit, which becomes the one that is being lowered. */
struct kernel *low_describe(struct lower *l, const struct py_workunit *w);
/* Once the kernel has its body and variables: its instance's name, what it reaches, its signature.
 * False: it could not be hashed. */
bool low_finish(struct lower *l, bool instantiated);

/* ---- lower_scope.c -------------------------------------------------------------------------- */

/* A scope with the function's names; inner functions get theirs. `parent` NULL for others. */
struct low_scope *low_scope_new(struct low_unit *u, struct low_scope *parent,
                                const struct py_module *m, const struct ast_node *node,
                                struct ir_function *function);
/* Adds a parameter's variable (before the body is scanned). */
struct low_variable *low_scope_parameter(struct low_scope *s, struct str name,
                                         const struct ast_node *node, enum ir_var_kind kind);
/* Collects the names that the body binds. */
void low_scope_scan(struct low_scope *s);
/* Its own or an enclosing function's variable; NULL: not a local name. */
struct low_variable *low_scope_find(struct low_scope *s, struct str name);
/* Makes everything that one pass fills empty. */
void low_scope_begin(struct low_scope *s);
/* Fills what is known only at the end: loop variables' uses, counts. */
void low_scope_end(struct low_scope *s);
/* A temporary of this function. */
const struct ir_var *low_temp(struct low_scope *s, const struct type *t);
/* Marks reading / assigning for types, loops and captures. */
void low_variable_read(struct low_scope *s, struct low_variable *v, const struct ast_node *n);
void low_variable_assigned(struct low_scope *s, struct low_variable *v, const struct ast_node *n);
/* Widens the variable by a value of type `t`; false: they cannot be one variable. */
bool low_variable_widen(struct low_scope *s, struct low_variable *v, const struct ir_expr *value);

/* ---- lower_flow.c --------------------------------------------------------------------------- */

struct low_flow low_flow_new(struct low_scope *s);
struct low_flow low_flow_copy(struct low_scope *s, const struct low_flow *f);
struct low_flow low_flow_dead(struct low_scope *s);
/* into := what holds on both. */
void low_flow_meet(struct low_scope *s, struct low_flow *into, const struct low_flow *other);
bool low_flow_assigned(struct low_scope *s, const struct low_variable *v);
void low_flow_assign(struct low_scope *s, const struct low_variable *v);

/* ---- lower_type.c --------------------------------------------------------------------------- */

enum low_use {
    LOW_USE_VALUE,   /* parameter, local, return: int is 64-bit */
    LOW_USE_ELEMENT, /* of a view: int is 32-bit */
};
/* The type an annotation means; NULL: refused (said, unless quiet). pk.Acc[T] gives T and sets
 * *is_acc (may be NULL). A bare array length is 0, a view's layout the default. */
const struct type *low_annotation(struct low_scope *s, const struct py_module *m,
                                  const struct ast_node *n, enum low_use use, bool *is_acc);
/* The same from a type's text, as INSTANTIATE and string annotations have it. `m` NULL: only
 * names of pykokkos and Python. NULL: `error` says why. */
const struct type *low_type_text(struct lower *l, struct arena *a, const struct py_module *m,
                                 struct str text, enum type_kind default_real, bool *is_acc,
                                 struct error *error);
/* The nodes of a type's text (they have no places in a file); NULL: it is no type. */
const struct ast_node *low_parse_type(struct arena *a, struct str text);
/* The scalar that a qualified name means ("pykokkos.int32", "numpy.float64", "int"); TYPE_VOID:
 * none. */
enum type_kind low_scalar_named(struct str qualified, enum type_kind default_real);
const struct type *low_view_type(struct arena *a, const struct type *element, int rank);
/* List[T] as a parameter: a view of its rank; other types as they are. */
const struct type *low_list_as_view(struct low_scope *s, const struct type *t);
/* Applies @pk.workunit(name=pk.ViewTypeInfo(…)). */
const struct type *low_view_info(struct low_scope *s, const struct ast_node *decorator_call,
                                 struct str name, const struct type *t);

/* ---- lower_value.c -------------------------------------------------------------------------- */

struct ir_expr *low_expr_new(struct low_scope *s, enum ir_expr_kind kind, const struct type *t,
                             const struct ast_node *n, size_t arg_count);
const struct ir_expr *low_unknown(struct low_scope *s, const struct ast_node *n);
const struct ir_expr *low_int(struct low_scope *s, const struct ast_node *n, py_int128 value);
const struct ir_expr *low_float(struct low_scope *s, const struct ast_node *n, double value,
                                enum type_kind kind);
const struct ir_expr *low_bool(struct low_scope *s, const struct ast_node *n, bool value);
const struct ir_expr *low_var(struct low_scope *s, const struct ast_node *n,
                              const struct ir_var *v);
const struct ir_expr *low_unary(struct low_scope *s, enum ir_expr_kind kind, enum type_kind t,
                                const struct ast_node *n, const struct ir_expr *x);
const struct ir_expr *low_binary(struct low_scope *s, enum ir_expr_kind kind, enum type_kind t,
                                 const struct ast_node *n, const struct ir_expr *x,
                                 const struct ir_expr *y);
const struct ir_expr *low_select(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *test, const struct ir_expr *x,
                                 const struct ir_expr *y);
/* A constant of Python; refuses strings, None, … with `what` they were used as. */
const struct ir_expr *low_constant(struct low_scope *s, const struct ast_node *n,
                                   const struct py_value *value);
void low_add_note(struct low_scope *s, struct ir_expr *e, struct lower_note note);
/* A float made of literals alone? */
bool low_is_weak(const struct ir_expr *e);
bool low_is_constant(const struct ir_expr *e);
bool low_is_int_constant(const struct ir_expr *e);
/* Where all `args` are constants: the node's value by Python's own rules, else NULL. */
const struct ir_expr *low_fold(struct low_scope *s, const struct ast_node *n,
                               const struct ir_expr *const *args, size_t count);
/* To a scalar type, as a store or a cast does. */
const struct ir_expr *low_convert(struct low_scope *s, const struct ir_expr *e,
                                  enum type_kind kind);
/* As above for any type: views and structs must fit. NULL-typed where they do not (said). */
const struct ir_expr *low_convert_type(struct low_scope *s, const struct ir_expr *e,
                                       const struct type *t, const struct ast_node *n,
                                       const char *what);
/* Python's arithmetic form: bool and narrow integers become INT64. Refuses what is not a number. */
const struct ir_expr *low_number(struct low_scope *s, const struct ir_expr *e,
                                 const struct ast_node *n, const char *what);
/* Decides a pending int ** int: an error with a hint. */
const struct ir_expr *low_settle(struct low_scope *s, const struct ir_expr *e);
/* Its truth value. */
const struct ir_expr *low_truth(struct low_scope *s, const struct ir_expr *e,
                                const struct ast_node *n);
/* An index: an integer as INT64. */
const struct ir_expr *low_index(struct low_scope *s, const struct ir_expr *e,
                                const struct ast_node *n, const char *what);
/* The type that two numbers meet in (both in arithmetic form). */
enum type_kind low_promote(const struct ir_expr *x, const struct ir_expr *y);
/* The type a variable needs to hold both. TYPE_VOID: none. */
enum type_kind low_join_kinds(enum type_kind a, enum type_kind b);
const struct type *low_join(struct low_scope *s, const struct type *a, const struct type *b);
struct low_range {
    py_int128 low, high;
};
/* Bounds of an integer expression's value. */
struct low_range low_range_of(const struct ir_expr *e);
bool low_nonnegative(const struct ir_expr *e);
/* Both evaluate to the same value and neither writes: the same tree. */
bool low_same_expr(const struct ir_expr *a, const struct ir_expr *b);
bool low_reads_var(const struct ir_expr *e, const struct ir_var *v);

/* ---- lower_operand.c ------------------------------------------------------------------------ */

struct low_operands {
    struct low_scope *s;
    const struct ir_expr **items;
    size_t *marks; /* statements in the block after each was lowered */
    size_t count, cap;
};
void low_operands_begin(struct low_operands *o, struct low_scope *s, size_t cap);
void low_operands_add(struct low_operands *o, const struct ir_expr *e);
/* Moves what must be evaluated earlier into temporaries. */
void low_operands_seal(struct low_operands *o);
/* e in a form that may be evaluated again: constant, variable or a new temporary. */
const struct ir_expr *low_simple(struct low_scope *s, const struct ir_expr *e);
bool low_is_simple(const struct ir_expr *e);
/* Puts e in a temporary, assigned at that place in the block. */
const struct ir_expr *low_temp_at(struct low_scope *s, const struct ir_expr *e, size_t at);
/* Puts e in a temporary. */
const struct ir_expr *low_to_temp(struct low_scope *s, const struct ir_expr *e);
struct ir_stmt *low_stmt_new(struct low_scope *s, enum ir_stmt_kind kind, const struct ast_node *n);
void low_emit(struct low_scope *s, const struct ir_stmt *stmt);
void low_emit_assign(struct low_scope *s, const struct ast_node *n, const struct ir_var *v,
                     const struct ir_expr *value);
/* Statements go to `block` until low_block_end. */
struct vec *low_block_begin(struct low_scope *s, struct vec *block);
void low_block_end(struct low_scope *s, struct vec *outer);
struct ir_block low_block(struct low_scope *s, const struct vec *block);
/* Effects on what is outside `f` (NULL: count everything). */
unsigned low_block_effects(const struct ir_block *b, const struct ir_function *f);

/* ---- lower_expr.c --------------------------------------------------------------------------- */

const struct ir_expr *low_expr(struct low_scope *s, const struct ast_node *n);
/* A condition. */
const struct ir_expr *low_test(struct low_scope *s, const struct ast_node *n);
/* Brings values to one type (conditional expressions, `and`, min); NULL-typed on failure. */
const struct type *low_unify(struct low_scope *s, const struct ast_node *n,
                             const struct ir_expr **items, size_t count, const char *what);
/* A part that is evaluated only sometimes: its statements, and what was assigned before it. */
struct low_branch {
    struct vec block;
    struct vec *outer;
    struct low_flow flow;
};

void low_branch_begin(struct low_scope *s, struct low_branch *b);
void low_branch_end(struct low_scope *s, struct low_branch *b);
/* Adds `result = value` to its statements. */
void low_branch_result(struct low_scope *s, struct low_branch *b, const struct ast_node *n,
                       const struct ir_var *result, const struct ir_expr *value);
void low_emit_if(struct low_scope *s, const struct ast_node *n, const struct ir_expr *test,
                 const struct vec *body, const struct vec *orelse);
bool low_all_bool(const struct ir_expr *x, const struct ir_expr *y);
const struct ir_expr *low_compare(struct low_scope *s, const struct ast_node *n);
const struct ir_expr *low_compare_values(struct low_scope *s, const struct ast_node *n,
                                         enum ast_cmp_operator op, const struct ir_expr *x,
                                         const struct ir_expr *y);
/* Reads a local, captured or module name. */
const struct ir_expr *low_name(struct low_scope *s, const struct ast_node *n);
/* A dotted module name or an attribute of a value. */
const struct ir_expr *low_attribute(struct low_scope *s, const struct ast_node *n);
/* Is the leftmost name of `n` (a Name or dotted Attribute) a local name? */
bool low_is_local(struct low_scope *s, const struct ast_node *n);
/* "did you mean …", or nothing. */
struct str low_suggest(struct low_scope *s, struct str name);

/* ---- lower_arith.c -------------------------------------------------------------------------- */

const struct ir_expr *low_bin_op(struct low_scope *s, const struct ast_node *n);
const struct ir_expr *low_unary_op(struct low_scope *s, const struct ast_node *n);
const struct ir_expr *low_arith(struct low_scope *s, const struct ast_node *n, enum ast_operator op,
                                const struct ir_expr *x, const struct ir_expr *y);
const struct ir_expr *low_negate(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *x);
/* Are all bits above 63 of no interest: INT128 trees done in 64 bits. */
const struct ir_expr *low_narrow(struct low_scope *s, const struct ir_expr *e, enum type_kind kind);

/* ---- lower_view.c --------------------------------------------------------------------------- */

/* As low_subscript, but an element of an Atomic view is a place, not a load. */
const struct ir_expr *low_subscript_place(struct low_scope *s, const struct ast_node *n);
const struct ir_expr *low_subscript(struct low_scope *s, const struct ast_node *n);
/* A place to store to (IR_ELEMENT or IR_MEMBER); its parts may be evaluated twice if `twice`. */
const struct ir_expr *low_place(struct low_scope *s, const struct ast_node *n, bool twice);
const struct ir_expr *low_element(struct low_scope *s, const struct ast_node *n,
                                  const struct ir_expr *view, const struct ir_expr *const *indices,
                                  size_t count);
const struct ir_expr *low_extent(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *view, int dimension);
/* v.extent(d), v.size() and their kin; NULL: no such method. */
const struct ir_expr *low_view_method(struct low_scope *s, const struct ast_node *call,
                                      const struct ir_expr *view, struct str name);
const struct ir_expr *low_view_attribute(struct low_scope *s, const struct ast_node *n,
                                         const struct ir_expr *view, struct str name);

/* ---- calls ---------------------------------------------------------------------------------- */

const struct ir_expr *low_call(struct low_scope *s, const struct ast_node *n);
/* An intrinsic by its plain name and where it comes from. */
enum low_origin {
    LOW_BARE = 1,    /* called without an import */
    LOW_BUILTIN = 2, /* Python's */
    LOW_MATH = 4,
    LOW_NUMPY = 8,
    LOW_PK = 16,
    LOW_CMATH = 32, /* computes with complex numbers whatever it is given */
};
size_t low_intrinsic_count(void);
struct str low_intrinsic_name(size_t i);
bool low_intrinsic_known(struct str name, enum low_origin origin);
const struct ir_expr *low_intrinsic(struct low_scope *s, const struct ast_node *n, struct str name,
                                    enum low_origin origin);
/* Lowers the positional arguments in order; NULL where one is refused or a keyword is there. */
const struct ir_expr **low_arguments(struct low_scope *s, const struct ast_node *n, size_t least,
                                     size_t most, const char *name);
const struct ir_expr *low_cast(struct low_scope *s, const struct ast_node *n, enum type_kind kind,
                               bool python);
const struct ir_expr *low_math_call(struct low_scope *s, const struct ast_node *n, struct str name,
                                    enum low_origin origin, bool *known);
/* divmod(a, b), math.modf(x) and cmath.polar(z): their two values, which may be used once each. False: another
 * expression, and nothing was done. */
bool low_pair_call(struct low_scope *s, const struct ast_node *n, const struct ir_expr *pair[2]);
/* Arguments as floats of one type: float32 stays, ints and bools become double. False: refused. */
bool low_floats(struct low_scope *s, const struct ast_node *n, const struct ir_expr **args,
                size_t count, const char *name);
/* The angle of a complex number. */
const struct ir_expr *low_phase(struct low_scope *s, const struct ast_node *n,
                                const struct ir_expr *x);
const struct ir_expr *low_invert(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *x);
/* NumPy's operators and functions of two values that are not math's. */
bool low_numpy_known(struct str name, enum low_origin origin);
const struct ir_expr *low_numpy_call(struct low_scope *s, const struct ast_node *n,
                                     struct str name);
/* Methods of a random pool and of its generators; pk.rand(dtype). */
const struct ir_expr *low_random_method(struct low_scope *s, const struct ast_node *n,
                                        const struct ir_expr *object, struct str name);
const struct ir_expr *low_rand(struct low_scope *s, const struct ast_node *n);
/* pk.lower_bound and its kin. */
bool low_search_known(struct str name);
const struct ir_expr *low_search_call(struct low_scope *s, const struct ast_node *n,
                                      struct str name);
bool low_math_known(struct str name, enum low_origin origin);
size_t low_math_count(void);
struct str low_math_name(size_t i);
const struct ir_expr *low_math(struct low_scope *s, const struct ast_node *n, enum ir_math f,
                               enum type_kind t, const struct ir_expr *const *args, size_t count);
const struct ir_expr *low_atomic_call(struct low_scope *s, const struct ast_node *n,
                                      struct str name);
bool low_atomic_known(struct str name);
/* A store, load or update of an element of an Atomic view. */
const struct ir_expr *low_atomic(struct low_scope *s, const struct ast_node *n,
                                 enum ir_atomic_op op, enum ir_fetch fetch,
                                 const struct ir_expr *place, const struct ir_expr *value);
const struct ir_expr *low_printf_call(struct low_scope *s, const struct ast_node *n);
const struct ir_expr *low_print_call(struct low_scope *s, const struct ast_node *n);
const struct ir_expr *low_team_method(struct low_scope *s, const struct ast_node *n,
                                      struct str name);
/* pk.ScratchView1D(team.team_scratch(0), n) for a variable annotated `t` (NULL: none), or
 * pk.ScratchView1D[T](…); NULL: not that. */
const struct ir_expr *low_scratch_view(struct low_scope *s, const struct ast_node *value,
                                       const struct type *t);
/* Reads @pk.workunit(scratch=[…]) into the kernel. */
void low_scratch_decorator(struct low_unit *u);
/* p.x in one of its lambdas, whose parameter is p; NULL: `n` is not that. */
const struct ir_expr *low_scratch_parameter(struct low_scope *s, const struct ast_node *n);
/* pk.parallel_for and its kin inside a workunit. `target`: where a result goes, or NULL. */
bool low_is_parallel(struct low_scope *s, const struct ast_node *call, struct str *name);
const struct ir_expr *low_parallel(struct low_scope *s, const struct ast_node *n, struct str name);

/* ---- statements ----------------------------------------------------------------------------- */

void low_body(struct low_scope *s, const struct ast_seq *body);
void low_stmt(struct low_scope *s, const struct ast_node *n);
void low_assign(struct low_scope *s, const struct ast_node *n);
void low_ann_assign(struct low_scope *s, const struct ast_node *n);
void low_aug_assign(struct low_scope *s, const struct ast_node *n);
void low_for(struct low_scope *s, const struct ast_node *n);
void low_while(struct low_scope *s, const struct ast_node *n);
bool low_is_acc(const struct low_variable *v);
/* `acc = acc + e`, `acc = max(acc, e)`: emitted as an update. False: it is not that. */
bool low_assign_update(struct low_scope *s, const struct ast_node *n, struct low_variable *v,
                       const struct ir_expr *value);
void low_assign_name(struct low_scope *s, const struct ast_node *n, struct str name,
                     const struct ir_expr *value);
void low_assign_place(struct low_scope *s, const struct ast_node *n, const struct ast_node *target,
                      const struct ir_expr *value);
void low_emit_store(struct low_scope *s, const struct ast_node *n, const struct ir_expr *place,
                    const struct ir_expr *value);
bool low_is_functor_field(struct low_scope *s, const struct ast_node *target);
/* `acc = max(acc, e)` and `if e > acc: acc = e`: one update. False: it is not that. */
bool low_acc_extreme(struct low_scope *s, const struct ast_node *n);

/* ---- lower_default.c ------------------------------------------------------------------------ */

/* The value that the parameter `arg` of a function of `m` has by its default `value`, in the call
 * `n`. Not a constant, or bound again below the definition: an error, and no type. */
const struct ir_expr *low_default(struct low_scope *s, const struct ast_node *n,
                                  const struct py_module *m, const struct ast_node *arg,
                                  const struct ast_node *value);

/* ---- lower_function.c, lower_class.c -------------------------------------------------------- */

/* Lowers the unit's body until its types are settled. */
void low_unit_run(struct low_unit *u);
struct low_unit *low_unit_new(struct lower *l);
struct ir_var *low_ir_var(struct lower *l, enum ir_var_kind kind, struct str name,
                          const struct type *t, const struct ir_function *owner);
/* A C++ name that no function or struct of the kernel has. */
struct str low_symbol(struct lower *l, struct str base);
/* Calls a module function or a method; `self`: the object of a class type's method. */
const struct ir_expr *low_call_function(struct low_scope *s, const struct ast_node *n,
                                        const struct py_module *m, const struct ast_node *f,
                                        struct low_class *self_class, const struct ir_expr *self,
                                        const struct ast_node *functor_class);
/* As above, giving up silently where the body is not in the language. NULL: it is not. */
const struct ir_expr *low_try_function(struct low_scope *s, const struct ast_node *n,
                                       const struct py_module *m, const struct ast_node *f);
const struct ir_expr *low_call_inner(struct low_scope *s, const struct ast_node *n,
                                     struct low_inner *inner);
/* What an inner function needs is assigned here? Reports where not. Then marks what it assigns. */
void low_inner_used(struct low_scope *s, const struct ast_node *n, struct low_inner *inner);
/* Lowers its body if this pass has not yet. */
void low_inner_ready(struct low_scope *s, struct low_inner *inner);
/* An argument for an inner function's parameter, which takes its type from it. */
bool low_inner_argument(struct low_scope *s, const struct ast_node *n, struct low_variable *p,
                        const struct ir_expr **value);
/* The locals and temporaries of a function, for the IR. */
void low_take_vars(struct low_scope *s, const struct ir_var ***vars, size_t *count);
/* Lowers the inner function's body (at its def). */
void low_inner_def(struct low_scope *s, const struct ast_node *n);
/* Gives the kernel its functions, callees first, from the final statements. */
void low_collect_functions(struct lower *l);
void low_report_called(struct lower *l, struct low_unit *u, size_t *errors);

/* The functor's or workload's annotated fields become the kernel's. */
void low_functor_fields(struct lower *l, struct low_scope *s);
const struct ir_expr *low_self_attribute(struct low_scope *s, const struct ast_node *n);
bool low_is_self(struct low_scope *s, const struct ast_node *n);
struct low_class *low_class_of(struct low_scope *s, const struct py_module *m,
                               const struct ast_node *node);
struct low_class *low_class_by_type(struct lower *l, const struct struct_type *t);
const struct ir_expr *low_construct(struct low_scope *s, const struct ast_node *n,
                                    struct low_class *c);
const struct ir_expr *low_member(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *object, struct str name);

/* ---- lower_host.c --------------------------------------------------------------------------- */

/* Host functions: pk.parallel_for and its kin, pk.fence, pk.Timer. NULL: none of these. */
const struct ir_expr *low_host_call(struct low_scope *s, const struct ast_node *n, struct str name);
/* seconds() and reset() of a timer. NULL: it is no method of a timer. */
const struct ir_expr *low_timer_method(struct low_scope *s, const struct ast_node *n,
                                       const struct ir_expr *timer, struct str name);
/* self.x = value */
void low_assign_field(struct low_scope *s, const struct ast_node *n, const struct ast_node *target,
                      const struct ir_expr *value);

/* ---- lower_shape.c -------------------------------------------------------------------------- */

/* Fills the kernel's operation, policy, leading and other parameters and fields, and makes their
 * variables. */
void low_read_parameters(struct lower *l, struct low_scope *s,
                         const struct instantiation *instantiation);

/* ---- lower_site.c --------------------------------------------------------------------------- */

struct low_site {
    int operation; /* enum operation, -1: no call of it in the module */
    int policy;    /* enum policy, -1: unknown or they differ */
    int rank;      /* MDRange rank that all call sites pass; 0: not so */
    bool seen;
};
struct low_site low_call_site(struct lower *l);
/* The type of a host expression as INSTANTIATE would write it; empty: cannot be seen. */
struct str low_guess_type(struct lower *l, const struct py_module *m, const struct ast_node *value);
/* The type of a keyword argument at the call sites, as INSTANTIATE writes it; empty: not seen. */
struct str low_site_argument(struct lower *l, struct str parameter);

#endif

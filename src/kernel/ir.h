/*
 * The typed form of a kernel: Python's meaning made explicit, before it is C++ text.
 *
 * Rules that lowering keeps and emission relies on:
 * - Every expression has a type. Arithmetic happens in BOOL (logic), INT64, UINT64, INT128, FLOAT,
 *   DOUBLE, COMPLEX64/128 only; narrower ones occur as the type of a load (variable, element) and as
 *   the target of an IR_CONVERT right before a store. Operands of a binary operation have the same
 *   type (said otherwise where not).
 * - Evaluation order: at most one operand in an expression tree has side effects or depends on
 *   ones; lowering hoists everything else into temporaries (variables of kind VAR_TEMP) in Python's
 *   order. Emission may therefore print trees in C++'s own order.
 * - A local or temporary may be INT128 where Python's value needs it (uint64 minus uint64).
 * - A view may be converted (IR_CONVERT) to the same view with layout stride, where a variable names
 *   subviews of different layouts.
 * - A local of a struct type may be written member by member (IR_STORE) alone, as constructors do.
 * - Integer + - * and negation wrap modulo 2^64 and are never C++ undefined behaviour.
 * - Every variable belongs to the whole function (Python's rule), has one type, and is assigned
 *   before it is read on each path.
 */
#ifndef PKC_KERNEL_IR_H
#define PKC_KERNEL_IR_H

#include "kernel/types.h"
#include "python/python.h"

enum ir_var_kind {
    VAR_LOCAL,
    VAR_TEMP,      /* made by lowering */
    VAR_PARAMETER, /* of the workunit or function; may be assigned like a local */
    VAR_INDEX,     /* work index: int64, may be assigned like a local */
    VAR_ACC,       /* the accumulator, of its storage type, or the struct of a Loc reducer */
    VAR_LAST_PASS, /* scan's bool */
    VAR_FIELD,     /* self.name: read only for scalars */
    VAR_TEAM,
};

struct ir_function;

struct ir_var {
    enum ir_var_kind kind;
    struct str name;          /* Python's; temporaries have a short made-up one */
    const struct type *type;
    const struct ir_function *owner; /* NULL: the workunit itself */
    bool assigned;            /* somewhere (parameters, index: in the body) */
    bool captured;            /* used by an inner function */
    bool by_reference;        /* parameter passed by reference (classtype) */
    bool read_only;           /* array parameter that is never stored to: List[T] */
    int read_count;
    bool nonnegative;         /* an integer that is never below 0, whatever is assigned to it */
};

enum ir_expr_kind {
    IR_INT,       /* integer: type INT64, UINT64 or INT128 */
    IR_FLOAT,     /* number: FLOAT or DOUBLE (already rounded to it) */
    IR_BOOL,      /* integer 0/1 */
    IR_COMPLEX,   /* args[0], args[1]: real, imaginary parts (FLOAT or DOUBLE) */
    IR_VAR,       /* var */
    IR_ELEMENT,   /* args[0]: view or array; args[1..]: INT64 indices, rank many */
    IR_MEMBER,    /* args[0]: struct (or Loc accumulator); name: field */
    IR_SUBVIEW,   /* args[0]: view; slices[rank] */
    IR_EXTENT,    /* args[0]: view; args[1]: INT64 dimension (usually IR_INT) -> INT64 */
    IR_SIZE,      /* args[0]: view -> INT64, product of extents */
    IR_CONVERT,   /* args[0] to `type`, as Python's int()/float()/bool()/store would:
                     float -> int truncates (wraps as modulo 2^64 where it can; inf/nan any value),
                     int -> float rounds once, int -> narrower int wraps, any -> bool is != 0 */
    IR_NEG, IR_INVERT,                     /* unary */
    IR_NOT,                                /* BOOL */
    IR_ADD, IR_SUB, IR_MUL,
    IR_TRUEDIV,                            /* same float or complex type */
    IR_TRUEDIV_INT,                        /* two INT64/UINT64/INT128 -> DOUBLE, correctly rounded */
    IR_FLOORDIV, IR_MOD,                   /* ints: floor; floats: CPython's algorithm */
    IR_POW_INT,                            /* ints, exponent >= 0: exact modulo 2^64; a negative
                                              exponent gives int(base ** exponent): 0, 1 or -1 */
    IR_POW_INT_DOUBLE,                     /* ints -> DOUBLE, as Python's value converted to float */
    IR_POW,                                /* same float or complex type */
    IR_BIT_AND, IR_BIT_OR, IR_BIT_XOR,     /* ints, or BOOL */
    IR_LSHIFT, IR_RSHIFT,                  /* ints; Python's for every count >= 0 */
    IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE, /* same scalar type -> BOOL; an int type with DOUBLE
                                              means the exact comparison */
    IR_AND, IR_OR,                         /* BOOL, short circuit */
    IR_SELECT,                             /* args: BOOL test, then, else; one of them evaluated */
    IR_MIN, IR_MAX,                        /* n args of one type; Python's: the first among equals,
                                              `b if b < a else a` folded from the left */
    IR_MATH,                               /* math: function; args of one float/complex type (or as
                                              the function says); see enum ir_math */
    IR_CALL,                               /* function, args (views by value) */
    IR_ATOMIC,                             /* atomic: op; fetch: which value it gives; args[0]: an
                                              IR_ELEMENT; args[1..]: values of the element type */
    IR_PRINTF,                             /* text: format with conversions already those of the
                                              arguments' types, integers always as long long
                                              ("%lld", "%llu"). print() also uses %r, a float as
                                              Python's repr writes it, and %b, a BOOL as True or
                                              False; VOID */
    IR_TEAM_CALL,                          /* team: member function; args */
    IR_RANDOM,                             /* name: method; args[0]: a random pool (get_state alone)
                                              or a generator; args[1..]: bounds of the type given
                                              (int ones for urand, rand, rand64: INT64) */
    IR_SECONDS,                            /* host functions: the clock -> DOUBLE */
    IR_LIST,                               /* args: elements of an array literal */
    IR_SCRATCH,                            /* a view of scratch memory, the next piece of it: args:
                                              its extents; scratch: which memory */
};

enum ir_math {
    MATH_ACOS, MATH_ACOSH, MATH_ASIN, MATH_ASINH, MATH_ATAN, MATH_ATAN2, MATH_ATANH, MATH_CBRT,
    MATH_CEIL, MATH_COPYSIGN, MATH_COS, MATH_COSH, MATH_ERF, MATH_ERFC, MATH_EXP, MATH_EXP2,
    MATH_EXPM1, MATH_FABS, MATH_FLOOR, MATH_FMAX, MATH_FMIN, MATH_FMOD, MATH_HYPOT, MATH_ISFINITE,
    MATH_ISINF, MATH_ISNAN, MATH_LDEXP /* float, INT64 */, MATH_LGAMMA, MATH_LOG, MATH_LOG10,
    MATH_LOG1P, MATH_LOG2, MATH_REMAINDER, MATH_RINT, MATH_RSQRT, MATH_SIN, MATH_SINH, MATH_SQRT,
    MATH_TAN, MATH_TANH, MATH_TGAMMA, MATH_TRUNC, MATH_J0, MATH_J1,
    MATH_ABS_INT,   /* INT64 -> INT64, wraps at the smallest */
    MATH_ABS_COMPLEX, MATH_REAL, MATH_IMAG, MATH_CONJ,
    MATH_ROUND_EVEN,/* float -> the same float type, ties to even */
    MATH_ROUND_DIGITS, /* double, INT64 digits: CPython's round(x, n) */
    MATH_SIGN,      /* NumPy's sign, any scalar type */
    MATH_RECIPROCAL, /* NumPy's, of a complex number */
    MATH_RECT,      /* two DOUBLE: length and phase -> COMPLEX128 */
    MATH_MAXIMUM, MATH_MINIMUM, /* NumPy's: a NaN wins; MATH_FMAX, MATH_FMIN: it loses */
    MATH_NEXTAFTER, MATH_SIGNBIT /* -> BOOL */, MATH_LOGADDEXP, MATH_LOGADDEXP2,
    MATH_LOWER_BOUND, /* view of rank 1, INT64 count, value -> INT64: how many of the first `count`
                         elements are smaller; they are sorted. Compared in the value's type */
    MATH_UPPER_BOUND, /* the same: how many are not larger */
    MATH_INCLUSIVE_SCAN, /* view of rank 1: each element becomes the sum up to it; VOID */
    MATH_COUNT
};

enum ir_atomic_op {
    ATOMIC_ADD, ATOMIC_SUB, ATOMIC_MUL, ATOMIC_DIV, ATOMIC_MOD, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_AND,
    ATOMIC_OR, ATOMIC_XOR, ATOMIC_LSHIFT, ATOMIC_RSHIFT, ATOMIC_EXCHANGE, ATOMIC_STORE, ATOMIC_LOAD,
    ATOMIC_COMPARE_EXCHANGE /* args[1]: expected, args[2]: desired; gives the old value */
};
enum ir_fetch { FETCH_NONE, FETCH_OLD, FETCH_NEW };

enum ir_team { TEAM_LEAGUE_RANK, TEAM_LEAGUE_SIZE, TEAM_RANK, TEAM_SIZE, TEAM_BARRIER };

/* Scratch memory: the team's or the thread's, of level 0 or 1 (dispatch.h's pkc_scratch_kind). */
enum ir_scratch { SCRATCH_TEAM_0, SCRATCH_TEAM_1, SCRATCH_THREAD_0, SCRATCH_THREAD_1, SCRATCH_KINDS };

struct ir_expr;

/* What evaluating a whole expression tree does besides giving its value. */
enum ir_effect {
    EFFECT_READS = 1,  /* depends on memory that a write could change (elements, shared variables) */
    EFFECT_WRITES = 2, /* stores, prints, synchronises, or calls what does */
    EFFECT_ANY = 3,
};

struct ir_slice {
    const struct ir_expr *index; /* set: this dimension is dropped */
    const struct ir_expr *begin, *end; /* INT64, already clamped; both NULL: the whole dimension */
};

/* The most numerous of all structs: thousands of kernels are held at once, so the small members
 * share a word. */
struct ir_expr {
    enum ir_expr_kind kind : 8;
    enum ir_math math : 8;
    enum ir_atomic_op atomic : 8;
    enum ir_fetch fetch : 8;
    enum ir_team team : 8;
    enum ir_scratch scratch : 8;
    unsigned effects : 16;         /* enum ir_effect */
    const struct type *type;
    const struct ast_node *node;     /* where it comes from */
    const struct py_module *module;
    const struct ir_expr **args;
    size_t arg_count;
    py_int128 integer;
    double number;
    const struct ir_var *var;
    const struct ir_function *function;
    struct str name;
    struct str text;
    const struct ir_slice *slices;
    const struct lower_note *note;   /* lowering's own; emission ignores it */
};

enum ir_stmt_kind {
    IR_ASSIGN,   /* var = value (already of var's type; arrays and structs too) */
    IR_STORE,    /* target (IR_ELEMENT or IR_MEMBER) = value of the element type */
    IR_ACC_UPDATE, /* acc op= value, where the source says so: op is IR_ADD, IR_MUL, IR_MIN, … and
                      value of acc's type. Others are IR_ASSIGN to the acc variable */
    IR_EVAL,     /* value, for its side effects */
    IR_IF,       /* test; body; orelse */
    IR_WHILE,    /* test evaluated before each round; body. `test` NULL: forever */
    IR_FOR,      /* var over range(start, stop, step): evaluated once, left to right; iteration is
                    not affected by assignments to var in the body; var keeps its last value */
    IR_BREAK, IR_CONTINUE,
    IR_RETURN,   /* value may be NULL */
    IR_PARALLEL, /* nested team pattern: see below */
    IR_SINGLE,   /* body, once a team (`per_team`; what it assigns holds for all threads) or thread */
    IR_LAUNCH,   /* host functions: runs a workunit; its result goes to var (NULL: none) */
    IR_CHECK,    /* in a checked build only: test must hold, else text (an error with its place) */
};

struct ir_block {
    const struct ir_stmt **items;
    size_t count;
};

enum ir_nested { NESTED_TEAM_THREAD, NESTED_THREAD_VECTOR, NESTED_TEAM_VECTOR };

struct host_callee;

/* A host function's call of a workunit. */
struct ir_launch {
    const struct host_callee *callee;
    struct str label; /* empty: the workunit's own */
    int rank;
    /* INT64; MDRange: one a dimension, tile[d] NULL where the source gives none; Team: the league's
     * size, the team's (below 1: chosen), and the vector length */
    const struct ir_expr *begin[6], *end[6], *tile[6];
};

struct ir_stmt {
    enum ir_stmt_kind kind;
    const struct ast_node *node;
    const struct py_module *module;
    const struct ir_var *var;
    const struct ir_expr *target, *value, *test;
    enum ir_expr_kind op;
    const struct ir_expr *start, *stop, *step; /* step NULL: 1 */
    bool var_assigned_in_body;  /* IR_FOR: the body assigns var */
    bool var_used_after;        /* IR_FOR: var is read where it may hold this loop's last value */
    struct ir_block body, orelse;
    struct str text;
    const struct ir_launch *launch;
    /* IR_PARALLEL: operation over `nested` range [start, stop) with inner function `function`;
     * reduce/scan results go to `var` (NULL: dropped), initial value in `value` (may be NULL) */
    int operation; /* enum operation of kernel.h */
    enum ir_nested nested;
    bool per_team;
    const struct ir_function *function;
};

/* A helper (@pk.function, undecorated, method) instantiated for its argument types, or an inner
 * function (then `inner`: it captures variables of its parent by reference). */
struct ir_function {
    struct str name;          /* Python's */
    struct str symbol;        /* unique in the kernel, a valid C++ identifier */
    const struct py_module *module;
    const struct ast_node *node;
    const struct ir_function *parent; /* inner: the enclosing one, NULL the workunit */
    bool inner;
    bool recursive;
    bool uses_fields;         /* reads self's fields: gets the kernel's ARGS */
    const struct struct_type *self_type; /* method of a classtype: parameters[0] is self */
    const struct ir_var **parameters;
    size_t parameter_count;
    const struct type *returns;
    const struct ir_var **vars; /* locals and temporaries */
    size_t var_count;
    struct ir_block body;
};

/* For each direct operand of an expression; and each expression, block of a statement. */
typedef void ir_expr_visit(void *context, const struct ir_expr *e);
typedef void ir_stmt_visit(void *context, const struct ir_stmt *s);
void ir_expr_children(const struct ir_expr *e, ir_expr_visit *visit, void *context);
void ir_stmt_expressions(const struct ir_stmt *s, ir_expr_visit *visit, void *context);
void ir_block_statements(const struct ir_block *b, ir_stmt_visit *visit, void *context);
/* Readable text of a kernel's IR, for tests and debugging. */
struct kernel;
void ir_dump(struct buf *out, const struct kernel *k);

#endif

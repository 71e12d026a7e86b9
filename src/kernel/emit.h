/*
 * Private to emission: IR -> C++ text.
 *
 * emit_kernel.c  the kernel's function around its body, by operation and policy
 * emit_host.c    host functions, which call kernels
 * emit_tu.c      the whole file: includes, declarations, structs, helpers
 * emit_name.c    C++ identifiers
 * emit_usage.c   who reads, writes and captures which variable; names
 * emit_scope.c   where each variable is declared
 * emit_range.c   which values an integer expression can have, and what fits 32 bits
 * emit_type.c    types
 * emit_expr.c    expressions; emit_int.c integer arithmetic, emit_convert.c conversions,
 *                emit_math.c math functions, emit_call.c calls, atomics, printf
 * emit_stmt.c    statements; emit_loop.c loops
 * emit_team.c    teams: nested patterns, single, scratch memory; emit_plan.c what a launch needs
 * emit_stores.c  which arrays the kernel stores to
 * emit_function.c helpers and inner functions
 */
#ifndef PKC_KERNEL_EMIT_H
#define PKC_KERNEL_EMIT_H

#include "kernel/kernel.h"

#include <limits.h>

/* Work indices lie within +-EMIT_INDEX_MAX (dispatch.h's PKC_INDEX_MAX): then i + 1, 2 * i and
 * float(i) need no care. */
#define EMIT_INDEX_MAX ((int64_t)1 << 53)

/* ---- a map from pointers -------------------------------------------------------------------- */

struct emit_table {
    struct arena *arena;
    const void **keys;
    void **values;
    size_t count, cap;
};

void *emit_table_get(const struct emit_table *t, const void *key);
void emit_table_set(struct emit_table *t, const void *key, void *value);

/* ---- what is known of variables, expressions and functions ---------------------------------- */

struct emit_interval {
    py_int128 lo, hi; /* lo > hi: no value (not computed yet) */
};

/* A block while variables are placed: its parent, and the statement of the parent that owns it. */
struct emit_frame {
    const struct emit_frame *parent;
    const struct ir_stmt *owner;
    const struct ir_block *block;
    bool loop; /* the block runs again and again */
    int depth;
};

struct emit_var {
    const struct ir_var *var;
    struct str name;  /* in C++ */
    struct str given; /* index or parameter that the body assigns: the name of its first value */
    const struct ir_function *owner;
    int reads, writes;
    int plain_loops; /* IR_FOR over it that can be plain C++ loops */
    bool outside;    /* used outside of such loops */
    bool captured;
    struct emit_interval range;
    bool wraps; /* as emit_info's: it may be below 0 although the IR has it nonnegative */
    /* placement */
    const struct emit_frame *frame, *first_frame;
    const struct ir_stmt *first;
    bool before_lambda; /* first used by an inner function */
    bool placed;
    const struct ir_stmt *declared_by; /* the assignment or loop that declares it */
    bool constant;
};

/* Declarations that stand before a statement. */
struct emit_before {
    struct vec vars;    /* struct emit_var *, uninitialised */
    struct vec zeroed;  /* the same, initialised */
    struct vec lambdas; /* struct ir_function * */
};

struct emit_info {
    struct emit_interval range;
    bool fits; /* the mathematical result is in range of the type: plain C++ arithmetic is right */
    bool narrow; /* INT64 in the IR, but its text has type int or a smaller one */
    bool wraps; /* made from a product that may have wrapped: below 0 where mathematics has it above
                 */
};

enum emit_header {
    HEADER_BASE,
    HEADER_VIEW,
    HEADER_SUBVIEW,
    HEADER_LIST,
    HEADER_INT,
    HEADER_INT128,
    HEADER_EXACT,
    HEADER_CONVERT,
    HEADER_LOOP,
    HEADER_MINMAX,
    HEADER_FLOAT,
    HEADER_ROUND,
    HEADER_COMPLEX,
    HEADER_COMPLEX_MATH,
    HEADER_ATOMIC,
    HEADER_ATOMIC_COMPLEX,
    HEADER_PRINT,
    HEADER_SEARCH,
    HEADER_RANDOM,
    HEADER_CHECK,
    HEADER_TEAM,
    HEADER_SCRATCH,
    HEADER_HOST,
    HEADER_COUNT
};

enum emit_return { RETURN_VALUE, RETURN_CONTINUE, RETURN_SUCCESS };

/* One kernel TU being made. */
struct emit {
    struct arena *arena;
    const struct kernel *kernel;
    struct str symbol;
    struct buf *out;
    int indent;
    bool header[HEADER_COUNT];
    struct map library;      /* "exp" -> its declaration, of C functions */
    struct map all_names;    /* every name given to something here */
    struct map active_names; /* NULL: was given back */
    struct map taken_globally;
    struct map taken;         /* names in the function being named */
    struct emit_table vars;   /* ir_var -> emit_var */
    struct emit_table infos;  /* ir_expr -> emit_info */
    struct emit_table before; /* ir_stmt -> emit_before */
    struct emit_table at;     /* ir_function -> ir_stmt before which the lambda stands */
    struct str self;          /* the ARGS struct's name in the function being emitted */
    struct str league_rank;   /* of a team's kernel */
    struct str team;          /* pkc::team in the function being emitted */
    bool uses_team;
    enum emit_return return_form;
    struct str host; /* the name of a host function's pkc::host */
};

/* ---- names ---------------------------------------------------------------------------------- */

/* `wanted`, or with digits behind it: not taken yet; it is then. */
struct str emit_fresh_name(struct emit *e, struct str wanted);
/* The same for a name of the text's own that is given back when its scope ends. */
struct str emit_take_name(struct emit *e, struct str wanted);
void emit_release_name(struct emit *e, struct str name);

/* ---- analyses ------------------------------------------------------------------------------- */

/* Every expression of a block, and of the blocks in it, with the function it belongs to. */
struct emit_walk {
    void (*statement)(void *context, const struct ir_stmt *s, const struct ir_function *f);
    void (*expression)(void *context, const struct ir_expr *x, const struct ir_function *f);
    void *context;
};
void emit_walk_block(const struct emit_walk *w, const struct ir_block *b,
                     const struct ir_function *f);
void emit_walk_kernel(const struct emit_walk *w, const struct kernel *k);

struct emit_var *emit_var_of(struct emit *e, const struct ir_var *var);
/* Counts uses and gives names. */
void emit_usage(struct emit *e);
/* Is the accumulator used only as one, by updates of one kind, in a body without loops? */
bool emit_uses_lanes(struct emit *e);
bool emit_has_loop(const struct ir_block *b);
bool emit_returns_in_loop(const struct ir_block *b);
/* Do two expressions without side effects mean the same place or value? */
bool emit_same(const struct ir_expr *a, const struct ir_expr *b);

void emit_ranges(struct emit *e);
struct emit_info emit_info_of(struct emit *e, const struct ir_expr *x);
struct emit_interval emit_type_range(enum type_kind k);
bool emit_within(struct emit_interval r, py_int128 lo, py_int128 hi);

/* Can a nested pattern accumulate in the variable that its result goes to? */
bool emit_gives_directly(const struct ir_stmt *s);
/* Decides where the variables of a function (NULL: the workunit) are declared. */
void emit_place(struct emit *e, const struct ir_function *f);

/* ---- text ----------------------------------------------------------------------------------- */

/* C++'s precedences, low to high. */
enum emit_prec {
    PREC_ANY,
    PREC_CONDITIONAL,
    PREC_OR,
    PREC_AND,
    PREC_BIT_OR,
    PREC_BIT_XOR,
    PREC_BIT_AND,
    PREC_EQUAL,
    PREC_RELATION,
    PREC_SHIFT,
    PREC_SUM,
    PREC_PRODUCT,
    PREC_UNARY,
    PREC_POSTFIX,
};

void emit_text(struct emit *e, const char *c_string);
void emit_str(struct emit *e, struct str s);
/* A C++ string literal. */
void emit_string(struct emit *e, struct str s);
void emit_line_begin(struct emit *e);

void emit_type(struct emit *e, const struct type *t);
struct str emit_type_name(struct emit *e, const struct type *t);

/* The expression, in parentheses where it binds looser than `min`. */
void emit_expr(struct emit *e, const struct ir_expr *x, enum emit_prec min);
/* name(arguments…) */
void emit_named_call(struct emit *e, const char *name, const struct ir_expr *const *args,
                     size_t count);
void emit_infix(struct emit *e, const char *op, enum emit_prec prec, const struct ir_expr *a,
                const struct ir_expr *b, enum emit_prec min);
void emit_open(struct emit *e, enum emit_prec prec, enum emit_prec min);
void emit_close(struct emit *e, enum emit_prec prec, enum emit_prec min);
/* An integer constant, as text of kind `k`. */
void emit_int_constant(struct emit *e, py_int128 value, enum type_kind k, enum emit_prec min);

void emit_int_op(struct emit *e, const struct ir_expr *x, enum emit_prec min);
/* Can `a op= b` be written for x, an integer `a op b`? */
bool emit_int_is_infix(struct emit *e, const struct ir_expr *x);
void emit_compare(struct emit *e, const struct ir_expr *x, enum emit_prec min);
void emit_convert(struct emit *e, const struct ir_expr *x, enum emit_prec min);
void emit_math(struct emit *e, const struct ir_expr *x, enum emit_prec min);
void emit_library_call(struct emit *e, const char *name, const char *declaration);
/* A function of the C library on doubles; `f` appended for float. */
void emit_libm(struct emit *e, const char *name, enum type_kind k, size_t parameters);
void emit_minmax(struct emit *e, const struct ir_expr *x);
void emit_function_call(struct emit *e, const struct ir_expr *x);
void emit_atomic(struct emit *e, const struct ir_expr *x);
void emit_printf(struct emit *e, const struct ir_expr *x);
/* The variable as it is named in this function. */
void emit_var_name(struct emit *e, const struct ir_var *var);

void emit_block(struct emit *e, const struct ir_block *b);
void emit_end_line(struct emit *e);
void emit_declare(struct emit *e, const struct emit_var *v, bool constant);
/* What follows a declaration's name where nothing is assigned yet. */
const char *emit_zero_of(enum type_kind k);
void emit_loop(struct emit *e, const struct ir_stmt *s);
/* Does the kernel take scratch memory? */
bool emit_takes_scratch(const struct emit *e);
void emit_scratch(struct emit *e, const struct ir_expr *x);
void emit_team_call(struct emit *e, const struct ir_expr *x);
void emit_inclusive_scan(struct emit *e, const struct ir_expr *x);
void emit_nested_pattern(struct emit *e, const struct ir_stmt *s);
void emit_single(struct emit *e, const struct ir_stmt *s);
/* Does a single per team assign what all threads then see? */
bool emit_single_shares(struct emit *e, const struct ir_stmt *s);
/* The function that says what the kernel needs of its launch. */
void emit_plan(struct emit *e);
/* Helpers, callees first; those that are not inner functions. */
void emit_helpers(struct emit *e);
bool emit_helpers_take_team(const struct emit *e);
void emit_lambda(struct emit *e, const struct ir_function *f);
/* The kernel's constant that says which arrays it stores to. */
void emit_stores(struct emit *e);
/* The kernel's function. */
void emit_kernel_function(struct emit *e);
/* A host function's, and a workunit that it runs. */
void emit_host_function(struct emit *e);
void emit_launch(struct emit *e, const struct ir_stmt *s);
void emit_declaration(struct buf *out, const struct kernel *k, struct str symbol,
                      const struct str names[6]);

#endif

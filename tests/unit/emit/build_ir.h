/* Builds IR by hand, as lowering would. */
#ifndef PKC_TESTS_EMIT_BUILD_IR_H
#define PKC_TESTS_EMIT_BUILD_IR_H

#include "kernel/kernel.h"

struct maker {
    struct arena *arena;
    struct kernel *kernel;
    struct vec parameters, vars, functions, leading, structs;
};

typedef const struct ir_expr *expr;
typedef const struct ir_stmt *stmt;

void maker_init(struct maker *m, struct arena *a, const char *name, enum operation operation);
/* Moves all that was added into the kernel. */
const struct kernel *maker_finish(struct maker *m, struct ir_block body);

const struct type *scalar(enum type_kind k);
const struct type *view_of(struct maker *m, enum type_kind k, int rank, enum view_layout layout);
const struct type *list_of(struct maker *m, enum type_kind k, int64_t length);

const struct ir_var *index_var(struct maker *m, const char *name);
const struct ir_var *acc_var(struct maker *m, const char *name, enum type_kind k);
const struct ir_var *last_pass_var(struct maker *m, const char *name);
const struct ir_var *parameter_var(struct maker *m, const char *name, const struct type *t);
const struct ir_var *local_var(struct maker *m, const char *name, const struct type *t);
const struct ir_var *function_var(struct maker *m, struct ir_function *f, const char *name,
                                  const struct type *t, bool parameter);
struct ir_function *function(struct maker *m, const char *name, const struct type *returns,
                             bool inner);

expr integer(struct maker *m, int64_t value);
expr uinteger(struct maker *m, uint64_t value);
expr number(struct maker *m, double value);
expr number32(struct maker *m, double value);
expr boolean(struct maker *m, bool value);
expr get(struct maker *m, const struct ir_var *v);
expr element(struct maker *m, expr view, size_t rank, ...);
expr op1(struct maker *m, enum ir_expr_kind kind, expr a);
expr op2(struct maker *m, enum ir_expr_kind kind, expr a, expr b);
expr op3(struct maker *m, enum ir_expr_kind kind, expr a, expr b, expr c);
expr convert(struct maker *m, enum type_kind to, expr a);
expr math1(struct maker *m, enum ir_math f, expr a);
expr call(struct maker *m, const struct ir_function *f, size_t count, ...);
expr atomic(struct maker *m, enum ir_atomic_op op, enum ir_fetch fetch, expr place, expr value);
expr member(struct maker *m, expr a, const char *name, const struct type *t);
expr print(struct maker *m, const char *format, size_t count, ...);

struct ir_block block(struct maker *m, size_t count, ...);
stmt assign(struct maker *m, const struct ir_var *v, expr value);
stmt store(struct maker *m, expr target, expr value);
stmt update(struct maker *m, const struct ir_var *acc, enum ir_expr_kind op, expr value);
stmt evaluate(struct maker *m, expr value);
stmt branch(struct maker *m, expr test, struct ir_block body, struct ir_block orelse);
stmt loop(struct maker *m, const struct ir_var *v, expr start, expr stop, expr step,
          struct ir_block body);
stmt loop_while(struct maker *m, expr test, struct ir_block body);
stmt jump(struct maker *m, enum ir_stmt_kind kind, expr value);
stmt check(struct maker *m, expr test, const char *text);

#endif

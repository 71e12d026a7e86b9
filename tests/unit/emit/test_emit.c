/* The C++ text of kernels made by hand: what it says, and that compilers take it without a word. */
#include "build_ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct str text_of(struct maker *m, struct ir_block body)
{
    struct buf out;
    buf_init(&out, m->arena);
    const struct str parts[] = {STR("sub"), STR("kernels")};
    kernel_tu(&out, maker_finish(m, body), parts, 2, STR("pkc_tag"), STR("sub/kernels.py"));
    return buf_str(&out);
}

static void expect(struct str text, const char *part)
{
    if (!strstr(text.ptr, part)) {
        fail_msg("missing:\n%s\nin:\n%s", part, text.ptr);
    }
}

static void expect_not(struct str text, const char *part)
{
    if (strstr(text.ptr, part)) {
        fail_msg("unwanted:\n%s\nin:\n%s", part, text.ptr);
    }
}

/* Compiled by each compiler and standard with warnings as errors. */
static void compile(struct maker *m, struct str text)
{
    static const char *const compilers[] = {"g++", "clang++"};
    static const char *const standards[] = {"-std=c++17", "-std=c++20"};
    static const char *const levels[] = {"-O0", "-O3"};
    const struct str file =
        str_format(m->arena, "emit_%ld_" STR_FMT ".cpp", (long)getpid(), STR_ARG(m->kernel->name));
    struct error error = {{0}};
    assert_true(file_write(file.ptr, text, false, &error));
    for (int i = 0; i < 8; i++) {
        if (process_find(m->arena, compilers[i & 1]).len == 0) {
            continue;
        }
        const char *argv[] = {compilers[i & 1], standards[(i >> 1) & 1],
                              levels[i >> 2],   "-Wall",
                              "-Wextra",        "-Wshadow",
                              "-Werror",        "-I",
                              PKC_INCLUDE_DIR,  "-c",
                              file.ptr,         "-o",
                              "/dev/null",      NULL};
        struct process_result result;
        assert_true(process_run(m->arena, (char *const *)(uintptr_t)argv, NULL,
                                PROCESS_CAPTURE_BOTH, &result, &error));
        if (result.exit_code != 0) {
            fail_msg("%s %s %s:\n" STR_FMT "\n" STR_FMT, argv[0], argv[1], argv[2],
                     STR_ARG(result.err), STR_ARG(text));
        }
    }
    unlink(file.ptr);
}

static struct str finish(struct maker *m, struct ir_block body)
{
    const struct str text = text_of(m, body);
    compile(m, text);
    return text;
}

static int setup(void **state)
{
    struct arena *a = arena_new(NULL, NULL);
    struct maker *m = ARENA_NEW(a, struct maker);
    m->arena = a;
    *state = m;
    return 0;
}

static int teardown(void **state)
{
    arena_free(((struct maker *)*state)->arena);
    return 0;
}

#define BEGIN(name, operation)      \
    struct maker *const m = *state; \
    maker_init(m, m->arena, name, operation)

static const struct ir_var *vector(struct maker *m, const char *name, enum type_kind k)
{
    return parameter_var(m, name, view_of(m, k, 1, LAYOUT_RIGHT));
}

static expr at(struct maker *m, const struct ir_var *view, const struct ir_var *index)
{
    return element(m, get(m, view), 1, get(m, index));
}

static expr wide_at(struct maker *m, const struct ir_var *view, const struct ir_var *index)
{
    return convert(m, TYPE_INT64, at(m, view, index));
}

/* ---- shapes --------------------------------------------------------------------------------- */

static void test_triad(void **state)
{
    BEGIN("triad", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *a = vector(m, "a", TYPE_DOUBLE);
    const struct ir_var *b = vector(m, "b", TYPE_DOUBLE);
    const struct ir_var *k = parameter_var(m, "double", scalar(TYPE_DOUBLE));
    parameter_var(m, "unused", scalar(TYPE_INT32));
    const expr to = at(m, a, i);
    const struct str text = finish(
        m, block(m, 1, store(m, to, op2(m, IR_ADD, to, op2(m, IR_MUL, get(m, k), at(m, b, i))))));
    assert_true(str_starts_with(text, "// PyKokkosCache kernel 1\n// sub/kernels.py: triad\n"
                                      "#include <pykokkos_cache/view.hpp>\n\n"
                                      "namespace sub::kernels\n{\n"));
    expect(text, "struct triad_args {\n    pkc::view<double, 1> a;\n    pkc::view<double, 1> b;\n"
                 "    double double_;\n    pkc::int32 unused;\n};\n");
    expect(text,
           "PKC_EXPORT void triad_kernel(const void *args, pkc::int64 begin, pkc::int64 end)");
    expect(text, "    for (pkc::int64 i = begin; i < end; ++i) {\n        a(i) += double_ * b(i);\n"
                 "    }\n}\n");
    expect_not(text, "unused = ");
    expect(text, "const pkc::uint8 triad_stores_[] = {1, 0, 0, 0};\n");
}

static void test_reduce_in_lanes(void **state)
{
    BEGIN("dot", OPERATION_REDUCE);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *acc = acc_var(m, "acc", TYPE_DOUBLE);
    const struct ir_var *a = vector(m, "a", TYPE_DOUBLE);
    const struct str text =
        finish(m, block(m, 1, update(m, acc, IR_ADD, op2(m, IR_MUL, at(m, a, i), at(m, a, i)))));
    expect(text, "acc += a(i) * a(i);");
    expect(text, "work(at + 3, acc3);");
}

static void test_largest_in_lanes(void **state)
{
    BEGIN("largest", OPERATION_REDUCE);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *acc = acc_var(m, "acc", TYPE_DOUBLE);
    const struct ir_var *a = vector(m, "a", TYPE_DOUBLE);
    const struct str text =
        finish(m, block(m, 1,
                        branch(m, op2(m, IR_LT, get(m, acc), at(m, a, i)),
                               block(m, 1, assign(m, acc, at(m, a, i))), block(m, 0))));
    expect(text, "        if (acc < a(i)) {\n            acc = a(i);\n        }\n    };\n");
    expect(text, "work(at, acc0);");
}

/* One accumulator where the body reads it, or where updates differ. */
static void test_no_lanes(void **state)
{
    BEGIN("mixed", OPERATION_REDUCE);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *acc = acc_var(m, "acc", TYPE_DOUBLE);
    const struct ir_var *a = vector(m, "a", TYPE_DOUBLE);
    expect_not(finish(m, block(m, 2, update(m, acc, IR_ADD, at(m, a, i)),
                               store(m, at(m, a, i), get(m, acc)))),
               "acc0");
    maker_init(m, m->arena, "mixed", OPERATION_REDUCE);
    const struct ir_var *j = index_var(m, "j");
    const struct ir_var *sum = acc_var(m, "sum", TYPE_DOUBLE);
    const struct ir_var *b = vector(m, "b", TYPE_DOUBLE);
    expect_not(finish(m, block(m, 2, update(m, sum, IR_ADD, at(m, b, j)),
                               update(m, sum, IR_MUL, at(m, b, j)))),
               "sum0");
}

static void test_reduce_with_a_loop(void **state)
{
    BEGIN("rows", OPERATION_REDUCE);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *acc = acc_var(m, "acc", TYPE_INT32);
    const struct ir_var *a = parameter_var(m, "a", view_of(m, TYPE_INT32, 2, LAYOUT_RIGHT));
    const struct ir_var *n = parameter_var(m, "n", scalar(TYPE_INT64));
    const struct ir_var *j = local_var(m, "j", scalar(TYPE_INT64));
    const struct str text = finish(
        m,
        block(m, 1,
              loop(m, j, integer(m, 0), get(m, n), NULL,
                   block(m, 1,
                         update(m, acc, IR_ADD, element(m, get(m, a), 2, get(m, i), get(m, j)))))));
    expect(text, "for (pkc::int64 j = 0; j < n; ++j) {\n            acc = pkc::int32(");
    expect(text, "*static_cast<pkc::int32 *>(result) = acc;");
}

static void test_scan(void **state)
{
    BEGIN("cumsum", OPERATION_SCAN);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *acc = acc_var(m, "acc", TYPE_INT64);
    const struct ir_var *last = last_pass_var(m, "last_pass");
    const struct ir_var *a = vector(m, "a", TYPE_INT64);
    const struct str text =
        finish(m, block(m, 2, update(m, acc, IR_ADD, at(m, a, i)),
                        branch(m, get(m, last), block(m, 1, store(m, at(m, a, i), get(m, acc))),
                               block(m, 0))));
    expect(text, "acc = pkc::add(acc, a(i));");
    expect(text, "work(at, true);");
    expect(text, "work(at, false);");
    expect(text, "void *result, int final_pass)");
}

static void test_box(void **state)
{
    BEGIN("copy", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *j = index_var(m, "j");
    const struct ir_var *a = parameter_var(m, "a", view_of(m, TYPE_DOUBLE, 2, LAYOUT_LEFT));
    const struct str text = finish(
        m, block(m, 1, store(m, element(m, get(m, a), 2, get(m, i), get(m, j)), number(m, -0.1))));
    /* The first index is contiguous. */
    expect(text, "    for (pkc::int64 j = begin[1]; j < j_end; ++j) {\n"
                 "        for (pkc::int64 i = begin[0]; i < i_end; ++i) {\n"
                 "            a(i, j) = -0.1;\n");
}

static void test_names_of_the_text_give_way(void **state)
{
    BEGIN("sin", OPERATION_REDUCE);
    const struct ir_var *i = index_var(m, "begin");
    const struct ir_var *acc = acc_var(m, "work", TYPE_DOUBLE);
    const struct ir_var *a = vector(m, "args", TYPE_DOUBLE);
    const struct ir_var *b = vector(m, "sin", TYPE_DOUBLE);
    const struct ir_var *c = vector(m, "work0", TYPE_DOUBLE);
    const struct str text = finish(m, block(m, 1,
                                            update(m, acc, IR_ADD,
                                                   op2(m, IR_MUL, math1(m, MATH_SIN, at(m, a, i)),
                                                       op2(m, IR_ADD, at(m, b, i), at(m, c, i))))));
    expect(text, "work += ::sin(args(begin)) * (sin(begin) + work0(begin));");
    expect(text, "extern \"C\" double sin(double) noexcept;");
}

/* ---- integers ------------------------------------------------------------------------------- */

static struct str integer_text(struct maker *m, enum ir_expr_kind kind, bool by_constant,
                               int64_t constant)
{
    maker_init(m, m->arena, "ints", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *a = vector(m, "a", TYPE_INT32);
    const struct ir_var *b = vector(m, "b", TYPE_INT32);
    const struct ir_var *out = vector(m, "out", TYPE_INT64);
    const expr right = by_constant ? integer(m, constant) : wide_at(m, b, i);
    return finish(m, block(m, 1, store(m, at(m, out, i), op2(m, kind, wide_at(m, a, i), right))));
}

static void test_narrow_arithmetic(void **state)
{
    struct maker *const m = *state;
    expect(integer_text(m, IR_MIN, false, 0), "out(i) = pkc::min(a(i), b(i));");
    expect(integer_text(m, IR_BIT_AND, false, 0), "out(i) = a(i) & b(i);");
    expect(integer_text(m, IR_RSHIFT, true, 2), "out(i) = a(i) >> 2;");
    expect(integer_text(m, IR_RSHIFT, true, 40), "out(i) = pkc::int64(a(i)) >> 40;");
    expect(integer_text(m, IR_ADD, false, 0), "out(i) = pkc::int64(a(i)) + b(i);");
    expect(integer_text(m, IR_MUL, true, 3), "out(i) = pkc::int64(a(i)) * 3;");
    expect(integer_text(m, IR_FLOORDIV, true, 3), "out(i) = pkc::floordiv32(a(i), 3);");
    expect(integer_text(m, IR_FLOORDIV, true, 8), "out(i) = a(i) >> 3;");
    expect(integer_text(m, IR_MOD, true, 8), "out(i) = a(i) & 7;");
    /* -2**31 // -1 does not fit. */
    expect(integer_text(m, IR_FLOORDIV, false, 0), "out(i) = pkc::floordiv(a(i), b(i));");
    expect(integer_text(m, IR_LSHIFT, false, 0), "out(i) = pkc::shl(a(i), b(i));");
}

static void test_wide_arithmetic_wraps(void **state)
{
    BEGIN("wraps", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *n = parameter_var(m, "n", scalar(TYPE_INT64));
    const struct ir_var *u = vector(m, "u", TYPE_UINT64);
    const struct ir_var *out = vector(m, "out", TYPE_INT64);
    const expr place = at(m, out, i);
    const struct str text = finish(
        m, block(m, 5, store(m, place, op2(m, IR_ADD, get(m, n), integer(m, 1))),
                 store(m, place,
                       op2(m, IR_ADD, op2(m, IR_MUL, integer(m, 2), get(m, i)), integer(m, 1))),
                 store(m, place, op1(m, IR_NEG, get(m, n))), store(m, place, integer(m, INT64_MIN)),
                 store(m, at(m, u, i), op2(m, IR_MUL, at(m, u, i), uinteger(m, UINT64_MAX)))));
    expect(text, "out(i) = pkc::add(n, 1);");
    expect(text, "out(i) = 2 * i + 1;");
    expect(text, "out(i) = pkc::neg(n);");
    expect(text, "out(i) = (-9223372036854775807 - 1);");
    expect(text, "u(i) *= 18446744073709551615ul;");
}

static void test_division_and_comparison_are_exact(void **state)
{
    BEGIN("exact", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *n = parameter_var(m, "n", scalar(TYPE_INT64));
    const struct ir_var *x = vector(m, "x", TYPE_DOUBLE);
    const struct ir_var *flag = vector(m, "flag", TYPE_BOOL);
    const struct str text = finish(
        m, block(m, 7, store(m, at(m, x, i), op2(m, IR_TRUEDIV_INT, get(m, i), integer(m, 3))),
                 store(m, at(m, x, i), op2(m, IR_TRUEDIV_INT, get(m, n), get(m, i))),
                 store(m, at(m, flag, i), op2(m, IR_LT, get(m, i), at(m, x, i))),
                 store(m, at(m, flag, i), op2(m, IR_LT, get(m, n), at(m, x, i))),
                 store(m, at(m, flag, i), op2(m, IR_LE, at(m, x, i), get(m, n))),
                 store(m, at(m, flag, i), op2(m, IR_EQ, get(m, n), get(m, n))),
                 store(m, at(m, flag, i), op2(m, IR_NE, at(m, x, i), at(m, x, i)))));
    expect(text, "x(i) = double(i) / 3.0;");
    expect(text, "x(i) = pkc::truediv(n, i);");
    expect(text, "flag(i) = double(i) < x(i);");
    expect(text, "flag(i) = pkc::compare(n, x(i)) < 0;");
    expect(text, "flag(i) = pkc::above(pkc::compare(n, x(i))) >= 0;");
    expect(text, "flag(i) = true;");
    expect(text, "flag(i) = x(i) != x(i);");
}

static void test_precedence(void **state)
{
    BEGIN("groups", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *x = vector(m, "x", TYPE_DOUBLE);
    const struct ir_var *k = vector(m, "k", TYPE_INT32);
    const struct ir_var *f = vector(m, "f", TYPE_BOOL);
    const expr a = at(m, x, i), b = wide_at(m, k, i), c = at(m, f, i);
    const struct str text = finish(
        m,
        block(m, 6, store(m, a, op2(m, IR_SUB, a, op2(m, IR_SUB, a, op2(m, IR_ADD, a, a)))),
              store(m, a, op2(m, IR_MUL, op2(m, IR_ADD, a, a), op1(m, IR_NEG, number(m, -2.0)))),
              store(m, c, op2(m, IR_OR, c, op2(m, IR_AND, c, op1(m, IR_NOT, op2(m, IR_OR, c, c))))),
              store(m, c, op2(m, IR_AND, op2(m, IR_OR, c, c), op2(m, IR_LT, a, a))),
              store(m, at(m, k, i),
                    convert(m, TYPE_INT32,
                            op2(m, IR_BIT_OR, op2(m, IR_BIT_AND, b, integer(m, 3)),
                                op2(m, IR_LSHIFT, op2(m, IR_BIT_AND, b, integer(m, 1)),
                                    integer(m, 4))))),
              store(m, a, op3(m, IR_SELECT, c, op3(m, IR_SELECT, c, a, number(m, 1.0)), a))));
    expect(text, "x(i) -= x(i) - (x(i) + x(i));");
    expect(text, "x(i) = (x(i) + x(i)) * -(-2.0);");
    expect(text, "f(i) = f(i) || (f(i) && !(f(i) || f(i)));");
    expect(text, "f(i) = (f(i) || f(i)) && x(i) < x(i);");
    expect(text, "k(i) = (k(i) & 3) | ((k(i) & 1) << 4);");
    expect(text, "x(i) = f(i) ? (f(i) ? x(i) : 1.0) : x(i);");
}

/* ---- variables ------------------------------------------------------------------------------ */

static void test_declarations(void **state)
{
    BEGIN("scopes", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = vector(m, "v", TYPE_DOUBLE);
    const struct type *d = scalar(TYPE_DOUBLE);
    const struct ir_var *once = local_var(m, "once", d), *both = local_var(m, "both", d),
                        *kept = local_var(m, "kept", d), *inside = local_var(m, "inside", d),
                        *dead = local_var(m, "dead", d), *j = local_var(m, "j", scalar(TYPE_INT64)),
                        *own = local_var(m, "own", d);
    const expr place = at(m, v, i), test = op2(m, IR_GT, place, number(m, 0.0));
    const struct str text = finish(
        m, block(m, 4, assign(m, once, place),
                 branch(m, test, block(m, 1, assign(m, both, number(m, 1.0))),
                        block(m, 1, assign(m, both, number(m, 2.0)))),
                 loop(m, j, integer(m, 0), integer(m, 3), NULL,
                      block(m, 7, assign(m, inside, op2(m, IR_ADD, get(m, once), get(m, both))),
                            assign(m, dead, number(m, 0.0)), assign(m, own, number(m, 1.0)),
                            assign(m, own, op2(m, IR_MUL, get(m, own), get(m, once))),
                            branch(m, op2(m, IR_EQ, get(m, j), integer(m, 0)),
                                   block(m, 1, assign(m, kept, get(m, inside))), block(m, 0)),
                            store(m, place, get(m, kept)),
                            assign(m, inside, op2(m, IR_MUL, get(m, inside), number(m, 2.0))))),
                 store(m, place, get(m, once))));
    expect(text, "        const double once = v(i);\n");
    expect(text, "        double both;\n        if (v(i) > 0.0) {\n            both = 1.0;\n");
    expect(text, "        double kept = 0.0;\n        for (pkc::int64 j = 0; j < 3; ++j) {\n"
                 "            double inside = once + both;\n"
                 "            [[maybe_unused]] const double dead = 0.0;\n"
                 "            [[maybe_unused]] double own = 1.0;\n            own *= once;\n");
    expect(text, "            inside *= 2.0;\n");
}

static void test_loops(void **state)
{
    BEGIN("loops", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = vector(m, "v", TYPE_INT64);
    const struct ir_var *n = parameter_var(m, "n", scalar(TYPE_INT64));
    const struct type *t = scalar(TYPE_INT64);
    const struct ir_var *j = local_var(m, "j", t), *k = local_var(m, "k", t),
                        *l = local_var(m, "l", t), *s = local_var(m, "s", t);
    const expr place = at(m, v, i);
    const struct str text = finish(
        m, block(m, 7,
                 loop(m, j, op2(m, IR_SUB, get(m, n), integer(m, 1)), integer(m, -1),
                      integer(m, -1), block(m, 1, store(m, place, get(m, j)))),
                 loop(m, j, integer(m, 0), place, NULL, block(m, 1, store(m, place, get(m, j)))),
                 loop(m, j, integer(m, 0), integer(m, 100), integer(m, 3),
                      block(m, 1, store(m, place, get(m, j)))),
                 loop(m, k, integer(m, 0), get(m, n), get(m, n),
                      block(m, 1, assign(m, k, op2(m, IR_ADD, get(m, k), integer(m, 5))))),
                 assign(m, l, integer(m, 7)),
                 loop(m, l, integer(m, 0), get(m, n), NULL,
                      block(m, 2, jump(m, IR_CONTINUE, NULL), assign(m, s, get(m, l)))),
                 store(m, place, get(m, l))));
    expect(text, "for (pkc::int64 j = pkc::sub(n, 1); j > -1; --j) {");
    expect(text, "for (pkc::int64 j = 0, j_end = v(i); j < j_end; ++j) {");
    expect(text, "for (pkc::int64 j = 0; j < 100; j += 3) {");
    expect(text, "pkc::range_count(k_next, k_next_stop, k_next_step)");
    expect(text, "pkc::int64 k = k_next;\n");
    expect(text, "        pkc::int64 l = 7;\n");
    expect(text, "            l = l_next;\n            continue;\n");
}

static void test_counter_as_float(void **state)
{
    BEGIN("ramp", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = parameter_var(m, "v", view_of(m, TYPE_DOUBLE, 2, LAYOUT_RIGHT));
    const struct ir_var *n = parameter_var(m, "n", scalar(TYPE_INT64));
    const struct ir_var *j = local_var(m, "j", scalar(TYPE_INT64));
    const struct str text =
        finish(m, block(m, 1,
                        loop(m, j, integer(m, 0), get(m, n), NULL,
                             block(m, 1,
                                   store(m, element(m, get(m, v), 2, get(m, i), get(m, j)),
                                         convert(m, TYPE_DOUBLE, get(m, j)))))));
    expect(text, "        pkc::count_up(0, n, [&](const auto j_at) PKC_LAMBDA {\n"
                 "            const pkc::int64 j = j_at;\n            v(i, j) = double(j);\n"
                 "        });\n");
}

static void test_return_inside_a_loop(void **state)
{
    BEGIN("search", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *j = index_var(m, "j");
    const struct ir_var *v = vector(m, "v", TYPE_DOUBLE);
    const struct ir_var *k = local_var(m, "k", scalar(TYPE_INT64));
    const struct str text =
        finish(m, block(m, 1,
                        loop(m, k, get(m, i), get(m, j), NULL,
                             block(m, 1,
                                   branch(m, op2(m, IR_GT, at(m, v, k), number(m, 0.0)),
                                          block(m, 2, store(m, at(m, v, k), number(m, 0.0)),
                                                jump(m, IR_RETURN, NULL)),
                                          block(m, 0))))));
    expect(text, "const auto work = [&](const pkc::int64 i, const pkc::int64 j) PKC_LAMBDA {");
    expect(text, "            work(i, j);\n");
}

static void test_assigned_parameters(void **state)
{
    BEGIN("assigned", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = vector(m, "v", TYPE_DOUBLE);
    const struct ir_var *x = parameter_var(m, "x", scalar(TYPE_DOUBLE));
    const struct str text =
        finish(m, block(m, 3, assign(m, x, op2(m, IR_MUL, get(m, x), number(m, 2.0))),
                        store(m, at(m, v, i), get(m, x)),
                        assign(m, i, op2(m, IR_ADD, get(m, i), integer(m, 1)))));
    expect(text, "    const double x_given = given.x;\n");
    expect(text,
           "    for (pkc::int64 i_next = begin; i_next < end; ++i_next) {\n"
           "        pkc::int64 i = i_next;\n        double x = x_given;\n        x *= 2.0;\n");
}

/* ---- functions ------------------------------------------------------------------------------ */

static void test_helpers(void **state)
{
    BEGIN("calls", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = vector(m, "v", TYPE_INT64);
    struct ir_function *f = function(m, "factorial", scalar(TYPE_INT64), false);
    const struct ir_var *n = function_var(m, f, "n", scalar(TYPE_INT64), true);
    f->recursive = true;
    f->body = block(
        m, 2,
        branch(m, op2(m, IR_LE, get(m, n), integer(m, 1)),
               block(m, 1, jump(m, IR_RETURN, integer(m, 1))), block(m, 0)),
        jump(m, IR_RETURN,
             op2(m, IR_MUL, get(m, n), call(m, f, 1, op2(m, IR_SUB, get(m, n), integer(m, 1))))));
    const struct str text = finish(m, block(m, 1, store(m, at(m, v, i), call(m, f, 1, get(m, i)))));
    expect(text, "static pkc::int64 factorial(pkc::int64 n);\n");
    expect(text,
           "static pkc::int64 factorial(const pkc::int64 n)\n{\n    if (n <= 1) {\n"
           "        return 1;\n    }\n    return pkc::mul(n, factorial(pkc::sub(n, 1)));\n}\n");
}

static void test_inner_function_sees_variables_defined_after_it(void **state)
{
    BEGIN("inner", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = vector(m, "v", TYPE_DOUBLE);
    const struct ir_var *x = local_var(m, "x", scalar(TYPE_DOUBLE));
    struct ir_function *f = function(m, "scaled", scalar(TYPE_DOUBLE), true);
    const struct ir_var *k = function_var(m, f, "k", scalar(TYPE_DOUBLE), true);
    f->body = block(m, 1, jump(m, IR_RETURN, op2(m, IR_MUL, get(m, x), get(m, k))));
    const expr place = at(m, v, i);
    const struct str text = finish(m, block(m, 3, assign(m, x, number(m, 3.0)),
                                            store(m, place, call(m, f, 1, number(m, 2.0))),
                                            assign(m, x, number(m, 4.0))));
    expect(text, "        double x = 3.0;\n"
                 "        const auto scaled = [&](const double k) -> double {\n"
                 "            return x * k;\n        };\n        v(i) = scaled(2.0);\n");
}

/* Many ways lead from the first function to the last: each is looked at once. */
static void test_inner_functions_that_call_each_other(void **state)
{
    BEGIN("chain", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = vector(m, "v", TYPE_INT64);
    struct ir_function *f[40];
    for (int n = 0; n < 40; n++) {
        f[n] = function(m, str_format(m->arena, "f%d", n).ptr, scalar(TYPE_INT64), true);
        expr sum = get(m, i);
        for (int c = n > 6 ? n - 6 : 0; c < n; c++) {
            sum = op2(m, IR_ADD, sum, call(m, f[c], 0));
        }
        f[n]->body = block(m, 1, jump(m, IR_RETURN, sum));
    }
    const struct str text = text_of(m, block(m, 2, store(m, at(m, v, i), integer(m, 0)),
                                             store(m, at(m, v, i), call(m, f[39], 0))));
    expect(text, "        v(i) = 0;\n        const auto f0 = [&]() -> pkc::int64 {\n"
                 "            return i;\n        };\n        const auto f1 = ");
    expect(text, "        v(i) = f39();\n");
}

static void test_atomics_printf_and_checks(void **state)
{
    BEGIN("effects", OPERATION_FOR);
    const struct ir_var *i = index_var(m, "i");
    const struct ir_var *v = vector(m, "v", TYPE_DOUBLE);
    const struct ir_var *old = local_var(m, "old", scalar(TYPE_DOUBLE));
    const struct str text = finish(
        m,
        block(m, 4, check(m, op2(m, IR_GT, get(m, i), integer(m, 0)), "a.py:3:4: \"i\" > 0\?\?/"),
              evaluate(m, atomic(m, ATOMIC_ADD, FETCH_NONE, at(m, v, i), number(m, 1.0))),
              assign(m, old, atomic(m, ATOMIC_MAX, FETCH_OLD, at(m, v, i), number(m, 1.0))),
              evaluate(m, print(m, "%lld: %r is %b\n100%%\n", 3, get(m, i), get(m, old),
                                boolean(m, true)))));
    expect(text, "PKC_CHECK(i > 0, \"a.py:3:4: \\\"i\\\" > 0\\?\\?/\");");
    expect(text, "pkc::atomic_add(&v(i), 1.0);");
    expect(text, "const double old = pkc::atomic_fetch_max(&v(i), 1.0);");
    expect(text, "printf(\"%lld: %s is %s\\n100%%\\n\", static_cast<long long>(i), "
                 "pkc::repr(old).text, true ? \"True\" : \"False\");");
}

/* ---- names ---------------------------------------------------------------------------------- */

static void test_identifiers(void **state)
{
    struct maker *const m = *state;
    static const char *const pairs[][2] = {
        {"x", "x"},
        {"class_", "class__"},
        {"double", "double_"},
        {"_x", "_x"},
        {"__x", "__x_"},
        {"_X", "_X_"},
        {"pkc", "pkc_"},
        {"NULL", "NULL_"},
        {"x_", "x__"},
        {"\xC3\xA9t\xC3\xA9", "\xC3\xA9t\xC3\xA9"},
        {"\xF0\x9D\x84\x9E", "_u1D11E__"},
        {"_u1D11E_", "_u5F_u1D11E__"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct str got = cpp_identifier(m->arena, str_from(pairs[i][0]));
        assert_string_equal(got.ptr, pairs[i][1]);
    }
    assert_string_equal(cpp_namespace(m->arena, STR("index")).ptr, "index_");
    assert_string_equal(cpp_namespace(m->arena, STR("kernels")).ptr, "kernels");
}

static struct str symbol(struct maker *m, const char *class_name, const char *name,
                         const char *instance)
{
    const struct kernel k = {
        .class_name = str_from(class_name), .name = str_from(name), .instance = str_from(instance)};
    return kernel_symbol(m->arena, &k);
}

static void test_symbols_are_distinct(void **state)
{
    struct maker *const m = *state;
    static const char *const words[] = {"",   "a",   "b", "_",   "__",   "a_",  "_a",  "a__b",
                                        "_0", "a_0", "0", "0_a", "b__0", "a_b", "_a_", "a___b"};
    const size_t count = sizeof words / sizeof words[0];
    struct map seen;
    map_init(&seen, m->arena);
    for (size_t i = 0; i < count * count * count; i++) {
        const char *c = words[i % count], *n = words[i / count % count],
                   *t = words[i / count / count];
        if (*n == '\0' || *n == '0' || *c == '0') {
            continue; /* not a name */
        }
        const struct str s = symbol(m, c, n, t);
        if (map_has(&seen, s)) {
            fail_msg("%s of (%s, %s, %s) is not unique", s.ptr, c, n, t);
        }
        map_set(&seen, s, m);
    }
    assert_string_equal(symbol(m, "", "scale", "").ptr, "scale");
    assert_string_equal(symbol(m, "Lattice", "step", "").ptr, "Lattice__step");
    assert_string_equal(symbol(m, "", "axpy", "double").ptr, "axpy__0double");
}

static void test_templates(void **state)
{
    struct maker *const m = *state;
    const struct template_value values[] = {
        {"LINES", STR("a;\n\nb;\n")}, {"NONE", STR("")}, {"WORD", STR("w")}};
    struct buf out;
    buf_init(&out, m->arena);
    template_expand(&out, STR("x @WORD@@WORD@ @OTHER@ me@home\n    @LINES@\n@NONE@\n\nend\n"),
                    values, 3);
    assert_string_equal(out.ptr, "x ww @OTHER@ me@home\n    a;\n\n    b;\nend\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_triad, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reduce_in_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_largest_in_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counter_as_float, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reduce_with_a_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scan, setup, teardown),
        cmocka_unit_test_setup_teardown(test_box, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_of_the_text_give_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_narrow_arithmetic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wide_arithmetic_wraps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_division_and_comparison_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(test_precedence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_declarations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loops, setup, teardown),
        cmocka_unit_test_setup_teardown(test_return_inside_a_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_assigned_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_helpers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_inner_function_sees_variables_defined_after_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_inner_functions_that_call_each_other, setup, teardown),
        cmocka_unit_test_setup_teardown(test_atomics_printf_and_checks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_identifiers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_symbols_are_distinct, setup, teardown),
        cmocka_unit_test_setup_teardown(test_templates, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

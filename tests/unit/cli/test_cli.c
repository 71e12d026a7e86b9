/* The command's small parts: options, encodings, options files, states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/diff.h"
#include "cli/target.h"

struct fixture {
    struct arena *a;
    char dir[64];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->a = arena_new(NULL, NULL);
    strcpy(f->dir, "cli-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char rm[] = "rm";
    char option[] = "-rf";
    char *argv[] = {rm, option, f->dir, NULL};
    struct process_result r;
    struct error e;
    assert_true(process_run(f->a, argv, NULL, PROCESS_INHERIT, &r, &e));
    arena_free(f->a);
    free(f);
    return 0;
}

static void options_of_all_kinds(void **state)
{
    struct fixture *f = *state;
    bool set = false;
    struct str one = {0};
    struct str letter = {0};
    struct vec many;
    struct vec operands;
    int code = CLI_OK;
    vec_init(&many, f->a);
    vec_init(&operands, f->a);
    const struct cli_option options[] = {
        {"json", NULL, "", &set, NULL, NULL},
        {"name", "NAME", "", NULL, &one, NULL},
        {"o", "DIR", "", NULL, &letter, NULL},
        {"each", "E", "", NULL, NULL, &many},
    };
    const struct cli_command c = {"test", "FILE...", "", options, 4};
    char *argv[] = {(char *)"test",
                    (char *)"a.py",
                    (char *)"--json",
                    (char *)"--name=x y",
                    (char *)"-oout",
                    (char *)"--each",
                    (char *)"1",
                    (char *)"--each=2",
                    (char *)"--",
                    (char *)"-b.py",
                    NULL};
    assert_true(cli_parse(&c, 10, argv, &operands, &code));
    assert_true(set);
    assert_true(str_equal_c(one, "x y"));
    assert_true(str_equal_c(letter, "out"));
    assert_int_equal(many.count, 2);
    assert_true(str_equal_c(*(struct str *)many.items[1], "2"));
    assert_int_equal(operands.count, 2);
    assert_true(str_equal_c(*(struct str *)operands.items[1], "-b.py"));
}

static void wrong_options(void **state)
{
    struct fixture *f = *state;
    bool set = false;
    struct str one = {0};
    const struct cli_option options[] = {
        {"json", NULL, "", &set, NULL, NULL},
        {"o", "DIR", "", NULL, &one, NULL},
    };
    const struct cli_command c = {"test", "", "", options, 2};
    const char *const wrong[] = {"--jso", "--json=1", "-o",      "-x",
                                 "-json", "--o=1",    "operand", "--"};
    (void)f;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char *argv[] = {(char *)"test", (char *)wrong[i], NULL};
        int code = CLI_OK;
        bool parsed = cli_parse(&c, 2, argv, NULL, &code);
        if (strcmp(wrong[i], "--") == 0) {
            assert_true(parsed);
        } else {
            assert_false(parsed);
            assert_int_equal(code, CLI_USAGE);
        }
    }
}

static void encoding_is_its_own_inverse(void **state)
{
    struct fixture *f = *state;
    const char *const texts[] = {"", "plain", "100%", "%0A", "a\nb\rc", "%", "%4", "ü π", "%zz"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct str encoded = cli_encode(f->a, str_from(texts[i]));
        assert_null(memchr(encoded.ptr, '\n', encoded.len));
        assert_string_equal(cli_decode(f->a, encoded).ptr, texts[i]);
    }
    /* What was not encoded by us comes through, too. */
    assert_string_equal(cli_decode(f->a, STR("%4")).ptr, "%4");
    assert_string_equal(cli_decode(f->a, STR("%zz%41")).ptr, "%zzA");
}

static struct cli_target example(struct fixture *f)
{
    static const struct str sources[] = {{"a b.py", 6}, {"x\ny.py", 6}};
    static const struct str entries[] = {{"axpy(x: View1D[float])", 22}};
    struct cli_target t = {
        .request = {.target = STR("kern"),
                    .output_dir = str_from(f->dir),
                    .source_dir = STR("/s%rc"),
                    .sources = sources,
                    .source_count = 2,
                    .instantiate = entries,
                    .instantiate_count = 1,
                    .default_real = TYPE_FLOAT,
                    .execution_space = STR("Kokkos::Serial"),
                    .python_module = true,
                    .module_name = STR("mod")},
        .depfile_target = STR("pykokkos/kern/kern.stamp"),
        .store = STR("/st ore"),
    };
    vec_init(&t.relist, f->a);
    vec_init(&t.extra_inputs, f->a);
    return t;
}

static void options_file_round_trip(void **state)
{
    struct fixture *f = *state;
    struct cli_target t = example(f);
    struct cli_target back;
    struct error e;
    struct str path = target_file(f->a, &t, ".options");
    assert_true(file_write(path.ptr, target_options(f->a, &t), false, &e));
    assert_true(target_read(f->a, path.ptr, &back, &e));
    assert_string_equal(back.request.target.ptr, "kern");
    assert_string_equal(back.request.source_dir.ptr, "/s%rc");
    assert_int_equal(back.request.source_count, 2);
    assert_string_equal(back.request.sources[1].ptr, "x\ny.py");
    assert_string_equal(back.request.instantiate[0].ptr, "axpy(x: View1D[float])");
    assert_int_equal(back.request.default_real, TYPE_FLOAT);
    assert_true(back.request.python_module);
    assert_string_equal(back.request.module_name.ptr, "mod");
    assert_string_equal(back.store.ptr, "/st ore");
    assert_true(str_equal(target_options(f->a, &back), target_options(f->a, &t)));
}

static void bad_options_files(void **state)
{
    struct fixture *f = *state;
    const char *const bad[] = {"", "target=x\n", "no equals sign\n",
                               "target=x\noutput_dir=y\nunknown=1\n"};
    struct str path = path_join(f->a, str_from(f->dir), STR("bad.options"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct cli_target t;
        struct error e = {{0}};
        assert_true(file_write(path.ptr, str_from(bad[i]), false, &e));
        assert_false(target_read(f->a, path.ptr, &t, &e));
        assert_true(e.text[0] != '\0');
    }
}

static void put(struct fixture *f, struct state *s, const char *name, uint8_t hash,
                const char *form)
{
    struct state_entry *entry = ARENA_NEW(f->a, struct state_entry);
    *entry = (struct state_entry){.name = str_from(name),
                                  .module = STR("m"),
                                  .workunit = str_from(name),
                                  .ast_hash = {{hash}},
                                  .signature_hash = {{1}},
                                  .canonical = str_from(form)};
    map_set(&s->by_name, entry->name, entry);
}

static void state_round_trip_and_comparison(void **state)
{
    struct fixture *f = *state;
    struct cli_target t = example(f);
    struct state old;
    struct state now;
    struct state back;
    struct error e;
    old = now = (struct state){.changes = STR(""), .build = STR("")};
    map_init(&old.by_name, f->a);
    map_init(&now.by_name, f->a);
    old.build = STR("12-345");
    old.time = 1767225600;
    put(f, &old, "m.same", 1, "form\nof two lines");
    put(f, &old, "m.changed", 2, "a\n");
    ((struct state_entry *)map_get(&old.by_name, STR("m.changed")))->was = STR("before\nit\n");
    put(f, &old, "m.gone", 3, "");
    put(f, &now, "m.same", 1, "form\nof two lines");
    put(f, &now, "m.changed", 9, "b\n");
    put(f, &now, "m.new", 4, "n");
    old.changes = STR("m.changed: body\nm.new: first build\n");
    assert_true(state_write(f->a, &t, &old, &e));
    state_read(f->a, &t, &back);
    assert_true(str_equal(back.changes, old.changes));
    assert_true(str_equal_c(back.build, "12-345"));
    assert_int_equal(back.time, 1767225600);
    assert_int_equal(back.by_name.count, 3);
    const struct state_entry *changed = map_get(&back.by_name, STR("m.changed"));
    assert_true(str_equal_c(changed->was, "before\nit\n"));
    const struct state_entry *same = map_get(&back.by_name, STR("m.same"));
    assert_non_null(same);
    assert_true(str_equal_c(same->canonical, "form\nof two lines"));

    size_t count;
    const struct state_change *changes = state_compare(f->a, &back, &now, NULL, &count);
    assert_int_equal(count, 3);
    assert_string_equal(changes[0].after->name.ptr, "m.changed");
    assert_non_null(changes[0].before);
    assert_string_equal(changes[1].after->name.ptr, "m.new");
    assert_null(changes[1].before);
    assert_true(str_equal_c(changes[2].before->name, "m.gone"));
    assert_null(changes[2].after);
}

static void damaged_states_read_as_none(void **state)
{
    struct fixture *f = *state;
    struct cli_target t = example(f);
    struct state s;
    struct error e;
    struct str path = target_file(f->a, &t, ".state");
    s = (struct state){.changes = STR("m.one: body\n"), .build = STR("")};
    map_init(&s.by_name, f->a);
    put(f, &s, "m.one", 1, "a form");
    put(f, &s, "m.two", 2, "another\nform");
    assert_true(state_write(f->a, &t, &s, &e));
    struct str whole;
    assert_true(file_read(f->a, path.ptr, 0, &whole, &e));
    struct state back;
    for (size_t cut = 0; cut < whole.len; cut++) {
        assert_true(file_write(path.ptr, str_slice(whole, 0, cut), false, &e));
        state_read(f->a, &t, &back);
        assert_int_equal(back.by_name.count, 0);
        assert_int_equal(back.changes.len, 0);
        assert_true(back.is_unreadable);
    }
    for (size_t bit = 0; bit < 8 * whole.len; bit++) {
        struct str flipped = str_copy(f->a, whole);
        ((char *)flipped.ptr)[bit / 8] ^= (char)(1 << bit % 8);
        assert_true(file_write(path.ptr, flipped, false, &e));
        state_read(f->a, &t, &back);
        assert_int_equal(back.by_name.count, 0);
        assert_int_equal(back.changes.len, 0);
        assert_true(back.is_unreadable);
    }
    /* Nothing is said of what was there before, and that is said. */
    size_t count;
    const struct state_change *changes = state_compare(f->a, &back, &s, NULL, &count);
    assert_int_equal(count, 2);
    assert_true(str_starts_with(changes[0].cause, "not known: "));
    assert_true(file_write(path.ptr, whole, false, &e));
    state_read(f->a, &t, &back);
    assert_int_equal(back.by_name.count, 2);
    assert_false(back.is_unreadable);
    assert_int_equal(remove(path.ptr), 0);
    state_read(f->a, &t, &back);
    assert_int_equal(back.by_name.count, 0);
    assert_false(back.is_unreadable);
}

static void expect_diff(struct fixture *f, const char *old, const char *now, const char *expected)
{
    struct vec lines;
    struct buf b;
    vec_init(&lines, f->a);
    buf_init(&b, f->a);
    cli_diff(f->a, str_from(old), str_from(now), &lines);
    for (size_t i = 0; i < lines.count; i++) {
        buf_printf(&b, STR_FMT "\n", STR_ARG(*(const struct str *)lines.items[i]));
    }
    assert_string_equal(buf_str(&b).ptr, expected);
}

static void diff_shows_what_went_and_came(void **state)
{
    struct fixture *f = *state;
    expect_diff(f, "a\n b\n", "a\n b\n", "");
    expect_diff(f, "", "a\n", "+ a\n");
    expect_diff(f, "a\n", "", "- a\n");
    expect_diff(f, "w\n 1\n 2\n 3\n 4\n", "w\n 1\n 2\n 5\n 4\n",
                "@ w\n   1\n   2\n-  3\n+  5\n   4\n");
    expect_diff(f, "w\n 1\n", "w\n 1\n 2\n", "  w\n   1\n+  2\n");
    /* Two places far apart, each below its definition. */
    expect_diff(f, "v\n 1\n 2\n 3\nw\n 4\n 5\n 6\n 7\n", "v\n 9\n 2\n 3\nw\n 4\n 5\n 6\n 8\n",
                "  v\n-  1\n+  9\n   2\n   3\n@ w\n   5\n   6\n-  7\n+  8\n");
    /* A line moved is not the whole text. */
    expect_diff(f, "a\nb\nc\nd\ne\nf\ng\n", "b\nc\nd\ne\nf\na\ng\n",
                "- a\n  b\n  c\n  e\n  f\n+ a\n  g\n");
}

/* Too long for a table: what is between the equal ends is taken as a whole. */
static void diff_of_long_texts(void **state)
{
    struct fixture *f = *state;
    struct buf old;
    struct buf now;
    struct vec lines;
    buf_init(&old, f->a);
    buf_init(&now, f->a);
    vec_init(&lines, f->a);
    for (int i = 0; i < 3000; i++) {
        buf_printf(&old, " %d\n", i);
        buf_printf(&now, " %d\n", i == 0 || i == 2999 ? i : -i);
    }
    cli_diff(f->a, buf_str(&old), buf_str(&now), &lines);
    assert_int_equal(lines.count, 2 * 2998 + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(options_of_all_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_options, set_up, tear_down),
        cmocka_unit_test_setup_teardown(encoding_is_its_own_inverse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(options_file_round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_options_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(state_round_trip_and_comparison, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_states_read_as_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(diff_shows_what_went_and_came, set_up, tear_down),
        cmocka_unit_test_setup_teardown(diff_of_long_texts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

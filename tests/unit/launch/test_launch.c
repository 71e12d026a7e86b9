#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first */
#include <cmocka.h>

#include "launch/direct.h"
#include "launch/private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define assert_str(s, expected)                              \
    do {                                                     \
        const struct str got_ = (s);                         \
        assert_int_equal(got_.len, strlen(expected));        \
        assert_memory_equal(got_.ptr, (expected), got_.len); \
    } while (0)

static int setup(void **state)
{
    *state = arena_new(NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

/* Splits at blanks; "_" stands for a blank in a word. */
static int split(struct arena *a, const char *text, char ***words)
{
    char *copy = arena_alloc(a, strlen(text) + 1);
    strcpy(copy, text);
    struct vec v;
    vec_init(&v, a);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        vec_push(&v, word);
    }
    const int count = (int)v.count;
    vec_push(&v, NULL);
    *words = (char **)v.items;
    return count;
}

static bool parse(struct arena *a, const char *text, const char *compiler, struct command *c)
{
    char **words = NULL;
    struct error e;
    const int count = split(a, text, &words);
    return command_parse(a, count, words, compiler, c, &e);
}

static void test_a_usual_command(void **state)
{
    struct arena *a = *state;
    struct command c;
    assert_true(parse(a,
                      "ccache g++ -DA=1 -D B -I/i -isystem /s -O3 -std=c++17 -MD -MT x.o -MF x.d "
                      "-o x.o -c x.kernel.cpp",
                      NULL, &c));
    assert_int_equal(c.compiler, 1);
    assert_str(c.input, "x.kernel.cpp");
    assert_str(c.output, "x.o");
    assert_str(c.depfile, "x.d");
    assert_true(c.depfile_system);
    assert_int_equal(c.dirs.count, 2);
    assert_str(*(struct str *)c.dirs.items[1], "/s");
    assert_int_equal(c.flags.count, 6);
    const struct flag *dir = c.flags.items[3];
    assert_int_equal(dir->kind, FLAG_DIR);
    assert_str(dir->text, "-isystem");
    assert_str(dir->name, "/s");
    const struct flag *b = c.flags.items[1];
    assert_int_equal(b->kind, FLAG_MACRO);
    assert_str(b->text, "-DB");
    assert_str(b->name, "B");
    assert_false(c.debug);
}

static void test_the_compiler_is_found(void **state)
{
    struct arena *a = *state;
    struct command c;
    assert_true(parse(a, "env -i /usr/bin/g++ -c x.cpp -o x.o", "/usr/bin/g++", &c));
    assert_int_equal(c.compiler, 2);
    assert_true(parse(a, "distcc g++ x.cpp -c -o x.o", NULL, &c));
    assert_int_equal(c.compiler, 1);
    assert_true(parse(a, "distcc g++ -c x.cpp -o x.o", "/usr/bin/g++", &c));
    assert_int_equal(c.compiler, 1);
    assert_false(parse(a, "distcc g++ -c x.cpp -o x.o", "/usr/bin/clang++", &c));
    assert_false(parse(a, "-c x.cpp -o x.o", NULL, &c));
    assert_false(parse(a, "nvcc -c x.cpp -o x.o", NULL, &c));
}

static void test_what_is_refused(void **state)
{
    static const char *const options[] = {
        "-E",
        "-S",
        "-M",
        "-save-temps=obj",
        "-gsplit-dwarf",
        "--coverage",
        "-fprofile-use",
        "-ftime-trace",
        "-fstack-usage",
        "-fdump-tree-all",
        "-dD",
        "-x c",
        "-x c++-header",
        "-Wp,-MD,x",
        "-Wa,-a",
        "-Xclang foo",
        "y.cpp",
        "-include-pch p",
        "-includefoo",
        "-o other.o",
        "-MF -",
        "--sysroot=/x",
        "-fplugin=p",
        "-specs=s",
        "-B/x",
        "-I-",
        "-I=x",
        "-isysroot /x",
        "-fsyntax-only",
        "-###",
        "-v",
        "-o",
        "-I",
        "-D",
        "-frecord-gcc-switches",
        "-wrapper x",
        "-",
        "-L dir",
        "-imacrosfoo",
        "-pg",
    };
    struct arena *a = *state;
    struct command c;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const struct str text = str_format(a, "g++ -O2 -c x.cpp -o x.o -MD %s", options[i]);
        if (parse(a, text.ptr, NULL, &c)) {
            fail_msg("%s is taken", options[i]);
        }
    }
    assert_false(parse(a, "g++ -O2 x.cpp -o x.o", NULL, &c)); /* links */
    assert_false(parse(a, "g++ -O2 -c x.cpp", NULL, &c));
    assert_false(parse(a, "g++ -O2 -c -o x.o", NULL, &c));
    assert_false(parse(a, "g++ -c x.c -o x.o", NULL, &c));
    assert_false(parse(a, "g++", NULL, &c));
    setenv("DEPENDENCIES_OUTPUT", "deps", 1);
    assert_false(parse(a, "g++ -c x.cpp -o x.o", NULL, &c));
    unsetenv("DEPENDENCIES_OUTPUT");
    assert_true(parse(a, "g++ -c x.cpp -o x.o", NULL, &c));
}

static void test_debug_levels(void **state)
{
    struct arena *a = *state;
    struct command c;
    assert_true(parse(a, "g++ -g -c x.cpp -o x.o", NULL, &c));
    assert_true(c.debug && !c.debug_macros);
    assert_true(parse(a, "g++ -ggdb3 -c x.cpp -o x.o", NULL, &c));
    assert_true(c.debug && c.debug_macros);
    assert_true(parse(a, "g++ -g3 -g0 -c x.cpp -o x.o", NULL, &c));
    assert_true(!c.debug && !c.debug_macros);
    assert_true(parse(a, "g++ -fsanitize=undefined -c x.cpp -o x.o", NULL, &c));
    assert_true(c.debug);
}

static void test_default_depfile(void **state)
{
    struct arena *a = *state;
    struct command c;
    assert_true(parse(a, "g++ -MMD -c x.cpp -o d/x.cpp.o", NULL, &c));
    assert_str(c.depfile, "d/x.cpp.d");
    assert_false(c.depfile_system);
    assert_true(parse(a, "g++ -MF y.d -c x.cpp -o x.o", NULL, &c));
    assert_str(c.depfile, ""); /* -MF alone writes nothing */
}

static void expect_run(struct arena *a, const char *text, const char *cwd, const char *expected)
{
    struct command c;
    assert_true(parse(a, text, NULL, &c));
    char **argv = command_to_run(a, &c, str_from(cwd), false);
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; argv[i] != NULL; i++) {
        buf_printf(&b, "%s%s", i > 0 ? " " : "", argv[i]);
    }
    assert_string_equal(b.ptr, expected);
}

static void test_relative_paths(void **state)
{
    struct arena *a = *state;
    expect_run(a, "g++ -I/home/u/p/inc -isystem /usr/include/x -c /home/u/p/b/x.cpp -o x.o",
               "/home/u/p/b", "g++ -I../inc -isystem /usr/include/x -c x.cpp -o x.o");
    expect_run(a, "g++ -I/home/u/p/../q -c /b/x.cpp -o /b/x.o", "/b",
               "g++ -I/home/u/p/../q -c x.cpp -o x.o");
    expect_run(a, "g++ -I/p/inc -c /p/b/x.cpp -o x.o", "/p/b",
               "g++ -I/p/inc -c x.cpp -o x.o"); /* may be anywhere */
    expect_run(a, "g++ -MD -c /a/b/x.cpp -o /a/b/x.o", "/a/b",
               "g++ -MD -c x.cpp -o /a/b/x.o"); /* it names the rule */
    expect_run(a, "g++ -g -fdebug-prefix-map=/a=. -c /a/b/x.cpp -o x.o", "/a/b",
               "g++ -g -fdebug-prefix-map=/a=. -c /a/b/x.cpp -o x.o");
}

static void test_response_file(void **state)
{
    struct arena *a = *state;
    struct error e;
    struct vec args;
    vec_init(&args, a);
    assert_true(file_write("response-test",
                           STR(" -DA=\"b c\"\n'x y'z\\ w\t\"\" \"a\\\"b\" 'q\\'r'"), false, &e));
    assert_true(response_read(a, "response-test", &args, &e));
    static const char *const expected[] = {"-DA=b c", "x yz w", "", "a\"b", "q'r"};
    assert_int_equal(args.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(args.items[i], expected[i]);
    }
    assert_true(file_write("response-test", (struct str){"a\0b", 3}, false, &e));
    assert_false(response_read(a, "response-test", &args, &e));
    unlink("response-test");
    assert_false(response_read(a, "response-test", &args, &e));
}

/* A job over one file, whose depfile then says what a compiler might. */
static bool check_depfile(struct arena *a, struct job *job, const char *content)
{
    struct error e;
    assert_true(file_write(job->command.depfile.ptr, str_from(content), false, &e));
    return depfile_check(a, job, &e);
}

static void test_depfile_is_read(void **state)
{
    struct arena *a = *state;
    struct error e;
    struct job *job = ARENA_NEW(a, struct job);
    assert_true(file_write("dep a#$.cpp", STR("// PyKokkosCache kernel 1\n"), false, &e));
    assert_true(file_write("dep.hpp", STR("\n"), false, &e));
    assert_true(file_write("other.hpp", STR("\n"), false, &e));
    job->command = (struct command){
        .input = STR("dep a#$.cpp"), .output = STR("x.o"), .depfile = STR("dep.d")};
    vec_init(&job->command.targets, a);
    vec_init(&job->compiler.implicit, a);
    vec_init(&job->scan.files, a);
    static struct used_file files[2];
    files[0] =
        (struct used_file){.path = STR("dep a#$.cpp"), .stamp = file_stamp_of("dep a#$.cpp")};
    files[1] = (struct used_file){.path = STR("./dep.hpp"), .stamp = file_stamp_of("dep.hpp")};
    vec_push(&job->scan.files, &files[0]);
    vec_push(&job->scan.files, &files[1]);
    assert_true(check_depfile(a, job, "x.o: dep\\ a\\#$$.cpp \\\n  dep.hpp\n"));
    assert_true(check_depfile(a, job, "x.o: dep\\ a\\#$$.cpp\\\n dep.hpp\n\ndep.hpp:\n"));
    assert_true(check_depfile(a, job, "C:/x.o: \\\r\n ./dep.hpp \\\r\n dep.hpp\r\n"));
    assert_false(check_depfile(a, job, "x.o: dep.hpp \\\n other.hpp\n"));
    assert_false(check_depfile(a, job, "x.o: dep.hpp \\\n missing.hpp\n"));
    /* None, or an empty one: ours is written in its place, and is read back right. */
    assert_true(check_depfile(a, job, ""));
    struct str text;
    assert_true(file_read(a, "dep.d", 0, &text, &e));
    assert_str(text, "x.o: dep\\ a\\#$$.cpp \\\n  ./dep.hpp\n");
    assert_true(depfile_check(a, job, &e));
    unlink("dep.d");
    assert_true(depfile_check(a, job, &e));
    assert_true(file_exists("dep.d"));
    unlink("dep a#$.cpp");
    unlink("dep.hpp");
    unlink("other.hpp");
    unlink("dep.d");
}

static struct store_record record_with(struct arena *a, const char *text, const char *flags)
{
    struct store_part *parts = ARENA_ARRAY(a, struct store_part, 2);
    parts[0] = (struct store_part){.label = STR("text"), .text = STR("")};
    parts[1] = (struct store_part){.label = STR("flags"), .text = str_from(flags)};
    assert_true(sha256_of(str_from(text), &parts[0].digest));
    assert_true(sha256_of(str_from(flags), &parts[1].digest));
    return (struct store_record){.parts = parts, .part_count = 2};
}

/* Checks the counted cause and the line for people. */
static void expect_reason(struct arena *a, const struct store_past *past,
                          const struct store_record *now, const char *cause, const char *text)
{
    const struct store_why why = launch_reason(a, past, now);
    assert_string_equal(why.cause, cause);
    assert_str(why.text, text);
}

static void test_reasons(void **state)
{
    struct arena *a = *state;
    struct store_past past = {.has_last = false};
    struct store_record one = record_with(a, "t", "-O2\n-g\n");
    struct store_record two = record_with(a, "t", "-O3\n-g\n");
    expect_reason(a, &past, &one, "first build", "first build");
    past = (struct store_past){.has_last = true, .last = one};
    expect_reason(a, &past, &two, "flags", "flags: added -O3, removed -O2");
    expect_reason(a, &past, &one, "evicted", "evicted");
    past.knew_key = true;
    expect_reason(a, &past, &two, "evicted", "evicted");
    past.knew_key = false;
    struct store_record three = record_with(a, "u", "-O2\n-g\n");
    expect_reason(a, &past, &three, "body", "body");
    past.change = STR("body at k.py:3: Constant int 1 -> Constant int 2");
    expect_reason(a, &past, &three, "body", "body at k.py:3: Constant int 1 -> Constant int 2");
    past.change = STR("constant SCALE: 3 -> 4");
    expect_reason(a, &past, &three, "constant", "constant SCALE: 3 -> 4");
    past.change = STR("function shift: body at h.py:3: Name x -> Name y");
    struct store_record both = record_with(a, "u", "-O3\n-g\n");
    expect_reason(
        a, &past, &both, "flags",
        "flags: added -O3, removed -O2; function shift: body at h.py:3: Name x -> Name y");
    past.change = STR("");
    past.last.has_signature_hash = three.has_signature_hash = true;
    three.signature_hash.bytes[0] = 1;
    expect_reason(a, &past, &three, "signature", "signature");
    past.last.has_ast_hash = three.has_ast_hash = true; /* equal ones */
    expect_reason(a, &past, &three, "generator", "generator");
}

/* Records with one more part, of these texts. */
static void expect_part(struct arena *a, const char *label, const char *old, const char *now,
                        const char *cause, const char *text)
{
    struct store_part parts[4];
    for (size_t i = 0; i < 2; i++) {
        const struct str content = str_from(i == 0 ? old : now);
        parts[2 * i] = (struct store_part){.label = str_from(label), .text = content};
        assert_true(sha256_of(content, &parts[2 * i].digest));
        parts[2 * i + 1] = (struct store_part){.label = STR("flags"), .text = STR("")};
    }
    parts[1].digest.bytes[0] = 1; /* Kokkos is told where something of it reached the compile */
    const struct store_past past = {.has_last = true, .last = {.parts = parts, .part_count = 2}};
    const struct store_record record = {.parts = parts + 2, .part_count = 2};
    parts[1].digest.bytes[0] = strcmp(label, "Kokkos") == 0;
    expect_reason(a, &past, &record, cause, text);
}

static void test_reasons_of_parts(void **state)
{
    struct arena *a = *state;
    expect_part(a, "compiler", "g++ 12\nprogram x 1\n", "g++ 13\nprogram x 2\n", "compiler",
                "compiler: g++ 12 -> g++ 13");
    expect_part(a, "compiler", "g++ 12\nprogram x 1\n", "g++ 12\nprogram x 2\n", "compiler",
                "compiler: g++ 12, another program of that version");
    expect_part(a, "Kokkos", "3.4.1", "4.6.0", "Kokkos", "Kokkos: 3.4.1 -> 4.6.0; flags");
    expect_part(a, "environment", "", "CPATH=x\n", "environment", "environment: added CPATH=x");
    expect_part(a, "headers", "a.hpp=1\nb.hpp=1\n", "a.hpp=1\nb.hpp=2\n", "header",
                "header: b.hpp");
    expect_part(a, "used headers", "2 headers\nKokkosCore_config.h=1\n",
                "3 headers\nKokkosCore_config.h=2\n", "header", "header: KokkosCore_config.h");
    expect_part(a, "used headers", "2 headers\n", "3 headers\n", "header",
                "header: of the system, Kokkos or Python");
    expect_part(a, "format", "1", "2", "generator",
                "generator: 2, which makes keys in another way");
    expect_part(a, "paths", "/a\n", "/b\n", "paths", "paths: added /b, removed /a");
}

static size_t count_lines(struct arena *a, const char *path)
{
    struct str text;
    struct error e;
    assert_true(file_read(a, path, 0, &text, &e));
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n';
    }
    return lines;
}

/* One that says nothing of use, and counts how often it is asked. */
static void test_a_session_asks_once(void **state)
{
    struct arena *a = *state;
    struct error e;
    struct launch_key one;
    struct launch_key two;
    const struct str cwd = path_cwd(a);
    const struct str compiler = str_format(a, STR_FMT "/session-g++", STR_ARG(cwd));
    const struct str script = str_format(
        a, "#!/bin/sh\necho x >> '" STR_FMT "/session-count'\necho none\n", STR_ARG(cwd));
    assert_true(file_write(compiler.ptr, script, false, &e));
    assert_int_equal(chmod(compiler.ptr, 0755), 0);
    assert_true(file_write("session.kernel.cpp", STR(LAUNCH_MARKER "\n"), false, &e));
    char *argv[] = {(char *)(uintptr_t)compiler.ptr, (char *)(uintptr_t) "-O2",
                    (char *)(uintptr_t) "-c",        (char *)(uintptr_t) "session.kernel.cpp",
                    (char *)(uintptr_t) "-o",        (char *)(uintptr_t) "session.o"};
    struct launch_session *session = launch_session_new(a);
    assert_true(launch_key_of(a, 6, argv, NULL, session, &one, &e));
    const size_t asked = count_lines(a, "session-count");
    assert_true(asked > 0);
    argv[1] = (char *)(uintptr_t) "-O3";
    assert_true(launch_key_of(a, 6, argv, NULL, session, &two, &e));
    assert_false(sha256_equal(&one.key, &two.key));
    assert_int_equal(count_lines(a, "session-count"), asked);
    argv[1] = (char *)(uintptr_t) "-march=native"; /* another question */
    assert_true(launch_key_of(a, 6, argv, NULL, session, &two, &e));
    assert_true(count_lines(a, "session-count") > asked);
    argv[1] = (char *)(uintptr_t) "-O2"; /* without a session, the same key */
    assert_true(launch_key_of(a, 6, argv, NULL, NULL, &two, &e));
    assert_true(sha256_equal(&one.key, &two.key));
    unlink(compiler.ptr);
    unlink("session-count");
    unlink("session.kernel.cpp");
}

/* stamp_is() tells from a text what stamp_equal() tells from the stamp that it holds. */
static void test_stamps_in_texts(void **state)
{
    struct arena *a = *state;
    const struct timespec now = {.tv_sec = 1800000000};
    const struct timespec soon = {.tv_sec = 1700000001};
    struct stat st = {.st_ino = 0x10, .st_dev = 0xfe00, .st_size = 0};
    st.st_ctim = (struct timespec){1700000000, 999};
    struct buf b;
    buf_init(&b, a);
    struct stamp stamp = stamp_of(&st, &now);
    stamp_format(&b, &stamp);
    const struct str text = buf_str(&b);
    assert_str(text, "17979cfe362a03e7.0.10.fe00");
    assert_true(stamp_is(&st, &now, text));
    assert_false(stamp_is(&st, &soon, text)); /* a later change could leave it as it is */
    assert_false(stamp_is(NULL, &now, text));
    assert_true(stamp_is(NULL, &now, STR("none")));
    assert_false(stamp_is(&st, &now, STR("none")));
    assert_false(stamp_is(&st, &now, STR("-")));
    assert_false(stamp_is(NULL, &now, STR("-")));
    for (size_t i = 0; i < text.len; i++) {
        assert_false(stamp_is(&st, &now, str_slice(text, 0, i)));
        assert_false(stamp_is(&st, &now, str_slice(text, i + 1, text.len)));
        char *other = (char *)(uintptr_t)str_copy(a, text).ptr;
        other[i] = other[i] == '1' ? '2' : '1';
        assert_false(stamp_is(&st, &now, str_from(other)));
    }
    assert_false(stamp_is(&st, &now, str_format(a, "0%s", text.ptr)));
    struct stat changed = st;
    changed.st_size = 1;
    assert_false(stamp_is(&changed, &now, text));
    changed = st;
    changed.st_ctim.tv_nsec++;
    assert_false(stamp_is(&changed, &now, text));
    changed = st;
    changed.st_ino++;
    assert_false(stamp_is(&changed, &now, text));
    changed = st;
    changed.st_dev++;
    assert_false(stamp_is(&changed, &now, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_usual_command, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_compiler_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_debug_levels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_default_depfile, setup, teardown),
        cmocka_unit_test_setup_teardown(test_relative_paths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_response_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_depfile_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_session_asks_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stamps_in_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reasons, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reasons_of_parts, setup, teardown),
    };
    return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}

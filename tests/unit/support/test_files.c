#include "tests.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
    struct arena *arena;
    char dir[64];
};

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof(*p));
    p->arena = arena_new(NULL, NULL);
    strcpy(p->dir, "support-test-XXXXXX");
    *state = p;
    return mkdtemp(p->dir) == NULL;
}

static int teardown(void **state)
{
    struct place *p = *state;
    char remove[] = "rm";
    char flags[] = "-rf";
    char *argv[] = {remove, flags, p->dir, NULL};
    struct process_result result;
    struct error e;
    process_run(p->arena, argv, NULL, PROCESS_INHERIT, &result, &e);
    arena_free(p->arena);
    free(p);
    return 0;
}

static const char *in(struct place *p, const char *name)
{
    return path_join(p->arena, str_from(p->dir), str_from(name)).ptr;
}

static int count_files(const char *dir)
{
    DIR *d = opendir(dir);
    int count = 0;
    for (struct dirent *item = readdir(d); item != NULL; item = readdir(d)) {
        count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    }
    closedir(d);
    return count;
}

static void test_write_and_read(void **state)
{
    struct place *p = *state;
    struct error e = {""};
    struct str content;
    const struct str bytes = {"a\0b\n", 4};
    assert_true(file_write(in(p, "f"), bytes, true, &e));
    assert_true(file_read(p->arena, in(p, "f"), 0, &content, &e));
    assert_true(str_equal(content, bytes));
    assert_true(file_read(p->arena, in(p, "f"), 4, &content, &e));
    assert_false(file_read(p->arena, in(p, "f"), 3, &content, &e));
    assert_non_null(strstr(e.text, "more than 3 bytes"));
    assert_false(file_read(p->arena, p->dir, 0, &content, &e));
    assert_non_null(strstr(e.text, "Is a directory"));
    assert_false(file_read(p->arena, in(p, "none"), 0, &content, &e));
    assert_non_null(strstr(e.text, "No such file"));
    assert_int_equal(mkfifo(in(p, "fifo"), 0600), 0);
    assert_false(file_read(p->arena, in(p, "fifo"), 0, &content, &e)); /* and does not wait */
    assert_int_equal(count_files(p->dir), 2);
}

/* Writes "a" * 5000, "b" * 5000, … over and over until it is killed. */
static void write_for_ever(struct place *p, char letter)
{
    char content[5000];
    struct error e;
    for (char c = letter;; c = c == 'z' ? 'a' : (char)(c + 1)) {
        memset(content, c, sizeof(content));
        if (!file_write(in(p, "f"), (struct str){content, sizeof(content)}, false, &e)) {
            _exit(1);
        }
    }
}

/* Four write the same file, and die in the middle of it: it is always whole, and the next one to
 * write it leaves nothing of theirs. */
static void test_many_writers_killed(void **state)
{
    struct place *p = *state;
    struct str content;
    struct error e = {""};
    for (int round = 0; round < 10; round++) {
        pid_t writers[4];
        for (int i = 0; i < 4; i++) {
            writers[i] = fork();
            if (writers[i] == 0) {
                write_for_ever(p, (char)('a' + i));
            }
        }
        struct arena *a = arena_new(NULL, NULL);
        for (int i = 0; i < 200; i++) {
            if (!file_read(a, in(p, "f"), 0, &content, &e)) {
                continue; /* not there yet */
            }
            assert_int_equal(content.len, 5000);
            assert_int_equal(content.ptr[0], content.ptr[4999]);
        }
        arena_free(a);
        for (int i = 0; i < 4; i++) {
            int status = 0;
            assert_int_equal(kill(writers[i], SIGKILL), 0);
            assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
            assert_true(WIFSIGNALED(status)); /* none of them failed */
        }
        assert_true(file_write(in(p, "f"), STR("last"), false, &e));
        assert_int_equal(count_files(p->dir), 1);
        assert_int_equal(unlink(in(p, "f")), 0);
    }
}

static void test_failed_write_leaves_nothing(void **state)
{
    struct place *p = *state;
    struct error e = {""};
    struct error made;
    assert_true(dir_make(in(p, "taken/x"), &made));
    assert_false(file_write(in(p, "taken"), STR("x"), false, &e)); /* a directory is there */
    assert_int_not_equal(e.text[0], '\0');
    assert_int_equal(count_files(p->dir), 1);
    assert_false(file_write(in(p, "no/such/dir"), STR("x"), false, &e));
}

static void test_write_if_changed(void **state)
{
    struct place *p = *state;
    struct error e = {""};
    bool changed = false;
    assert_true(file_write_if_changed(in(p, "f"), STR("one"), &changed, &e));
    assert_true(changed);
    const struct file_stamp before = file_stamp_of(in(p, "f"));
    assert_true(file_write_if_changed(in(p, "f"), STR("one"), &changed, &e));
    assert_false(changed);
    struct file_stamp after = file_stamp_of(in(p, "f"));
    assert_true(file_stamp_equal(&before, &after));
    assert_true(file_write_if_changed(in(p, "f"), STR("two"), &changed, &e));
    assert_true(changed);
    after = file_stamp_of(in(p, "f"));
    assert_false(file_stamp_equal(&before, &after));
    const struct file_stamp none = file_stamp_of(in(p, "none"));
    assert_false(none.exists);
}

static void test_longest_name(void **state)
{
    struct place *p = *state;
    struct error e = {""};
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_true(file_write(in(p, name), STR("x"), false, &e));
    assert_true(file_exists(in(p, name)));
}

static void test_dir_make(void **state)
{
    struct place *p = *state;
    struct error e = {""};
    assert_true(dir_make(in(p, "a/b/c"), &e));
    assert_true(dir_make(in(p, "a/b/c"), &e));
    assert_true(file_write(in(p, "a/file"), STR("x"), false, &e));
    assert_false(dir_make(in(p, "a/file/sub"), &e));
    assert_false(dir_make(in(p, "a/file"), &e));
    assert_int_not_equal(e.text[0], '\0');
}

static void test_process_with_two_full_pipes(void **state)
{
    struct place *p = *state;
    char shell[] = "sh";
    char flag[] = "-c";
    /* Fills the error pipe far beyond its size before it writes the rest of its output. */
    char script[] = "i=0; while [ $i -lt 3000 ]; do"
                    " echo 0123456789012345678901234567890123456789 >&2; i=$((i+1)); done;"
                    " echo out; pwd; exit 7";
    char *argv[] = {shell, flag, script, NULL};
    struct process_result r;
    struct error e = {""};
    assert_true(process_run(p->arena, argv, p->dir, PROCESS_CAPTURE_BOTH, &r, &e));
    assert_int_equal(r.exit_code, 7);
    assert_int_equal(r.err.len, 3000 * 41);
    assert_true(str_starts_with(r.out, "out\n"));
    assert_true(
        str_ends_with(str_slice(r.out, 0, r.out.len - 1), path_basename(str_from(p->dir)).ptr));
}

static void test_process_errors(void **state)
{
    struct place *p = *state;
    char missing[] = "pkc-no-such-program";
    char *argv[] = {missing, NULL};
    struct process_result r;
    struct error e = {""};
    assert_false(process_run(p->arena, argv, NULL, PROCESS_CAPTURE_OUT, &r, &e));
    assert_non_null(strstr(e.text, "pkc-no-such-program"));

    char shell[] = "sh";
    char flag[] = "-c";
    char script[] = "kill -9 $$";
    char *killed[] = {shell, flag, script, NULL};
    assert_true(process_run(p->arena, killed, NULL, PROCESS_INHERIT, &r, &e));
    assert_int_equal(r.exit_code, 137);
}

static void test_process_find(void **state)
{
    struct place *p = *state;
    assert_str(process_find(p->arena, "pkc-no-such-program"), "");
    assert_true(str_ends_with(process_find(p->arena, "sh"), "/sh"));
    assert_str(process_find(p->arena, "/bin/sh"), "/bin/sh");
    assert_str(process_find(p->arena, "/"), "");
    assert_str(process_find(p->arena, ""), "");
}

int run_file_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write_and_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failed_write_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_writers_killed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_if_changed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_longest_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dir_make, setup, teardown),
        cmocka_unit_test_setup_teardown(test_process_with_two_full_pipes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_process_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_process_find, setup, teardown),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}

#include "common.h"

#include "store/private.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_made_private(void **state)
{
    struct place *p = *state;
    struct stat st;
    assert_int_equal(stat(place_path(p, ""), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void test_environment_decides(void **state)
{
    struct place *p = *state;
    struct arena *a = p->arena;
    struct error e;
    const struct str base = path_join(a, path_cwd(a), str_from(p->dir));
    const char *home = getenv("HOME") != NULL ? str_copy_c(a, getenv("HOME")).ptr : "";
    setenv("HOME", path_join(a, base, STR("home")).ptr, 1);
    unsetenv("XDG_CACHE_HOME");
    struct store *s = store_open(a, NULL, &e);
    assert_non_null(s);
    assert_str(store_dir(s), path_join(a, base, STR("home/.cache/pykokkos-cache")).ptr);

    setenv("XDG_CACHE_HOME", path_join(a, base, STR("xdg")).ptr, 1);
    s = store_open(a, NULL, &e);
    assert_non_null(s);
    assert_str(store_dir(s), path_join(a, base, STR("xdg/pykokkos-cache")).ptr);

    setenv("PYKOKKOS_CACHE_DIR", path_join(a, base, STR("own/deep")).ptr, 1);
    s = store_open(a, NULL, &e);
    assert_non_null(s);
    assert_str(store_dir(s), path_join(a, base, STR("own/deep")).ptr);

    setenv("PYKOKKOS_CACHE_DISABLE", "1", 1);
    assert_null(store_open(a, NULL, &e));
    assert_string_equal(e.text, "");
    unsetenv("PYKOKKOS_CACHE_DISABLE");
    unsetenv("PYKOKKOS_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", home, 1);
}

static void test_home_of_a_user(void **state)
{
    struct place *p = *state;
    const struct str users = STR("root:x:0:0:root:/root:/bin/sh\n"
                                 "10:x:1000:10:ten:/home/ten:/bin/sh\n"
                                 "nobody:*:65534:65534:nobody::/bin/false\n"
                                 "odd:x:7:7:odd:relative:/bin/sh\n"
                                 "short:x:10\n"
                                 "last:x:100:100:,,,:/home/last");
    assert_str(home_in_list(users, 0), "/root");
    assert_str(home_in_list(users, 1000), "/home/ten");
    assert_str(home_in_list(users, 100), "/home/last");
    assert_str(home_in_list(users, 65534), "");
    assert_str(home_in_list(users, 7), "");
    assert_str(home_in_list(users, 10), "");
    assert_str(home_in_list(users, 1), "");
    assert_str(home_in_list(STR(""), 0), "");

    /* Without HOME it is what the system says, where that knows us. */
    const char *home = getenv("HOME") != NULL ? str_copy_c(p->arena, getenv("HOME")).ptr : NULL;
    const struct passwd *user = getpwuid(geteuid());
    unsetenv("HOME");
    assert_str(home_dir(p->arena), user != NULL && user->pw_dir[0] == '/' ? user->pw_dir : "");
    setenv("HOME", "relative", 1);
    assert_str(home_dir(p->arena), user != NULL && user->pw_dir[0] == '/' ? user->pw_dir : "");
    setenv("HOME", "/elsewhere", 1);
    assert_str(home_dir(p->arena), "/elsewhere");
    if (home != NULL) {
        setenv("HOME", home, 1);
    } else {
        unsetenv("HOME");
    }
}

static void test_untrusted_places_are_refused(void **state)
{
    struct place *p = *state;
    struct error e;
    const char *dir = place_path(p, "");
    assert_int_equal(chmod(dir, 0770), 0);
    assert_null(store_open(p->arena, dir, &e));
    assert_non_null(strstr(e.text, "writable by others"));
    assert_int_equal(chmod(dir, 0755), 0);
    assert_non_null(store_open(p->arena, dir, &e));

    if (geteuid() == 0) {
        assert_int_equal(chown(dir, 12345, 0), 0);
        assert_null(store_open(p->arena, dir, &e));
        assert_non_null(strstr(e.text, "another user (uid 12345)"));
        assert_int_equal(chown(dir, 0, 0), 0);
    }
    struct error made;
    assert_true(file_write(place_path(p, "file"), STR("x"), false, &made));
    assert_null(store_open(p->arena, place_path(p, "file"), &e));
    assert_int_not_equal(e.text[0], '\0');
    assert_null(store_open(p->arena, place_path(p, "file/below"), &e));
    assert_int_not_equal(e.text[0], '\0');
}

static void test_sizes(void **state)
{
    (void)state;
    uint64_t n = 0;
    assert_true(store_parse_size(STR("123"), &n));
    assert_int_equal(n, 123);
    assert_true(store_parse_size(STR("2K"), &n));
    assert_int_equal(n, 2048);
    assert_true(store_parse_size(STR("5G"), &n));
    assert_true(n == (uint64_t)5 << 30);
    assert_true(store_parse_size(STR("5MiB"), &n));
    assert_int_equal(n, 5 << 20);
    assert_false(store_parse_size(STR(""), &n));
    assert_false(store_parse_size(STR("G"), &n));
    assert_false(store_parse_size(STR("-1"), &n));
    assert_false(store_parse_size(STR("1X"), &n));
    assert_false(store_parse_size(STR("99999999999999999999999"), &n));
    assert_false(store_parse_size(STR("99999999T"), &n));
}

int run_place_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_made_private),   PLACE_TEST(test_environment_decides),
        PLACE_TEST(test_home_of_a_user), PLACE_TEST(test_untrusted_places_are_refused),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}

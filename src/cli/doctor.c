/* doctor: what a build would use on this machine, and what is wrong with it. */
#include "cli/cli.h"
#include "cli/toolchain.h"
#include "store/store.h"

#include <stdlib.h>
#include <unistd.h>

struct report {
    struct arena *a;
    struct buf text;
    bool json;
    bool first;
    int problems;
};

/* One line: what, what was found, and (not NULL) what is wrong. */
static void add(struct report *r, const char *what, struct str found, const char *problem)
{
    if (problem != NULL) {
        r->problems++;
    }
    if (!r->json) {
        buf_printf(&r->text, "%-10s %s%s%s\n", what, found.len > 0 ? found.ptr : "-",
                   problem != NULL ? "\n           problem: " : "", problem != NULL ? problem : "");
        return;
    }
    buf_printf(&r->text, "%s\n  \"%s\": {\"found\": ", r->first ? "" : ",", what);
    json_string(&r->text, found);
    buf_add_c(&r->text, ", \"problem\": ");
    if (problem != NULL) {
        json_string(&r->text, str_from(problem));
    } else {
        buf_add_c(&r->text, "null");
    }
    buf_add_char(&r->text, '}');
    r->first = false;
}

/* "<path> (<first line of path --version>)" */
static struct str with_version(struct arena *a, struct str path)
{
    char option[] = "--version";
    char *argv[] = {(char *)path.ptr, option, NULL};
    struct process_result p;
    struct error e;
    struct str line;
    if (path.len == 0 || !process_run(a, argv, NULL, PROCESS_CAPTURE_BOTH, &p, &e) ||
        p.exit_code != 0 || !cli_next_line(&p.out, &line)) {
        return path;
    }
    return str_format(a, STR_FMT " (" STR_FMT ")", STR_ARG(path), STR_ARG(line));
}

static void check_program(struct report *r, const char *what, const char *program,
                          const char *package)
{
    struct str path = process_find(r->a, program);
    struct str problem = str_format(r->a, "not found (Debian: apt install %s)", package);
    add(r, what, with_version(r->a, path), path.len == 0 ? problem.ptr : NULL);
}

static void check_own_files(struct report *r)
{
    struct str include = cli_include_dir(r->a);
    struct str package = cli_package_dir(r->a);
    struct str header = path_join(r->a, include, STR("pykokkos_cache/dispatch.h"));
    struct str config = path_join(r->a, package, STR("PyKokkosCacheConfig.cmake"));
    add(r, "program", cli_program(r->a), NULL);
    add(r, "headers", include,
        file_exists(header.ptr) ? NULL : "no pykokkos_cache/dispatch.h there: installed in part");
    add(r, "package", package,
        file_exists(config.ptr) ? NULL : "no PyKokkosCacheConfig.cmake there: installed in part");
}

static void check_store(struct report *r)
{
    struct error e = {{0}};
    struct store *s = store_open(r->a, NULL, &e);
    if (s == NULL) {
        bool off = e.text[0] == '\0';
        add(r, "store", off ? STR("switched off by PYKOKKOS_CACHE_DISABLE") : STR(""),
            off ? NULL : e.text);
        return;
    }
    struct store_stats stats;
    struct error unread = {{0}};
    if (store_stats(s, r->a, &stats, &unread)) {
        add(r, "store",
            str_format(r->a, STR_FMT " (%llu objects, %llu bytes of at most %llu)",
                       STR_ARG(store_dir(s)), (unsigned long long)stats.entries,
                       (unsigned long long)stats.size, (unsigned long long)store_max_size(s)),
            NULL);
    } else {
        add(r, "store", store_dir(s), unread.text);
    }
    store_close(s);
}

static void check_toolchain(struct report *r, struct str kokkos)
{
    char pattern[] = "/tmp/pykokkos-doctor-XXXXXX";
    const char *tmp = getenv("TMPDIR");
    struct str template = tmp != NULL
                              ? path_join(r->a, str_from(tmp), STR("pykokkos-doctor-XXXXXX"))
                              : str_copy_c(r->a, pattern);
    char *folder = (char *)template.ptr;
    struct toolchain t;
    struct error e = {{0}};
    if (mkdtemp(folder) == NULL) {
        error_errno(&e, "make", folder);
        add(r, "kokkos", STR(""), e.text);
        return;
    }
    if (toolchain_get(r->a, str_from(folder), kokkos, false, &t, &e)) {
        add(r, "compiler",
            str_format(r->a, STR_FMT " (" STR_FMT ")", STR_ARG(t.cxx), STR_ARG(t.cxx_name)), NULL);
        add(r, "kokkos",
            str_format(r->a, STR_FMT " in " STR_FMT " (" STR_FMT "), headers in " STR_FMT,
                       STR_ARG(t.kokkos_version), STR_ARG(t.kokkos_package),
                       STR_ARG(t.kokkos_devices), STR_ARG(t.kokkos_include)),
            NULL);
        add(r, "atomics",
            t.atomics_bypass.len > 0 ? STR("plain operations, as Kokkos' own here") : STR("real"),
            NULL);
        unlink(t.file.ptr);
    } else {
        add(r, "kokkos", STR(""), e.text);
    }
    rmdir(folder);
}

int cmd_doctor(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct report r = {.a = a, .first = true};
    struct str kokkos = {0};
    buf_init(&r.text, a);
    const struct cli_option options[] = {
        {"json", NULL, "print a JSON object", &r.json, NULL, NULL},
        {"kokkos", "DIR", "Kokkos' installation (default: as CMake finds it)", NULL, &kokkos, NULL},
    };
    const struct cli_command command = {
        "doctor", "",
        "Shows the compiler, Kokkos, build tools and store that would be used, and what is wrong.\n"
        "Fails where anything is.",
        options, sizeof(options) / sizeof(options[0])};
    int code = CLI_OK;
    if (!cli_parse(&command, argc, argv, NULL, &code)) {
        arena_free(a);
        return code;
    }
    if (r.json) {
        buf_add_char(&r.text, '{');
    }
    check_own_files(&r);
    check_program(&r, "cmake", "cmake", "cmake");
    check_program(&r, "ninja", "ninja", "ninja-build");
    check_toolchain(&r, kokkos);
    check_store(&r);
    if (r.json) {
        buf_printf(&r.text, ",\n  \"problems\": %d\n}\n", r.problems);
    }
    code = cli_print(buf_str(&r.text));
    arena_free(a);
    return code != CLI_OK ? code : r.problems > 0 ? CLI_FAILED : CLI_OK;
}

/*
 * Asks CMake once (cmake/modules/PkcToolchain.cmake) and keeps the answer as "key=value" lines.
 * The file's name has a digest of all that the answer depends on and is known beforehand; its
 * "check" lines name the files that it depends on, with their size and time.
 */
#include "cli/toolchain.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const variables[] = {
    "CXX",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "PATH",
    "CMAKE_PREFIX_PATH",
    "Kokkos_ROOT",
    "Kokkos_DIR",
    "KOKKOS_ROOT",
    "CPATH",
    "LIBRARY_PATH",
    "PYKOKKOS_CACHE_PYTHON",
    "Python3_ROOT_DIR",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
};

static struct str variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? str_from(value) : STR("");
}

static struct str settings_path(struct arena *a, struct str folder, struct str kokkos, bool python)
{
    struct sha256_ctx *c = sha256_begin(a);
    struct sha256 digest = {{0}};
    if (c != NULL) {
        sha256_add_str(c, str_from(cli_version()));
        sha256_add_str(c, cli_package_dir(a));
        sha256_add_str(c, kokkos);
        sha256_add_str(c, python ? STR("python") : STR(""));
        for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
            sha256_add_str(c, variable(variables[i]));
        }
        sha256_end(c, &digest);
    }
    return path_join(a, folder, str_format(a, "toolchain-%.16s", sha256_hex(a, &digest).ptr));
}

static void push(struct vec *v, struct str value)
{
    struct str *s = ARENA_NEW(v->arena, struct str);
    *s = value;
    vec_push(v, s);
}

/* "<size> <time> <path>" of a file as it is now. */
static struct str check_line(struct arena *a, struct str path)
{
    struct file_stamp s = file_stamp_of(path.ptr);
    return str_format(a, "%llu %lld " STR_FMT, (unsigned long long)s.size, (long long)s.ctime_ns,
                      STR_ARG(path));
}

static bool still_true(struct arena *a, struct str check)
{
    size_t blanks = 0;
    size_t at = 0;
    while (at < check.len && blanks < 2) {
        blanks += check.ptr[at++] == ' ';
    }
    struct str path = str_copy(a, str_slice(check, at, check.len));
    return str_equal(check, check_line(a, path));
}

struct field {
    const char *key;
    struct str *one;
    struct vec *many;
};

static bool set_field(const struct field *fields, size_t count, struct str key, struct str value)
{
    for (size_t i = 0; i < count; i++) {
        if (!str_equal_c(key, fields[i].key)) {
            continue;
        }
        if (fields[i].one != NULL) {
            *fields[i].one = value;
        } else {
            push(fields[i].many, value);
        }
        return true;
    }
    return false;
}

/* *valid false: a file that it depends on has changed. */
static bool read_settings(struct arena *a, struct str file, struct toolchain *t, bool *valid,
                          struct error *e)
{
    struct str text;
    *t = (struct toolchain){.file = file};
    vec_init(&t->kernel_flags, a);
    vec_init(&t->kokkos_flags, a);
    vec_init(&t->python_flags, a);
    vec_init(&t->link_flags, a);
    vec_init(&t->link_libraries, a);
    const struct field fields[] = {
        {"cxx", &t->cxx, NULL},
        {"cxx_name", &t->cxx_name, NULL},
        {"kokkos_version", &t->kokkos_version, NULL},
        {"kokkos_package", &t->kokkos_package, NULL},
        {"kokkos_devices", &t->kokkos_devices, NULL},
        {"kokkos_include", &t->kokkos_include, NULL},
        {"kokkos_atomics_bypass", &t->atomics_bypass, NULL},
        {"python_suffix", &t->python_suffix, NULL},
        {"python_program", &t->python_program, NULL},
        {"kernel_flag", NULL, &t->kernel_flags},
        {"kokkos_flag", NULL, &t->kokkos_flags},
        {"python_flag", NULL, &t->python_flags},
        {"link_flag", NULL, &t->link_flags},
        {"link_library", NULL, &t->link_libraries},
    };
    if (!file_read(a, file.ptr, 0, &text, e)) {
        return false;
    }
    struct str line;
    *valid = true;
    while (cli_next_line(&text, &line)) {
        size_t equals = 0;
        while (equals < line.len && line.ptr[equals] != '=') {
            equals++;
        }
        struct str key = str_slice(line, 0, equals);
        struct str value = cli_decode(a, str_slice(line, equals + 1, line.len));
        if (str_equal_c(key, "check")) {
            *valid = *valid && still_true(a, value);
        } else if (!set_field(fields, sizeof(fields) / sizeof(fields[0]), key, value)) {
            *valid = false;
        }
    }
    *valid = *valid && t->cxx.len > 0 && t->kokkos_include.len > 0;
    return true;
}

bool toolchain_read(struct arena *a, struct str file, struct toolchain *out, struct error *e)
{
    bool valid;
    return read_settings(a, file, out, &valid, e);
}

/* The lines that say what must not have changed: the compiler, and Kokkos' package and headers. */
static bool add_checks(struct arena *a, const struct toolchain *t, struct error *e)
{
    struct str text;
    if (!file_read(a, t->file.ptr, 0, &text, e)) {
        return false;
    }
    struct buf b;
    buf_init(&b, a);
    buf_add(&b, text);
    const struct str paths[] = {
        t->cxx,
        path_join(a, t->kokkos_package, STR("KokkosConfig.cmake")),
        path_join(a, t->kokkos_include, STR("KokkosCore_config.h")),
        path_join(a, t->kokkos_include, STR("Kokkos_Core.hpp")),
        t->python_program,
    };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (paths[i].len > 0) {
            buf_printf(&b, "check=" STR_FMT "\n", STR_ARG(cli_encode(a, check_line(a, paths[i]))));
        }
    }
    return file_write(t->file.ptr, buf_str(&b), false, e);
}

/* Paths with quotes, semicolons, brackets, backslashes and the like are taken ill by CMake. */
static bool suits_cmake(struct str path)
{
    static const char others[] = "/._-+~@:,=% ";
    for (size_t i = 0; i < path.len; i++) {
        const char c = path.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (unsigned char)c >= 0x80 || strchr(others, c) != NULL)) {
            return false;
        }
    }
    return true;
}

/* A new folder to ask CMake in: in `folder`, or where that does not suit CMake in the one for
 * temporary files. Empty: there is none. */
static struct str probe_folder(struct arena *a, struct str folder, struct error *e)
{
    const struct str tmp = variable("TMPDIR");
    struct str place = folder;
    if (!suits_cmake(folder)) {
        place = tmp.len > 0 && tmp.ptr[0] == '/' ? tmp : STR("/tmp");
    }
    char *path = (char *)(uintptr_t)path_join(a, place, STR("probe-XXXXXX")).ptr;
    if (mkdtemp(path) == NULL) {
        error_errno(e, "make a folder in", place.ptr);
        return STR("");
    }
    return str_from(path);
}

static bool ask_cmake(struct arena *a, struct str work, struct str file, struct str kokkos,
                      bool python, struct error *e)
{
    struct str script = path_join(a, cli_package_dir(a), STR("PkcToolchain.cmake"));
    struct str words[] = {
        str_format(a, "-DOUTPUT=" STR_FMT, STR_ARG(file)), /* in `work` */
        str_format(a, "-DWORK=" STR_FMT, STR_ARG(work)),
        str_format(a, "-DPACKAGE_DIR=" STR_FMT, STR_ARG(cli_package_dir(a))),
        str_format(a, "-DKOKKOS=" STR_FMT, STR_ARG(kokkos)),
        str_format(a, "-DPYTHON=%s", python ? "ON" : "OFF"),
        str_format(a, "-DPYTHON_PROGRAM=" STR_FMT, STR_ARG(variable("PYKOKKOS_CACHE_PYTHON"))),
    };
    enum { WORDS = sizeof(words) / sizeof(words[0]) };
    char cmake[] = "cmake";
    char run[] = "-P";
    char *argv[WORDS + 4] = {cmake};
    for (size_t i = 0; i < WORDS; i++) {
        argv[i + 1] = (char *)words[i].ptr;
    }
    argv[WORDS + 1] = run;
    argv[WORDS + 2] = (char *)script.ptr;
    if (process_find(a, "cmake").len == 0 || process_find(a, "ninja").len == 0) {
        error_set(e, "cmake and ninja are needed (Debian: apt install cmake ninja-build)");
        return false;
    }
    struct process_result r;
    if (!process_run(a, argv, NULL, PROCESS_CAPTURE_BOTH, &r, e)) {
        return false;
    }
    if (r.exit_code != 0) {
        cli_say(r.err);
        error_set(e, "no usable compiler and Kokkos (see above)");
        return false;
    }
    return true;
}

/* Asks CMake, and keeps the answer in `file`. */
static bool ask(struct arena *a, struct str folder, struct str file, struct str kokkos, bool python,
                struct error *e)
{
    const struct str probe = probe_folder(a, folder, e);
    if (probe.len == 0) {
        return false;
    }
    const struct str answer = path_join(a, probe, STR("answer"));
    struct str text;
    const bool good = ask_cmake(a, path_join(a, probe, STR("work")), answer, kokkos, python, e) &&
                      file_read(a, answer.ptr, 0, &text, e) && file_write(file.ptr, text, false, e);
    (void)unlink(answer.ptr);
    (void)rmdir(probe.ptr);
    return good;
}

bool toolchain_get(struct arena *a, struct str folder, struct str kokkos, bool python,
                   struct toolchain *out, struct error *e)
{
    struct str file = settings_path(a, folder, kokkos, python);
    bool valid = false;
    struct error unread;
    if (file_exists(file.ptr) && read_settings(a, file, out, &valid, &unread) && valid) {
        return true;
    }
    if (!dir_make(folder.ptr, e) || !ask(a, folder, file, kokkos, python, e) ||
        !read_settings(a, file, out, &valid, e)) {
        return false;
    }
    if (!valid) {
        error_set(e, "CMake's answer about this machine could not be read: %s", file.ptr);
        return false;
    }
    return add_checks(a, out, e);
}

/*
 * The Ninja edges of a build folder's target.
 *
 * A kernel's edge, or a group's, has no input that Ninja would compare times with: the object's
 * name is the key of its compile (text, flags, compiler, headers), so it is right wherever it is
 * there. A command that has no key (flags that the launcher passes through) gets an ordinary edge
 * with a depfile.
 */
#include "cli/cli.h"
#include "cli/edge_keys.h"
#include "cli/folder.h"
#include "launch/launch.h"
#include "store/store.h"

#include <string.h>

/* A path in a build line. */
static void add_path(struct buf *b, struct str path)
{
    buf_add_char(b, ' ');
    for (size_t i = 0; i < path.len; i++) {
        if (strchr("$ :", path.ptr[i]) != NULL) {
            buf_add_char(b, '$');
        }
        buf_add_char(b, path.ptr[i]);
    }
}

/* A word of a command: quoted for the shell, then for Ninja. */
static void add_word(struct buf *b, struct str word)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    bool quote = word.len == 0;
    for (size_t i = 0; i < word.len; i++) {
        quote = quote || strchr(plain, word.ptr[i]) == NULL;
    }
    buf_add_char(b, ' ');
    if (quote) {
        buf_add_char(b, '\'');
    }
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'') {
            buf_add_c(b, "'\\''");
        } else if (word.ptr[i] == '$') {
            buf_add_c(b, "$$");
        } else {
            buf_add_char(b, word.ptr[i]);
        }
    }
    if (quote) {
        buf_add_char(b, '\'');
    }
}

static void add_words(struct buf *b, const struct vec *words)
{
    for (size_t i = 0; i < words->count; i++) {
        add_word(b, *(const struct str *)words->items[i]);
    }
}

struct str folder_result(struct arena *a, const struct cli_target *t, const struct toolchain *tools)
{
    struct str name = t->request.target;
    if (str_equal_c(t->kind, "module")) {
        return str_format(a, STR_FMT STR_FMT, STR_ARG(name), STR_ARG(tools->python_suffix));
    }
    const char *suffix = str_equal_c(t->kind, "static") ? "a" : "so";
    return str_format(a, "lib" STR_FMT ".%s", STR_ARG(name), suffix);
}

/* Paths below the target's folder, relative to the build folder. */
static struct str in_target(struct arena *a, const struct cli_target *t, struct str file)
{
    return str_format(a, "pykokkos/" STR_FMT "/" STR_FMT, STR_ARG(t->request.target),
                      STR_ARG(file));
}

static struct str with_suffix(struct arena *a, const struct cli_target *t, const char *suffix)
{
    return in_target(a, t, str_format(a, STR_FMT "%s", STR_ARG(t->request.target), suffix));
}

static void add_rules(struct buf *b, struct arena *a, const struct toolchain *tools)
{
    struct str program = cli_program(a);
    buf_add_c(b, "pkc =");
    add_word(b, program);
    buf_add_c(b, "\ncxx =");
    add_word(b, tools->cxx);
    buf_add_c(b, "\nlauncher =");
    if (tools->kokkos_version.len > 0) { /* to say why, where it is another */
        add_word(b, str_format(a, "--kokkos=" STR_FMT, STR_ARG(tools->kokkos_version)));
    }
    add_word(b, str_format(a, "--compiler=" STR_FMT, STR_ARG(tools->cxx)));
    buf_add_c(b, "\nkernel_flags =");
    add_words(b, &tools->kernel_flags);
    buf_add_c(b, "\nkokkos_flags =");
    add_words(b, &tools->kokkos_flags);
    buf_add_c(b, "\npython_flags =");
    add_words(b, &tools->python_flags);
    buf_add_c(b, "\nlink_flags =");
    add_words(b, &tools->link_flags);
    buf_add_c(b, "\nlibraries =");
    add_words(b, &tools->link_libraries);
    buf_add_c(b, "\n\n"
                 "rule generate\n"
                 "  command = $pkc generate --options=$options\n"
                 "  depfile = $depfile\n  deps = gcc\n  restat = 1\n"
                 "  description = Generating $target\n\n"
                 "rule check\n"
                 "  command = $pkc generate --check=$in --ok=$out\n"
                 "  description = Checking $target\n\n"
                 "rule kernel\n"
                 "  command = $pkc compile $store $launcher -- $cxx $kernel_flags -o $out "
                 "-c $source\n"
                 "  description = Compiling $workunit\n\n"
                 "rule group\n"
                 "  command = $pkc compile $store $launcher $parts -- $cxx $kernel_flags -o $out "
                 "-c $source\n"
                 "  description = Compiling $workunit\n\n"
                 "rule kernel_by_time\n"
                 "  command = $cxx $kernel_flags -MD -MF $out.d -o $out -c $in\n"
                 "  depfile = $out.d\n  deps = gcc\n"
                 "  description = Compiling $workunit\n\n"
                 "rule cxx\n"
                 "  command = $pkc compile $store $launcher -- $cxx $flags -MD -MF $out.d "
                 "-o $out -c $in\n"
                 "  depfile = $out.d\n  deps = gcc\n"
                 "  description = Compiling $out\n\n"
                 "rule link\n"
                 "  command = $cxx -shared -fPIC $link_flags -o $out @$out.rsp $libraries\n"
                 "  rspfile = $out.rsp\n  rspfile_content = $in\n"
                 "  description = Linking $out\n\n"
                 "rule archive\n"
                 "  command = rm -f $out && ar qcs $out @$out.rsp\n"
                 "  rspfile = $out.rsp\n  rspfile_content = $in\n"
                 "  description = Archiving $out\n\n");
}

/* The arguments of launch_main for a kernel's edge. */
static int launcher_arguments(struct arena *a, const struct cli_target *t,
                              const struct toolchain *tools, struct str source, char ***out)
{
    char **argv = ARENA_ARRAY(a, char *, tools->kernel_flags.count + 10);
    int n = 0;
    if (t->store.len > 0) {
        argv[n++] = (char *)str_format(a, "--store=" STR_FMT, STR_ARG(t->store)).ptr;
    }
    argv[n++] = (char *)str_format(a, "--compiler=" STR_FMT, STR_ARG(tools->cxx)).ptr;
    argv[n++] = (char *)"--";
    argv[n++] = (char *)tools->cxx.ptr;
    for (size_t i = 0; i < tools->kernel_flags.count; i++) {
        argv[n++] = (char *)((const struct str *)tools->kernel_flags.items[i])->ptr;
    }
    argv[n++] = (char *)"-o";
    argv[n++] = (char *)"pkc/kernel.o";
    argv[n++] = (char *)"-c";
    argv[n++] = (char *)source.ptr;
    *out = argv;
    return n;
}

/* "kernels.scale", as the meta file beside a kernel's TU tells it; of another TU, its file. */
static struct str title_of(struct arena *a, const struct cli_target *t, struct str file)
{
    const struct str stem = path_join(a, t->request.output_dir, str_slice(file, 0, file.len - 4));
    struct str module = {0};
    struct str workunit = {0};
    struct str text;
    struct str line;
    struct error e;
    if (!file_read(a, str_format(a, STR_FMT ".meta", STR_ARG(stem)).ptr, 0, &text, &e)) {
        return file;
    }
    while (cli_next_line(&text, &line)) {
        if (str_starts_with(line, "module=")) {
            module = cli_decode(a, str_slice(line, strlen("module="), line.len));
        } else if (str_starts_with(line, "workunit=")) {
            workunit = cli_decode(a, str_slice(line, strlen("workunit="), line.len));
        }
    }
    return workunit.len > 0 ? str_format(a, STR_FMT "." STR_FMT, STR_ARG(module), STR_ARG(workunit))
                            : file;
}

/* What all edges of a target need. */
struct edges {
    struct arena *arena;
    const struct cli_target *target;
    const struct toolchain *tools;
    struct store *store;
    struct launch_session *session;
    struct edge_keys *keys;
};

/* The name of the object of a TU with one kernel, or with a group of them. Empty: its command has
 * no key. */
static struct str keyed_object(const struct edges *s, struct str file, struct str source,
                               bool group)
{
    const struct file_stamp stamp = file_stamp_of(source.ptr);
    const struct str known = edge_keys_find(s->keys, file, &stamp);
    if (known.len > 0) {
        return str_format(s->arena, "pkc/" STR_FMT ".o", STR_ARG(known));
    }
    struct arena *scratch = arena_like(s->arena);
    char **argv;
    const int argc = launcher_arguments(scratch, s->target, s->tools, source, &argv);
    struct launch_key key;
    struct error e;
    struct str object = STR("");
    if ((group ? launch_group_key_of : launch_key_of)(scratch, argc, argv, s->store, s->session,
                                                      &key, &e)) {
        edge_keys_made(s->keys, file, &stamp, &key);
        object = str_format(s->arena, "pkc/" STR_FMT ".o", STR_ARG(sha256_hex(scratch, &key.key)));
    }
    arena_free(scratch);
    return object;
}

static struct str kernel_edge(struct buf *b, const struct edges *s, struct str file)
{
    struct arena *a = s->arena;
    const struct str source = in_target(a, s->target, file);
    const bool group = gen_is_group(file);
    struct str object = keyed_object(s, file, source, group);
    const bool keyed = object.len > 0;
    if (!keyed) {
        object = str_format(a, "pkc/" STR_FMT ".o", STR_ARG(file));
    }
    buf_add_c(b, "build");
    add_path(b, object);
    buf_add_c(b, !keyed ? ": kernel_by_time" : group ? ": group ||" : ": kernel ||");
    add_path(b, source);
    if (keyed) {
        buf_add_c(b, "\n  source =");
        add_word(b, source);
    }
    if (keyed && group) {
        buf_add_c(b, "\n  parts =");
        add_word(b, str_format(a, "--parts=pkc/parts/" STR_FMT "/" STR_FMT,
                               STR_ARG(s->target->request.target),
                               STR_ARG(path_stem(path_stem(path_basename(file))))));
    }
    buf_add_c(b, "\n  workunit =");
    add_word(b, group ? file : title_of(a, s->target, file));
    buf_add_char(b, '\n');
    return object;
}

/* The TUs that are compiled like kernels, of those that were generated. */
static bool list_kernels(struct arena *a, const struct cli_target *t, struct vec *kernels,
                         struct error *e)
{
    struct vec files;
    if (!gen_list_files(a, &t->request, &files, e)) {
        return false;
    }
    vec_init(kernels, a);
    for (size_t i = 0; i < files.count; i++) {
        const struct str file = *(const struct str *)files.items[i];
        if (str_ends_with(file, ".kernel.cpp") || str_ends_with(file, ".host.cpp")) {
            vec_push(kernels, files.items[i]);
        }
    }
    return true;
}

static void generate_edge(struct buf *b, struct arena *a, const struct cli_target *t,
                          const struct vec *kernels)
{
    buf_add_c(b, "build");
    add_path(b, with_suffix(a, t, ".stamp"));
    buf_add_c(b, " |");
    add_path(b, with_suffix(a, t, ".edges"));
    add_path(b, with_suffix(a, t, ".status"));
    add_path(b, in_target(a, t, STR("kokkos.dispatch.cpp")));
    if (t->request.python_module) {
        add_path(b, with_suffix(a, t, ".module.cpp"));
    }
    for (size_t i = 0; i < kernels->count; i++) {
        buf_add_c(b, " $\n   ");
        add_path(b, in_target(a, t, *(const struct str *)kernels->items[i]));
    }
    buf_add_c(b, ": generate");
    add_path(b, cli_program(a));
    add_path(b, with_suffix(a, t, ".options"));
    buf_add_c(b, "\n  options =");
    add_word(b, with_suffix(a, t, ".options"));
    buf_add_c(b, "\n  depfile = ");
    buf_add(b, with_suffix(a, t, ".d"));
    buf_printf(b, "\n  target = " STR_FMT "\nbuild", STR_ARG(t->request.target));
    add_path(b, with_suffix(a, t, ".ok"));
    buf_add_c(b, ": check");
    add_path(b, with_suffix(a, t, ".status"));
    buf_printf(b, "\n  target = " STR_FMT "\n", STR_ARG(t->request.target));
    /* Ninja makes an included file anew only when it believes build.ninja depends on it. */
    buf_add_c(b, "build build.ninja: phony");
    add_path(b, with_suffix(a, t, ".edges"));
    buf_add_c(b, "\n\n");
}

static struct str cxx_edge(struct buf *b, struct arena *a, struct str source, const char *object,
                           const char *flags)
{
    struct str out = str_format(a, "pkc/%s", object);
    buf_add_c(b, "build");
    add_path(b, out);
    buf_add_c(b, ": cxx");
    add_path(b, source);
    buf_printf(b, "\n  flags = %s\n", flags);
    return out;
}

static void push(struct vec *v, struct str value)
{
    struct str *s = ARENA_NEW(v->arena, struct str);
    *s = value;
    vec_push(v, s);
}

bool folder_write_edges(struct arena *a, const struct cli_target *t, struct error *e)
{
    struct toolchain tools;
    struct vec kernels;
    if (!toolchain_read(a, t->toolchain, &tools, e) || !list_kernels(a, t, &kernels, e)) {
        return false;
    }
    struct error no_store;
    struct store *store = store_open(a, t->store.len > 0 ? t->store.ptr : NULL, &no_store);
    struct edge_keys keys;
    edge_keys_read(&keys, a, t, &tools);
    const struct edges all = {a, t, &tools, store, launch_session_new(a), &keys};
    struct buf b;
    struct vec objects;
    buf_init(&b, a);
    vec_init(&objects, a);
    buf_add_c(&b, "# One edge a kernel or group of them. Written again by each generation.\n");
    if (t->store.len > 0) {
        buf_add_c(&b, "store =");
        add_word(&b, str_format(a, "--store=" STR_FMT, STR_ARG(t->store)));
        buf_add_char(&b, '\n');
    }
    add_rules(&b, a, &tools);
    generate_edge(&b, a, t, &kernels);
    for (size_t i = 0; i < kernels.count; i++) {
        push(&objects, kernel_edge(&b, &all, *(const struct str *)kernels.items[i]));
    }
    push(&objects, cxx_edge(&b, a, in_target(a, t, STR("kokkos.dispatch.cpp")), "dispatch.o",
                            "$kokkos_flags"));
    if (t->request.python_module) {
        push(&objects,
             cxx_edge(&b, a, with_suffix(a, t, ".module.cpp"), "module.o", "$python_flags"));
        struct str runtime =
            path_join(a, cli_include_dir(a), STR("pykokkos_cache/python_runtime.c"));
        push(&objects, cxx_edge(&b, a, runtime, "python_runtime.o", "-x c++ $python_flags"));
    }
    struct str library = folder_result(a, t, &tools);
    buf_add_c(&b, "\nbuild");
    add_path(&b, library);
    buf_add_c(&b, str_equal_c(t->kind, "static") ? ": archive" : ": link");
    for (size_t i = 0; i < objects.count; i++) {
        buf_add_c(&b, " $\n   ");
        add_path(&b, *(const struct str *)objects.items[i]);
    }
    buf_add_c(&b, " ||");
    add_path(&b, with_suffix(a, t, ".ok"));
    buf_add_c(&b, "\ndefault");
    add_path(&b, library);
    buf_add_char(&b, '\n');
    if (store != NULL) {
        store_close(store);
    }
    edge_keys_write(&keys);
    bool changed;
    return file_write_if_changed(target_file(a, t, ".edges").ptr, buf_str(&b), &changed, e);
}

/*
 * A target: Python files, and the folder that their C++ goes to. What CMake, `build` and `ninja`
 * have generated, with the files that say how it went:
 *
 *   <target>.options   what is to be generated: "key=value" lines, values percent-encoded
 *   <target>.status    the diagnostics; empty: all is well
 *   <target>.d         the Python files read, for the build tool
 *   <target>.inputs/   links to those whose path a depfile can't hold
 *   <target>.stamp     touched after each run
 *   <target>.keys     without CMake: the keys of its TUs (edge_keys.h)
 *   <target>.blocks   what was found then, so that an edit need not find it again (memo.h)
 *   <target>.state     hashes and canonical forms of what was generated last, and what the last
 *                      run that changed any found
 */
#ifndef PKC_CLI_TARGET_H
#define PKC_CLI_TARGET_H

#include "generate/generate.h"

struct cli_target {
    struct gen_request request;
    struct str text;           /* the options file's; empty: there is none */
    struct str depfile_target; /* the stamp, as the build tool spells it */
    struct str store;          /* the store's folder; empty: the environment's */
    struct vec relist;         /* the command that re-reads a changed list of workunits */
    struct vec extra_inputs;   /* further files that the generator's run depends on */
    struct str toolchain;      /* a folder without CMake: its toolchain file, else empty */
    struct str kind;           /* the same: "shared", "static", "module" */
};

/* Reads an options file. The sources come as absolute paths. */
bool target_read(struct arena *a, const char *path, struct cli_target *out, struct error *e);
/* The text of an options file. */
struct str target_options(struct arena *a, const struct cli_target *t);
/* "<output_dir>/<target><suffix>" */
struct str target_file(struct arena *a, const struct cli_target *t, const char *suffix);

enum target_mode {
    TARGET_CONFIGURE, /* while the build files are made: no stamp, so the build runs once itself */
    TARGET_BUILD,
};

struct target_outcome {
    bool refused;           /* by diagnostics: what was there before is untouched */
    bool list_changed;      /* the fragment has new bytes */
    struct str diagnostics; /* as printed; warnings too */
    struct gen_result result;
};

/* Generates the target, again while its inputs change meanwhile. False: the system failed. */
bool target_generate(struct arena *a, const struct cli_target *t, enum target_mode mode,
                     struct target_outcome *out, struct error *e);

/* target_depfile.c: writes <target>.d. `folders`: struct str *, which are inputs as well. */
bool target_write_depfile(struct arena *a, const struct cli_target *t,
                          const struct py_input *inputs, size_t count, const struct vec *folders,
                          struct error *e);

/* ---- state ---------------------------------------------------------------------------------- */

struct state_entry {
    struct str name; /* "kernels.Lattice.step", and "/<types>" where it is one of several */
    struct str module;
    struct str workunit;
    struct sha256 ast_hash;
    struct sha256 signature_hash;
    struct str canonical;
    struct str was; /* the form before the last change; empty: it was not changed then */
};

/* In the order of the target's workunits. */
struct state {
    struct map by_name; /* struct state_entry * */
    struct str changes; /* "<name>: <cause>", a line a workunit */
    struct str build;   /* the run of a build tool that found them; may be empty */
    int64_t time;       /* when that was, in Unix seconds */
    bool is_unreadable; /* there is a file, damaged or of another version; all else is empty */
};

/* What was generated last; empty where there is nothing readable. */
void state_read(struct arena *a, const struct cli_target *t, struct state *out);
/* Warns of a state that is unreadable. */
void state_say_unreadable(struct arena *a, const struct cli_target *t);
/* The text of a file behind its sum. */
bool state_parse(struct arena *a, struct str text, struct state *out);
/* What `result` is; forms of unchanged workunits come from `old`. */
void state_of(struct arena *a, const struct gen_result *result, const struct state *old,
              struct state *out);
bool state_write(struct arena *a, const struct cli_target *t, const struct state *s,
                 struct error *e);

struct state_change {
    const struct state_entry *before; /* NULL: new */
    const struct state_entry *after;  /* NULL: gone */
    struct str cause;                 /* one line: "body (kern.py:23)", "first build", "removed" */
};

/* What differs, in order; those gone come last. `result` gives places in files; may be NULL. */
struct state_change *state_compare(struct arena *a, const struct state *old,
                                   const struct state *now, const struct gen_result *result,
                                   size_t *count);

/* "<name>: <cause>", a line a change. */
struct str state_changes_text(struct arena *a, const struct state_change *changes, size_t count);

/* As state_of, state_compare and state_write, where all but the workunits of `part` are as they
 * were. False: the file does not hold all of them, or cannot be written. */
bool state_replace(struct arena *a, const struct cli_target *t, const struct gen_result *part,
                   struct str build, int64_t time, struct state_change **changes, size_t *count,
                   struct error *e);
/* The same, and tells the store's history. */
bool state_follow(struct arena *a, const struct cli_target *t, const struct gen_result *part,
                  struct error *e);

#endif

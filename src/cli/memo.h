/*
 * What a target's last whole generation found, so that the next one need not: <target>.blocks.
 *
 *   PyKokkosCache blocks 2 <SHA-256 of the rest>
 *   program <stamp>                        this program's file
 *   options <SHA-256>                      of the options file
 *   start <text>                           the run of the system in which outputs were written
 *   begun <time>                           files that are not older may change unseen
 *   kernels <number>
 *   input <stamp> <path>                   a file that was read or looked for
 *   import <SHA-256> <stamp> <path>        one that was read and has none of the target's workunits
 *   output <stamp> <path>                  relative to output_dir
 *   module <blocks> <real path> <source> <name>
 *   <SHA-256 of its text> [<SHA-256 of what headers show> <workunit>]     a line a block
 *
 * A stamp is "<exists> <mtime> <ctime> <size> <inode> <device>"; names are percent-encoded. A file that
 * does not read as this, or is of another program or other options, is as good as none.
 */
#ifndef PKC_CLI_MEMO_H
#define PKC_CLI_MEMO_H

#include "cli/target.h"

struct memo_file {
    struct str path;
    struct file_stamp stamp;
    bool has_digest; /* an import */
    struct sha256 digest;
};

/* A top-level block. With a name it is the definition of one standalone workunit that nothing else
 * reaches or mentions: its text changes its own kernels, and no others. */
struct memo_block {
    struct sha256 digest;
    struct str shown; /* hex; of gen_shown */
    struct str name;  /* encoded; empty: it may matter to others */
};

struct memo_module {
    struct str real_path;
    struct str source;
    struct str name;
    struct memo_block *blocks;
    size_t block_count;
};

struct memo {
    struct file_stamp program;
    struct sha256 options;
    struct str start; /* as read; this run of the system's is written */
    int64_t begun_ns;
    size_t kernels;
    struct memo_file *inputs;
    size_t input_count;
    struct memo_file *outputs;
    size_t output_count;
    struct memo_module *modules;
    size_t module_count;
};

/* What stands after the first line, whoever wrote it. False: it is not of this form. */
bool memo_parse(struct arena *a, struct str text, struct memo *out);
/* False: there is none that can be relied on. */
bool memo_read(struct arena *a, const struct cli_target *t, struct memo *out);
/* Written whole; without it the next generation is a whole one, so that errors do not count. */
void memo_write(struct arena *a, const struct cli_target *t, const struct memo *m);
/* There shall be none: something is not as it says. */
void memo_remove(struct arena *a, const struct cli_target *t);
/* The memo of a whole generation that began at `begun_ns`, is written and had nothing to say.
 * False: of such a target none can be made. */
bool memo_of(struct arena *a, const struct cli_target *t, const struct gen_result *result,
             int64_t begun_ns, struct memo *out);
/* The time by the clock of files. */
int64_t memo_now(void);

/* ---- what makes a block alone --------------------------------------------------------------- */

/* The block that `byte` is in, or after. */
size_t memo_block_at(const struct py_block *blocks, size_t count, uint32_t byte);
/* The only statement of each block; NULL where there are more, or none. */
const struct ast_node **memo_only_nodes(struct arena *a, const struct py_module *m,
                                        const struct py_block *blocks, size_t count);
/* The name of the workunit whose kernels `units` are, where its definition is the block's `only`
 * statement and stands alone; `shown` is then set. Else empty. */
struct str memo_alone(struct arena *a, const struct gen_request *request,
                      const struct gen_module *module, const struct gen_workunit *units,
                      size_t count, const struct ast_node *only, struct sha256 *shown);
/* Is some name besides `own` a word of the text, in strings and comments, too? */
bool memo_mentions(const struct map *names, struct str text, struct str own);
/* May the text of a definition bind a name besides its own? */
bool memo_binds_more(struct str text);

/* ---- again.c -------------------------------------------------------------------------------- */

enum again {
    AGAIN_NO,   /* a whole generation is needed */
    AGAIN_DONE, /* all is as a whole generation would leave it, but for depfile, status, stamp */
};

/* Looks at what changed since the memo was written; where that is bodies of workunits alone, reads,
 * lowers and writes those. `inputs`: all that the target is made of, as they were read. */
enum again again_run(struct arena *a, const struct cli_target *t, const struct py_input **inputs,
                     size_t *input_count);

#endif

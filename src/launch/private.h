/*
 * What the launcher's own files share.
 */
#ifndef PKC_LAUNCH_PRIVATE_H
#define PKC_LAUNCH_PRIVATE_H

#include "launch/launch.h"

#include <sys/types.h>
#include <time.h>

/* ---- command.c: a compile command, understood ----------------------------------------------- */

enum flag_kind {
    FLAG_TEXT,  /* part of the key as it stands */
    FLAG_MACRO, /* -D or -U: part of it where the text can see the name */
    FLAG_DIR,   /* an option like -I and its folder, in text and name */
    FLAG_MAP,   /* a prefix map: the paths that it makes count, except for a dispatch TU */
};

struct flag {
    enum flag_kind kind;
    struct str text;
    struct str name; /* FLAG_MACRO: the macro's; FLAG_DIR: the folder */
};

/* A -MT or -MQ. */
struct depfile_target {
    struct str text;
    bool quoted; /* -MQ: to be escaped for make */
};

struct command {
    char **argv; /* launchers, compiler and arguments, NULL-ended: what is run */
    size_t argc;
    size_t compiler;   /* its index in argv */
    char **args;       /* after the compiler, @files expanded, NULL-ended */
    int *path_offsets; /* for each of args: where a path begins in it, or -1 */
    size_t arg_count;
    bool from_file; /* some came from an @file */
    struct str input;
    struct str output;
    size_t output_arg;   /* the index in args that holds it */
    struct str depfile;  /* empty: none wanted */
    bool depfile_system; /* -MD rather than -MMD */
    bool depfile_phony;  /* -MP */
    struct vec targets;  /* struct depfile_target */
    struct vec dirs;     /* struct str: where includes are looked for */
    struct vec forced;   /* struct str: -include and -imacros */
    struct vec maps;     /* struct str: "old=new" of -fdebug-prefix-map and its kin */
    struct vec flags;    /* struct flag */
    struct vec native;   /* struct str: -march=native and its kin */
    bool is_cplusplus;   /* -x c++: whatever the name of the source */
    bool debug;          /* debug information, or else something that holds paths */
    bool debug_macros;
    bool invalid_pch; /* an unusable precompiled header is said or refused */
    bool colour;      /* the command decides on colours */
};

/* Understands argv (launchers, compiler, arguments). `compiler` may be NULL. False: the command is
 * to be run as it is; `e` says why. */
bool command_parse(struct arena *a, int argc, char **argv, const char *compiler,
                   struct command *command, struct error *e);
/* The command to run on a miss: as given, but with paths below or near the working folder made
 * relative, so that another cache behind us finds them equal in another checkout. */
char **command_to_run(struct arena *a, const struct command *command, struct str cwd, bool colour);
/* A path as command_to_run hands it on. */
struct str command_path(struct arena *a, const struct command *command, struct str cwd,
                        struct str path);

/* response.c: the arguments in an @file, by GCC's rules. */
bool response_read(struct arena *a, const char *path, struct vec *args, struct error *e);
/* The arguments in its text. */
bool response_split(struct arena *a, struct str text, struct vec *args, struct error *e);

/* ---- scan.c: the texts a TU is made of ------------------------------------------------------ */

/* A file that goes into the object. */
struct used_file {
    struct str path;
    struct file_stamp stamp; /* taken before it was read */
    struct str text;
    struct sha256 digest;
};

struct scan {
    struct vec files;   /* struct used_file: [0] is the TU */
    struct buf headers; /* "name=digest[,digest…]" lines, in order of first mention */
    bool sees_paths;    /* __FILE__ and its kin */
    bool pastes;        /* ##: names may be put together */
};

enum scan_mark { SCAN_FOREIGN, SCAN_KERNEL, SCAN_DISPATCH, SCAN_GROUP };
/* What the file's first line says it is. */
enum scan_mark scan_mark_of(const char *path);
/* Reads the TU, forced includes and all headers they name. False: something can't be followed. */
bool scan_command(struct arena *a, const struct command *command, struct scan *scan,
                  struct error *e);
/* Reads the TU and forced includes alone. */
bool scan_alone(struct arena *a, const struct command *command, struct scan *scan, struct error *e);
/* The folders that variables add to those searched for headers. */
void scan_variable_dirs(struct arena *a, struct vec *dirs);
/* True where `name` occurs as an identifier in any text. */
bool scan_mentions(const struct scan *scan, struct str name);
/* True where no used file has changed since it was read. Takes and frees memory like `near`'s. */
bool scan_unchanged(struct arena *near, const struct scan *scan);

/* ---- compiler.c ----------------------------------------------------------------------------- */

struct compiler {
    struct sha256 digest; /* of all that it is */
    struct str version;   /* a line for people */
    struct vec implicit;  /* struct str: headers that it includes by itself */
    struct vec search;    /* struct str: folders that it searches by itself */
    struct vec parts;     /* struct str: lines for people of what `digest` is made of */
};

/* `session` may be NULL. */
bool compiler_identify(struct arena *a, const struct command *command, struct store *store,
                       struct launch_session *session, struct compiler *compiler, struct error *e);

/* ---- key.c ---------------------------------------------------------------------------------- */

/* The command, as far as it has come: what is to be done about it when memory runs out. */
struct running {
    char **argv; /* the command as it was given */
    pid_t pid;   /* of the compiler; 0: not started */
    bool ended;
    int status;
    int caught[2]; /* what it printed */
};

struct header_set;

/* All that was found out about one command. */
struct job {
    struct running *running;
    struct command command;
    struct scan scan;
    struct compiler compiler;
    struct str cwd;
    bool direct;             /* a dispatch TU */
    struct launch_key base;  /* direct: the key without headers */
    struct header_set *used; /* direct: what direct_record read */
    struct vec headers;      /* direct: struct str, those of `key`, as the compiler named them */
    struct launch_key key;   /* direct: of no use before direct_find or direct_record */
    const char *kokkos;      /* its version; NULL: not said */
    bool tells;              /* direct: the key's parts are for people, too */
};

/* Reads the launcher's own options and the rest of argv. False: run `*rest` as it is. */
struct launch_options {
    const char *compiler;
    const char *store;
    const char *linker;             /* joins objects; NULL: "ld" */
    const char *parts;              /* a group's folder; NULL: "<object>.parts" */
    struct launch_session *session; /* of several commands; NULL: there is one */
    const char *kokkos;             /* its version; NULL: not said */
    int rest_count;
    char **rest;
};
bool options_parse(int argc, char **argv, struct launch_options *options, struct error *e);
bool job_prepare(struct arena *a, const struct launch_options *options, struct job *job,
                 struct error *e);
/* The same for a group: its key, which nothing in the store has, tells it from what it was. */
bool job_prepare_group(struct arena *a, const struct launch_options *options, struct job *job,
                       struct error *e);
bool job_make_key(struct arena *a, struct job *job, struct store *store,
                  struct launch_session *session, struct error *e);

/* ---- direct.c: dispatch TUs ----------------------------------------------------------------- */

/* True where the store knows headers of this base key that are all as they were: `key` and
 * `headers` are then set. */
bool direct_find(struct arena *a, struct job *job, struct store *store);
/* After a compile that began at `start` (by the clock of files): reads the headers that it used,
 * and sets `key` and `headers`. False: its object may not be kept. */
bool direct_record(struct arena *a, struct job *job, const struct timespec *start, struct error *e);
/* Remembers the headers of `key`, whose entry is in the store now. */
void direct_remember(struct arena *a, const struct job *job, struct store *store);

/* ---- depfile.c ------------------------------------------------------------------------------ */

#define DEPFILE_MAX ((size_t)64 * 1024 * 1024)
/* The depfile of a job: all files that went into its object. */
struct str depfile_text(struct arena *a, const struct job *job);
bool depfile_write(struct arena *a, const struct job *job, struct error *e);
/* True where the depfile that a compiler wrote names only files that are in the key. A missing or
 * empty one is replaced by ours. */
bool depfile_check(struct arena *a, const struct job *job, struct error *e);
/* The prerequisites of the first rule in the text of a depfile. False: there is no rule. */
bool depfile_names(struct arena *a, struct str text, struct vec *names);

/* ---- meta.c --------------------------------------------------------------------------------- */

/* %XX in a value or name. */
struct str meta_decode(struct arena *a, struct str s);
/* Fills in what the generator wrote beside the TU; leaves the rest empty. */
void meta_read(struct arena *a, struct str tu, struct store_record *record);

/* ---- launch.c ------------------------------------------------------------------------------- */

/* One command. Returns the exit status, or -1: the command is to be run as it is. */
int launch_run(struct arena *a, const struct launch_options *options, struct running *running);
/* What is no regular file (a device, say) must not be replaced by one. */
bool is_replaceable(const char *path);

/* ---- group.c -------------------------------------------------------------------------------- */

/* The same where the input is a group of kernels; -1, too, where it is not. */
int group_run(struct arena *a, const struct launch_options *options);

/* ---- miss.c --------------------------------------------------------------------------------- */

/* Runs the compiler, keeps what it made. Returns its exit status. */
int miss_run(struct arena *a, struct job *job, struct store *store, bool damaged);
/* Waits for the compiler where it has been started, hands on what it printed (once), and returns
 * its status. */
int miss_wait(struct running *running);
/* A line on the error stream. */
void launch_warn(const char *text);
bool launch_is_verbose(void);

#endif

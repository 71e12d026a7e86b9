/*
 * What compiler.c (which keeps answers) and compiler_ask.c (which gets them) share.
 */
#ifndef PKC_LAUNCH_COMPILER_H
#define PKC_LAUNCH_COMPILER_H

#include "launch/private.h"

#define COMPILER_PROGRAM_MAX ((size_t)2 * 1024 * 1024 * 1024)

struct identity {
    struct arena *arena;
    const char *name;   /* as it is called: clang and clang++ are one program */
    struct str path;    /* links resolved */
    struct str folder;  /* where it is asked: the root, unless where we are may decide */
    struct vec stamped; /* struct str: files that the answer holds for */
    struct vec found;   /* struct str: "part path" for each that was looked for through PATH */
    struct sha256_ctx *sha;
    struct compiler *out;
};

/* Adds a path or another text to a list of them. */
void compiler_push(struct arena *a, struct vec *v, struct str path);
/* The path of a part of the compiler that is found through PATH; empty where there is none. */
struct str compiler_find(struct arena *a, struct str part);
/* Asks `program` all that its identity is made of. */
bool compiler_ask(struct identity *id, const struct command *c, const char *program,
                  struct error *e);

#endif

/* Private to src/python: what a program and its modules hold beside their public part. */
#ifndef PKC_PYTHON_PROGRAM_H
#define PKC_PYTHON_PROGRAM_H

#include "python/python.h"
#include "python/syntax.h"

/* The largest file that is read; a larger one is refused. Ten thousand workunits have about 4 MB,
 * and a tree of 8 MB of tokens takes 2 GB. */
#define PY_MAX_FILE_SIZE ((size_t)8 << 20)

/* What a binding statement at a module's top level does to a name. */
enum site_kind {
    SITE_DEFINITION,  /* node: FunctionDef, AsyncFunctionDef, ClassDef */
    SITE_VALUE,       /* node: the expression; with `path` where it is unpacked */
    SITE_AUGMENTED,   /* node: AugAssign */
    SITE_IMPORT,      /* node: Import; alias */
    SITE_IMPORT_FROM, /* node: ImportFrom; alias */
    SITE_STAR,        /* the name comes from `module` through `from … import *` */
    SITE_HOST,        /* anything else */
    SITE_DELETED,
};

enum site_state { SITE_NEW, SITE_BUSY, SITE_DONE };

/* One binding of one name. `sequence` numbers a module's sites in source order: an expression
 * sees the newest site of a name that is older than its own. */
struct site {
    enum site_kind kind;
    uint32_t sequence;
    struct str name;
    const struct ast_node *node;
    const struct ast_node *alias;
    struct module *module; /* SITE_STAR: where from */
    const int *path;       /* SITE_VALUE: indexes into the value, outermost first */
    int path_length;
    const struct site *older;
    enum site_state state;
    struct py_binding binding; /* once SITE_DONE */
};

struct class_info {
    const struct py_field *fields;
    size_t field_count;
};

struct module {
    struct py_module pub; /* first: a const struct py_module * is one of these */
    struct str folder;    /* absolute */
    struct str dotted;    /* "pkg.mod" */
    bool is_namespace;    /* a folder without __init__.py */
    enum site_state bind_state;
    struct map sites;        /* name -> newest struct site */
    struct vec star_modules; /* external modules of `from … import *`: struct str * */
    uint32_t sequence;
    struct str bytes; /* of the file, as read */
    struct py_block *blocks;
    size_t block_count;
    struct map globals; /* names that some function declares global */
    struct py_workunit *workunits;
    size_t workunit_count;
    bool has_workunits;
    struct map classes; /* ClassDef's address -> struct class_info */
    struct map forms;   /* definition's address -> its canonical form */
};

struct py_program {
    struct arena *arena;
    struct diags *diags;
    struct grammar grammar;
    bool grammar_ok;
    struct str cwd;
    struct map modules;     /* real path -> struct module */
    struct map inputs_seen; /* path -> itself */
    struct py_input *inputs;
    size_t input_count, input_cap;
    struct map owners;      /* ClassDef's address -> struct module */
    struct map annotations; /* a text annotation's address -> its expression */
    struct vec roots;       /* struct str *: folders of the files that were loaded by name */
    int following;          /* how many names are being followed, one from the other */
    /* Used again for each workunit, so that memory does not grow with their number. */
    struct buf form_text, closure_text;
    py_skip_fn *skip; /* NULL: nothing is left out */
    py_ask_fn *ask;
    void *skip_context;
    struct map reached; /* addresses of definitions that forms mention */
    struct map found; /* "<folder>\n<dotted name>" -> struct module, or `absent` */
};

static inline struct module *module_of(const struct py_module *m)
{
    /* Modules are made by this folder and never const objects. */
    return (struct module *)(uintptr_t)m;
}

/* A definition's address as a map key. */
static inline struct str pointer_key(const void *const *pointer)
{
    return (struct str){(const char *)pointer, sizeof(*pointer)};
}

/* module.c */
struct module *module_load(struct py_program *p, struct str path, bool by_name);
/* A module that is not read from a file: for tests. `path` is absolute. */
struct module *module_from_text(struct py_program *p, struct str path, struct str text);
struct module *module_namespace(struct py_program *p, struct str folder, struct str dotted);
/* Records that a path was looked at; gives its stamp. */
struct file_stamp program_probe(struct py_program *p, struct str path);

/* parse.c: fills pub.tree and pub.error_count, and m->globals */
void parse_module(struct module *m);

/* import.c */
/* The project module `dotted` as seen from `m` (`level` dots before it); NULL: not in it. */
struct module *import_find(struct module *m, struct str dotted, int level);
/* The submodule `name` of a package; NULL: none. */
struct module *import_submodule(struct module *package, struct str name);

/* bind.c */
#define SEQUENCE_END UINT32_MAX
/* What `name` means to an expression at `sequence`. */
struct py_binding bind_lookup(struct module *m, struct str name, uint32_t sequence);
struct py_binding bind_resolve(struct module *m, const struct ast_node *expr, uint32_t sequence);
/* Builds m->sites. */
void bind_module(struct module *m);

/* evaluate.c */
bool evaluate_at(struct module *m, const struct ast_node *expr, uint32_t sequence,
                 struct py_value *out);
/* A built-in function, or math's, of constants; `count` at least 1. */
bool evaluate_call_builtin(struct arena *a, struct str name, const struct py_value *args,
                           size_t count, struct py_value *out);
bool evaluate_call_math(struct str name, const struct py_value *args, size_t count,
                        struct py_value *out);
/* a `op` b */
bool evaluate_binary(struct arena *a, enum ast_operator op, const struct py_value *left,
                     const struct py_value *right, struct py_value *out);

/* class.c: the module that a class which was looked up or listed is defined in; else `m` */
struct module *class_owner(struct module *m, const struct ast_node *class_node);

#endif

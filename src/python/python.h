/*
 * python: source text -> AST -> modules, names, constants, closure, AST hash.
 * Knows nothing of C++ or builds. Parsing is tree-sitter's; meaning of names is here.
 */
#ifndef PKC_PYTHON_H
#define PKC_PYTHON_H

#include "python/ast.h"
#include "support/support.h"

/* ---- program and modules -------------------------------------------------------------------- */

/* All files read in one run. Each file is read and parsed at most once. */
struct py_program;

struct py_program *py_program_new(struct arena *a, struct diags *diags);

struct py_module {
    struct py_program *program;
    struct str path;         /* as given: what diagnostics print */
    struct str real_path;    /* absolute */
    struct str name;         /* the file's stem, or the package's folder name for __init__.py */
    struct str source;       /* bytes as parsed: BOM skipped */
    const struct ast_node *tree;  /* AST_MODULE; top-level statements with errors are AST_ERROR */
    bool readable;           /* false: could not be read; diagnostics say why */
    size_t error_count;      /* syntax errors */
};

/* Loads a file once (by real path). Never NULL; look at `readable`. Errors go to the diags. */
const struct py_module *py_module_load(struct py_program *p, struct str path);

/* Every file read, and every path probed for an import and found missing (a later file there
 * would change the result), in a fixed order. For depfiles and for looking again after writing. */
struct py_input {
    struct str path;
    struct file_stamp stamp; /* taken before reading; `exists` false for a probed path */
};
const struct py_input *py_program_inputs(const struct py_program *p, size_t *count);
/* SHA-256 of the bytes that were read from the file `real_path`; false: none were. */
bool py_input_digest(const struct py_program *p, struct str real_path, struct sha256 *out);

/* A top-level block of a file: a statement, or a definition with its decorators. Blocks do not
 * overlap; between them are only blank lines and comments. */
struct py_block {
    uint32_t start, end; /* bytes of `source` */
};
const struct py_block *py_blocks(const struct py_module *m, size_t *count);

/* Is asked for each block of a module before it is parsed: true leaves it out, as if it were not
 * in the file, except that the places of all others stay as they are. */
typedef bool py_skip_fn(void *context, const struct py_module *m, size_t index, struct str text);
/* Is told each name that is looked up at the top level of some module, found or not. */
typedef void py_ask_fn(void *context, struct str name);
/* For the modules that are loaded from then on. */
void py_program_skip(struct py_program *p, py_skip_fn *skip, py_ask_fn *ask, void *context);
/* Has some canonical form so far reached this definition? (A workunit's own does not.) */
bool py_is_reached(const struct py_module *m, const struct ast_node *definition);

/* Adds an error at `node` in `module`, with the source line for the caret. `scope`: workunit. */
void py_error(const struct py_module *m, const struct ast_node *node, struct str scope,
              struct str message, struct str hint);
void py_warning(const struct py_module *m, const struct ast_node *node, struct str scope,
                struct str message, struct str hint);
void py_error_at(const struct py_module *m, const struct ast_span *span, struct str scope,
                 struct str message, struct str hint);

/* ---- names ---------------------------------------------------------------------------------- */

enum py_binding_kind {
    PY_UNBOUND,   /* no such name in the module */
    PY_BUILTIN,   /* not bound in the module, but one of Python's builtins: `qualified` */
    PY_EXTERNAL,  /* comes from a module outside the project: `qualified`, "pykokkos.View1D",
                     "math.sin", "numpy.sqrt", "math" for a whole module. `import numpy as np`
                     gives "numpy"; pykokkos' alias gives "pykokkos" */
    PY_MODULE,    /* a whole project module: `module` */
    PY_FUNCTION,  /* node: FunctionDef in `module` */
    PY_CLASS,     /* node: ClassDef in `module` */
    PY_CONSTANT,  /* bound to a constant expression: `value`; node: that expression */
    PY_ALIAS,     /* bound to an expression that is not constant but may be a type
                     (`T = pk.double`, `V = pk.View1D[pk.int32]`): node: that expression */
    PY_HOST,      /* bound to something else (a list, a call, a loop variable, …) */
};

struct py_binding {
    enum py_binding_kind kind;
    const struct py_module *module; /* where it is bound */
    const struct ast_node *node;    /* the binding statement's definition or value */
    struct str qualified; /* constants, aliases, host values: the name it has where it is bound */
    struct py_value value;
};

/* What a name means at a module's top level: last binding wins; followed through imports of
 * project files (search: the importing file's folder, its package's parents, the source roots). */
struct py_binding py_lookup(const struct py_module *m, struct str name);

/* The same for a Name or a dotted Attribute of Names ("hp.shift", "pk.Layout.LayoutRight");
 * PY_UNBOUND for any other expression. */
struct py_binding py_resolve(const struct py_module *m, const struct ast_node *expr);

/* Evaluates a constant expression exactly (ints unbounded to 127 bits, Python's operators and
 * precedence, math.* constants, int()/float()/bool()/abs/min/max/round/len of a constant string,
 * names of constants). False: not constant. An error that Python would raise (1 // 0) is false
 * too. */
bool py_evaluate(const struct py_module *m, const struct ast_node *expr, struct py_value *out);

/* A name in the default `expr` that its module binds again below: Python has evaluated the default
 * by then, so that what the name means at the end is not the default's value. Empty: none. */
struct str py_bound_after(const struct py_module *m, const struct ast_node *expr);

/* ---- what a file holds ---------------------------------------------------------------------- */

enum py_style { PY_STANDALONE, PY_FUNCTOR, PY_WORKLOAD };

struct py_workunit {
    const struct py_module *module;
    const struct ast_node *node;       /* FunctionDef */
    const struct ast_node *class_node; /* the functor or workload ClassDef, else NULL */
    enum py_style style;
    struct str name;                   /* "step" */
    struct str qualified;              /* "step", "Lattice.step" */
};

/* The module's workunits in source order (methods of functor and workload classes too, with those
 * inherited from base classes). A name bound twice: the last is the workunit, the first is a
 * warning. Those with a syntax error inside are left out (the error is in the diags). */
const struct py_workunit *py_workunits(const struct py_module *m, size_t *count);

/* The @pk.main and @pk.callback methods of a workload class, its own and inherited ones, in source
 * order. `m`: the module of its workunits. */
const struct py_workunit *py_host_methods(const struct py_module *m,
                                          const struct ast_node *class_node, size_t *count);

enum py_decorator { /* which pykokkos decorator, through any import spelling */
    PY_DECORATOR_NONE, PY_DECORATOR_WORKUNIT, PY_DECORATOR_FUNCTION, PY_DECORATOR_FUNCTOR,
    PY_DECORATOR_WORKLOAD, PY_DECORATOR_CLASSTYPE, PY_DECORATOR_MAIN, PY_DECORATOR_CALLBACK,
};
/* The pykokkos decorator of a FunctionDef or ClassDef; *call: the Call with its arguments, if any. */
enum py_decorator py_decorator_of(const struct py_module *m, const struct ast_node *definition,
                                  const struct ast_node **call);

/* A field of a functor/workload/classtype class: an annotated `self.x: T = …` in __init__ (in any
 * nested block), or an annotated name in the class body. In source order; base classes first. */
struct py_field {
    struct str name;
    const struct ast_node *annotation; /* NULL: `self.x = …` without one */
    const struct ast_node *node;       /* the assignment */
    const struct py_module *module;
};
const struct py_field *py_class_fields(const struct py_module *m, const struct ast_node *class_node,
                                       size_t *count);
/* A method by name, through base classes; NULL: none. *where: its module. */
const struct ast_node *py_class_method(const struct py_module *m, const struct ast_node *class_node,
                                       struct str name, const struct py_module **where);

/* What an annotation says: the expression itself, or where it is given as text ("pk.View1D[int]"),
 * that text's expression, whose nodes have the text's place. Text that is no expression stays. */
const struct ast_node *py_annotation(const struct py_module *m, const struct ast_node *annotation);

/* Statement lists without the docstring. */
struct ast_seq py_body(const struct ast_node *function);

/* ---- canonical form and hash ---------------------------------------------------------------- */

/* The closure's canonical form: one readable text, one field a line, structure only. Begins with
 * the workunit; then each reached function, class (fields, used methods) and constant in a fixed
 * order, each once; how each free name was resolved. Blind to positions, comments, formatting,
 * docstrings, import aliases, the order of definitions in a file; sees everything else. Of a
 * function without a decorator that raises, imports, yields or has a `try` or `with`, no kernel can
 * be made: only its name is there. */
void py_canonical(struct buf *out, const struct py_workunit *w);

/* SHA-256 of py_canonical. */
bool py_ast_hash(struct arena *a, const struct py_workunit *w, struct sha256 *out);

/* What differs between two canonical forms, for `why`: "body", "function shift (helpers.py)",
 * "constant SCALE: 3 -> 4", "type of parameter v", …; one line each, in order. The forms carry
 * no positions; `new_workunit` (may be NULL) gives file:line of the changed node. */
void py_canonical_difference(struct buf *out, struct str old_form, struct str new_form,
                             const struct py_workunit *new_workunit);

#endif

/*
 * Python's abstract syntax, with the names of CPython's `ast` module (3.14's grammar).
 *
 * A node's kind tells which member of `u` holds its fields. Sequences are arrays of node
 * pointers; an optional child that is absent is NULL. Nodes live in the program's arena and are
 * never changed after lowering.
 */
#ifndef PKC_PYTHON_AST_H
#define PKC_PYTHON_AST_H

#include "support/support.h"

__extension__ typedef __int128 py_int128;

enum ast_kind {
    AST_NONE = 0,
    /* mod */
    AST_MODULE,
    /* stmt */
    AST_FUNCTION_DEF,
    AST_ASYNC_FUNCTION_DEF,
    AST_CLASS_DEF,
    AST_RETURN,
    AST_DELETE,
    AST_ASSIGN,
    AST_TYPE_ALIAS,
    AST_AUG_ASSIGN,
    AST_ANN_ASSIGN,
    AST_FOR,
    AST_ASYNC_FOR,
    AST_WHILE,
    AST_IF,
    AST_WITH,
    AST_ASYNC_WITH,
    AST_MATCH,
    AST_RAISE,
    AST_TRY,
    AST_TRY_STAR,
    AST_ASSERT,
    AST_IMPORT,
    AST_IMPORT_FROM,
    AST_GLOBAL,
    AST_NONLOCAL,
    AST_EXPR,
    AST_PASS,
    AST_BREAK,
    AST_CONTINUE,
    /* expr */
    AST_BOOL_OP,
    AST_NAMED_EXPR,
    AST_BIN_OP,
    AST_UNARY_OP,
    AST_LAMBDA,
    AST_IF_EXP,
    AST_DICT,
    AST_SET,
    AST_LIST_COMP,
    AST_SET_COMP,
    AST_DICT_COMP,
    AST_GENERATOR_EXP,
    AST_AWAIT,
    AST_YIELD,
    AST_YIELD_FROM,
    AST_COMPARE,
    AST_CALL,
    AST_FORMATTED_VALUE,
    AST_JOINED_STR,
    AST_TEMPLATE_STR,
    AST_CONSTANT,
    AST_ATTRIBUTE,
    AST_SUBSCRIPT,
    AST_STARRED,
    AST_NAME,
    AST_LIST,
    AST_TUPLE,
    AST_SLICE,
    /* the rest */
    AST_COMPREHENSION,
    AST_EXCEPT_HANDLER,
    AST_ARGUMENTS,
    AST_ARG,
    AST_KEYWORD,
    AST_ALIAS,
    AST_WITH_ITEM,
    AST_MATCH_CASE,
    AST_PATTERN,    /* any pattern; u.other: its kind as text, and its children in order */
    AST_TYPE_PARAM, /* u.other */
    AST_ERROR,      /* text that is not Python; its diagnostics are in the module */
    AST_KIND_COUNT
};

enum ast_operator {
    OP_ADD, OP_SUB, OP_MULT, OP_MAT_MULT, OP_DIV, OP_MOD, OP_POW, OP_LSHIFT, OP_RSHIFT,
    OP_BIT_OR, OP_BIT_XOR, OP_BIT_AND, OP_FLOOR_DIV
};
enum ast_unary_operator { OP_INVERT, OP_NOT, OP_UADD, OP_USUB };
enum ast_bool_operator { OP_AND, OP_OR };
enum ast_cmp_operator {
    OP_EQ, OP_NOT_EQ, OP_LT, OP_LT_E, OP_GT, OP_GT_E, OP_IS, OP_IS_NOT, OP_IN, OP_NOT_IN
};

/* Half open; lines from 1, columns in bytes from 0 (as CPython's col_offset), offsets in bytes. */
struct ast_span {
    int line, column;
    int end_line, end_column;
    uint32_t start_byte, end_byte;
};

enum py_value_kind {
    PY_VALUE_NONE,      /* Python's None */
    PY_VALUE_ELLIPSIS,
    PY_VALUE_BOOL,
    PY_VALUE_INT,       /* exact; `too_big` where it does not fit 127 bits (then `text` has it) */
    PY_VALUE_FLOAT,
    PY_VALUE_COMPLEX,   /* imaginary literal: `real` is 0, `number` the imaginary part */
    PY_VALUE_STR,       /* UTF-8, escapes resolved */
    PY_VALUE_BYTES,
    PY_VALUE_TUPLE,     /* of constants: `items` */
};

struct py_value {
    enum py_value_kind kind;
    bool boolean;
    bool too_big;
    py_int128 integer;
    double number;
    struct str text; /* str/bytes: the value; numbers: the literal's digits without '_' */
    const struct py_value *items;
    size_t item_count;
};

struct ast_seq {
    const struct ast_node **items;
    size_t count;
};

struct ast_node {
    enum ast_kind kind;
    struct ast_span span;
    union {
        struct { struct ast_seq body; } module;
        struct { /* FunctionDef, AsyncFunctionDef */
            struct str name;
            struct ast_span name_span;
            const struct ast_node *args; /* AST_ARGUMENTS */
            struct ast_seq body, decorators;
            const struct ast_node *returns;
            struct ast_seq type_params;
        } function;
        struct {
            struct str name;
            struct ast_span name_span;
            struct ast_seq bases, keywords, body, decorators, type_params;
        } class_def;
        struct { const struct ast_node *value; } value; /* Return Expr Await Yield YieldFrom Starred */
        struct { struct ast_seq targets; const struct ast_node *value; } assign; /* Delete: targets */
        struct { const struct ast_node *target, *value; enum ast_operator op; } aug_assign;
        struct { const struct ast_node *target, *annotation, *value; bool simple; } ann_assign;
        struct { const struct ast_node *target, *iter; struct ast_seq body, orelse; } for_loop;
        struct { const struct ast_node *test; struct ast_seq body, orelse; } branch; /* If While */
        struct { struct ast_seq items, body; } with;
        struct { struct ast_seq body, handlers, orelse, finalbody; } try_stmt;
        struct { const struct ast_node *exc, *cause; } raise;
        struct { const struct ast_node *test, *msg; } assert_stmt;
        struct { /* Import: names; ImportFrom: module (may be empty), level, names */
            struct str module;
            int level;
            struct ast_seq names; /* AST_ALIAS */
        } import;
        struct { struct str *names; size_t count; } names; /* Global Nonlocal */
        struct { enum ast_bool_operator op; struct ast_seq values; } bool_op;
        struct { const struct ast_node *target, *value; } named_expr;
        struct { const struct ast_node *left, *right; enum ast_operator op; } bin_op;
        struct { const struct ast_node *operand; enum ast_unary_operator op; } unary_op;
        struct { const struct ast_node *args, *body; } lambda;
        struct { const struct ast_node *test, *body, *orelse; } if_exp;
        struct { /* ListComp SetComp GeneratorExp: elt; DictComp: elt is the key, value the value */
            const struct ast_node *elt, *value;
            struct ast_seq generators;
        } comp;
        struct { /* ops[i] stands before comparators.items[i] */
            const struct ast_node *left;
            enum ast_cmp_operator *ops;
            struct ast_seq comparators;
        } compare;
        struct { const struct ast_node *func; struct ast_seq args, keywords; } call;
        struct { struct py_value value; bool is_unicode_u; } constant;
        struct { const struct ast_node *value; struct str attr; struct ast_span attr_span; } attribute;
        struct { const struct ast_node *value, *slice; } subscript;
        struct { struct str id; } name; /* NFKC-normalised as CPython does */
        struct { struct ast_seq elts; } seq; /* List Tuple Set */
        struct { const struct ast_node *lower, *upper, *step; } slice;
        struct { struct ast_seq posonly, args; const struct ast_node *vararg;
                 struct ast_seq kwonly; struct ast_seq kw_defaults; /* NULL items: none */
                 const struct ast_node *kwarg; struct ast_seq defaults; } arguments;
        struct { struct str arg; const struct ast_node *annotation; } arg;
        struct { struct str arg; /* empty: ** */ const struct ast_node *value; } keyword;
        struct { struct str name, asname; } alias; /* asname empty: none */
        /* All else (Dict, Match, patterns, f-strings, comprehension, handlers, with items, …):
         * fields in CPython's order; absent optional children are NULL items, sequences are
         * preceded by an AST_NONE node whose span is empty. `text` has names and flags. */
        struct { struct str text; struct ast_seq children; } other;
    } u;
};

/* CPython's name of the node's class: "BinOp". */
const char *ast_kind_name(enum ast_kind kind);
/* CPython's name of an operator's class ("Add"), and its text in source ("+"). */
const char *ast_operator_name(enum ast_operator op);
const char *ast_operator_text(enum ast_operator op);
const char *ast_cmp_operator_text(enum ast_cmp_operator op);

/* Calls `visit` for each direct child in field order (decorators first, as evaluated last). */
typedef void ast_visit_fn(void *context, const struct ast_node *child);
void ast_for_each_child(const struct ast_node *node, ast_visit_fn *visit, void *context);

/* The text of ast.dump(node, indent=None) of CPython 3.11 (show_empty semantics of that version). */
void ast_dump(struct buf *out, const struct ast_node *node);

#endif

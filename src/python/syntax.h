/*
 * Private to src/python: from tree-sitter's concrete tree to AST nodes.
 *
 * The concrete tree is walked with one cursor. The children of a node are copied to a stack
 * (`kids_open` … `kids_close`), because each visit of a child by index would cost a search.
 */
#ifndef PKC_PYTHON_SYNTAX_H
#define PKC_PYTHON_SYNTAX_H

#include <tree_sitter/api.h>

#include "python/ast.h"

/* How deep an AST may be. CPython's own compiler gives up at about the same depth. */
#define SYNTAX_MAX_DEPTH 600

/* Kinds of the grammar's named nodes that the lowering tells apart, sorted by name. */
#define SYN_KINDS(SYN)            \
    SYN(aliased_import)           \
    SYN(argument_list)            \
    SYN(as_pattern)               \
    SYN(as_pattern_target)        \
    SYN(assert_statement)         \
    SYN(assignment)               \
    SYN(attribute)                \
    SYN(augmented_assignment)     \
    SYN(await)                    \
    SYN(binary_operator)          \
    SYN(block)                    \
    SYN(boolean_operator)         \
    SYN(break_statement)          \
    SYN(call)                     \
    SYN(case_clause)              \
    SYN(case_pattern)             \
    SYN(chevron)                  \
    SYN(class_definition)         \
    SYN(class_pattern)            \
    SYN(comment)                  \
    SYN(comparison_operator)      \
    SYN(complex_pattern)          \
    SYN(concatenated_string)      \
    SYN(conditional_expression)   \
    SYN(constrained_type)         \
    SYN(continue_statement)       \
    SYN(decorated_definition)     \
    SYN(decorator)                \
    SYN(default_parameter)        \
    SYN(delete_statement)         \
    SYN(dict_pattern)             \
    SYN(dictionary)               \
    SYN(dictionary_comprehension) \
    SYN(dictionary_splat)         \
    SYN(dictionary_splat_pattern) \
    SYN(dotted_name)              \
    SYN(elif_clause)              \
    SYN(ellipsis)                 \
    SYN(else_clause)              \
    SYN(except_clause)            \
    SYN(except_group_clause)      \
    SYN(exec_statement)           \
    SYN(expression_list)          \
    SYN(expression_statement)     \
    SYN(false)                    \
    SYN(finally_clause)           \
    SYN(float)                    \
    SYN(for_in_clause)            \
    SYN(for_statement)            \
    SYN(format_expression)        \
    SYN(format_specifier)         \
    SYN(function_definition)      \
    SYN(future_import_statement)  \
    SYN(generator_expression)     \
    SYN(generic_type)             \
    SYN(global_statement)         \
    SYN(identifier)               \
    SYN(if_clause)                \
    SYN(if_statement)             \
    SYN(import_from_statement)    \
    SYN(import_prefix)            \
    SYN(import_statement)         \
    SYN(integer)                  \
    SYN(interpolation)            \
    SYN(keyword_argument)         \
    SYN(keyword_pattern)          \
    SYN(keyword_separator)        \
    SYN(lambda)                   \
    SYN(lambda_parameters)        \
    SYN(line_continuation)        \
    SYN(list)                     \
    SYN(list_comprehension)       \
    SYN(list_pattern)             \
    SYN(list_splat)               \
    SYN(list_splat_pattern)       \
    SYN(match_statement)          \
    SYN(member_type)              \
    SYN(module)                   \
    SYN(named_expression)         \
    SYN(none)                     \
    SYN(nonlocal_statement)       \
    SYN(not_operator)             \
    SYN(pair)                     \
    SYN(parameters)               \
    SYN(parenthesized_expression) \
    SYN(pass_statement)           \
    SYN(pattern_list)             \
    SYN(positional_separator)     \
    SYN(print_statement)          \
    SYN(raise_statement)          \
    SYN(relative_import)          \
    SYN(return_statement)         \
    SYN(set)                      \
    SYN(set_comprehension)        \
    SYN(slice)                    \
    SYN(splat_pattern)            \
    SYN(splat_type)               \
    SYN(string)                   \
    SYN(string_content)           \
    SYN(string_end)               \
    SYN(string_start)             \
    SYN(subscript)                \
    SYN(true)                     \
    SYN(try_statement)            \
    SYN(tuple)                    \
    SYN(tuple_pattern)            \
    SYN(type)                     \
    SYN(type_alias_statement)     \
    SYN(type_conversion)          \
    SYN(type_parameter)           \
    SYN(typed_default_parameter)  \
    SYN(typed_parameter)          \
    SYN(unary_operator)           \
    SYN(union_pattern)            \
    SYN(union_type)               \
    SYN(while_statement)          \
    SYN(wildcard_import)          \
    SYN(with_clause)              \
    SYN(with_item)                \
    SYN(with_statement)           \
    SYN(yield)

enum syn {
    SYN_OTHER = 0, /* operators, keywords and punctuation: told apart by their text */
#define SYN_ENUM(name) SYN_##name,
    SYN_KINDS(SYN_ENUM)
#undef SYN_ENUM
        SYN_COUNT
};

/* The grammar's fields that the lowering uses, sorted by name. */
#define SYN_FIELDS(FIELD)  \
    FIELD(alias)           \
    FIELD(alternative)     \
    FIELD(arguments)       \
    FIELD(body)            \
    FIELD(cause)           \
    FIELD(condition)       \
    FIELD(consequence)     \
    FIELD(definition)      \
    FIELD(function)        \
    FIELD(guard)           \
    FIELD(key)             \
    FIELD(left)            \
    FIELD(module_name)     \
    FIELD(name)            \
    FIELD(operators)       \
    FIELD(parameters)      \
    FIELD(return_type)     \
    FIELD(right)           \
    FIELD(subject)         \
    FIELD(subscript)       \
    FIELD(superclasses)    \
    FIELD(type)            \
    FIELD(type_parameters) \
    FIELD(value)

enum syn_field {
    FIELD_NONE = 0,
#define FIELD_ENUM(name) FIELD_##name,
    SYN_FIELDS(FIELD_ENUM)
#undef FIELD_ENUM
        FIELD_COUNT
};

/* Maps of one grammar's numbers to the enumerations above. */
struct grammar {
    const TSLanguage *language;
    const uint8_t *kinds;
    const uint8_t *fields;
};

/* False where the grammar does not have a kind that the lowering needs. */
bool grammar_init(struct grammar *g, struct arena *a, const TSLanguage *language);

struct kid {
    TSNode node;
    enum syn syn;
    enum syn_field field;
};

/* The children of a node without comments: l->stack[base .. base + count]. */
struct kids {
    size_t base, count;
};

struct lower {
    struct arena *arena;
    struct str source;
    const struct grammar *grammar;
    TSTreeCursor cursor;
    struct kid *stack;
    size_t stack_count, stack_cap;
    struct vec nodes; /* sequences under construction */
    int depth;
    int function_depth; /* functions around, up to the nearest class */
    int scope_depth;    /* functions around, all of them */
    int loop_depth;
    struct map *globals;          /* names that a function declares global; NULL: not wanted */
    const struct ast_span *place; /* where all nodes are; NULL: where they are in the text */
    /* Where the text that was parsed begins in `source`, at the start of a line. */
    uint32_t base_byte;
    int base_line;
    /* The lines' first bytes, where tree-sitter's own count of lines is not right; NULL: it is. */
    const uint32_t *line_starts;
    size_t line_count;
    /* The first thing found that is not Python; message empty: none. */
    struct ast_span fail_span;
    struct str fail_message;
    bool fail_is_depth; /* nested too deeply */
};

struct kids kids_open(struct lower *l, TSNode node);
void kids_close(struct lower *l, struct kids kids);
static inline struct kid kid_at(const struct lower *l, struct kids kids, size_t i)
{
    return l->stack[kids.base + i];
}
/* The first child with that field, or of that kind. False: none. */
bool kid_by_field(const struct lower *l, struct kids kids, enum syn_field field, struct kid *out);
bool kid_by_syn(const struct lower *l, struct kids kids, enum syn syn, struct kid *out);

/* A node's first byte, and the one past its last, in l->source. */
static inline uint32_t syn_start(const struct lower *l, TSNode node)
{
    return l->base_byte + ts_node_start_byte(node);
}
static inline uint32_t syn_end(const struct lower *l, TSNode node)
{
    return l->base_byte + ts_node_end_byte(node);
}
/* The line (from 0) of a byte; only where l->line_starts is. */
size_t syn_line_of(const struct lower *l, uint32_t byte);
struct str syn_text(const struct lower *l, TSNode node);
bool syn_is(const struct lower *l, TSNode node, const char *text);
struct ast_span syn_span(const struct lower *l, TSNode node);
enum syn syn_kind(const struct lower *l, TSNode node);

/* Records what is not Python (the first one counts); gives an AST_ERROR node. */
const struct ast_node *lower_fail(struct lower *l, struct ast_span span, const char *message);
static inline bool lower_failed(const struct lower *l)
{
    return l->fail_message.len > 0;
}

/* Node building. */
struct ast_node *ast_new(struct arena *a, enum ast_kind kind, struct ast_span span);
size_t seq_begin(const struct lower *l);
void seq_push(struct lower *l, const struct ast_node *node);
struct ast_seq seq_end(struct lower *l, size_t begin);
/* For u.other: the empty node that stands before a sequence. */
void seq_push_mark(struct lower *l, struct ast_span at);
struct ast_span span_join(struct ast_span from, struct ast_span to);

/* lower_expr.c */
const struct ast_node *lower_expr(struct lower *l, TSNode node);
/* The expression a node list stands for: one, or a tuple without parentheses. */
const struct ast_node *lower_tuple_of(struct lower *l, TSNode node);
/* The same where it stands alone: no `*x`, and no `:=` without brackets. */
const struct ast_node *lower_value(struct lower *l, TSNode node);
const struct ast_node *lower_name(struct lower *l, TSNode node);
struct str lower_identifier(struct lower *l, TSNode node);
/* True where the expression may be assigned to; else reports CPython's words. */
bool lower_check_target(struct lower *l, const struct ast_node *node, const char *purpose);

/* lower_operator.c */
const struct ast_node *lower_binary(struct lower *l, TSNode node);
const struct ast_node *lower_unary(struct lower *l, TSNode node);
const struct ast_node *lower_await(struct lower *l, TSNode node);
const struct ast_node *lower_boolean(struct lower *l, TSNode node);
const struct ast_node *lower_comparison(struct lower *l, TSNode node);
const struct ast_node *lower_conditional(struct lower *l, TSNode node);
/* The grammar binds `*` tighter than an operator: takes a star off the left operand, and puts it
 * around the whole. */
const struct ast_node *lower_unstar(const struct ast_node *left, const struct ast_node **star);
const struct ast_node *lower_restar(struct lower *l, const struct ast_node *star,
                                    struct ast_node *node);

/* lower_compound.c: calls, comprehensions, lambdas and parameters */
const struct ast_node *lower_call(struct lower *l, TSNode node);
void lower_call_arguments(struct lower *l, TSNode node, struct ast_seq *args,
                          struct ast_seq *keywords);
const struct ast_node *lower_comprehension(struct lower *l, TSNode node, enum ast_kind kind);
const struct ast_node *lower_lambda(struct lower *l, TSNode node);
const struct ast_node *lower_parameters(struct lower *l, const TSNode *node, struct ast_span at);

/* lower_type.c: annotations and type parameters */
const struct ast_node *lower_type(struct lower *l, TSNode node);
const char *lower_describe(const struct ast_node *node);
struct ast_seq lower_type_params(struct lower *l, TSNode node);

/* lower_stmt.c */
void lower_statement(struct lower *l, TSNode node); /* pushes to l->nodes */
struct ast_seq lower_block(struct lower *l, TSNode node);

/* lower_simple.c */
const struct ast_node *lower_simple(struct lower *l, TSNode node, enum syn syn);
/* A part that the grammar promises is not there. */
const struct ast_node *lower_missing(struct lower *l, TSNode node);

/* lower_match.c */
const struct ast_node *lower_match(struct lower *l, TSNode node);

/* lower_string.c */
const struct ast_node *lower_string(struct lower *l, TSNode node);

/* literal.c: text of a number or string part to its value */
/* NULL where it is right, else CPython's words. */
const char *literal_number(struct arena *a, struct str text, struct py_value *out);
/* Decodes the escapes of a string's body; `bytes` for b"…". NULL, or CPython's words. */
const char *literal_string(struct buf *out, struct str body, bool raw, bool bytes);
/* Appends a code point as UTF-8 (surrogates too, as three bytes). */
void literal_utf8(struct buf *out, uint32_t code);

#endif

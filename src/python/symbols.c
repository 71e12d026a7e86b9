/* symbols: tree-sitter's numbers for kinds and fields to ours, and the children of a node. */
#include "python/syntax.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
#define SYN_NAME(name) #name,
    SYN_KINDS(SYN_NAME)
#undef SYN_NAME
};

static const char *const field_names[] = {
#define FIELD_NAME(name) #name,
    SYN_FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

static int compare_name(const void *key, const void *item)
{
    return strcmp((const char *)key, *(const char *const *)item);
}

/* The number (from 1) of `name` in a sorted table; 0: not in it. */
static uint8_t index_of(const char *name, const char *const *table, size_t count)
{
    const char *const *found = bsearch(name, table, count, sizeof(table[0]), compare_name);
    return found == NULL ? 0 : (uint8_t)(found - table + 1);
}

bool grammar_init(struct grammar *g, struct arena *a, const TSLanguage *language)
{
    g->language = language;
    const uint32_t symbols = ts_language_symbol_count(language);
    uint8_t *kinds = ARENA_ARRAY(a, uint8_t, symbols);
    bool seen[SYN_COUNT] = {false};
    for (uint32_t i = 0; i < symbols; i++) {
        if (ts_language_symbol_type(language, (TSSymbol)i) != TSSymbolTypeRegular) {
            continue;
        }
        const char *name = ts_language_symbol_name(language, (TSSymbol)i);
        kinds[i] = name == NULL ? 0 : index_of(name, kind_names, SYN_COUNT - 1);
        seen[kinds[i]] = true;
    }
    g->kinds = kinds;

    const uint32_t fields = ts_language_field_count(language);
    uint8_t *numbers = ARENA_ARRAY(a, uint8_t, fields + 1);
    for (uint32_t i = 1; i <= fields; i++) {
        const char *name = ts_language_field_name_for_id(language, (TSFieldId)i);
        numbers[i] = name == NULL ? 0 : index_of(name, field_names, FIELD_COUNT - 1);
    }
    g->fields = numbers;

    for (size_t i = 1; i < SYN_COUNT; i++) {
        if (!seen[i]) {
            return false;
        }
    }
    return true;
}

enum syn syn_kind(const struct lower *l, TSNode node)
{
    const TSSymbol symbol = ts_node_symbol(node);
    if (symbol == (TSSymbol)-1) {
        return SYN_OTHER; /* ERROR */
    }
    return (enum syn)l->grammar->kinds[symbol];
}

struct kids kids_open(struct lower *l, TSNode node)
{
    struct kids kids = {l->stack_count, 0};
    ts_tree_cursor_reset(&l->cursor, node);
    if (!ts_tree_cursor_goto_first_child(&l->cursor)) {
        return kids;
    }
    do {
        const TSNode child = ts_tree_cursor_current_node(&l->cursor);
        const enum syn syn = syn_kind(l, child);
        if (syn == SYN_comment || syn == SYN_line_continuation) {
            continue;
        }
        if (l->stack_count == l->stack_cap) {
            const size_t cap = l->stack_cap == 0 ? 256 : l->stack_cap * 2;
            struct kid *stack = ARENA_ARRAY(l->arena, struct kid, cap);
            if (l->stack_count > 0) {
                memcpy(stack, l->stack, l->stack_count * sizeof(*stack));
            }
            l->stack = stack;
            l->stack_cap = cap;
        }
        const TSFieldId field = ts_tree_cursor_current_field_id(&l->cursor);
        l->stack[l->stack_count++] =
            (struct kid){child, syn, (enum syn_field)l->grammar->fields[field]};
        kids.count++;
    } while (ts_tree_cursor_goto_next_sibling(&l->cursor));
    return kids;
}

void kids_close(struct lower *l, struct kids kids)
{
    l->stack_count = kids.base;
}

bool kid_by_field(const struct lower *l, struct kids kids, enum syn_field field, struct kid *out)
{
    for (size_t i = 0; i < kids.count; i++) {
        if (kid_at(l, kids, i).field == field) {
            *out = kid_at(l, kids, i);
            return true;
        }
    }
    return false;
}

bool kid_by_syn(const struct lower *l, struct kids kids, enum syn syn, struct kid *out)
{
    for (size_t i = 0; i < kids.count; i++) {
        if (kid_at(l, kids, i).syn == syn) {
            *out = kid_at(l, kids, i);
            return true;
        }
    }
    return false;
}

struct str syn_text(const struct lower *l, TSNode node)
{
    return str_slice(l->source, syn_start(l, node), syn_end(l, node));
}

bool syn_is(const struct lower *l, TSNode node, const char *text)
{
    return str_equal_c(syn_text(l, node), text);
}

size_t syn_line_of(const struct lower *l, uint32_t byte)
{
    size_t low = 0;
    size_t high = l->line_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (l->line_starts[middle] <= byte) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

struct ast_span syn_span(const struct lower *l, TSNode node)
{
    if (l->place != NULL) {
        return *l->place;
    }
    if (l->line_starts != NULL) {
        const uint32_t from = syn_start(l, node);
        const uint32_t to = syn_end(l, node);
        const size_t first = syn_line_of(l, from);
        const size_t last = syn_line_of(l, to);
        return (struct ast_span){
            .line = (int)first + 1,
            .column = (int)(from - l->line_starts[first]),
            .end_line = (int)last + 1,
            .end_column = (int)(to - l->line_starts[last]),
            .start_byte = from,
            .end_byte = to,
        };
    }
    const TSPoint start = ts_node_start_point(node);
    const TSPoint end = ts_node_end_point(node);
    return (struct ast_span){
        .line = l->base_line + (int)start.row + 1,
        .column = (int)start.column,
        .end_line = l->base_line + (int)end.row + 1,
        .end_column = (int)end.column,
        .start_byte = syn_start(l, node),
        .end_byte = syn_end(l, node),
    };
}

struct ast_span span_join(struct ast_span from, struct ast_span to)
{
    from.end_line = to.end_line;
    from.end_column = to.end_column;
    from.end_byte = to.end_byte;
    return from;
}

const struct ast_node *lower_fail(struct lower *l, struct ast_span span, const char *message)
{
    if (!lower_failed(l)) {
        l->fail_span = span;
        l->fail_message = str_copy_c(l->arena, message);
    }
    return ast_new(l->arena, AST_ERROR, span);
}

/* A node has room for its own kind's member only: most are names, and the largest is thrice as
 * big. Nodes are never copied, and no other member is ever looked at. */
#define SIZE_WITH(member) \
    (offsetof(struct ast_node, u.member) + sizeof(((struct ast_node *)0)->u.member))

static size_t node_size(enum ast_kind kind)
{
    switch (kind) {
    case AST_NONE:
    case AST_PASS:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_ERROR: return offsetof(struct ast_node, u);
    case AST_NAME: return SIZE_WITH(name);
    case AST_RETURN:
    case AST_EXPR:
    case AST_STARRED:
    case AST_AWAIT:
    case AST_YIELD:
    case AST_YIELD_FROM: return SIZE_WITH(value);
    case AST_BIN_OP: return SIZE_WITH(bin_op);
    case AST_UNARY_OP: return SIZE_WITH(unary_op);
    case AST_SUBSCRIPT: return SIZE_WITH(subscript);
    case AST_ATTRIBUTE: return SIZE_WITH(attribute);
    case AST_CALL: return SIZE_WITH(call);
    case AST_ARG: return SIZE_WITH(arg);
    case AST_KEYWORD: return SIZE_WITH(keyword);
    case AST_ALIAS: return SIZE_WITH(alias);
    case AST_COMPARE: return SIZE_WITH(compare);
    case AST_ASSIGN: return SIZE_WITH(assign);
    case AST_AUG_ASSIGN: return SIZE_WITH(aug_assign);
    case AST_ANN_ASSIGN: return SIZE_WITH(ann_assign);
    case AST_LIST:
    case AST_TUPLE:
    case AST_SET: return SIZE_WITH(seq);
    case AST_CONSTANT: return SIZE_WITH(constant);
    default: return sizeof(struct ast_node);
    }
}

struct ast_node *ast_new(struct arena *a, enum ast_kind kind, struct ast_span span)
{
    struct ast_node *node = arena_alloc(a, node_size(kind));
    node->kind = kind;
    node->span = span;
    return node;
}

size_t seq_begin(const struct lower *l)
{
    return l->nodes.count;
}

void seq_push(struct lower *l, const struct ast_node *node)
{
    vec_push(&l->nodes, (void *)node);
}

void seq_push_mark(struct lower *l, struct ast_span at)
{
    at.end_line = at.line;
    at.end_column = at.column;
    at.end_byte = at.start_byte;
    seq_push(l, ast_new(l->arena, AST_NONE, at));
}

struct ast_seq seq_end(struct lower *l, size_t begin)
{
    struct ast_seq seq = {NULL, l->nodes.count - begin};
    if (seq.count > 0) {
        seq.items = (const struct ast_node **)arena_array(l->arena, seq.count,
                                                          sizeof(const struct ast_node *));
        for (size_t i = 0; i < seq.count; i++) {
            seq.items[i] = l->nodes.items[begin + i];
        }
        l->nodes.count = begin;
    }
    return seq;
}

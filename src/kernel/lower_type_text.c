/* Types in text: INSTANTIATE entries, and annotations in quotes. */
#include "kernel/lower.h"

struct type_text {
    struct arena *a;
    struct str text;
    size_t at;
    int depth;
};

static void skip_blanks(struct type_text *p)
{
    while (p->at < p->text.len && (p->text.ptr[p->at] == ' ' || p->text.ptr[p->at] == '\t')) {
        p->at++;
    }
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static struct ast_node *text_node(struct type_text *p, enum ast_kind kind)
{
    struct ast_node *n = ARENA_NEW(p->a, struct ast_node);

    n->kind = kind;
    return n;
}

static struct str text_name(struct type_text *p)
{
    const size_t from = p->at;

    while (p->at < p->text.len && is_name_byte(p->text.ptr[p->at])) {
        p->at++;
    }
    return str_slice(p->text, from, p->at);
}

static bool text_takes(struct type_text *p, char c)
{
    skip_blanks(p);
    if (p->at >= p->text.len || p->text.ptr[p->at] != c) {
        return false;
    }
    p->at++;
    return true;
}

/* dotted name [ '[' type { ',' type } ']' ] */
static struct ast_node *parse_type(struct type_text *p)
{
    skip_blanks(p);
    struct str name = text_name(p);
    if (!name.len || ++p->depth > LOW_MAX_TYPE_DEPTH) {
        return NULL;
    }
    struct ast_node *n = text_node(p, AST_NAME);
    n->u.name.id = name;
    while (text_takes(p, '.')) {
        struct ast_node *outer = text_node(p, AST_ATTRIBUTE);
        outer->u.attribute.value = n;
        outer->u.attribute.attr = text_name(p);
        if (!outer->u.attribute.attr.len) {
            return NULL;
        }
        n = outer;
    }
    if (text_takes(p, '[')) {
        struct ast_node *outer = text_node(p, AST_SUBSCRIPT);
        outer->u.subscript.value = n;
        outer->u.subscript.slice = parse_type(p);
        if (!outer->u.subscript.slice) {
            return NULL;
        }
        while (text_takes(p, ',')) {
            if (!parse_type(p)) {
                return NULL;
            }
        }
        if (!text_takes(p, ']')) {
            return NULL;
        }
        n = outer;
    }
    p->depth--;
    return n;
}

const struct ast_node *low_parse_type(struct arena *a, struct str text)
{
    struct type_text p = {.a = a, .text = text};
    struct ast_node *n = parse_type(&p);

    skip_blanks(&p);
    return p.at == text.len ? n : NULL;
}

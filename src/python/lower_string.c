/*
 * lower_string: string literals, f-strings and t-strings.
 *
 * Adjacent literals are one value. The text between replacement fields is taken from the source
 * by position, not from the grammar's pieces of it, and decoded here.
 */
#include "python/syntax.h"

struct prefix {
    bool raw, bytes, format, template, unicode;
};

/* A string under construction: constant text collected since the last replacement field. */
struct pieces {
    struct buf text;
    struct ast_span text_span;
    bool bytes, unicode;
    bool has_format, has_template;
    size_t values; /* where they begin in l->nodes */
};

static struct prefix read_prefix(struct str start, size_t *length)
{
    struct prefix p = {false, false, false, false, false};
    size_t i = 0;
    for (; i < start.len && start.ptr[i] != '"' && start.ptr[i] != '\''; i++) {
        switch (start.ptr[i] | 0x20) {
        case 'r': p.raw = true; break;
        case 'b': p.bytes = true; break;
        case 'f': p.format = true; break;
        case 't': p.template = true; break;
        case 'u': p.unicode = true; break;
        default: break;
        }
    }
    *length = i;
    return p;
}

static void flush_text(struct lower *l, struct pieces *p)
{
    if (p->text.len == 0) {
        return;
    }
    struct ast_node *node = ast_new(l->arena, AST_CONSTANT, p->text_span);
    node->u.constant.value.kind = p->bytes ? PY_VALUE_BYTES : PY_VALUE_STR;
    node->u.constant.value.text = buf_str(&p->text);
    node->u.constant.is_unicode_u = p->unicode;
    seq_push(l, node);
    buf_init(&p->text, l->arena);
}

/* Adds source[from:to], with "{{" and "}}" as one brace where `braces`. */
static bool add_text(struct lower *l, struct pieces *p, struct prefix prefix, uint32_t from,
                     uint32_t to, bool braces, struct ast_span at)
{
    struct str body = str_slice(l->source, from, to);
    if (p->text.len == 0) {
        p->text_span = at;
    }
    struct buf plain;
    if (braces) {
        buf_init(&plain, l->arena);
        for (size_t i = 0; i < body.len; i++) {
            const char c = body.ptr[i];
            /* The braces of \N{NAME} are its own. */
            if (c == '\\' && !prefix.raw && i + 2 < body.len && body.ptr[i + 1] == 'N' &&
                body.ptr[i + 2] == '{') {
                while (i < body.len && body.ptr[i] != '}') {
                    buf_add_char(&plain, body.ptr[i++]);
                }
                buf_add_char(&plain, '}');
                continue;
            }
            if (c == '}' && (i + 1 == body.len || body.ptr[i + 1] != '}')) {
                lower_fail(l, at, "SyntaxError: f-string: single '}' is not allowed");
                return false;
            }
            buf_add_char(&plain, c);
            i += (c == '{' || c == '}') ? 1 : 0;
        }
        body = buf_str(&plain);
    }
    const char *problem = literal_string(&p->text, body, prefix.raw, prefix.bytes);
    if (problem != NULL) {
        lower_fail(l, at, str_format(l->arena, "SyntaxError: %s", problem).ptr);
        return false;
    }
    return true;
}

static const struct ast_node *lower_field(struct lower *l, TSNode node, struct prefix prefix,
                                          struct pieces *outer);

/* A format specification: a JoinedStr of its own. */
static const struct ast_node *lower_spec(struct lower *l, TSNode node, struct prefix prefix)
{
    const struct ast_span span = syn_span(l, node);
    const struct kids kids = kids_open(l, node);
    struct pieces p = {.has_format = true, .values = seq_begin(l)};
    buf_init(&p.text, l->arena);
    seq_push_mark(l, span);
    uint32_t at = syn_start(l, node) + 1;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn != SYN_format_expression && kid.syn != SYN_interpolation) {
            continue;
        }
        add_text(l, &p, prefix, at, syn_start(l, kid.node), false, span);
        const struct ast_node *field = lower_field(l, kid.node, prefix, &p);
        flush_text(l, &p);
        seq_push(l, field);
        at = syn_end(l, kid.node);
    }
    add_text(l, &p, prefix, at, syn_end(l, node), false, span);
    flush_text(l, &p);
    kids_close(l, kids);
    struct ast_node *joined = ast_new(l->arena, AST_JOINED_STR, span);
    joined->u.other.children = seq_end(l, p.values);
    return joined;
}

/* `{expression[=][!c][:spec]}`; with `=`, its own text goes before it. */
static const struct ast_node *lower_field(struct lower *l, TSNode node, struct prefix prefix,
                                          struct pieces *outer)
{
    struct ast_node *field = ast_new(l->arena, AST_FORMATTED_VALUE, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const struct ast_node *value = NULL;
    const struct ast_node *spec = NULL;
    struct str conversion = {"", 0};
    bool debug = false;
    uint32_t text_end = 0;
    for (size_t i = 1; i + 1 < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_type_conversion) {
            conversion = str_slice(syn_text(l, kid.node), 1, 2);
        } else if (kid.syn == SYN_format_specifier) {
            spec = lower_spec(l, kid.node, prefix);
        } else if (syn_is(l, kid.node, "=")) {
            debug = true;
            text_end = syn_end(l, kid.node);
        } else if (value == NULL) {
            value = lower_tuple_of(l, kid.node);
        }
    }
    kids_close(l, kids);
    if (value == NULL) {
        return lower_fail(l, field->span, "SyntaxError: f-string: empty expression not allowed");
    }
    if (conversion.len > 0 && conversion.ptr[0] != 's' && conversion.ptr[0] != 'r' &&
        conversion.ptr[0] != 'a') {
        return lower_fail(l, field->span,
                          "SyntaxError: f-string: invalid conversion character: expected 's', "
                          "'r', or 'a'");
    }
    if (debug) {
        const uint32_t start = syn_start(l, node) + 1;
        while (text_end < l->source.len &&
               (l->source.ptr[text_end] == ' ' || l->source.ptr[text_end] == '\t' ||
                l->source.ptr[text_end] == '\n')) {
            text_end++;
        }
        if (outer->text.len == 0) {
            outer->text_span = field->span;
        }
        buf_add(&outer->text, str_slice(l->source, start, text_end));
        if (conversion.len == 0 && spec == NULL) {
            conversion = STR("r");
        }
    }
    const size_t begin = seq_begin(l);
    seq_push(l, value);
    seq_push(l, spec);
    field->u.other.children = seq_end(l, begin);
    field->u.other.text = conversion;
    return field;
}

static void lower_part(struct lower *l, TSNode node, struct pieces *p, bool first)
{
    const struct ast_span span = syn_span(l, node);
    const struct kids kids = kids_open(l, node);
    if (kids.count < 2) {
        kids_close(l, kids);
        lower_fail(l, span, "SyntaxError: invalid syntax");
        return;
    }
    const TSNode start = kid_at(l, kids, 0).node;
    size_t prefix_length = 0;
    const struct prefix prefix = read_prefix(syn_text(l, start), &prefix_length);
    const bool fields = prefix.format || prefix.template;
    const bool bad = (prefix.unicode && prefix_length > 1) || (fields && prefix.bytes) ||
                     (prefix.format && prefix.template) || prefix_length > 2 ||
                     (prefix_length == 2 && !prefix.raw);
    if (bad || syn_text(l, start).ptr[prefix_length] == '`') {
        lower_fail(l, span, "SyntaxError: invalid syntax");
    }
    if (first) {
        p->bytes = prefix.bytes;
        p->unicode = prefix.unicode;
    } else if (p->bytes != prefix.bytes) {
        lower_fail(l, span, "SyntaxError: cannot mix bytes and nonbytes literals");
    }
    p->has_format = p->has_format || prefix.format;
    p->has_template = p->has_template || prefix.template;
    uint32_t at = syn_end(l, start);
    for (size_t i = 1; fields && i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn != SYN_interpolation) {
            continue;
        }
        add_text(l, p, prefix, at, syn_start(l, kid.node), true, span);
        const struct ast_node *field = lower_field(l, kid.node, prefix, p);
        flush_text(l, p);
        seq_push(l, field);
        at = syn_end(l, kid.node);
    }
    /* Not where the grammar's end token begins: in r'\\' that holds the text too. */
    const uint32_t quotes = (uint32_t)(syn_text(l, start).len - prefix_length);
    const uint32_t end = syn_end(l, node);
    add_text(l, p, prefix, at, end < at + quotes ? at : end - quotes, fields, span);
    kids_close(l, kids);
}

const struct ast_node *lower_string(struct lower *l, TSNode node)
{
    const struct ast_span span = syn_span(l, node);
    struct pieces p = {.values = seq_begin(l)};
    buf_init(&p.text, l->arena);
    seq_push_mark(l, span);
    if (syn_kind(l, node) == SYN_concatenated_string) {
        const struct kids kids = kids_open(l, node);
        for (size_t i = 0; i < kids.count; i++) {
            lower_part(l, kid_at(l, kids, i).node, &p, i == 0);
        }
        kids_close(l, kids);
    } else {
        lower_part(l, node, &p, true);
    }
    if (p.has_format || p.has_template) {
        flush_text(l, &p);
        struct ast_node *joined =
            ast_new(l->arena, p.has_template ? AST_TEMPLATE_STR : AST_JOINED_STR, span);
        joined->u.other.children = seq_end(l, p.values);
        return joined;
    }
    (void)seq_end(l, p.values);
    struct ast_node *constant = ast_new(l->arena, AST_CONSTANT, span);
    constant->u.constant.value.kind = p.bytes ? PY_VALUE_BYTES : PY_VALUE_STR;
    constant->u.constant.value.text = buf_str(&p.text);
    constant->u.constant.is_unicode_u = p.unicode;
    return constant;
}

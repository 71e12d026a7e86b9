/* Diagnostics of a pass: kept with the unit, reported only when its types are settled. */
#include "kernel/lower.h"

static void add(struct lower *l, struct vec *list, enum diag_severity severity,
                const struct py_module *m, const struct ast_span *span, struct str hint,
                const char *format, va_list args)
{
    struct low_diag *d = ARENA_NEW(l->a, struct low_diag);
    struct buf text;

    buf_init(&text, l->a);
    buf_vprintf(&text, format, args);
    d->severity = severity;
    d->module = m;
    d->span = *span;
    d->message = buf_str(&text);
    d->hint = hint;
    vec_push(list, d);
}

void low_error(struct low_scope *s, const struct ast_node *n, struct str hint, const char *format,
               ...)
{
    va_list args;

    va_start(args, format);
    add(s->unit->l, &s->unit->diags, DIAG_ERROR, s->module, &n->span, hint, format, args);
    va_end(args);
}

void low_error_span(struct low_scope *s, const struct ast_span *span, struct str hint,
                    const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(s->unit->l, &s->unit->diags, DIAG_ERROR, s->module, span, hint, format, args);
    va_end(args);
}

void low_warning(struct low_scope *s, const struct ast_node *n, struct str hint, const char *format,
                 ...)
{
    va_list args;

    va_start(args, format);
    add(s->unit->l, &s->unit->diags, DIAG_WARNING, s->module, &n->span, hint, format, args);
    va_end(args);
}

void low_error_top(struct lower *l, const struct py_module *m, const struct ast_node *n,
                   struct str hint, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(l, &l->diags, DIAG_ERROR, m, &n->span, hint, format, args);
    va_end(args);
}

size_t low_count_errors(const struct vec *diags)
{
    size_t errors = 0;

    for (size_t i = 0; i < diags->count; i++) {
        const struct low_diag *d = diags->items[i];
        errors += d->severity == DIAG_ERROR;
    }
    return errors;
}

size_t low_report(struct lower *l, const struct vec *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        const struct low_diag *d = diags->items[i];
        struct ast_node at = {.kind = AST_NONE, .span = d->span};
        if (d->severity == DIAG_ERROR) {
            py_error_at(d->module, &d->span, l->workunit->qualified, d->message, d->hint);
        } else {
            py_warning(d->module, &at, l->workunit->qualified, d->message, d->hint);
        }
    }
    return low_count_errors(diags);
}

struct str low_hint(struct low_scope *s, const char *format, ...)
{
    va_list args;
    struct buf text;

    buf_init(&text, s->unit->l->a);
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    return buf_str(&text);
}

struct str low_spell(struct low_scope *s, const struct type *t)
{
    return t ? type_spell(s->unit->l->a, t) : STR("?");
}

struct str low_source(struct low_scope *s, const struct ast_node *n, size_t limit)
{
    struct str text = str_slice(s->module->source, n->span.start_byte, n->span.end_byte);

    for (size_t i = 0; i < text.len; i++) {
        if (i == limit || text.ptr[i] == '\n' || text.ptr[i] == '\r') {
            return str_format(s->unit->l->a, STR_FMT "…", (int)i, text.ptr);
        }
    }
    return text;
}

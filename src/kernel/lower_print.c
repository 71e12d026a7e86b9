/* printf and print. Conversions become those of the arguments' real types. */
#include "kernel/lower.h"

#include <string.h>

static const struct ir_expr *make_printf(struct low_scope *s, const struct ast_node *n,
                                         struct str text, const struct ir_expr *const *args,
                                         size_t count)
{
    struct ir_expr *e = low_expr_new(s, IR_PRINTF, type_scalar(TYPE_VOID), n, count);

    e->text = text;
    e->effects = EFFECT_READS | EFFECT_WRITES;
    for (size_t i = 0; i < count; i++) {
        e->args[i] = args[i];
    }
    return e;
}

static void add_escaped(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        buf_add_c(out, text.ptr[i] == '%' ? "%" : "");
        buf_add_char(out, text.ptr[i]);
    }
}

static const struct py_value *string_constant(struct low_scope *s, const struct ast_node *n,
                                              struct py_value *out)
{
    if (n->kind == AST_NAME && low_scope_find(s, n->u.name.id)) {
        return NULL;
    }
    return py_evaluate(s->module, n, out) && out->kind == PY_VALUE_STR ? out : NULL;
}

/* ---- printf --------------------------------------------------------------------------------- */

/* One conversion: flags, width and precision stay; length and letter become the argument's. */
static bool convert_one(struct low_scope *s, const struct ast_node *arg_node, struct buf *out,
                        struct str flags, char letter, const struct ir_expr **arg)
{
    const bool integer = strchr("diuxXoc", letter) != NULL;
    const bool floating = strchr("fFeEgGaA", letter) != NULL;
    const struct ir_expr *x = low_settle(s, low_number(s, *arg, arg_node, "the argument"));

    if (!x->type) {
        return false;
    }
    if (!integer && !floating) {
        low_error(s, arg_node, STR("use %d for integers and %f for floats"),
                  "the conversion %%%c is not translated", letter);
        return false;
    }
    if (type_is_integer(x->type->kind) != integer || type_is_complex(x->type->kind)) {
        low_error(s, arg_node, integer ? STR("use %f, or int(…)") : STR("use %d, or float(…)"),
                  "%%%c prints %s, the argument is a " STR_FMT, letter,
                  integer ? "an integer" : "a float", STR_ARG(low_spell(s, x->type)));
        return false;
    }
    buf_add_char(out, '%');
    buf_add(out, flags);
    if (letter == 'c') {
        *arg = low_convert(s, x, TYPE_INT64);
        buf_add_c(out, "c");
        return true;
    }
    if (integer) {
        const bool is_unsigned = x->type->kind == TYPE_UINT64;
        *arg = low_convert(s, x, is_unsigned ? TYPE_UINT64 : TYPE_INT64);
        buf_add_c(out, "ll");
        buf_add_char(out, is_unsigned && (letter == 'd' || letter == 'i') ? 'u' : letter);
    } else {
        *arg = low_convert(s, x, TYPE_DOUBLE);
        buf_add_char(out, letter);
    }
    return true;
}

static bool rewrite(struct low_scope *s, const struct ast_node *n, struct str format,
                    const struct ir_expr **args, size_t count, struct buf *out)
{
    size_t next = 0;
    bool ok = true;

    for (size_t i = 0; i < format.len; i++) {
        if (format.ptr[i] != '%') {
            buf_add_char(out, format.ptr[i]);
            continue;
        }
        if (i + 1 < format.len && format.ptr[i + 1] == '%') {
            buf_add_c(out, "%%");
            i++;
            continue;
        }
        const size_t from = ++i;
        while (i < format.len && strchr("-+ #0123456789.", format.ptr[i])) {
            i++;
        }
        const struct str flags = str_slice(format, from, i);
        while (i < format.len && strchr("hlLqjzt", format.ptr[i])) {
            i++;
        }
        if (i == format.len) {
            low_error(s, n->u.call.args.items[0], STR("write %% for the character"),
                      "an incomplete conversion ends the format");
            return false;
        }
        if (format.ptr[i] == '*') {
            low_error(s, n->u.call.args.items[0], STR("write the width"),
                      "a width given as an argument (*) is not translated");
            return false;
        }
        if (next >= count) {
            low_error(s, n, STR(""), "the format has more conversions than there are arguments");
            return false;
        }
        ok &=
            convert_one(s, n->u.call.args.items[next + 1], out, flags, format.ptr[i], &args[next]);
        next++;
    }
    if (next < count) {
        low_error(s, n, STR(""), "the format has %zu conversion%s for %zu arguments", next,
                  next == 1 ? "" : "s", count);
        return false;
    }
    return ok;
}

/* Arguments from `first` on, in order; false: refused. */
static bool printed(struct low_scope *s, const struct ast_node *n, size_t first,
                    struct low_operands *o)
{
    const struct ast_seq *args = &n->u.call.args;
    bool ok = true;

    low_operands_begin(o, s, args->count + 1);
    for (size_t i = first; i < args->count; i++) {
        low_operands_add(o, low_expr(s, args->items[i]));
        ok &= o->items[o->count - 1]->type != NULL;
    }
    low_operands_seal(o);
    return ok;
}

const struct ir_expr *low_printf_call(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_seq *args = &n->u.call.args;
    struct py_value value;
    struct low_operands o;
    struct buf text;

    if (!args->count || n->u.call.keywords.count || !string_constant(s, args->items[0], &value)) {
        low_error(s, n, STR("pk.printf(\"%d %f\\n\", i, x)"),
                  args->count && args->items[0]->kind == AST_JOINED_STR
                      ? "an f-string is no format: it must be a constant string"
                      : "the format of printf must be a constant string");
        return low_unknown(s, n);
    }
    buf_init(&text, s->unit->l->a);
    if (!printed(s, n, 1, &o) || !rewrite(s, n, value.text, o.items, o.count, &text)) {
        return low_unknown(s, n);
    }
    return make_printf(s, n, buf_str(&text), o.items, o.count);
}

/* ---- print ---------------------------------------------------------------------------------- */

static bool print_options(struct low_scope *s, const struct ast_node *n, struct str *sep,
                          struct str *end)
{
    for (size_t i = 0; i < n->u.call.keywords.count; i++) {
        const struct ast_node *k = n->u.call.keywords.items[i];
        struct py_value value;
        const bool is_sep = str_equal_c(k->u.keyword.arg, "sep");
        if (str_equal_c(k->u.keyword.arg, "flush")) {
            continue;
        }
        if ((!is_sep && !str_equal_c(k->u.keyword.arg, "end")) ||
            !string_constant(s, k->u.keyword.value, &value)) {
            low_error(s, k, STR("sep and end take constant strings"),
                      "print() of a workunit does not take this argument");
            return false;
        }
        *(is_sep ? sep : end) = value.text;
    }
    return true;
}

/* A piece of what print() writes: text, or a value with its conversion. */
struct piece {
    struct str text;
    const struct ast_node *node; /* NULL: text */
    struct str spec;             /* of an f-string: ".2f" */
};

static bool add_printed(struct low_scope *s, const struct piece *p, struct buf *text,
                        const struct ir_expr **x)
{
    const struct ast_node *node = p->node;

    if (p->spec.len) {
        const char letter = p->spec.ptr[p->spec.len - 1];
        if (strchr("fFeEgG", letter) && type_is_integer((*x)->type->kind)) {
            *x = low_convert(s, low_number(s, *x, node, "the argument"), TYPE_DOUBLE);
        }
        return convert_one(s, node, text, str_slice(p->spec, 0, p->spec.len - 1), letter, x);
    }
    if ((*x)->type->kind == TYPE_BOOL) {
        buf_add_c(text, "%b");
        return true;
    }
    *x = low_settle(s, low_number(s, *x, node, "the argument"));
    if (!(*x)->type) {
        return false;
    }
    switch ((*x)->type->kind) {
    case TYPE_INT64: buf_add_c(text, "%lld"); return true;
    case TYPE_UINT64: buf_add_c(text, "%llu"); return true;
    case TYPE_FLOAT:
    case TYPE_DOUBLE: buf_add_c(text, "%r"); return true;
    default:
        low_error(s, node, STR("print its parts"), "a " STR_FMT " cannot be printed",
                  STR_ARG(low_spell(s, (*x)->type)));
        return false;
    }
}

static void add_piece(struct low_scope *s, struct vec *pieces, struct piece piece)
{
    struct piece *p = ARENA_NEW(s->unit->l->a, struct piece);

    *p = piece;
    vec_push(pieces, p);
}

/* Does Python write what C's printf does for this? "[+ ]" for signs, a width, a precision and one
 * of "dfFeEgG". */
static bool is_c_spec(struct str spec)
{
    size_t at = 0;

    if (at < spec.len && (spec.ptr[at] == '+' || spec.ptr[at] == ' ')) {
        at++;
    }
    if (at < spec.len && spec.ptr[at] == '0') {
        return false; /* C pads infinities with blanks */
    }
    while (at < spec.len && spec.ptr[at] >= '0' && spec.ptr[at] <= '9') {
        at++;
    }
    if (at < spec.len && spec.ptr[at] == '.') {
        for (at++; at < spec.len && spec.ptr[at] >= '0' && spec.ptr[at] <= '9';) {
            at++;
        }
        return at + 1 == spec.len && strchr("fFeEgG", spec.ptr[at]);
    }
    return at + 1 == spec.len && strchr("dfFeEgG", spec.ptr[at]);
}

/* The format after the ':' of an f-string's value; false: none that is known here. */
static bool read_spec(struct low_scope *s, const struct ast_node *spec, struct str *out)
{
    struct py_value value;

    for (size_t i = 0; spec && i < spec->u.other.children.count; i++) {
        const struct ast_node *part = spec->u.other.children.items[i];
        if (part->kind == AST_NONE) {
            continue;
        }
        if (out->len || !string_constant(s, part, &value) || !is_c_spec(value.text)) {
            return false;
        }
        *out = value.text;
    }
    return true;
}

/* f"…" in a host function: its text and values. */
static bool add_joined(struct low_scope *s, const struct ast_node *n, struct vec *pieces)
{
    const struct ast_seq *parts = &n->u.other.children;

    for (size_t i = 0; i < parts->count; i++) {
        const struct ast_node *part = parts->items[i];
        struct piece piece = {.node = part};
        struct py_value value;
        if (part->kind == AST_NONE) {
            continue; /* begins the list */
        }
        if (part->kind == AST_FORMATTED_VALUE) {
            piece.node = part->u.other.children.items[0];
            if (!read_spec(s, part->u.other.children.items[1], &piece.spec)) {
                low_error(s, part, STR("use pk.printf"),
                          "this format of an f-string is not translated");
                return false;
            }
        }
        if (!piece.spec.len && string_constant(s, piece.node, &value)) {
            piece = (struct piece){.text = value.text};
        }
        add_piece(s, pieces, piece);
    }
    return true;
}

/* The arguments of print() with what it writes between and after them. */
static bool find_pieces(struct low_scope *s, const struct ast_node *n, struct vec *pieces)
{
    const struct ast_seq *args = &n->u.call.args;
    struct str sep = STR(" "), end = STR("\n");

    if (!print_options(s, n, &sep, &end)) {
        return false;
    }
    for (size_t i = 0; i < args->count; i++) {
        struct py_value value;
        if (i) {
            add_piece(s, pieces, (struct piece){.text = sep});
        }
        if (string_constant(s, args->items[i], &value)) {
            add_piece(s, pieces, (struct piece){.text = value.text});
        } else if (args->items[i]->kind == AST_JOINED_STR && s->unit->l->host) {
            if (!add_joined(s, args->items[i], pieces)) {
                return false;
            }
        } else {
            add_piece(s, pieces, (struct piece){.node = args->items[i]});
        }
    }
    add_piece(s, pieces, (struct piece){.text = end});
    return true;
}

const struct ir_expr *low_print_call(struct low_scope *s, const struct ast_node *n)
{
    struct low_operands o;
    struct vec pieces;
    struct buf text;
    bool ok = true;

    vec_init(&pieces, s->unit->l->a);
    if (!find_pieces(s, n, &pieces)) {
        return low_unknown(s, n);
    }
    low_operands_begin(&o, s, pieces.count);
    for (size_t i = 0; i < pieces.count; i++) {
        const struct piece *p = pieces.items[i];
        if (p->node) {
            low_operands_add(&o, low_expr(s, p->node));
            ok &= o.items[o.count - 1]->type != NULL;
        }
    }
    low_operands_seal(&o);
    if (!ok) {
        return low_unknown(s, n);
    }
    buf_init(&text, s->unit->l->a);
    size_t next = 0;
    for (size_t i = 0; i < pieces.count; i++) {
        const struct piece *p = pieces.items[i];
        if (p->node) {
            ok &= add_printed(s, p, &text, &o.items[next++]);
        } else {
            add_escaped(&text, p->text);
        }
    }
    return ok ? make_printf(s, n, buf_str(&text), o.items, o.count) : low_unknown(s, n);
}

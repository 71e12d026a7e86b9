/* Calls: helpers and inner functions, atomics, printf. */
#include "kernel/emit.h"

void emit_function_call(struct emit *e, const struct ir_expr *x)
{
    const struct ir_function *f = x->function;
    bool first = true;
    emit_str(e, f->symbol);
    emit_text(e, "(");
    if (f->uses_fields && !f->inner) {
        emit_str(e, e->self);
        first = false;
    } else if (f->inner && f->recursive) {
        emit_str(e, f->symbol); /* a lambda is given itself */
        first = false;
    }
    for (size_t i = 0; i < x->arg_count; i++) {
        emit_text(e, first ? "" : ", ");
        emit_expr(e, x->args[i], PREC_CONDITIONAL);
        first = false;
    }
    emit_text(e, ")");
}

static const char *const atomic_names[] = {
    [ATOMIC_ADD] = "add",
    [ATOMIC_SUB] = "sub",
    [ATOMIC_MUL] = "mul",
    [ATOMIC_DIV] = "div",
    [ATOMIC_MOD] = "mod",
    [ATOMIC_MIN] = "min",
    [ATOMIC_MAX] = "max",
    [ATOMIC_AND] = "and",
    [ATOMIC_OR] = "or",
    [ATOMIC_XOR] = "xor",
    [ATOMIC_LSHIFT] = "lshift",
    [ATOMIC_RSHIFT] = "rshift",
    [ATOMIC_EXCHANGE] = "exchange",
    [ATOMIC_STORE] = "store",
    [ATOMIC_LOAD] = "load",
    [ATOMIC_COMPARE_EXCHANGE] = "compare_exchange",
};

void emit_atomic(struct emit *e, const struct ir_expr *x)
{
    const bool forms = x->atomic < ATOMIC_EXCHANGE;
    const bool complex = type_is_complex(x->args[0]->type->kind);
    e->header[complex ? HEADER_ATOMIC_COMPLEX : HEADER_ATOMIC] = true;
    emit_text(e, forms && x->fetch == FETCH_OLD ? "pkc::atomic_fetch_" : "pkc::atomic_");
    emit_text(e, atomic_names[x->atomic]);
    emit_text(e, forms && x->fetch == FETCH_NEW ? "_fetch(&" : "(&");
    emit_expr(e, x->args[0], PREC_UNARY);
    for (size_t i = 1; i < x->arg_count; i++) {
        emit_text(e, ", ");
        emit_expr(e, x->args[i], PREC_CONDITIONAL);
    }
    emit_text(e, ")");
}

/* ---- printf --------------------------------------------------------------------------------- */

/* The end of the conversion that begins at the '%' at `at`, and its last letter. */
static size_t conversion_end(struct str text, size_t at, char *letter)
{
    size_t end = at + 1;
    while (end < text.len) {
        const char c = text.ptr[end++];
        if ((c >= 'a' && c <= 'z' && c != 'l' && c != 'h' && c != 'j' && c != 'z' && c != 't') ||
            (c >= 'A' && c <= 'Z' && c != 'L') || c == '%') {
            *letter = c;
            return end;
        }
    }
    *letter = '%';
    return end;
}

static void print_argument(struct emit *e, const struct ir_expr *x, char letter)
{
    emit_text(e, ", ");
    if (letter == 'r') {
        e->header[HEADER_PRINT] = true;
        emit_named_call(e, "pkc::repr", &x, 1);
        emit_text(e, ".text");
    } else if (letter == 'b') {
        emit_expr(e, x, PREC_OR);
        emit_text(e, " ? \"True\" : \"False\"");
    } else if (x->type->kind == TYPE_BOOL || type_is_integer(x->type->kind)) {
        const bool is_unsigned = x->type->kind == TYPE_UINT64;
        emit_named_call(
            e, is_unsigned ? "static_cast<unsigned long long>" : "static_cast<long long>", &x, 1);
    } else if (x->type->kind == TYPE_FLOAT) {
        emit_named_call(e, "double", &x, 1);
    } else {
        emit_expr(e, x, PREC_CONDITIONAL);
    }
}

void emit_printf(struct emit *e, const struct ir_expr *x)
{
    struct buf format;
    struct buf letters;
    buf_init(&format, e->arena);
    buf_init(&letters, e->arena);
    for (size_t at = 0; at < x->text.len;) {
        if (x->text.ptr[at] != '%') {
            buf_add_char(&format, x->text.ptr[at++]);
            continue;
        }
        char letter;
        const size_t end = conversion_end(x->text, at, &letter);
        if (letter == 'r' || letter == 'b') {
            buf_add(&format, str_slice(x->text, at, end - 1));
            buf_add_char(&format, 's');
        } else {
            buf_add(&format, str_slice(x->text, at, end));
        }
        if (letter != '%') {
            buf_add_char(&letters, letter);
        }
        at = end;
    }
    if (format.len == 0) {
        emit_text(e, "static_cast<void>(0)");
        return;
    }
    emit_library_call(e, "printf", "extern \"C\" int printf(const char *, ...);");
    emit_text(e, "(");
    emit_string(e, buf_str(&format));
    for (size_t i = 0; i < x->arg_count; i++) {
        print_argument(e, x->args[i], i < letters.len ? letters.ptr[i] : 'd');
    }
    emit_text(e, ")");
}

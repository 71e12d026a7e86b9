/* Which of the caller's arrays a kernel may store to: a fact of its body, which callers ask for
 * when they hold memory that must not be written. Whoever is not sure says that it does. */
#include "kernel/emit.h"

struct search {
    struct emit *e;
    struct emit_table stored; /* ir_var -> itself */
    bool changed;
};

static bool is_stored(const struct search *s, const struct ir_var *var)
{
    return var && emit_table_get(&s->stored, var);
}

/* The arrays that an expression is, or is a part of. */
static void mark(struct search *s, const struct ir_expr *x)
{
    switch (x->kind) {
    case IR_VAR:
        if (!is_stored(s, x->var)) {
            emit_table_set(&s->stored, x->var, (void *)(uintptr_t)x->var);
            s->changed = true;
        }
        break;
    case IR_ELEMENT:
    case IR_SUBVIEW:
    case IR_CONVERT:
    case IR_MEMBER: mark(s, x->args[0]); break;
    case IR_SELECT:
        mark(s, x->args[1]);
        mark(s, x->args[2]);
        break;
    case IR_CALL:
        for (size_t i = 0; i < x->arg_count; i++) {
            if (x->args[i]->type->kind == TYPE_VIEW) {
                mark(s, x->args[i]);
            }
        }
        break;
    default: break;
    }
}

static void mark_arguments(struct search *s, const struct ir_expr *call)
{
    const struct ir_function *f = call->function;
    for (size_t i = 0; i < call->arg_count; i++) {
        if (call->args[i]->type->kind == TYPE_VIEW &&
            (i >= f->parameter_count || is_stored(s, f->parameters[i]))) {
            mark(s, call->args[i]);
        }
    }
}

static void search_expr(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    struct search *s = context;
    (void)f;
    switch (x->kind) {
    case IR_ATOMIC: mark(s, x->args[0]); break;
    case IR_CALL: mark_arguments(s, x); break;
    case IR_RANDOM: mark(s, x->args[0]); break;
    case IR_MATH:
        if (x->math == MATH_INCLUSIVE_SCAN) {
            mark(s, x->args[0]);
        }
        break;
    default: break;
    }
}

static void search_stmt(void *context, const struct ir_stmt *stmt, const struct ir_function *f)
{
    struct search *s = context;
    (void)f;
    if (stmt->kind == IR_STORE) {
        mark(s, stmt->target);
        if (stmt->value->type->kind == TYPE_VIEW) { /* what happens to it later is not followed */
            mark(s, stmt->value);
        }
    } else if (stmt->kind == IR_ASSIGN && is_stored(s, stmt->var)) {
        mark(s, stmt->value);
    }
}

static bool has_array(const struct kernel *k)
{
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct type *t =
            i < k->field_count ? k->fields[i].type : k->parameters[i - k->field_count].type;
        if (t->kind == TYPE_VIEW || t->kind == TYPE_RANDOM_POOL) {
            return true;
        }
    }
    return false;
}

bool kernel_stores_declaration(struct buf *out, const struct kernel *k)
{
    if (!has_array(k)) {
        return false;
    }
    /* No name of Python's becomes one that ends in a single '_'. */
    buf_printf(out, "const pkc::uint8 " STR_FMT "_stores_[]",
               STR_ARG(kernel_symbol(out->arena, k)));
    return true;
}

void emit_stores(struct emit *e)
{
    const struct kernel *k = e->kernel;
    struct search s = {.e = e, .stored = {.arena = e->arena}, .changed = true};
    const struct emit_walk walk = {search_stmt, search_expr, &s};
    if (!has_array(k)) {
        return;
    }
    while (s.changed) {
        s.changed = false;
        emit_walk_kernel(&walk, k);
    }
    emit_text(e, "\n// Which fields and parameters the kernel stores to.\nextern PKC_EXPORT ");
    kernel_stores_declaration(e->out, k);
    emit_text(e, ";\n");
    kernel_stores_declaration(e->out, k);
    emit_text(e, " = {");
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct ir_var *var =
            i < k->field_count ? k->fields[i].var : k->parameters[i - k->field_count].var;
        buf_printf(e->out, "%s%d", i > 0 ? ", " : "", is_stored(&s, var) ? 1 : 0);
    }
    emit_text(e, "};\n");
}

/* Helpers as static functions; inner functions as lambdas. */
#include "kernel/emit.h"

static void parameter(struct emit *e, const struct ir_var *p, bool definition)
{
    const struct emit_var *v = emit_var_of(e, p);
    const bool team = p->type->kind == TYPE_TEAM;
    const bool reference = p->by_reference || p->kind == VAR_ACC || team;
    if (definition && (v->reads == 0 || team)) {
        emit_text(e, "[[maybe_unused]] ");
    }
    if (definition && !reference && v->writes == 0) {
        emit_text(e, "const ");
    }
    emit_type(e, p->type);
    emit_text(e, reference ? " &" : " ");
    emit_str(e, v->name);
}

static void parameters(struct emit *e, const struct ir_function *f, bool definition)
{
    bool first = true;
    if (f->uses_fields && !f->inner) {
        buf_printf(e->out, "const " STR_FMT "_args &self", STR_ARG(e->symbol));
        first = false;
    } else if (f->inner && f->recursive) {
        buf_printf(e->out, "const auto &" STR_FMT, STR_ARG(f->symbol));
        first = false;
    }
    for (size_t i = 0; i < f->parameter_count; i++) {
        emit_text(e, first ? "" : ", ");
        parameter(e, f->parameters[i], definition);
        first = false;
    }
}

/* A path that ends without a return: only where none is taken. */
static bool ends_in_return(const struct ir_block *b)
{
    if (b->count == 0) {
        return false;
    }
    const struct ir_stmt *last = b->items[b->count - 1];
    return last->kind == IR_RETURN ||
           (last->kind == IR_IF && ends_in_return(&last->body) && ends_in_return(&last->orelse));
}

static void body(struct emit *e, const struct ir_function *f)
{
    const enum emit_return form = e->return_form;
    e->return_form = RETURN_VALUE;
    emit_place(e, f);
    e->indent++;
    emit_block(e, &f->body);
    if (f->returns->kind != TYPE_VOID && !ends_in_return(&f->body)) {
        emit_line_begin(e);
        emit_text(e, "return {};\n");
    }
    e->indent--;
    e->return_form = form;
}

void emit_lambda(struct emit *e, const struct ir_function *f)
{
    emit_line_begin(e);
    buf_printf(e->out, "const auto " STR_FMT " = [&](", STR_ARG(f->symbol));
    parameters(e, f, true);
    emit_text(e, ")");
    if (f->returns->kind != TYPE_VOID) {
        emit_text(e, " -> ");
        emit_type(e, f->returns);
    }
    emit_text(e, " {\n");
    body(e, f);
    emit_line_begin(e);
    emit_text(e, "};\n");
}

static void signature(struct emit *e, const struct ir_function *f, bool definition)
{
    emit_text(e, f->recursive ? "static " : "static inline ");
    emit_type(e, f->returns);
    emit_text(e, " ");
    emit_str(e, f->symbol);
    emit_text(e, "(");
    parameters(e, f, definition);
    emit_text(e, ")");
}

/* The name of the function's parameter that is a team; empty: none. */
static struct str team_parameter(struct emit *e, const struct ir_function *f)
{
    for (size_t i = 0; i < f->parameter_count; i++) {
        if (f->parameters[i]->type->kind == TYPE_TEAM) {
            e->header[HEADER_TEAM] = true;
            return emit_var_of(e, f->parameters[i])->name;
        }
    }
    return (struct str){0};
}

bool emit_helpers_take_team(const struct emit *e)
{
    for (size_t i = 0; i < e->kernel->function_count; i++) {
        const struct ir_function *f = e->kernel->functions[i];
        for (size_t n = 0; n < f->parameter_count && !f->inner; n++) {
            if (f->parameters[n]->type->kind == TYPE_TEAM) {
                return true;
            }
        }
    }
    return false;
}

void emit_helpers(struct emit *e)
{
    const struct kernel *k = e->kernel;
    e->self = STR("self");
    bool declared = false;
    for (size_t i = 0; i < k->function_count; i++) {
        if (k->functions[i]->recursive && !k->functions[i]->inner) {
            signature(e, k->functions[i], false);
            emit_text(e, ";\n");
            declared = true;
        }
    }
    bool first = !declared;
    for (size_t i = 0; i < k->function_count; i++) {
        const struct ir_function *f = k->functions[i];
        if (f->inner) {
            continue;
        }
        emit_text(e, first ? "" : "\n");
        first = false;
        signature(e, f, true);
        emit_text(e, "\n{\n");
        e->team = team_parameter(e, f);
        body(e, f);
        emit_text(e, "}\n");
    }
}

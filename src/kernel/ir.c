/* Walking the typed form. */
#include "kernel/ir.h"

#include "kernel/kernel.h"

static void visit_if(const struct ir_expr *e, ir_expr_visit *visit, void *context)
{
    if (e) {
        visit(context, e);
    }
}

void ir_expr_children(const struct ir_expr *e, ir_expr_visit *visit, void *context)
{
    for (size_t i = 0; i < e->arg_count; i++) {
        visit_if(e->args[i], visit, context);
    }
    if (e->kind != IR_SUBVIEW) {
        return;
    }
    for (int d = 0; d < e->args[0]->type->rank; d++) {
        visit_if(e->slices[d].index, visit, context);
        visit_if(e->slices[d].begin, visit, context);
        visit_if(e->slices[d].end, visit, context);
    }
}

void ir_stmt_expressions(const struct ir_stmt *s, ir_expr_visit *visit, void *context)
{
    visit_if(s->target, visit, context);
    visit_if(s->test, visit, context);
    visit_if(s->start, visit, context);
    visit_if(s->stop, visit, context);
    visit_if(s->step, visit, context);
    visit_if(s->value, visit, context);
    for (int d = 0; s->launch && d < s->launch->rank; d++) {
        visit_if(s->launch->begin[d], visit, context);
        visit_if(s->launch->end[d], visit, context);
        visit_if(s->launch->tile[d], visit, context);
    }
}

void ir_block_statements(const struct ir_block *b, ir_stmt_visit *visit, void *context)
{
    for (size_t i = 0; i < b->count; i++) {
        visit(context, b->items[i]);
    }
}

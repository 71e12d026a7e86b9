/*
 * Host functions: a translated @pk.main. ARGS holds the object's fields, which it reads and
 * assigns; the ARGS of the workunits that it runs have the same members.
 */
#include "kernel/emit.h"

struct callee_list {
    struct emit *e;
    struct map seen; /* symbols */
};

static void declare_callee(void *context, const struct ir_stmt *s, const struct ir_function *f)
{
    (void)f;
    struct callee_list *l = context;
    if (s->kind != IR_LAUNCH) {
        return;
    }
    const struct kernel *k = s->launch->callee->kernel;
    const struct str symbol = kernel_symbol(l->e->arena, k);
    if (!map_has(&l->seen, symbol)) {
        map_set(&l->seen, symbol, l);
        kernel_declaration(l->e->out, k);
        emit_end_line(l->e);
        if (k->policy == POLICY_TEAM) {
            kernel_plan_declaration(l->e->out, k);
            emit_end_line(l->e);
        }
    }
}

void emit_host_function(struct emit *e)
{
    const struct kernel *k = e->kernel;
    const struct str names[6] = {emit_take_name(e, STR("args")), emit_take_name(e, STR("dispatch")),
                                 emit_take_name(e, STR("error")),
                                 emit_take_name(e, STR("error_size"))};
    struct callee_list list = {.e = e};
    const struct emit_walk walk = {declare_callee, NULL, &list};
    map_init(&list.seen, e->arena);
    emit_walk_kernel(&walk, k);
    e->header[HEADER_HOST] = true;
    e->self = emit_take_name(e, STR("self"));
    e->host = emit_take_name(e, STR("host"));
    emit_text(e, list.seen.count > 0 ? "\nPKC_EXPORT " : "PKC_EXPORT ");
    emit_declaration(e->out, k, e->symbol, names);
    buf_printf(e->out,
               "\n{\n    [[maybe_unused]] const pkc::host " STR_FMT "{" STR_FMT ", " STR_FMT
               ", " STR_FMT "};\n    [[maybe_unused]] " STR_FMT "_args &" STR_FMT
               " = *static_cast<" STR_FMT "_args *>(" STR_FMT ");\n",
               STR_ARG(e->host), STR_ARG(names[1]), STR_ARG(names[2]), STR_ARG(names[3]),
               STR_ARG(e->symbol), STR_ARG(e->self), STR_ARG(e->symbol), STR_ARG(names[0]));
    emit_place(e, NULL);
    e->return_form = RETURN_SUCCESS;
    e->indent = 1;
    emit_block(e, &k->body);
    e->indent = 0;
    emit_text(e, "    return 0;\n}\n");
}

/* "{a, b}" */
static void bounds(struct emit *e, const struct ir_expr *const *list, int rank)
{
    emit_text(e, ", {");
    for (int d = 0; d < rank; d++) {
        emit_text(e, d > 0 ? ", " : "");
        if (list[d]) {
            emit_expr(e, list[d], PREC_CONDITIONAL);
        } else {
            emit_text(e, "0");
        }
    }
    emit_text(e, "}");
}

static void policy(struct emit *e, const struct ir_launch *l)
{
    static const char *const makers[] = {"host_range", "host_mdrange", "host_team"};
    const struct kernel *k = l->callee->kernel;
    buf_printf(e->out, "pkc::%s(", makers[k->policy]);
    emit_string(e, l->label.len > 0 ? l->label : l->callee->label);
    if (k->policy == POLICY_MDRANGE) {
        buf_printf(e->out, ", %d", l->callee->left_to_right);
        bounds(e, l->begin, l->rank);
        bounds(e, l->end, l->rank);
        bounds(e, l->tile, l->rank);
    } else if (k->policy == POLICY_TEAM) {
        buf_printf(e->out, ", " STR_FMT "_plan, ", STR_ARG(kernel_symbol(e->arena, k)));
        emit_expr(e, l->begin[0], PREC_CONDITIONAL);
        emit_text(e, ", ");
        emit_expr(e, l->end[0], PREC_CONDITIONAL);
        emit_text(e, ", ");
        emit_expr(e, l->tile[0], PREC_CONDITIONAL);
    } else {
        emit_text(e, ", ");
        emit_expr(e, l->begin[0], PREC_CONDITIONAL);
        emit_text(e, ", ");
        emit_expr(e, l->end[0], PREC_CONDITIONAL);
    }
    emit_text(e, ")");
}

void emit_launch(struct emit *e, const struct ir_stmt *s)
{
    static const char *const operations[] = {"run", "reduce", "scan"};
    const struct kernel *k = s->launch->callee->kernel;
    emit_line_begin(e);
    buf_printf(e->out, "if (!" STR_FMT ".%s(", STR_ARG(e->host), operations[k->operation]);
    policy(e, s->launch);
    buf_printf(e->out, ", " STR_FMT "_kernel, &" STR_FMT, STR_ARG(kernel_symbol(e->arena, k)),
               STR_ARG(e->self));
    if (k->operation != OPERATION_FOR) {
        buf_printf(e->out, ", \"%s\", ", type_dtype(k->acc->kind));
        emit_var_name(e, s->var);
    }
    emit_text(e, ")) {\n");
    e->indent++;
    emit_line_begin(e);
    emit_text(e, "return 1;\n");
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}\n");
}

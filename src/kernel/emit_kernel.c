/* The kernel's function: the loops over its part of the range, around the workunit's body. */
#include "kernel/emit.h"

#include "pkc_kernel_templates.h"

/* Names of the function's own, which give way to the user's. */
struct frame_names {
    struct str args, begin, end, result, final, handle, given, work;
};

struct shape {
    struct emit *e;
    struct frame_names names;
    const struct ir_var *index[6];
    const struct ir_var *acc, *last_pass;
};

static struct shape shape_of(struct emit *e)
{
    const struct kernel *k = e->kernel;
    struct shape s = {.e = e};
    int rank = 0;
    for (size_t i = 0; i < k->leading_count; i++) {
        const struct ir_var *v = k->leading[i].var;
        if (v && v->kind == VAR_INDEX && rank < 6) {
            s.index[rank++] = v;
        } else if (v && v->kind == VAR_ACC) {
            s.acc = v;
        } else if (v && v->kind == VAR_LAST_PASS) {
            s.last_pass = v;
        }
    }
    s.names = (struct frame_names){
        .args = emit_take_name(e, STR("args")),
        .begin = emit_take_name(e, STR("begin")),
        .end = emit_take_name(e, STR("end")),
        .result = emit_take_name(e, STR("result")),
        .final = emit_take_name(e, STR("final_pass")),
        .handle = emit_take_name(e, STR("handle")),
        .given = emit_take_name(e, STR("given")),
        .work = emit_take_name(e, STR("work")),
    };
    return s;
}

/* ---- declarations --------------------------------------------------------------------------- */

void emit_declaration(struct buf *out, const struct kernel *k, struct str symbol,
                      const struct str names[6])
{
    if (k->host) {
        buf_printf(out,
                   "int " STR_FMT "_host(void *" STR_FMT ", const pkc_dispatch *" STR_FMT
                   ", char *" STR_FMT ", __SIZE_TYPE__ " STR_FMT ")",
                   STR_ARG(symbol), STR_ARG(names[0]), STR_ARG(names[1]), STR_ARG(names[2]),
                   STR_ARG(names[3]));
        return;
    }
    const char *const box = k->policy == POLICY_MDRANGE ? "const pkc::int64 *" : "pkc::int64 ";
    buf_printf(out, "void " STR_FMT "_kernel(const void *" STR_FMT ", %s" STR_FMT ", %s" STR_FMT,
               STR_ARG(symbol), STR_ARG(names[0]), box, STR_ARG(names[1]), box, STR_ARG(names[2]));
    if (k->policy == POLICY_TEAM) {
        buf_printf(out, ", void *" STR_FMT, STR_ARG(names[3]));
    }
    if (k->operation != OPERATION_FOR) {
        buf_printf(out, ", void *" STR_FMT, STR_ARG(names[4]));
    }
    if (k->operation == OPERATION_SCAN && k->policy == POLICY_RANGE) {
        buf_printf(out, ", int " STR_FMT, STR_ARG(names[5]));
    }
    buf_add_char(out, ')');
}

void kernel_declaration(struct buf *out, const struct kernel *k)
{
    static const struct str host_names[6] = {
        {"args", 4}, {"dispatch", 8}, {"error", 5}, {"error_size", 10}};
    const struct str names[] = {STR("args"),   STR("begin"), STR("end"),
                                STR("handle"), STR("acc"),   STR("final_pass")};
    emit_declaration(out, k, kernel_symbol(out->arena, k), k->host ? host_names : names);
}

void kernel_plan_declaration(struct buf *out, const struct kernel *k)
{
    buf_printf(out, "void " STR_FMT "_plan(const void *args, void *needs)",
               STR_ARG(kernel_symbol(out->arena, k)));
}

/* ---- text in pieces ------------------------------------------------------------------------- */

typedef void piece_fn(const struct shape *s);

/* What `piece` writes, from the left margin on. */
static struct str piece_text(const struct shape *s, piece_fn *piece)
{
    struct emit *e = s->e;
    struct buf *const out = e->out;
    const int indent = e->indent;
    struct buf b;
    buf_init(&b, e->arena);
    e->out = &b;
    e->indent = 0;
    piece(s);
    e->out = out;
    e->indent = indent;
    return buf_str(&b);
}

static bool is_used(struct emit *e, const struct ir_var *var)
{
    const struct emit_var *v = emit_var_of(e, var);
    return v->reads + v->writes > 0;
}

static bool uses_fields(const struct emit *e)
{
    const struct kernel *k = e->kernel;
    for (size_t i = 0; i < k->field_count; i++) {
        if (k->fields[i].var && is_used((struct emit *)(uintptr_t)e, k->fields[i].var)) {
            return true;
        }
    }
    for (size_t i = 0; i < k->function_count; i++) {
        if (k->functions[i]->uses_fields) {
            return true;
        }
    }
    return false;
}

/* One state of the pool, for all of this call. */
static void write_generator(const struct shape *s, const struct emit_var *v, size_t member)
{
    struct emit *e = s->e;
    e->header[HEADER_RANDOM] = true;
    buf_printf(e->out, "pkc::random_generator " STR_FMT "(" STR_FMT "." STR_FMT ");\n",
               STR_ARG(v->name), STR_ARG(s->names.given),
               STR_ARG(kernel_args_member(e->arena, e->kernel, member)));
}

/* Local copies of what the body uses: in memory behind a pointer they would be read in each round.
 */
static void write_setup(const struct shape *s)
{
    struct emit *e = s->e;
    const struct kernel *k = e->kernel;
    bool any = uses_fields(e);
    for (size_t i = 0; i < k->parameter_count; i++) {
        any = any || is_used(e, k->parameters[i].var);
    }
    if (!any) {
        buf_printf(e->out, "static_cast<void>(" STR_FMT ");\n", STR_ARG(s->names.args));
        return;
    }
    buf_printf(e->out,
               "const " STR_FMT "_args &" STR_FMT " = *static_cast<const " STR_FMT
               "_args *>(" STR_FMT ");\n",
               STR_ARG(e->symbol), STR_ARG(s->names.given), STR_ARG(e->symbol),
               STR_ARG(s->names.args));
    if (e->self.len > 0) {
        buf_printf(e->out, "const " STR_FMT "_args " STR_FMT " = " STR_FMT ";\n",
                   STR_ARG(e->symbol), STR_ARG(e->self), STR_ARG(s->names.given));
    }
    for (size_t i = 0; i < k->field_count; i++) {
        if (k->fields[i].type->kind == TYPE_RANDOM_POOL && is_used(e, k->fields[i].var)) {
            struct emit_var *v = emit_var_of(e, k->fields[i].var);
            v->name = emit_take_name(e, cpp_identifier(e->arena, k->fields[i].name));
            write_generator(s, v, i);
        }
    }
    for (size_t i = 0; i < k->parameter_count; i++) {
        struct emit_var *v = emit_var_of(e, k->parameters[i].var);
        if (v->reads + v->writes == 0) {
            continue;
        }
        if (k->parameters[i].type->kind == TYPE_RANDOM_POOL) {
            write_generator(s, v, k->field_count + i);
            continue;
        }
        if (v->writes > 0) {
            v->given = emit_take_name(e, str_format(e->arena, STR_FMT "_given", STR_ARG(v->name)));
        }
        emit_text(e, "const ");
        emit_type(e, k->parameters[i].type);
        buf_printf(e->out, " " STR_FMT " = " STR_FMT "." STR_FMT ";\n",
                   STR_ARG(v->writes > 0 ? v->given : v->name), STR_ARG(s->names.given),
                   STR_ARG(kernel_args_member(e->arena, k, k->field_count + i)));
    }
}

/* Parameters that the body assigns begin each round anew. */
static void write_given(const struct shape *s)
{
    struct emit *e = s->e;
    for (size_t i = 0; i < e->kernel->parameter_count; i++) {
        const struct emit_var *v = emit_var_of(e, e->kernel->parameters[i].var);
        if (v->given.len > 0) {
            emit_line_begin(e);
            emit_text(e, v->reads == 0 ? "[[maybe_unused]] " : "");
            emit_type(e, v->var->type);
            buf_printf(e->out, " " STR_FMT " = " STR_FMT ";\n", STR_ARG(v->name),
                       STR_ARG(v->given));
        }
    }
}

static void write_body(const struct shape *s)
{
    if (emit_helpers_take_team(s->e)) {
        emit_line_begin(s->e);
        buf_printf(s->e->out, STR_FMT ".league_rank = " STR_FMT ";\n", STR_ARG(s->e->team),
                   STR_ARG(s->e->league_rank));
    }
    if (emit_takes_scratch(s->e)) {
        emit_line_begin(s->e);
        buf_printf(s->e->out, "pkc::scratch_begin(" STR_FMT ");\n", STR_ARG(s->e->team));
    }
    write_given(s);
    emit_block(s->e, &s->e->kernel->body);
}

/* const auto work = [&](index…[, acc][, last_pass]) { body }; */
static void write_work_parameters(const struct shape *s)
{
    struct emit *e = s->e;
    if (e->kernel->policy == POLICY_TEAM) {
        buf_printf(e->out, "[[maybe_unused]] const pkc::int64 " STR_FMT, STR_ARG(e->league_rank));
    }
    for (int d = 0; d < 6 && s->index[d]; d++) {
        const struct emit_var *v = emit_var_of(e, s->index[d]);
        buf_printf(e->out, "%s%s%spkc::int64 " STR_FMT, d > 0 ? ", " : "",
                   v->reads == 0 ? "[[maybe_unused]] " : "", v->writes == 0 ? "const " : "",
                   STR_ARG(v->name));
    }
    if (s->last_pass) {
        const struct emit_var *v = emit_var_of(e, s->last_pass);
        buf_printf(e->out, ", %s%sbool " STR_FMT, v->reads == 0 ? "[[maybe_unused]] " : "",
                   v->writes == 0 ? "const " : "", STR_ARG(v->name));
    }
}

static void write_work(const struct shape *s)
{
    struct emit *e = s->e;
    e->return_form = RETURN_VALUE;
    buf_printf(e->out, "const auto " STR_FMT " = [&](", STR_ARG(s->names.work));
    write_work_parameters(s);
    emit_text(e, ") PKC_LAMBDA {\n");
    e->indent = 1;
    write_body(s);
    emit_text(e, "};\n");
}

static void write_work_call(const struct shape *s)
{
    struct emit *e = s->e;
    buf_printf(e->out, STR_FMT "(" STR_FMT, STR_ARG(s->names.work), STR_ARG(e->league_rank));
    for (int d = 0; d < 6 && s->index[d]; d++) {
        buf_printf(e->out, "%s" STR_FMT, d > 0 ? ", " : "",
                   STR_ARG(emit_var_of(e, s->index[d])->name));
    }
    emit_text(e, ");\n");
}

/* ---- the body of a loop --------------------------------------------------------------------- */

/* The loop counter of index d: the index itself unless the body assigns it. */
static struct str counter_of(const struct shape *s, int d)
{
    struct emit_var *v = emit_var_of(s->e, s->index[d]);
    if (v->writes == 0) {
        return v->name;
    }
    if (v->given.len == 0) {
        v->given = emit_take_name(s->e, str_format(s->e->arena, STR_FMT "_next", STR_ARG(v->name)));
    }
    return v->given;
}

static void write_loop_body(const struct shape *s)
{
    struct emit *e = s->e;
    e->return_form = RETURN_CONTINUE;
    for (int d = 0; d < 6 && s->index[d]; d++) {
        const struct emit_var *v = emit_var_of(e, s->index[d]);
        if (v->writes > 0) {
            buf_printf(e->out, "%spkc::int64 " STR_FMT " = " STR_FMT ";\n",
                       v->reads == 0 ? "[[maybe_unused]] " : "", STR_ARG(v->name),
                       STR_ARG(counter_of(s, d)));
        }
    }
    write_body(s);
}

static void write_declaration(const struct shape *s)
{
    const struct frame_names *n = &s->names;
    const struct str names[] = {n->args, n->begin, n->end, n->handle, n->result, n->final};
    emit_declaration(s->e->out, s->e->kernel, s->e->symbol, names);
}

struct pieces {
    struct str setup, body;
    struct str at; /* the innermost (only) counter */
};

/* The body stands in the loop, or in a lambda that the loop calls where it returns from inside of
 * a loop of its own. */
static struct pieces loop_pieces(const struct shape *s)
{
    struct emit *e = s->e;
    struct pieces p = {.setup = piece_text(s, write_setup)};
    if (!emit_returns_in_loop(&e->kernel->body)) {
        p.at = s->index[0] ? counter_of(s, 0) : e->league_rank;
        p.body = piece_text(s, write_loop_body);
        return p;
    }
    const struct str work = piece_text(s, write_work);
    p.setup = str_format(e->arena, STR_FMT STR_FMT, STR_ARG(p.setup), STR_ARG(work));
    p.body = piece_text(s, write_work_call);
    p.at = s->index[0] ? emit_var_of(e, s->index[0])->name : e->league_rank;
    return p;
}

/* The thread's handle, in a local copy. */
static void write_team(const struct shape *s)
{
    struct emit *e = s->e;
    if (e->kernel->policy != POLICY_TEAM) {
        return;
    }
    if (!e->uses_team) {
        buf_printf(e->out, "static_cast<void>(" STR_FMT ");\n", STR_ARG(s->names.handle));
        return;
    }
    e->header[HEADER_TEAM] = true;
    buf_printf(e->out, "pkc::team " STR_FMT " = *static_cast<pkc::team *>(" STR_FMT ");\n",
               STR_ARG(e->team), STR_ARG(s->names.handle));
}

/* ---- Range ---------------------------------------------------------------------------------- */

static void range_loop(const struct shape *s)
{
    struct emit *e = s->e;
    struct pieces p = loop_pieces(s);
    const struct str team = piece_text(s, write_team); /* once it is known whether it is used */
    p.setup = str_format(e->arena, STR_FMT STR_FMT, STR_ARG(team), STR_ARG(p.setup));
    const struct template_value values[] = {
        {"DECLARATION", piece_text(s, write_declaration)},
        {"SETUP", p.setup},
        {"BODY", p.body},
        {"AT", p.at},
        {"BEGIN", s->names.begin},
        {"END", s->names.end},
        {"RESULT", s->names.result},
        {"ACC", s->acc ? emit_var_of(e, s->acc)->name : (struct str){0}},
        {"TYPE", s->acc ? emit_type_name(e, s->acc->type) : (struct str){0}},
    };
    template_expand(e->out,
                    e->kernel->operation == OPERATION_FOR ? template_kernel_range_for_cpp
                                                          : template_kernel_range_reduce_cpp,
                    values, sizeof values / sizeof values[0]);
}

static struct str lane_name(struct emit *e, struct str acc)
{
    struct str name = acc;
    for (bool taken = true; taken;) {
        taken = false;
        for (int i = 0; i < 4; i++) {
            const struct str lane = str_format(e->arena, STR_FMT "%d", STR_ARG(name), i);
            taken = taken || map_has(&e->all_names, lane) || map_get(&e->active_names, lane);
        }
        if (taken) {
            name = str_format(e->arena, STR_FMT "_", STR_ARG(name));
        }
    }
    return name;
}

static void write_lane_parameters(const struct shape *s)
{
    struct emit *e = s->e;
    write_work_parameters(s);
    emit_text(e, ", ");
    emit_type(e, s->acc->type);
    buf_printf(e->out, " &" STR_FMT, STR_ARG(emit_var_of(e, s->acc)->name));
}

static void write_lambda_body(const struct shape *s)
{
    s->e->return_form = RETURN_VALUE;
    write_body(s);
}

static void range_lambda(const struct shape *s, struct str text, piece_fn *parameters)
{
    struct emit *e = s->e;
    const struct str acc = emit_var_of(e, s->acc)->name;
    const struct template_value values[] = {
        {"DECLARATION", piece_text(s, write_declaration)},
        {"SETUP", piece_text(s, write_setup)},
        {"WORK", s->names.work},
        {"PARAMETERS", piece_text(s, parameters)},
        {"BODY", piece_text(s, write_lambda_body)},
        {"AT", emit_take_name(e, STR("at"))},
        {"BEGIN", s->names.begin},
        {"END", s->names.end},
        {"FINAL", s->names.final},
        {"RESULT", s->names.result},
        {"ACC", acc},
        {"LANE", lane_name(e, acc)},
        {"LANES", emit_take_name(e, STR("lanes"))},
        {"TYPE", emit_type_name(e, s->acc->type)},
    };
    template_expand(e->out, text, values, sizeof values / sizeof values[0]);
}

/* ---- MDRange -------------------------------------------------------------------------------- */

struct votes {
    const struct shape *shape;
    int count[6];
};

/* An index that stands alone in an array's contiguous dimension votes for the innermost loop. */
static void vote(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    struct votes *v = context;
    if (x->kind != IR_ELEMENT || x->args[0]->type->kind != TYPE_VIEW ||
        x->args[0]->type->layout == LAYOUT_STRIDE) {
        return;
    }
    const struct ir_expr *at =
        x->args[x->args[0]->type->layout == LAYOUT_RIGHT ? x->arg_count - 1 : 1];
    while (at->kind == IR_ADD || at->kind == IR_SUB || at->kind == IR_CONVERT) {
        at = at->args[0]->kind == IR_INT && at->arg_count > 1 ? at->args[1] : at->args[0];
    }
    for (int d = 0; d < 6 && v->shape->index[d]; d++) {
        if (at->kind == IR_VAR && at->var == v->shape->index[d]) {
            v->count[d]++;
        }
    }
}

/* The order of the loops, outermost first. */
static void loop_order(const struct shape *s, int rank, int order[6])
{
    struct votes v = {.shape = s};
    const struct emit_walk w = {NULL, vote, &v};
    emit_walk_kernel(&w, s->e->kernel);
    int best = rank - 1;
    for (int d = rank - 1; d >= 0; d--) {
        best = v.count[d] > v.count[best] ? d : best;
    }
    int n = 0;
    if (best == 0) { /* the leftmost is contiguous: so is the order of all others, most likely */
        for (int d = rank - 1; d >= 0; d--) {
            order[n++] = d;
        }
        return;
    }
    for (int d = 0; d < rank; d++) {
        if (d != best) {
            order[n++] = d;
        }
    }
    order[n] = best;
}

static void md_loops(const struct shape *s)
{
    struct emit *e = s->e;
    const int rank = e->kernel->rank;
    struct pieces p = loop_pieces(s);
    const bool lambda = emit_returns_in_loop(&e->kernel->body);
    int order[6];
    loop_order(s, rank, order);
    struct buf box;
    struct str names[6], ends[6];
    buf_init(&box, e->arena);
    for (int d = 0; d < rank; d++) {
        names[d] = lambda ? emit_var_of(e, s->index[d])->name : counter_of(s, d);
        ends[d] = emit_take_name(e, str_format(e->arena, STR_FMT "_end", STR_ARG(names[d])));
        buf_printf(&box, "const pkc::int64 " STR_FMT " = " STR_FMT "[%d];\n", STR_ARG(ends[d]),
                   STR_ARG(s->names.end), d);
    }
    /* Inside out. */
    struct str loops = p.body;
    for (int n = rank - 1; n >= 0; n--) {
        const int d = order[n];
        const struct template_value values[] = {{"BODY", loops}};
        struct buf b;
        buf_init(&b, e->arena);
        buf_printf(&b,
                   "for (pkc::int64 " STR_FMT " = " STR_FMT "[%d]; " STR_FMT " < " STR_FMT
                   "; ++" STR_FMT ") {\n",
                   STR_ARG(names[d]), STR_ARG(s->names.begin), d, STR_ARG(names[d]),
                   STR_ARG(ends[d]), STR_ARG(names[d]));
        template_expand(&b, STR("    @BODY@\n"), values, 1);
        buf_add_c(&b, "}\n");
        loops = buf_str(&b);
    }
    const struct template_value values[] = {
        {"DECLARATION", piece_text(s, write_declaration)},
        {"SETUP", p.setup},
        {"BOX", buf_str(&box)},
        {"LOOPS", loops},
        {"RESULT", s->names.result},
        {"ACC", s->acc ? emit_var_of(e, s->acc)->name : (struct str){0}},
        {"TYPE", s->acc ? emit_type_name(e, s->acc->type) : (struct str){0}},
    };
    template_expand(e->out,
                    e->kernel->operation == OPERATION_FOR ? template_kernel_md_for_cpp
                                                          : template_kernel_md_reduce_cpp,
                    values, sizeof values / sizeof values[0]);
}

/* ---- all ------------------------------------------------------------------------------------ */

void emit_kernel_function(struct emit *e)
{
    const struct shape s = shape_of(e);
    const struct kernel *k = e->kernel;
    if (k->policy == POLICY_TEAM) {
        e->league_rank = emit_take_name(e, STR("league_rank"));
        e->team = emit_var_of(e, k->leading[0].var)->name;
        e->uses_team = emit_takes_scratch(e) || emit_helpers_take_team(e);
    }
    e->self = uses_fields(e) ? emit_take_name(e, STR("self")) : (struct str){0};
    emit_place(e, NULL);
    if (k->policy == POLICY_MDRANGE) {
        md_loops(&s);
    } else if (k->operation == OPERATION_SCAN) {
        range_lambda(&s, template_kernel_range_scan_cpp, write_work_parameters);
    } else if (k->policy == POLICY_RANGE && k->operation == OPERATION_REDUCE &&
               emit_uses_lanes(e)) {
        range_lambda(&s, template_kernel_range_lanes_cpp, write_lane_parameters);
    } else {
        range_loop(&s);
    }
}

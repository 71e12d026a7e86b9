/* A workunit's parameters: which are indices, team, accumulator, last pass; all types. */
#include "kernel/lower.h"

struct shape {
    struct low_scope *s;
    struct lower *l;
    const struct instantiation *instantiation;
    const struct ast_node **args; /* AST_ARG, without self */
    size_t count;
    size_t next; /* the first that is not index, team, accumulator or last pass */
    struct low_site site;
    bool site_read;
};

static const struct low_site *site_of(struct shape *p)
{
    if (!p->site_read) {
        p->site = low_call_site(p->l);
        p->site_read = true;
    }
    return &p->site;
}

static struct str arg_name(const struct shape *p, size_t i)
{
    return p->args[i]->u.arg.arg;
}

static const struct ast_node *arg_annotation(const struct shape *p, size_t i)
{
    return p->args[i]->u.arg.annotation;
}

/* The index in the INSTANTIATE entry; -1: not named there. */
static int instantiated(const struct shape *p, size_t i)
{
    for (size_t k = 0; p->instantiation && k < p->instantiation->count; k++) {
        if (str_equal(p->instantiation->names[k], arg_name(p, i))) {
            return (int)k;
        }
    }
    return -1;
}

struct usage_walk {
    struct str name;
    bool team, assigned, location, minmax, minmax_location;
    int depth;
};

static void find_usage(void *context, const struct ast_node *n)
{
    struct usage_walk *w = context;
    const struct ast_node *target = n->kind == AST_AUG_ASSIGN ? n->u.aug_assign.target
                                    : n->kind == AST_ASSIGN   ? n->u.assign.targets.items[0]
                                                              : NULL;

    if (target && target->kind == AST_NAME && str_equal(target->u.name.id, w->name)) {
        w->assigned = true;
    }
    if (n->kind == AST_ATTRIBUTE && n->u.attribute.value->kind == AST_NAME &&
        str_equal(n->u.attribute.value->u.name.id, w->name)) {
        const struct str attr = n->u.attribute.attr;
        w->team |= str_starts_with(attr, "league_") || str_starts_with(attr, "team_") ||
                   str_equal_c(attr, "thread_scratch");
        w->location |= str_equal_c(attr, "val") || str_equal_c(attr, "loc");
        w->minmax |= str_equal_c(attr, "min_val") || str_equal_c(attr, "max_val");
        w->minmax_location |= str_equal_c(attr, "min_loc") || str_equal_c(attr, "max_loc");
    }
    if (w->depth < LOW_MAX_DEPTH) {
        w->depth++;
        ast_for_each_child(n, find_usage, w);
        w->depth--;
    }
}

static struct usage_walk usage_of(const struct shape *p, size_t i)
{
    struct usage_walk w = {.name = arg_name(p, i)};
    const struct ast_seq body = py_body(p->l->workunit->node);

    for (size_t k = 0; k < body.count; k++) {
        find_usage(&w, body.items[k]);
    }
    return w;
}

static void add_leading(struct shape *p, enum ir_var_kind kind, const struct type *t,
                        const struct type *variable_type)
{
    struct kernel *k = p->l->kernel;
    const size_t i = p->next++;
    struct low_variable *v = low_scope_parameter(p->s, arg_name(p, i), p->args[i], kind);

    v->var->type = variable_type ? variable_type : t;
    v->fixed = true;
    k->leading[k->leading_count++] = (struct parameter){arg_name(p, i), t, p->args[i], v->var};
}

static const struct type *annotated(struct shape *p, size_t i, bool *is_acc)
{
    return low_annotation(p->s, p->l->workunit->module, arg_annotation(p, i), LOW_USE_VALUE,
                          is_acc);
}

/* Is parameter `i` an int by annotation, or without any type yet? */
static bool may_be_index(struct shape *p, size_t i)
{
    if (i >= p->count) {
        return false;
    }
    const int given = instantiated(p, i);
    if (given >= 0) {
        return !p->instantiation->types[given];
    }
    if (!arg_annotation(p, i)) {
        return true;
    }
    const size_t diags = p->s->unit->diags.count;
    bool is_acc = false;
    const struct type *t = annotated(p, i, &is_acc);
    p->s->unit->diags.count = diags;
    return t && !is_acc && type_is_integer(t->kind);
}

/* ---- index or team -------------------------------------------------------------------------- */

static bool is_team(struct shape *p)
{
    const int given = instantiated(p, 0);

    if (given >= 0) {
        return p->instantiation->types[given] && p->instantiation->types[given]->kind == TYPE_TEAM;
    }
    if (!arg_annotation(p, 0)) {
        return usage_of(p, 0).team || site_of(p)->policy == POLICY_TEAM;
    }
    const size_t diags = p->s->unit->diags.count;
    const struct type *t = annotated(p, 0, NULL);
    p->s->unit->diags.count = diags;
    return t && t->kind == TYPE_TEAM;
}

/* How many leading parameters are work indices. */
static size_t index_count(struct shape *p)
{
    size_t marked = 0;

    for (size_t i = 0; i < p->count && may_be_index(p, i); i++) {
        const int given = instantiated(p, i);
        if (given >= 0 && !p->instantiation->types[given]) {
            marked = i + 1;
        }
    }
    if (marked) {
        return marked;
    }
    if (!may_be_index(p, 1)) {
        return 1;
    }
    const struct low_site *site = site_of(p);
    if (site->policy != POLICY_MDRANGE || site->rank < 2) {
        return 1;
    }
    for (size_t i = 0; i < (size_t)site->rank; i++) {
        if (!may_be_index(p, i)) {
            return 1;
        }
    }
    return (size_t)site->rank;
}

static void assign_float_index(struct low_scope *s)
{
    const struct lower *l = s->unit->l;

    low_variable_assigned(s, l->float_index, s->node);
    low_emit_assign(s, s->node, l->float_index->var,
                    low_convert(s, low_var(s, s->node, l->index), l->float_index->var->type->kind));
}

/* `i: float`: the index, as a float. */
static bool add_float_index(struct shape *p)
{
    struct kernel *k = p->l->kernel;
    const size_t diags = p->s->unit->diags.count;
    bool is_acc = false;
    const struct type *t =
        arg_annotation(p, 0) && instantiated(p, 0) < 0 ? annotated(p, 0, &is_acc) : NULL;

    p->s->unit->diags.count = diags;
    if (!t || is_acc || !type_is_float(t->kind)) {
        return false;
    }
    struct low_variable *v = low_scope_parameter(p->s, arg_name(p, 0), p->args[0], VAR_LOCAL);
    v->var->type = t;
    v->fixed = true;
    p->l->float_index = v;
    p->l->index = low_ir_var(p->l, VAR_INDEX, arg_name(p, 0), type_scalar(TYPE_INT64), NULL);
    p->s->unit->prepare = assign_float_index;
    k->policy = POLICY_RANGE;
    k->leading[k->leading_count++] =
        (struct parameter){arg_name(p, 0), type_scalar(TYPE_INT64), p->args[0], p->l->index};
    p->next++;
    return true;
}

static void read_policy(struct shape *p)
{
    struct kernel *k = p->l->kernel;
    const struct ast_node *node = p->l->workunit->node;

    if (!p->count) {
        low_error_span(p->s, &node->u.function.name_span, STR("begin with the work index: i: int"),
                       "a workunit needs a work index or a team");
        return;
    }
    k->rank = 1;
    if (is_team(p)) {
        k->policy = POLICY_TEAM;
        add_leading(p, VAR_TEAM, type_scalar(TYPE_TEAM), NULL);
        return;
    }
    if (add_float_index(p)) {
        return;
    }
    if (!may_be_index(p, 0)) {
        low_error(p->s, p->args[0], STR("begin with the work index: i: int"),
                  "the first parameter must be the work index, an int, or a pk.TeamMember");
        p->next++;
        return;
    }
    const size_t rank = index_count(p);
    if (rank > 6) {
        low_error(p->s, p->args[6], STR("compute further indices from one"),
                  "an MDRangePolicy has at most 6 dimensions");
    }
    k->rank = (int)rank;
    k->policy = rank > 1 ? POLICY_MDRANGE : POLICY_RANGE;
    for (size_t i = 0; i < rank; i++) {
        add_leading(p, VAR_INDEX, type_scalar(TYPE_INT64), NULL);
    }
}

/* ---- accumulator and last pass -------------------------------------------------------------- */

/* Without annotation, the source or the calls must tell an accumulator from an argument. */
static bool unannotated_acc(struct shape *p)
{
    const size_t i = p->next;

    if (i >= p->count || arg_annotation(p, i) || instantiated(p, i) >= 0) {
        return false;
    }
    if (site_of(p)->operation >= 0) {
        return site_of(p)->operation != OPERATION_FOR;
    }
    return usage_of(p, i).assigned;
}

static bool unannotated_last(struct shape *p)
{
    const size_t i = p->next;

    if (i >= p->count || arg_annotation(p, i) || instantiated(p, i) >= 0) {
        return false;
    }
    return site_of(p)->operation == OPERATION_SCAN ||
           (site_of(p)->operation < 0 && p->instantiation != NULL);
}

/* The struct that acc.val, acc.loc and their kin are members of. */
static const struct type *location_type(struct lower *l, const struct usage_walk *u,
                                        const struct type *value)
{
    static const char *const names[3][4] = {{"val", "loc", NULL, NULL},
                                            {"min_val", "max_val", NULL, NULL},
                                            {"min_val", "max_val", "min_loc", "max_loc"}};
    const int which = u->location ? 0 : u->minmax_location ? 2 : 1;
    struct struct_type *st = ARENA_NEW(l->a, struct struct_type);
    struct type *t = ARENA_NEW(l->a, struct type);

    st->python_name = STR("the accumulator");
    st->name = low_symbol(l, STR("accumulator"));
    st->fields = ARENA_ARRAY(l->a, struct struct_field, 4);
    for (int i = 0; i < 4 && names[which][i]; i++) {
        const struct str name = str_from(names[which][i]);
        st->fields[st->field_count++] = (struct struct_field){
            name, str_ends_with(name, "loc") ? type_scalar(TYPE_INT64) : value};
    }
    vec_push(&l->structs, st);
    t->kind = TYPE_STRUCT;
    t->struct_type = st;
    return t;
}

static bool annotated_bool(struct shape *p, size_t i)
{
    if (i >= p->count || !arg_annotation(p, i) || instantiated(p, i) >= 0) {
        return false;
    }
    const size_t diags = p->s->unit->diags.count;
    const struct type *t = annotated(p, i, NULL);
    p->s->unit->diags.count = diags;
    return t && t->kind == TYPE_BOOL;
}

static void read_acc(struct shape *p)
{
    struct kernel *k = p->l->kernel;
    const struct type *t = NULL;
    bool is_acc = false;

    if (p->next >= p->count || !k->leading_count) {
        return;
    }
    if (arg_annotation(p, p->next)) {
        const size_t diags = p->s->unit->diags.count;
        t = annotated(p, p->next, &is_acc);
        if (!is_acc) {
            p->s->unit->diags.count = diags; /* said when it is taken as a parameter */
            return;
        }
    } else if (unannotated_acc(p)) {
        t = type_scalar(TYPE_DOUBLE);
    } else {
        return;
    }
    const struct usage_walk u = usage_of(p, p->next);
    const struct type *object = NULL;
    k->operation = OPERATION_REDUCE;
    k->acc = t;
    if (t && (u.location || u.minmax || u.minmax_location)) {
        k->acc_is_loc = true;
        object = location_type(p->l, &u, t);
    }
    add_leading(p, VAR_ACC, t, object);
    if (annotated_bool(p, p->next) || unannotated_last(p)) {
        k->operation = OPERATION_SCAN;
        add_leading(p, VAR_LAST_PASS, type_scalar(TYPE_BOOL), NULL);
        if (k->policy != POLICY_RANGE) {
            low_error(p->s, p->args[p->next - 1], STR("use a RangePolicy"),
                      "a scan runs over a RangePolicy only");
        }
    }
}

/* ---- the other parameters ------------------------------------------------------------------- */

static const struct type *given_type(struct shape *p, size_t i)
{
    const int given = instantiated(p, i);
    const size_t diags = p->s->unit->diags.count;
    const struct type *t = arg_annotation(p, i) ? annotated(p, i, NULL) : NULL;

    if (given < 0) {
        return t;
    }
    const struct type *wanted = p->instantiation->types[given];
    p->s->unit->diags.count = diags;
    if (t && wanted && !type_equal(t, wanted)) {
        low_error(p->s, p->args[i], STR("leave it out of INSTANTIATE"),
                  STR_FMT " is a " STR_FMT " by its annotation, a " STR_FMT
                          " in INSTANTIATE \"" STR_FMT "\"",
                  STR_ARG(arg_name(p, i)), STR_ARG(low_spell(p->s, t)),
                  STR_ARG(low_spell(p->s, wanted)), STR_ARG(p->instantiation->text));
    }
    return wanted;
}

static void add_parameter(struct shape *p, size_t i, const struct ast_node *decorator)
{
    struct kernel *k = p->l->kernel;
    const struct type *t = given_type(p, i);
    const bool list = t && t->kind == TYPE_ARRAY;
    struct low_variable *v = low_scope_parameter(p->s, arg_name(p, i), p->args[i], VAR_PARAMETER);

    t = low_list_as_view(p->s, low_view_info(p->s, decorator, arg_name(p, i), t));
    if (t && t->kind == TYPE_RANDOM_POOL) {
        /* a parameter like any other */
    } else if (t && !type_is_scalar(t->kind) && t->kind != TYPE_VIEW) {
        low_error(p->s, p->args[i], STR("pass numbers, bools and views"),
                  "a " STR_FMT " cannot be a parameter of a workunit here",
                  STR_ARG(low_spell(p->s, t)));
        t = NULL;
    } else if (t && t->scratch) {
        low_error(p->s, p->args[i], STR("use a view"), "a scratch view cannot be a parameter");
        t = NULL;
    }
    v->var->type = t;
    v->fixed = true;
    v->read_only = list;
    v->var->read_only = list;
    k->parameters[k->parameter_count++] = (struct parameter){arg_name(p, i), t, p->args[i], v->var};
}

/* "axpy(x: View1D[double], a: float)": all that the source does not say, as the calls show it. */
static void offer_instantiation(struct shape *p, size_t first)
{
    struct buf line;
    const char *separator = "";
    const struct py_workunit *w = p->l->workunit;

    buf_init(&line, p->l->a);
    buf_printf(&line, "INSTANTIATE \"" STR_FMT "(", STR_ARG(w->qualified));
    for (size_t i = p->next; i < p->count; i++) {
        if (arg_annotation(p, i)) {
            continue;
        }
        const struct str type = low_site_argument(p->l, arg_name(p, i));
        buf_printf(&line, "%s" STR_FMT ": " STR_FMT, separator, STR_ARG(arg_name(p, i)),
                   STR_ARG(type.len ? type : STR("TYPE")));
        separator = ", ";
    }
    buf_add_c(&line, ")\"");
    low_error(p->s, p->args[first],
              str_format(p->l->a, "annotate it, or add " STR_FMT, STR_ARG(buf_str(&line))),
              "the parameter " STR_FMT " of " STR_FMT " has no type", STR_ARG(arg_name(p, first)),
              STR_ARG(w->qualified));
}

static void read_parameters(struct shape *p)
{
    const struct ast_node *decorator = NULL;
    bool offered = false;

    (void)py_decorator_of(p->l->workunit->module, p->l->workunit->node, &decorator);
    for (size_t i = p->next; i < p->count; i++) {
        if (!arg_annotation(p, i) && instantiated(p, i) < 0 && !offered) {
            offered = true;
            offer_instantiation(p, i);
        }
        add_parameter(p, i, decorator);
    }
    for (size_t k = 0; p->instantiation && k < p->instantiation->count; k++) {
        bool known = false;
        for (size_t i = 0; i < p->count; i++) {
            known |= str_equal(p->instantiation->names[k], arg_name(p, i));
        }
        if (!known) {
            low_error_span(p->s, &p->l->workunit->node->u.function.name_span, STR(""),
                           "INSTANTIATE \"" STR_FMT "\": " STR_FMT " has no parameter " STR_FMT,
                           STR_ARG(p->instantiation->text), STR_ARG(p->l->workunit->qualified),
                           STR_ARG(p->instantiation->names[k]));
        }
    }
}

static void list_args(struct shape *p)
{
    const struct ast_node *node = p->l->workunit->node, *args = node->u.function.args;
    const struct ast_seq *lists[3] = {&args->u.arguments.posonly, &args->u.arguments.args,
                                      &args->u.arguments.kwonly};
    bool skip = p->l->workunit->class_node != NULL;

    p->args = ARENA_ARRAY(p->l->a, const struct ast_node *,
                          lists[0]->count + lists[1]->count + lists[2]->count + 1);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < lists[k]->count; i++) {
            if (skip) {
                p->s->self_name = lists[k]->items[i]->u.arg.arg;
                skip = false;
            } else {
                p->args[p->count++] = lists[k]->items[i];
            }
        }
    }
    const struct ast_node *stars[2] = {args->u.arguments.vararg, args->u.arguments.kwarg};
    for (int i = 0; i < 2; i++) {
        if (stars[i]) {
            low_error(p->s, stars[i], STR("name the parameters"),
                      "a star parameter (*) of a workunit is not translated");
        }
    }
}

void low_read_parameters(struct lower *l, struct low_scope *s,
                         const struct instantiation *instantiation)
{
    struct shape shape = {.s = s, .l = l, .instantiation = instantiation}, *p = &shape;

    list_args(p);
    l->kernel->leading = ARENA_ARRAY(l->a, struct parameter, p->count + 1);
    l->kernel->parameters = ARENA_ARRAY(l->a, struct parameter, p->count + 1);
    if (l->workunit->class_node) {
        p->s->self = LOW_SELF_FUNCTOR;
        p->s->self_class_node = l->workunit->class_node;
        p->s->self_class_module = l->workunit->module;
        low_functor_fields(l, p->s);
    }
    read_policy(p);
    read_acc(p);
    read_parameters(p);
}

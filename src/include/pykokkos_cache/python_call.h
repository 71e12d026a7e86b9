/*
 * The callable object of a workunit: names to parameters, values to ARGS, dispatch, result.
 * A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_CALL_H
#define PYKOKKOS_CACHE_PYTHON_CALL_H

/* Calls of this size and below need no memory from the heap. */
#define SMALL_PARAMETERS 16
#define SMALL_ARGS 1024

/* One instantiation, with what its calls need at hand. */
struct overload {
    const struct pkc_workunit *table;
    struct scalar acc;
    const struct pkc_reducer *reducer; /* the default; NULL: the call must say */
    const struct parameter *parameters;
};

/* All instantiations of one workunit. They differ in their parameters' types, not in their names.
 */
struct workunit_object {
    PyObject_HEAD vectorcallfunc call;
    PyObject *module; /* keeps the module's state */
    const struct state *state;
    PyObject *owner; /* the class whose method it is, or NULL */
    PyObject *names; /* tuple: fields, then parameters */
    struct callee callee;
    uint32_t field_count;
    uint32_t parameter_count; /* fields too */
    uint32_t overload_count;
    uint32_t has_reducer; /* a reduce without a parameter of that name */
    uint32_t has_policy;  /* no parameter is named "policy" */
    struct overload *overloads;
    struct parameter *parameters; /* of all overloads */
};

/* The arguments of one call. `values`: fields, then parameters; borrowed. */
struct call {
    const struct workunit_object *w;
    PyObject *policy;
    PyObject *reducer;
    PyObject **values;
    Py_buffer *buffers; /* one a parameter; only those of arrays are used */
};

/* ---- names ----------------------------------------------------------------------------------- */

/* The parameter of this name, or -1. Interned names are found without a comparison of text. */
static int find_name(PyObject *names, const uint32_t count, PyObject *name)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (PyTuple_GET_ITEM(names, (Py_ssize_t)i) == name) {
            return (int)i;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (PyUnicode_Compare(PyTuple_GET_ITEM(names, (Py_ssize_t)i), name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static int duplicate_value(const struct callee *callee, PyObject *name)
{
    PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", callee->name, name);
    return -1;
}

static int unexpected_keyword(const struct callee *callee, PyObject *name)
{
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", callee->name,
                 name);
    return -1;
}

/* Names every missing argument, in Python's words: 'a', 'b', and 'c'. */
static int missing_arguments(const struct callee *callee, PyObject *const *missing,
                             const Py_ssize_t count)
{
    PyObject *list = PyUnicode_FromString("");
    for (Py_ssize_t i = 0; list != NULL && i < count; ++i) {
        const char *const separator = i == 0          ? ""
                                      : i + 1 < count ? ", "
                                      : count == 2    ? " and "
                                                      : ", and ";
        PyObject *const longer = PyUnicode_FromFormat("%U%s'%U'", list, separator, missing[i]);
        Py_DECREF(list);
        list = longer;
    }
    if (list != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() missing %zd required positional argument%s: %U",
                     callee->name, count, count == 1 ? "" : "s", list);
        Py_DECREF(list);
    }
    return -1;
}

static int check_complete(const struct call *c)
{
    const struct workunit_object *const w = c->w;
    int complete = c->policy != NULL;
    for (uint32_t i = w->field_count; i < w->parameter_count; ++i) {
        complete &= c->values[i] != NULL;
    }
    if (complete) {
        return 0;
    }
    PyObject **const missing =
        (PyObject **)PyMem_Malloc((w->parameter_count + 1) * sizeof(PyObject *));
    if (missing == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    Py_ssize_t count = 0;
    if (c->policy == NULL) {
        missing[count++] = w->state->name_policy;
    }
    for (uint32_t i = w->field_count; i < w->parameter_count; ++i) {
        if (c->values[i] == NULL) {
            missing[count++] = PyTuple_GET_ITEM(w->names, (Py_ssize_t)i);
        }
    }
    missing_arguments(&w->callee, missing, count);
    PyMem_Free(missing);
    return -1;
}

/* Sorts a call's arguments to the parameters (after self): borrowed references. */
static int bind_arguments(struct call *c, PyObject *const *args, const Py_ssize_t positional,
                          PyObject *kwnames)
{
    const struct workunit_object *const w = c->w;
    const Py_ssize_t expected = 1 + (Py_ssize_t)(w->parameter_count - w->field_count);
    if (positional > expected) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zd positional argument%s but %zd were given",
                     w->callee.name, expected, expected == 1 ? "" : "s", positional);
        return -1;
    }
    if (positional > 0) {
        c->policy = args[0];
    }
    for (Py_ssize_t i = 1; i < positional; ++i) {
        c->values[(Py_ssize_t)w->field_count + i - 1] = args[i];
    }
    const Py_ssize_t keywords = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t k = 0; k < keywords; ++k) {
        PyObject *const name = PyTuple_GET_ITEM(kwnames, k);
        PyObject *const value = args[positional + k];
        PyObject **slot = NULL;
        const int index = find_name(w->names, w->parameter_count, name);
        if (index >= (int)w->field_count) {
            slot = &c->values[index];
        } else if (w->has_reducer && PyUnicode_Compare(name, w->state->name_reducer) == 0) {
            slot = &c->reducer;
        } else if (w->has_policy && PyUnicode_Compare(name, w->state->name_policy) == 0) {
            slot = &c->policy;
        } else {
            return unexpected_keyword(&w->callee, name);
        }
        if (*slot != NULL) {
            return duplicate_value(&w->callee, name);
        }
        *slot = value;
    }
    return check_complete(c);
}

/* ---- arrays, overloads ----------------------------------------------------------------------- */

static void release_arrays(struct call *c, const uint32_t count)
{
    const struct parameter *const p = c->w->overloads[0].parameters;
    for (uint32_t i = 0; i < count; ++i) {
        if (p[i].table->kind == PKC_VIEW) {
            PyBuffer_Release(&c->buffers[i]);
        }
    }
}

/* Opens every array once, whichever overload it will be for. */
static int open_arrays(struct call *c)
{
    const struct parameter *const p = c->w->overloads[0].parameters;
    for (uint32_t i = 0; i < c->w->parameter_count; ++i) {
        if (p[i].table->kind == PKC_VIEW &&
            open_array(&c->w->callee, &p[i], c->values[i], &c->buffers[i]) < 0) {
            release_arrays(c, i);
            return -1;
        }
    }
    return 0;
}

static int overload_fits(const struct call *c, const struct overload *o, const int strictly)
{
    char text[80];
    for (uint32_t i = 0; i < c->w->parameter_count; ++i) {
        const struct parameter *const p = &o->parameters[i];
        if (p->table->kind == PKC_VIEW) {
            if (array_mismatch(p, &c->buffers[i], text, sizeof text) != NULL) {
                return 0;
            }
        } else if (strictly && !scalar_matches(p, c->values[i])) {
            return 0;
        }
    }
    return 1;
}

static int fill_args(const struct call *c, const struct overload *o, char *args)
{
    char text[80];
    for (uint32_t i = 0; i < c->w->parameter_count; ++i) {
        const struct parameter *const p = &o->parameters[i];
        char *const to = args + p->table->offset;
        if (p->table->kind == PKC_SCALAR) {
            if (put_scalar(&c->w->callee, p, c->values[i], to) < 0) {
                return -1;
            }
            continue;
        }
        const char *const given = array_mismatch(p, &c->buffers[i], text, sizeof text);
        if (given != NULL) {
            return wrong_array(&c->w->callee, p, given);
        }
        put_array(p, &c->buffers[i], to);
    }
    return 0;
}

/* What the arguments are, for the message that no overload takes them: "(x: float32 array …)". */
static PyObject *describe_arguments(const struct call *c)
{
    PyObject *list = PyUnicode_FromString("");
    for (uint32_t i = 0; list != NULL && i < c->w->parameter_count; ++i) {
        char text[80];
        const char *given = Py_TYPE(c->values[i])->tp_name;
        if (c->w->overloads[0].parameters[i].table->kind == PKC_VIEW) {
            int foreign;
            char name[16];
            const Py_buffer *const b = &c->buffers[i];
            const struct scalar s = scalar_from_format(b->format, &foreign);
            snprintf(text, sizeof text, "%s%s array of rank %d", foreign ? "byte-swapped " : "",
                     s.kind == 0 ? "unknown" : scalar_name(s, name, sizeof name), b->ndim);
            given = text;
        }
        PyObject *const longer =
            PyUnicode_FromFormat("%U%s%U: %s", list, i == 0 ? "" : ", ",
                                 PyTuple_GET_ITEM(c->w->names, (Py_ssize_t)i), given);
        Py_DECREF(list);
        list = longer;
    }
    return list;
}

/* The one that takes the arguments as they are, else the first that can convert them. */
static const struct overload *choose_overload(const struct call *c)
{
    const struct workunit_object *const w = c->w;
    if (w->overload_count == 1) {
        return &w->overloads[0];
    }
    for (int strictly = 1; strictly >= 0; --strictly) {
        for (uint32_t i = 0; i < w->overload_count; ++i) {
            if (overload_fits(c, &w->overloads[i], strictly)) {
                return &w->overloads[i];
            }
        }
    }
    PyObject *const given = describe_arguments(c);
    PyObject *available = PyUnicode_FromString("");
    for (uint32_t i = 0; available != NULL && i < w->overload_count; ++i) {
        PyObject *const longer =
            PyUnicode_FromFormat("%U\n    %s", available, w->overloads[i].table->signature);
        Py_DECREF(available);
        available = longer;
    }
    if (given != NULL && available != NULL) {
        PyErr_Format(
            PyExc_TypeError,
            "%s(): no instantiation for (%U), arrays writable and contiguous; there are:%U",
            w->callee.name, given, available);
    }
    Py_XDECREF(given);
    Py_XDECREF(available);
    return NULL;
}

/* ---- reducers and results -------------------------------------------------------------------- */

static const char *const form_names[] = {"Sum, Prod, Min, Max, BAnd, BOr, LAnd or LOr",
                                         "MinLoc or MaxLoc", "MinMax", "MinMaxLoc"};

static int form_of_reducer(const char *name)
{
    return strcmp(name, "MinLoc") == 0 || strcmp(name, "MaxLoc") == 0 ? PKC_ACC_VAL_LOC
           : strcmp(name, "MinMax") == 0                              ? PKC_ACC_MIN_MAX
           : strcmp(name, "MinMaxLoc") == 0                           ? PKC_ACC_MIN_MAX_LOC
                                                                      : PKC_ACC_SCALAR;
}

/* By name, or by an object that has one (pykokkos' reducer classes). */
static const struct pkc_reducer *read_reducer(const struct call *c, const struct overload *o)
{
    const struct pkc_workunit *const t = o->table;
    if (c->reducer == NULL || c->reducer == Py_None) {
        if (o->reducer == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() missing 1 required argument: 'reducer' (%s)",
                         c->w->callee.name, form_names[t->acc_form]);
        }
        return o->reducer;
    }
    PyObject *name = NULL;
    if (PyUnicode_Check(c->reducer)) {
        Py_INCREF(c->reducer);
        name = c->reducer;
    } else {
        name = optional_attribute(c->reducer, "__name__");
    }
    if (name == NULL || !PyUnicode_Check(name)) {
        Py_XDECREF(name);
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_TypeError, "%s() reducer: expected a name, got %s",
                         c->w->callee.name, Py_TYPE(c->reducer)->tp_name);
        }
        return NULL;
    }
    const struct pkc_reducer *found = NULL;
    const char *const utf8 = PyUnicode_AsUTF8(name);
    if (utf8 != NULL) {
        found = form_of_reducer(utf8) == t->acc_form
                    ? c->w->state->dispatch->reducer(utf8, t->acc_dtype)
                    : NULL;
        if (found == NULL) {
            PyErr_Format(PyExc_ValueError,
                         "%s() reducer: expected %s for its %s accumulator, got '%s'",
                         c->w->callee.name, form_names[t->acc_form], t->acc_dtype, utf8);
        }
    }
    Py_DECREF(name);
    return found;
}

/* A plain value, or the named tuple of a Loc or MinMax reducer. */
static PyObject *result_value(const struct workunit_object *w, const struct overload *o,
                              const char *acc)
{
    const size_t size = o->acc.size;
    const int form = o->table->acc_form;
    if (form == PKC_ACC_SCALAR) {
        return scalar_result(o->acc, acc);
    }
    const struct scalar location = scalar_of('i', 8);
    const size_t values = form == PKC_ACC_VAL_LOC ? 1 : 2;
    const size_t locations = (values * size + 7) / 8 * 8;
    PyObject *const result = PyStructSequence_New((PyTypeObject *)w->state->results[form]);
    if (result == NULL) {
        return NULL;
    }
    PyObject *items[4] = {NULL, NULL, NULL, NULL};
    Py_ssize_t count = 2;
    switch (form) {
    case PKC_ACC_VAL_LOC:
        items[0] = scalar_result(o->acc, acc);
        items[1] = scalar_result(location, acc + locations);
        break;
    case PKC_ACC_MIN_MAX:
        items[0] = scalar_result(o->acc, acc);
        items[1] = scalar_result(o->acc, acc + size);
        break;
    default: /* in the order of PyKokkos: each value, then where it is */
        items[0] = scalar_result(o->acc, acc);
        items[1] = scalar_result(location, acc + locations);
        items[2] = scalar_result(o->acc, acc + size);
        items[3] = scalar_result(location, acc + locations + 8);
        count = 4;
        break;
    }
    int complete = 1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        complete &= items[i] != NULL;
        PyStructSequence_SetItem(result, i, items[i]);
    }
    if (!complete) {
        Py_DECREF(result);
        return NULL;
    }
    return result;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static int run_range(const struct pkc_dispatch *d, const struct pkc_workunit *t,
                     const struct policy *p, const void *args, const struct pkc_reducer *reducer,
                     void *acc, char *error, const size_t size)
{
    const struct pkc_range range = {NULL,      t->label,      p->begin[0],
                                    p->end[0], p->chunk_size, p->schedule};
    switch (t->operation) {
    case 0: return d->range_for(&range, (pkc_range_for *)t->kernel, args, error, size);
    case 1:
        return d->range_reduce(&range, (pkc_range_reduce *)t->kernel, args, reducer, acc, error,
                               size);
    default:
        return d->range_scan(&range, (pkc_range_scan *)t->kernel, args, reducer, acc, error, size);
    }
}

static int run_mdrange(const struct pkc_dispatch *d, const struct pkc_workunit *t,
                       const struct policy *p, const void *args, const struct pkc_reducer *reducer,
                       void *acc, char *error, const size_t size)
{
    struct pkc_mdrange range;
    memset(&range, 0, sizeof range);
    range.label = t->label;
    range.rank = t->rank;
    range.left_to_right = t->left_to_right;
    for (int i = 0; i < t->rank; ++i) {
        range.begin[i] = p->begin[i];
        range.end[i] = p->end[i];
        range.tile[i] = p->tile[i];
    }
    if (t->operation == 0) {
        return d->md_for(&range, (pkc_md_for *)t->kernel, args, error, size);
    }
    return d->md_reduce(&range, (pkc_md_reduce *)t->kernel, args, reducer, acc, error, size);
}

static int run_team(const struct pkc_dispatch *d, const struct pkc_workunit *t,
                    const struct policy *p, const void *args, const struct pkc_reducer *reducer,
                    void *acc, char *error, const size_t size)
{
    struct pkc_team team;
    memset(&team, 0, sizeof team);
    team.label = t->label;
    team.league_size = p->league_size;
    team.team_size = p->team_size;
    team.vector_length = p->vector_length;
    if (t->operation == 0) {
        return d->team_for(&team, (pkc_team_for *)t->kernel, args, error, size);
    }
    return d->team_reduce(&team, (pkc_team_reduce *)t->kernel, args, reducer, acc, error, size);
}

/* Everything is checked: runs the kernel, without the interpreter's lock where Kokkos allows it. */
static PyObject *run(const struct workunit_object *w, const struct overload *o,
                     const struct policy *policy, const void *args,
                     const struct pkc_reducer *reducer)
{
    const struct pkc_dispatch *const d = w->state->dispatch;
    const struct pkc_workunit *const t = o->table;
    char error[512] = "";
    PKC_ALIGNED(16) char acc[PKC_ACC_MAX_SIZE];
    int status = 0;
    if (!d->is_initialized()) {
        status = d->initialize(error, sizeof error);
    }
    if (status == 0) {
        PyThreadState *const thread = d->concurrent_calls ? PyEval_SaveThread() : NULL;
        status = t->policy == 0 ? run_range(d, t, policy, args, reducer, acc, error, sizeof error)
                 : t->policy == 1
                     ? run_mdrange(d, t, policy, args, reducer, acc, error, sizeof error)
                     : run_team(d, t, policy, args, reducer, acc, error, sizeof error);
        if (thread != NULL) {
            PyEval_RestoreThread(thread);
        }
    }
    if (status != 0) {
        PyErr_Format(PyExc_RuntimeError, "%s(): %s", w->callee.name, error);
        return NULL;
    }
    if (t->operation == 0) {
        Py_RETURN_NONE;
    }
    return result_value(w, o, acc);
}

static PyObject *call_with_args(struct call *c, const struct overload *o)
{
    PKC_ALIGNED(16) char small[SMALL_ARGS];
    struct policy policy;
    const struct pkc_reducer *reducer = NULL;
    if (read_policy(&c->w->callee, o->table, c->w->state->policies, c->policy, &policy) < 0) {
        return NULL;
    }
    if (o->table->operation != 0) {
        reducer = read_reducer(c, o);
        if (reducer == NULL) {
            return NULL;
        }
    }
    const size_t size = o->table->args_size;
    char *const args = size <= sizeof small ? small : (char *)PyMem_Malloc(size);
    if (args == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *const result =
        fill_args(c, o, args) < 0 ? NULL : run(c->w, o, &policy, args, reducer);
    if (args != small) {
        PyMem_Free(args);
    }
    return result;
}

static PyObject *call_with_arrays(struct call *c)
{
    if (open_arrays(c) < 0) {
        return NULL;
    }
    const struct overload *const o = choose_overload(c);
    PyObject *const result = o == NULL ? NULL : call_with_args(c, o);
    release_arrays(c, c->w->parameter_count);
    return result;
}

/* The fields' values of a functor object, into the first of `values`: references of the call's own,
 * since another thread may assign the fields while it runs. */
static int bind_fields(const struct workunit_object *w, PyObject *self, PyObject **values);

static PyObject *call_bound(struct call *c, PyObject *const *args, Py_ssize_t positional,
                            PyObject *kwnames)
{
    const struct workunit_object *const w = c->w;
    if (w->owner != NULL) {
        if (positional < 1) {
            PyErr_Format(PyExc_TypeError, "%s() needs an object of its class as first argument",
                         w->callee.name);
            return NULL;
        }
        if (bind_fields(w, args[0], c->values) < 0) {
            return NULL;
        }
        ++args;
        --positional;
    }
    if (bind_arguments(c, args, positional, kwnames) < 0) {
        return NULL;
    }
    return call_with_arrays(c);
}

static PyObject *workunit_call(PyObject *self, PyObject *const *args, const size_t flags,
                               PyObject *kwnames)
{
    const struct workunit_object *const w = (const struct workunit_object *)self;
    const Py_ssize_t positional = PyVectorcall_NARGS(flags);
    const uint32_t count = w->parameter_count;
    PyObject *small_values[SMALL_PARAMETERS];
    Py_buffer small_buffers[SMALL_PARAMETERS];
    struct call c = {w, NULL, NULL, small_values, small_buffers};
    void *memory = NULL;
    if (count > SMALL_PARAMETERS) {
        memory = PyMem_Malloc(count * (sizeof(Py_buffer) + sizeof(PyObject *)));
        if (memory == NULL) {
            return PyErr_NoMemory();
        }
        c.buffers = (Py_buffer *)memory;
        c.values = (PyObject **)(void *)(c.buffers + count);
    }
    memset(c.values, 0, count * sizeof(PyObject *));
    PyObject *const result = call_bound(&c, args, positional, kwnames);
    for (uint32_t i = 0; i < w->field_count; ++i) {
        Py_XDECREF(c.values[i]);
    }
    PyMem_Free(memory);
    return result;
}

#endif

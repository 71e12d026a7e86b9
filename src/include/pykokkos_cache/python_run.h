/*
 * A workunit's call once its arguments are known: reducer, dispatch, result.
 * A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_RUN_H
#define PYKOKKOS_CACHE_PYTHON_RUN_H

/* ---- reducers and results -------------------------------------------------------------------- */

static const char *const form_names[] = {"Sum, Prod, Min, Max, BAnd, BOr, LAnd or LOr",
                                         "MinLoc or MaxLoc", "MinMax", "MinMaxLoc"};

/* The reducers that fit a workunit's accumulator. */
static const char *fitting_reducers(const struct pkc_workunit *t)
{
    if (t->acc_form == PKC_ACC_SCALAR && strncmp(t->acc_dtype, "complex", 7) == 0) {
        return "Sum or Prod";
    }
    if (t->acc_form == PKC_ACC_SCALAR && strncmp(t->acc_dtype, "float", 5) == 0) {
        return "Sum, Prod, Min, Max, LAnd or LOr";
    }
    return form_names[t->acc_form];
}

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
                         c->w->callee.name, fitting_reducers(t), t->acc_dtype, utf8);
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
    team.plan = t->plan;
    for (int level = 0; level < 2; ++level) {
        team.scratch_bytes_team[level] = p->scratch[level];
        team.scratch_bytes_thread[level] = p->scratch[2 + level];
    }
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

/* ---- host functions -------------------------------------------------------------------------- */

/* The fields that the function may have assigned; in python_class.h. */
static int give_back_fields(const struct overload *o, const char *args, PyObject *object);

/* Fields are in ARGS: runs the function, and stores what it assigned; what it did before an error,
 * too. */
static PyObject *run_host(const struct workunit_object *w, char *args, PyObject *object)
{
    const struct pkc_dispatch *const d = w->state->dispatch;
    const struct overload *const o = &w->overloads[0];
    char error[512] = "";
    int status = 0;
    if (!d->is_initialized()) {
        status = d->initialize(error, sizeof error);
    }
    if (status == 0) {
        PyThreadState *const thread = d->concurrent_calls ? PyEval_SaveThread() : NULL;
        status = ((pkc_host_function *)o->table->kernel)(args, d, error, sizeof error);
        fflush(stdout);
        if (thread != NULL) {
            PyEval_RestoreThread(thread);
        }
    }
    if (give_back_fields(o, args, object) < 0) {
        return NULL;
    }
    if (status != 0) {
        PyErr_Format(PyExc_RuntimeError, "%s(): %s", w->callee.name, error);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *call_host(struct call *c, PyObject *object, const Py_ssize_t more)
{
    PKC_ALIGNED(16) char small[SMALL_ARGS];
    const struct overload *const o = &c->w->overloads[0];
    if (more > 0) {
        PyErr_Format(PyExc_TypeError, "%s() takes no arguments", c->w->callee.name);
        return NULL;
    }
    if (o->table->kernel == NULL) {
        PyErr_SetString(PyExc_NotImplementedError, o->table->signature);
        return NULL;
    }
    if (open_arrays(c) < 0) {
        return NULL;
    }
    const size_t size = o->table->args_size;
    char *const args = size <= sizeof small ? small : (char *)PyMem_Malloc(size);
    PyObject *result = NULL;
    if (args == NULL) {
        PyErr_NoMemory();
    } else if (fill_args(c, o, args) == 0) {
        result = run_host(c->w, args, object);
    }
    if (args != small) {
        PyMem_Free(args);
    }
    release_arrays(c, c->w->parameter_count);
    return result;
}

/* ---- calls ----------------------------------------------------------------------------------- */

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
        if (w->overloads[0].table->operation == PKC_HOST) {
            const Py_ssize_t named = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
            return call_host(c, args[0], positional - 1 + named);
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

/*
 * The arguments of a workunit's call: names to parameters, values to ARGS.
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

#endif

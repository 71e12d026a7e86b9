/*
 * Scratch memory of a TeamPolicy: PerTeam(bytes), PerThread(bytes) and set_scratch_size().
 * A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_SCRATCH_H
#define PYKOKKOS_CACHE_PYTHON_SCRATCH_H

/* ---- PerTeam, PerThread ---------------------------------------------------------------------- */

struct per_object {
    PyObject_HEAD long long value;
};

static PyObject *new_per(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"value", NULL};
    PyObject *value = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", (char **)names, &value)) {
        return NULL;
    }
    struct per_object *const p = (struct per_object *)type->tp_alloc(type, 0);
    if (p != NULL && to_int64(value, "scratch size", &p->value) < 0) {
        Py_DECREF(p);
        return NULL;
    }
    return (PyObject *)p;
}

static PyObject *per_get(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(((const struct per_object *)self)->value);
}

static PyGetSetDef per_members[] = {
    {"value", per_get, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot per_team_slots[] = {
    {Py_tp_doc, (void *)"PerTeam(value)\n--\n\nBytes of scratch memory for each team."},
    {Py_tp_new, PKC_SLOT(new_per)},
    {Py_tp_dealloc, PKC_SLOT(policy_dealloc)},
    {Py_tp_getset, (void *)per_members},
    {0, NULL},
};

static PyType_Slot per_thread_slots[] = {
    {Py_tp_doc, (void *)"PerThread(value)\n--\n\nBytes of scratch memory for each thread."},
    {Py_tp_new, PKC_SLOT(new_per)},
    {Py_tp_dealloc, PKC_SLOT(policy_dealloc)},
    {Py_tp_getset, (void *)per_members},
    {0, NULL},
};

/* ---- TeamPolicy.set_scratch_size ------------------------------------------------------------- */

/* 0: for each team; 1: for each thread; -1: something else, with an error. PyKokkos' classes of
 * these names do as well. */
static int per_kind(PyObject *per)
{
    const char *const full = Py_TYPE(per)->tp_name;
    const char *const dot = strrchr(full, '.');
    const char *const name = dot == NULL ? full : dot + 1;
    if (strcmp(name, "PerTeam") == 0) {
        return 0;
    }
    if (strcmp(name, "PerThread") == 0) {
        return 1;
    }
    PyErr_Format(PyExc_TypeError,
                 "set_scratch_size() expected PerTeam(bytes) or PerThread(bytes), got %s", full);
    return -1;
}

static int add_scratch(struct policy *policy, const long long level, PyObject *per)
{
    const int kind = per_kind(per);
    PyObject *value = NULL;
    long long bytes = 0;
    if (kind < 0) {
        return -1;
    }
    value = optional_attribute(per, "value");
    if (value == NULL && !PyErr_Occurred()) {
        value = PyObject_GetAttrString(per, "team_member");
    }
    if (value == NULL) {
        return -1;
    }
    const int status = to_int64(value, "scratch size", &bytes);
    Py_DECREF(value);
    if (status < 0) {
        return -1;
    }
    if (bytes < 0) {
        PyErr_Format(PyExc_ValueError, "scratch size: expected 0 bytes or more, got %lld", bytes);
        return -1;
    }
    policy->scratch[2 * kind + level] = bytes;
    return 0;
}

/* Returns the policy itself, as PyKokkos' does: calls can be chained. */
static PyObject *set_scratch_size(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"level", "per_team_or_thread", "per_thread", NULL};
    PyObject *level_value = NULL;
    PyObject *first = NULL;
    PyObject *second = NULL;
    long long level = 0;
    struct policy *const policy = &((struct policy_object *)self)->value;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O:set_scratch_size", (char **)names,
                                     &level_value, &first, &second) ||
        to_int64(level_value, "level", &level) < 0) {
        return NULL;
    }
    if (level != 0 && level != 1) {
        PyErr_Format(PyExc_ValueError, "set_scratch_size() level: expected 0 or 1, got %lld",
                     level);
        return NULL;
    }
    if (add_scratch(policy, level, first) < 0 ||
        (second != NULL && add_scratch(policy, level, second) < 0)) {
        return NULL;
    }
    Py_INCREF(self);
    return self;
}

static PyMethodDef team_policy_methods[] = {
    {"set_scratch_size", (PyCFunction)(void (*)(void))set_scratch_size,
     METH_VARARGS | METH_KEYWORDS,
     "set_scratch_size(level, per_team_or_thread, per_thread=None)\n--\n\n"
     "Scratch memory of level 0 or 1: PerTeam(bytes), PerThread(bytes) or both."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot team_policy_slots[] = {
    {Py_tp_doc, (void *)"TeamPolicy(league_size, team_size='AUTO', vector_length=1)\n--\n\n"
                        "A league of teams."},
    {Py_tp_new, PKC_SLOT(new_team_policy)},
    {Py_tp_dealloc, PKC_SLOT(policy_dealloc)},
    {Py_tp_getset, (void *)team_policy_members},
    {Py_tp_methods, (void *)team_policy_methods},
    {0, NULL},
};

#endif

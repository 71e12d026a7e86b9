/*
 * Policies for Python: RangePolicy, MDRangePolicy and TeamPolicy objects, and all that a call
 * takes in their place. A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_POLICY_H
#define PYKOKKOS_CACHE_PYTHON_POLICY_H

/* One form serves all three: a class is only a constructor and attributes. */
struct policy {
    int rank; /* 1: Range; 2..6: MDRange; 0: Team */
    int schedule;
    long long begin[PKC_MAX_RANK], end[PKC_MAX_RANK], tile[PKC_MAX_RANK];
    long long chunk_size;
    long long league_size;
    int team_size; /* <= 0: AUTO */
    int vector_length;
    long long scratch[PKC_SCRATCH_KINDS]; /* bytes */
};

struct policy_object {
    PyObject_HEAD struct policy value;
};

/* An int, or what has __index__; anything else is a TypeError that begins with `what`. */
static int to_int64(PyObject *value, const char *what, long long *out)
{
    PyObject *integer = NULL;
    if (PyLong_Check(value)) {
        *out = PyLong_AsLongLong(value);
        return *out == -1 && PyErr_Occurred() ? -1 : 0;
    }
    if (!PyIndex_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s: expected an int, got %s", what, Py_TYPE(value)->tp_name);
        return -1;
    }
    integer = PyNumber_Index(value);
    if (integer == NULL) { /* an array of more than one element has the method, and refuses */
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "%s: expected an int, got %s", what,
                         Py_TYPE(value)->tp_name);
        }
        return -1;
    }
    *out = PyLong_AsLongLong(integer);
    Py_DECREF(integer);
    return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

static int to_team_size(PyObject *value, int *out)
{
    if (PyUnicode_Check(value)) {
        if (PyUnicode_CompareWithASCIIString(value, "AUTO") == 0 ||
            PyUnicode_CompareWithASCIIString(value, "auto") == 0) {
            *out = -1;
            return 0;
        }
        PyErr_Format(PyExc_ValueError, "team size: expected an int or \"AUTO\", got %R", value);
        return -1;
    }
    if (!PyIndex_Check(value)) { /* pykokkos' AUTO is an object of that name */
        PyObject *const text = PyObject_Str(value);
        if (text == NULL) {
            return -1;
        }
        const char *const utf8 = PyUnicode_AsUTF8(text);
        const int is_auto = utf8 != NULL && strstr(utf8, "AUTO") != NULL;
        Py_DECREF(text);
        if (is_auto) {
            *out = -1;
            return 0;
        }
        PyErr_Clear();
    }
    long long size;
    if (to_int64(value, "team size", &size) < 0) {
        return -1;
    }
    if (size > INT_MAX) {
        PyErr_SetString(PyExc_OverflowError, "team size: too large");
        return -1;
    }
    if (size == 0) {
        PyErr_SetString(PyExc_ValueError, "team size: expected at least 1 or \"AUTO\"");
        return -1;
    }
    *out = size < 0 ? -1 : (int)size;
    return 0;
}

/* `count` ints of a sequence. Returns how many there are, -1 on error. */
static int to_int64s(PyObject *sequence, const char *what, long long *out, const int most)
{
    PyObject *const items = PySequence_Fast(sequence, "");
    if (items == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: expected a sequence of ints, got %s", what,
                     Py_TYPE(sequence)->tp_name);
        return -1;
    }
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    if (count > most) {
        PyErr_Format(PyExc_ValueError, "%s: expected at most %d ints, got %zd", what, most, count);
        Py_DECREF(items);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (to_int64(PySequence_Fast_GET_ITEM(items, i), what, &out[i]) < 0) {
            Py_DECREF(items);
            return -1;
        }
    }
    Py_DECREF(items);
    return (int)count;
}

/* ---- the three classes ----------------------------------------------------------------------- */

/* tp_alloc may be of any size in a subclass; ours starts as zeros. */
static struct policy_object *new_policy(PyTypeObject *type, const int rank)
{
    struct policy_object *const p = (struct policy_object *)type->tp_alloc(type, 0);
    if (p != NULL) {
        p->value.rank = rank;
        p->value.vector_length = 1;
        p->value.team_size = -1;
    }
    return p;
}

static PyObject *new_range_policy(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"begin", "end", "chunk_size", "schedule", NULL};
    PyObject *begin = NULL;
    PyObject *end = NULL;
    long long chunk_size = 0;
    const char *schedule = "static";
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$Ls:RangePolicy", (char **)names, &begin,
                                     &end, &chunk_size, &schedule)) {
        return NULL;
    }
    if (strcmp(schedule, "static") != 0 && strcmp(schedule, "dynamic") != 0) {
        PyErr_Format(PyExc_ValueError,
                     "RangePolicy() schedule: expected \"static\" or \"dynamic\", got \"%s\"",
                     schedule);
        return NULL;
    }
    if (chunk_size < 0) {
        PyErr_SetString(PyExc_ValueError, "RangePolicy() chunk_size: expected 1 or more, or 0");
        return NULL;
    }
    struct policy_object *const p = new_policy(type, 1);
    if (p == NULL) {
        return NULL;
    }
    p->value.chunk_size = chunk_size;
    p->value.schedule = schedule[0] == 's' ? PKC_SCHEDULE_STATIC : PKC_SCHEDULE_DYNAMIC;
    if (to_int64(begin, "RangePolicy() begin", &p->value.begin[0]) < 0 ||
        to_int64(end, "RangePolicy() end", &p->value.end[0]) < 0) {
        Py_DECREF(p);
        return NULL;
    }
    return (PyObject *)p;
}

static PyObject *new_mdrange_policy(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"begin", "end", "tile", NULL};
    PyObject *begin = NULL;
    PyObject *end = NULL;
    PyObject *tile = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O:MDRangePolicy", (char **)names, &begin,
                                     &end, &tile)) {
        return NULL;
    }
    struct policy_object *const p = new_policy(type, 0);
    if (p == NULL) {
        return NULL;
    }
    const int begins = to_int64s(begin, "MDRangePolicy() begin", p->value.begin, PKC_MAX_RANK);
    const int ends =
        begins < 0 ? -1 : to_int64s(end, "MDRangePolicy() end", p->value.end, PKC_MAX_RANK);
    int tiles = ends;
    if (ends >= 0 && tile != NULL && tile != Py_None) {
        tiles = to_int64s(tile, "MDRangePolicy() tile", p->value.tile, PKC_MAX_RANK);
    }
    if (begins < 0 || ends < 0 || tiles < 0) {
        Py_DECREF(p);
        return NULL;
    }
    if (begins != ends || begins != tiles || begins < 2) {
        PyErr_SetString(PyExc_ValueError,
                        "MDRangePolicy(): begin, end and tile must be of the same length, 2 to 6");
        Py_DECREF(p);
        return NULL;
    }
    p->value.rank = begins;
    return (PyObject *)p;
}

static PyObject *new_team_policy(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"league_size", "team_size", "vector_length", NULL};
    PyObject *league_size = NULL;
    PyObject *team_size = NULL;
    int vector_length = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|Oi:TeamPolicy", (char **)names, &league_size,
                                     &team_size, &vector_length)) {
        return NULL;
    }
    struct policy_object *const p = new_policy(type, 0);
    if (p == NULL) {
        return NULL;
    }
    p->value.vector_length = vector_length;
    if (to_int64(league_size, "TeamPolicy() league_size", &p->value.league_size) < 0 ||
        (team_size != NULL && to_team_size(team_size, &p->value.team_size) < 0)) {
        Py_DECREF(p);
        return NULL;
    }
    return (PyObject *)p;
}

static void policy_dealloc(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *int64_list(const long long *values, const int count)
{
    PyObject *const list = PyList_New(count);
    for (int i = 0; list != NULL && i < count; ++i) {
        PyObject *const item = PyLong_FromLongLong(values[i]);
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SET_ITEM(list, i, item);
    }
    return list;
}

/* The closure tells which member: 'b'egin, 'e'nd, 't'ile, 'c'hunk size, 's'chedule, … */
static PyObject *policy_get(PyObject *self, void *closure)
{
    const struct policy_object *const p = (const struct policy_object *)self;
    switch (*(const char *)closure) {
    case 'b':
        return p->value.rank > 1 ? int64_list(p->value.begin, p->value.rank)
                                 : PyLong_FromLongLong(p->value.begin[0]);
    case 'e':
        return p->value.rank > 1 ? int64_list(p->value.end, p->value.rank)
                                 : PyLong_FromLongLong(p->value.end[0]);
    case 't': return int64_list(p->value.tile, p->value.rank);
    case 'c': return PyLong_FromLongLong(p->value.chunk_size);
    case 's':
        return PyUnicode_FromString(p->value.schedule == PKC_SCHEDULE_STATIC ? "static"
                                                                             : "dynamic");
    case 'l': return PyLong_FromLongLong(p->value.league_size);
    case 'm':
        return p->value.team_size <= 0 ? PyUnicode_FromString("AUTO")
                                       : PyLong_FromLong(p->value.team_size);
    default: return PyLong_FromLong(p->value.vector_length);
    }
}

#define PKC_POLICY_MEMBER(name, letter)              \
    {                                                \
        name, policy_get, NULL, NULL, (void *)letter \
    }

static PyGetSetDef range_policy_members[] = {
    PKC_POLICY_MEMBER("begin", "b"),      PKC_POLICY_MEMBER("end", "e"),
    PKC_POLICY_MEMBER("chunk_size", "c"), PKC_POLICY_MEMBER("schedule", "s"),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef mdrange_policy_members[] = {
    PKC_POLICY_MEMBER("begin", "b"),
    PKC_POLICY_MEMBER("end", "e"),
    PKC_POLICY_MEMBER("tile", "t"),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef team_policy_members[] = {
    PKC_POLICY_MEMBER("league_size", "l"),
    PKC_POLICY_MEMBER("team_size", "m"),
    PKC_POLICY_MEMBER("vector_length", "v"),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot range_policy_slots[] = {
    {Py_tp_doc, (void *)"RangePolicy(begin, end, *, chunk_size=0, schedule='static')\n--\n\n"
                        "Work indices begin to end - 1. schedule: 'static' or 'dynamic'."},
    {Py_tp_new, PKC_SLOT(new_range_policy)},
    {Py_tp_dealloc, PKC_SLOT(policy_dealloc)},
    {Py_tp_getset, (void *)range_policy_members},
    {0, NULL},
};

static PyType_Slot mdrange_policy_slots[] = {
    {Py_tp_doc, (void *)"MDRangePolicy(begin, end, tile=None)\n--\n\n"
                        "Work indices of two to six dimensions."},
    {Py_tp_new, PKC_SLOT(new_mdrange_policy)},
    {Py_tp_dealloc, PKC_SLOT(policy_dealloc)},
    {Py_tp_getset, (void *)mdrange_policy_members},
    {0, NULL},
};

/* ---- a call's first argument ----------------------------------------------------------------- */

/* An attribute, or NULL without an error where there is none. */
static PyObject *optional_attribute(PyObject *object, const char *name)
{
    PyObject *const value = PyObject_GetAttrString(object, name);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    return value;
}

static int wrong_policy(const struct callee *callee, const struct pkc_workunit *w, PyObject *value)
{
    switch (w->policy) {
    case 0:
        PyErr_Format(PyExc_TypeError,
                     "%s() policy: expected n, (begin, end) or a RangePolicy, got %s", callee->name,
                     Py_TYPE(value)->tp_name);
        break;
    case 1:
        PyErr_Format(PyExc_TypeError,
                     "%s() policy: expected an MDRangePolicy of rank %d, %d extents or %d pairs "
                     "(begin, end), got %s",
                     callee->name, w->rank, w->rank, w->rank, Py_TYPE(value)->tp_name);
        break;
    default:
        PyErr_Format(PyExc_TypeError,
                     "%s() policy: expected the league's size or a TeamPolicy, got %s",
                     callee->name, Py_TYPE(value)->tp_name);
        break;
    }
    return -1;
}

/* Objects of other modules with a policy's attributes do as well. */
static int range_from_attributes(const struct callee *callee, const struct pkc_workunit *w,
                                 PyObject *value, struct policy *out)
{
    PyObject *const begin = optional_attribute(value, "begin");
    PyObject *const end = begin == NULL ? NULL : optional_attribute(value, "end");
    int status = -1;
    if (begin == NULL || end == NULL) {
        if (!PyErr_Occurred()) {
            wrong_policy(callee, w, value);
        }
    } else if (w->policy == 0) {
        status = to_int64(begin, "policy.begin", &out->begin[0]) < 0 ||
                         to_int64(end, "policy.end", &out->end[0]) < 0
                     ? -1
                     : 0;
    } else {
        const int begins = to_int64s(begin, "policy.begin", out->begin, PKC_MAX_RANK);
        const int ends = begins < 0 ? -1 : to_int64s(end, "policy.end", out->end, PKC_MAX_RANK);
        if (begins >= 0 && ends >= 0 && (begins != w->rank || ends != w->rank)) {
            wrong_policy(callee, w, value);
        } else if (begins >= 0 && ends >= 0) {
            status = 0;
        }
    }
    Py_XDECREF(begin);
    Py_XDECREF(end);
    return status;
}

static int team_from_attributes(const struct callee *callee, const struct pkc_workunit *w,
                                PyObject *value, struct policy *out)
{
    PyObject *const league = optional_attribute(value, "league_size");
    PyObject *const team = league == NULL ? NULL : optional_attribute(value, "team_size");
    int status = -1;
    if (league == NULL || (team == NULL && PyErr_Occurred())) {
        if (!PyErr_Occurred()) {
            wrong_policy(callee, w, value);
        }
    } else {
        status = to_int64(league, "policy.league_size", &out->league_size);
        if (status == 0 && team != NULL) {
            status = to_team_size(team, &out->team_size);
        }
    }
    Py_XDECREF(league);
    Py_XDECREF(team);
    return status;
}

/* (begin, end) for Range; extents or pairs for MDRange. */
static int range_from_sequence(const struct callee *callee, const struct pkc_workunit *w,
                               PyObject *value, struct policy *out)
{
    const Py_ssize_t count = PySequence_Size(value);
    if (count < 0) {
        return -1;
    }
    if (count != (w->policy == 0 ? 2 : w->rank)) {
        return wrong_policy(callee, w, value);
    }
    if (w->policy == 0) {
        long long both[2];
        if (to_int64s(value, "policy", both, 2) != 2) {
            return -1;
        }
        out->begin[0] = both[0];
        out->end[0] = both[1];
        return 0;
    }
    for (Py_ssize_t d = 0; d < count; ++d) {
        PyObject *const item = PySequence_GetItem(value, d);
        if (item == NULL) {
            return -1;
        }
        long long both[2] = {0, 0};
        int given;
        if (PyTuple_Check(item) || PyList_Check(item)) {
            given = PySequence_Size(item) == 2 ? to_int64s(item, "policy", both, 2)
                                               : wrong_policy(callee, w, value);
        } else {
            given = to_int64(item, "policy", &both[1]);
        }
        Py_DECREF(item);
        if (given < 0) {
            return -1;
        }
        out->begin[d] = both[0];
        out->end[d] = both[1];
    }
    return 0;
}

/* Reads a call's policy into `out`. `own`: the module's policy
 * classes, in the order of pkc_workunit.policy. */
static int read_policy(const struct callee *callee, const struct pkc_workunit *w,
                       PyObject *const own[3], PyObject *value, struct policy *out)
{
    out->schedule = PKC_SCHEDULE_STATIC;
    out->chunk_size = 0;
    out->team_size = -1;
    out->vector_length = 1;
    memset(out->tile, 0, sizeof out->tile);
    memset(out->scratch, 0, sizeof out->scratch);
    if (w->policy != 1 && (PyLong_CheckExact(value) || PyIndex_Check(value))) {
        out->begin[0] = 0;
        out->league_size = 0;
        return to_int64(value, "policy", w->policy == 0 ? &out->end[0] : &out->league_size);
    }
    for (int kind = 0; kind < 3; ++kind) {
        if (!PyObject_TypeCheck(value, (PyTypeObject *)own[kind])) {
            continue;
        }
        const struct policy_object *const p = (const struct policy_object *)value;
        if (kind != w->policy || (kind == 1 && p->value.rank != w->rank)) {
            return wrong_policy(callee, w, value);
        }
        *out = p->value;
        return 0;
    }
    if (w->policy != 2 && (PyTuple_Check(value) || PyList_Check(value))) {
        return range_from_sequence(callee, w, value, out);
    }
    return w->policy == 2 ? team_from_attributes(callee, w, value, out)
                          : range_from_attributes(callee, w, value, out);
}

#endif

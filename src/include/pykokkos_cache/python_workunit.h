/*
 * The callable object of a workunit: its type, and how one is made of a table.
 * A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_WORKUNIT_H
#define PYKOKKOS_CACHE_PYTHON_WORKUNIT_H

static int workunit_traverse(PyObject *object, visitproc visit, void *arg)
{
    const struct workunit_object *const w = (const struct workunit_object *)object;
    PKC_VISIT_TYPE(object);
    Py_VISIT(w->module);
    Py_VISIT(w->owner);
    return 0;
}

static int workunit_clear(PyObject *object)
{
    struct workunit_object *const w = (struct workunit_object *)object;
    Py_CLEAR(w->owner);
    return 0;
}

static void workunit_dealloc(PyObject *object)
{
    struct workunit_object *const w = (struct workunit_object *)object;
    PyTypeObject *const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    workunit_clear(object);
    Py_CLEAR(w->module);
    Py_CLEAR(w->names);
    PyMem_Free(w->overloads);
    PyMem_Free(w->parameters);
    type->tp_free(object);
    Py_DECREF(type);
}

/* "(policy, x, k, *, reducer='Sum')", which inspect and help() read. */
static PyObject *workunit_text_signature(PyObject *object, void *closure)
{
    (void)closure;
    const struct workunit_object *const w = (const struct workunit_object *)object;
    const int host = w->overloads[0].table->operation == PKC_HOST;
    PyObject *text = PyUnicode_FromString(host               ? "($self"
                                          : w->owner != NULL ? "($self, policy"
                                                             : "(policy");
    for (uint32_t i = w->field_count; text != NULL && i < w->parameter_count; ++i) {
        PyObject *const longer =
            PyUnicode_FromFormat("%U, %U", text, PyTuple_GET_ITEM(w->names, (Py_ssize_t)i));
        Py_DECREF(text);
        text = longer;
    }
    if (text == NULL) {
        return NULL;
    }
    PyObject *const whole =
        PyUnicode_FromFormat("%U%s)", text, w->has_reducer ? ", *, reducer=None" : "");
    Py_DECREF(text);
    return whole;
}

/* A line for each instantiation: the signature as the source has it. */
static PyObject *workunit_doc(PyObject *object, void *closure)
{
    (void)closure;
    const struct workunit_object *const w = (const struct workunit_object *)object;
    PyObject *text = PyUnicode_FromString("");
    for (uint32_t i = 0; text != NULL && i < w->overload_count; ++i) {
        PyObject *const longer = PyUnicode_FromFormat("%U%s%s", text, i == 0 ? "" : "\n",
                                                      w->overloads[i].table->signature);
        Py_DECREF(text);
        text = longer;
    }
    return text;
}

static PyObject *workunit_name(PyObject *object, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(((const struct workunit_object *)object)->overloads[0].table->name);
}

static PyObject *workunit_qualname(PyObject *object, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(((const struct workunit_object *)object)->callee.name);
}

static PyObject *workunit_module(PyObject *object, void *closure)
{
    (void)closure;
    return PyModule_GetNameObject(((const struct workunit_object *)object)->module);
}

static PyObject *workunit_repr(PyObject *object)
{
    const struct workunit_object *const w = (const struct workunit_object *)object;
    return PyUnicode_FromFormat("<workunit %s>", w->overloads[0].table->label);
}

/* Alone, a workunit is like a builtin function: no method where it becomes a class attribute. */
static PyObject *workunit_get(PyObject *object, PyObject *instance, PyObject *type)
{
    (void)instance;
    (void)type;
    Py_INCREF(object);
    return object;
}

static PyObject *method_get(PyObject *object, PyObject *instance, PyObject *type)
{
    (void)type;
    if (instance == NULL || instance == Py_None) {
        Py_INCREF(object);
        return object;
    }
    return PyMethod_New(object, instance);
}

static PyGetSetDef workunit_members[] = {
    {"__name__", workunit_name, NULL, NULL, NULL},
    {"__qualname__", workunit_qualname, NULL, NULL, NULL},
    {"__module__", workunit_module, NULL, NULL, NULL},
    {"__doc__", workunit_doc, NULL, NULL, NULL},
    {"__text_signature__", workunit_text_signature, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot workunit_slots[] = {
    {Py_tp_call, PKC_SLOT(PyVectorcall_Call)}, {Py_tp_traverse, PKC_SLOT(workunit_traverse)},
    {Py_tp_clear, PKC_SLOT(workunit_clear)},   {Py_tp_dealloc, PKC_SLOT(workunit_dealloc)},
    {Py_tp_repr, PKC_SLOT(workunit_repr)},     {Py_tp_getset, (void *)workunit_members},
    {Py_tp_descr_get, PKC_SLOT(workunit_get)}, {0, NULL},
};

static PyType_Slot method_slots[] = {
    {Py_tp_call, PKC_SLOT(PyVectorcall_Call)}, {Py_tp_traverse, PKC_SLOT(workunit_traverse)},
    {Py_tp_clear, PKC_SLOT(workunit_clear)},   {Py_tp_dealloc, PKC_SLOT(workunit_dealloc)},
    {Py_tp_repr, PKC_SLOT(workunit_repr)},     {Py_tp_getset, (void *)workunit_members},
    {Py_tp_descr_get, PKC_SLOT(method_get)},   {0, NULL},
};

/* A type of this module. Instances are made by the runtime alone where there is no tp_new. */
static PyObject *make_type(const char *name, const size_t size, const unsigned long flags,
                           PyType_Slot *slots)
{
    PyType_Spec spec;
    spec.name = name;
    spec.basicsize = (int)size;
    spec.itemsize = 0;
    spec.flags = (unsigned)(Py_TPFLAGS_DEFAULT | flags);
    spec.slots = slots;
    return PyType_FromSpec(&spec);
}

static PyObject *make_callable_type(const char *name, const unsigned long flags, PyType_Slot *slots)
{
    PyObject *const type =
        make_type(name, sizeof(struct workunit_object), Py_TPFLAGS_HAVE_GC, slots);
    if (type != NULL) { /* a spec cannot say this before Python 3.9 */
        PyTypeObject *const t = (PyTypeObject *)type;
        t->tp_vectorcall_offset = offsetof(struct workunit_object, call);
        t->tp_flags |= PKC_HAVE_VECTORCALL | flags;
        t->tp_new = NULL;
    }
    return type;
}

/* Interned names of parameters, as a tuple. */
static PyObject *make_names(const struct pkc_parameter *parameters, const uint32_t count)
{
    PyObject *const names = PyTuple_New((Py_ssize_t)count);
    for (uint32_t i = 0; names != NULL && i < count; ++i) {
        PyObject *const name = PyUnicode_InternFromString(parameters[i].name);
        if (name == NULL) {
            Py_DECREF(names);
            return NULL;
        }
        PyTuple_SET_ITEM(names, (Py_ssize_t)i, name);
    }
    return names;
}

static struct parameter parameter_of(const struct pkc_parameter *table, const int stores)
{
    struct parameter p;
    p.table = table;
    p.scalar = scalar_from_dtype(table->dtype);
    p.writes = stores && !table->read_only;
    return p;
}

static const struct pkc_reducer *default_reducer(const struct pkc_dispatch *dispatch,
                                                 const struct pkc_workunit *table)
{
    static const char *const names[] = {"Sum", NULL, "MinMax", "MinMaxLoc"};
    const char *const name =
        table->operation == 0 || table->operation == PKC_HOST ? NULL : names[table->acc_form];
    return name == NULL ? NULL : dispatch->reducer(name, table->acc_dtype);
}

/* The object of `count` instantiations that follow each other in a table. */
static PyObject *make_workunit(PyObject *module, PyObject *owner, const struct pkc_workunit *table,
                               const uint32_t count)
{
    const struct state *const state = (const struct state *)PyModule_GetState(module);
    PyTypeObject *const type =
        (PyTypeObject *)(owner != NULL ? state->method_type : state->workunit_type);
    struct workunit_object *const w = (struct workunit_object *)type->tp_alloc(type, 0);
    if (w == NULL) {
        return NULL;
    }
    const char *const qualified = strstr(table->label, "::");
    w->call = workunit_call;
    Py_INCREF(module);
    w->module = module;
    w->state = state;
    Py_XINCREF(owner);
    w->owner = owner;
    w->callee.name = qualified == NULL ? table->name : qualified + 2;
    w->field_count = table->field_count;
    w->parameter_count = table->parameter_count;
    w->overload_count = count;
    w->names = make_names(table->parameters, table->parameter_count);
    w->overloads = (struct overload *)PyMem_Calloc(count, sizeof(struct overload));
    w->parameters = (struct parameter *)PyMem_Calloc((size_t)count * table->parameter_count + 1,
                                                     sizeof(struct parameter));
    if (w->names == NULL || w->overloads == NULL || w->parameters == NULL) {
        Py_DECREF(w);
        return w->names == NULL ? NULL : PyErr_NoMemory();
    }
    struct parameter *next = w->parameters;
    for (uint32_t i = 0; i < count; ++i) {
        struct overload *const o = &w->overloads[i];
        o->table = &table[i];
        o->parameters = next;
        o->reducer = default_reducer(state->dispatch, &table[i]);
        if (table[i].operation != 0 && table[i].operation != PKC_HOST) {
            o->acc = scalar_from_dtype(table[i].acc_dtype);
        }
        for (uint32_t k = 0; k < table->parameter_count; ++k) {
            *next++ = parameter_of(&table[i].parameters[k],
                                   table[i].stores == NULL || table[i].stores[k]);
        }
    }
    w->has_reducer = table->operation != 0 && table->operation != PKC_HOST &&
                     find_name(w->names, w->parameter_count, state->name_reducer) < 0;
    w->has_policy = find_name(w->names, w->parameter_count, state->name_policy) < 0;
    return (PyObject *)w;
}

/* How many entries from `first` on are instantiations of the same workunit. */
static uint32_t overloads_from(const struct pkc_workunit *list, const uint32_t count,
                               const uint32_t first)
{
    uint32_t end = first + 1;
    while (end < count && strcmp(list[end].name, list[first].name) == 0) {
        ++end;
    }
    return end - first;
}

#endif

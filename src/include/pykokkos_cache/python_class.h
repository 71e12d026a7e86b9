/*
 * Functor and workload classes for Python: objects that hold the fields' values, and have the
 * workunits as methods. A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_CLASS_H
#define PYKOKKOS_CACHE_PYTHON_CLASS_H

/* What a class knows of itself; in a capsule among its attributes, so that Python's own subclasses
 * find it too. */
struct class_info {
    const struct pkc_class *table;
    PyObject *names; /* tuple */
    struct parameter *fields;
};

#define CLASS_INFO_NAME "_pykokkos_class"

struct functor_object {
    PyObject_HEAD const struct class_info *info;
    PyObject *capsule; /* keeps `info` */
    PyObject **values; /* one a field */
};

/* A field's descriptor. */
struct field_object {
    PyObject_HEAD PyObject *owner; /* the class */
    const struct class_info *info;
    PyObject *capsule;
    uint32_t index;
};

static void destroy_class_info(PyObject *capsule)
{
    struct class_info *const info =
        (struct class_info *)PyCapsule_GetPointer(capsule, CLASS_INFO_NAME);
    if (info != NULL) {
        Py_XDECREF(info->names);
        PyMem_Free(info->fields);
        PyMem_Free(info);
    }
}

/* Checks a value for a field as a call would. */
static int check_field(const struct class_info *info, const uint32_t index, PyObject *value)
{
    const struct parameter *const p = &info->fields[index];
    const struct callee callee = {info->table->name};
    PKC_ALIGNED(16) char scratch[16];
    char text[80];
    if (p->table->kind == PKC_SCALAR) {
        return put_scalar(&callee, p, value, scratch);
    }
    Py_buffer buffer;
    if (open_array(&callee, p, value, &buffer) < 0) {
        return -1;
    }
    const char *const given = array_mismatch(p, &buffer, text, sizeof text);
    const int status = given == NULL ? 0 : wrong_array(&callee, p, given);
    PyBuffer_Release(&buffer);
    return status;
}

static PyObject *functor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    PyObject *const capsule = PyObject_GetAttrString((PyObject *)type, CLASS_INFO_NAME);
    if (capsule == NULL) {
        return NULL;
    }
    const struct class_info *const info =
        (const struct class_info *)PyCapsule_GetPointer(capsule, CLASS_INFO_NAME);
    struct functor_object *self = NULL;
    PyObject **values = NULL;
    if (info != NULL) {
        values = (PyObject **)PyMem_Calloc(info->table->field_count + 1, sizeof(PyObject *));
        self = values == NULL ? (struct functor_object *)PyErr_NoMemory()
                              : (struct functor_object *)type->tp_alloc(type, 0);
    }
    if (self == NULL) {
        PyMem_Free(values);
        Py_DECREF(capsule);
        return NULL;
    }
    self->info = info;
    self->capsule = capsule;
    self->values = values;
    return (PyObject *)self;
}

static int set_field(struct functor_object *self, const uint32_t index, PyObject *value)
{
    if (check_field(self->info, index, value) < 0) {
        return -1;
    }
    PyObject *const old = self->values[index];
    Py_INCREF(value);
    self->values[index] = value;
    Py_XDECREF(old);
    return 0;
}

/* Class(field, …, field=…): every field once. */
static int functor_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    struct functor_object *const self = (struct functor_object *)object;
    const struct class_info *const info = self->info;
    const struct callee callee = {info->table->name};
    const uint32_t count = info->table->field_count;
    const Py_ssize_t positional = PyTuple_GET_SIZE(args);
    if (positional > (Py_ssize_t)count) {
        PyErr_Format(PyExc_TypeError, "%s() takes %d positional argument%s but %zd were given",
                     callee.name, (int)count, count == 1 ? "" : "s", positional);
        return -1;
    }
    PyObject **const given = (PyObject **)PyMem_Calloc(2 * (size_t)count + 1, sizeof(PyObject *));
    if (given == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject **const missing = given + count;
    int status = 0;
    for (Py_ssize_t i = 0; i < positional; ++i) {
        given[i] = PyTuple_GET_ITEM(args, i);
    }
    Py_ssize_t position = 0;
    PyObject *name = NULL;
    PyObject *value = NULL;
    while (status == 0 && kwargs != NULL && PyDict_Next(kwargs, &position, &name, &value)) {
        const int index = find_name(info->names, count, name);
        if (index < 0) {
            status = unexpected_keyword(&callee, name);
        } else if (given[index] != NULL) {
            status = duplicate_value(&callee, name);
        } else {
            given[index] = value;
        }
    }
    Py_ssize_t missing_count = 0;
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        if (given[i] == NULL) {
            missing[missing_count++] = PyTuple_GET_ITEM(info->names, (Py_ssize_t)i);
        }
    }
    if (missing_count > 0) {
        status = missing_arguments(&callee, missing, missing_count);
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = set_field(self, i, given[i]);
    }
    PyMem_Free(given);
    return status;
}

static int give_back_fields(const struct overload *o, const char *args, PyObject *object)
{
    for (uint32_t i = 0; i < o->table->parameter_count; ++i) {
        const struct parameter *const p = &o->parameters[i];
        if (p->table->kind != PKC_SCALAR || p->table->read_only) {
            continue;
        }
        PyObject *const value = scalar_result(p->scalar, args + p->table->offset);
        const int status =
            value == NULL ? -1 : set_field((struct functor_object *)(void *)object, i, value);
        Py_XDECREF(value);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

static int functor_traverse(PyObject *object, visitproc visit, void *arg)
{
    const struct functor_object *const self = (const struct functor_object *)object;
    PKC_VISIT_TYPE(object);
    Py_VISIT(self->capsule);
    if (self->values != NULL) {
        for (uint32_t i = 0; i < self->info->table->field_count; ++i) {
            Py_VISIT(self->values[i]);
        }
    }
    return 0;
}

static int functor_clear(PyObject *object)
{
    struct functor_object *const self = (struct functor_object *)object;
    if (self->values != NULL) {
        for (uint32_t i = 0; i < self->info->table->field_count; ++i) {
            Py_CLEAR(self->values[i]);
        }
    }
    return 0;
}

static void functor_dealloc(PyObject *object)
{
    struct functor_object *const self = (struct functor_object *)object;
    PyTypeObject *const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    functor_clear(object);
    PyMem_Free(self->values);
    Py_XDECREF(self->capsule);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Lattice(n=10, cells=array(…)) */
static PyObject *functor_repr(PyObject *object)
{
    const struct functor_object *const self = (const struct functor_object *)object;
    PyObject *list = PyUnicode_FromFormat("%s(", self->info->table->name);
    for (uint32_t i = 0; list != NULL && i < self->info->table->field_count; ++i) {
        PyObject *const name = PyTuple_GET_ITEM(self->info->names, (Py_ssize_t)i);
        PyObject *const value = self->values[i] == NULL ? Py_None : self->values[i];
        PyObject *const longer =
            PyUnicode_FromFormat("%U%s%U=%R", list, i == 0 ? "" : ", ", name, value);
        Py_DECREF(list);
        list = longer;
    }
    if (list == NULL) {
        return NULL;
    }
    PyObject *const whole = PyUnicode_FromFormat("%U)", list);
    Py_DECREF(list);
    return whole;
}

static PyType_Slot functor_slots[] = {
    {Py_tp_new, PKC_SLOT(functor_new)},
    {Py_tp_init, PKC_SLOT(functor_init)},
    {Py_tp_traverse, PKC_SLOT(functor_traverse)},
    {Py_tp_clear, PKC_SLOT(functor_clear)},
    {Py_tp_dealloc, PKC_SLOT(functor_dealloc)},
    {Py_tp_repr, PKC_SLOT(functor_repr)},
    {0, NULL},
};

/* ---- fields ---------------------------------------------------------------------------------- */

static struct functor_object *functor_of_field(const struct field_object *f, PyObject *object)
{
    if (PyObject_TypeCheck(object, (PyTypeObject *)f->owner)) {
        return (struct functor_object *)object;
    }
    PyErr_Format(PyExc_TypeError, "the field '%U' is of '%s', not of a '%s' object",
                 PyTuple_GET_ITEM(f->info->names, (Py_ssize_t)f->index), f->info->table->name,
                 Py_TYPE(object)->tp_name);
    return NULL;
}

static PyObject *field_get(PyObject *descriptor, PyObject *object, PyObject *type)
{
    const struct field_object *const f = (const struct field_object *)descriptor;
    (void)type;
    if (object == NULL || object == Py_None) {
        Py_INCREF(descriptor);
        return descriptor;
    }
    const struct functor_object *const self = functor_of_field(f, object);
    if (self == NULL) {
        return NULL;
    }
    PyObject *const value = self->values[f->index];
    if (value == NULL) {
        PyErr_Format(PyExc_AttributeError, "'%s' object has no value for '%U' yet",
                     f->info->table->name, PyTuple_GET_ITEM(f->info->names, (Py_ssize_t)f->index));
        return NULL;
    }
    Py_INCREF(value);
    return value;
}

static int field_set(PyObject *descriptor, PyObject *object, PyObject *value)
{
    const struct field_object *const f = (const struct field_object *)descriptor;
    struct functor_object *const self = functor_of_field(f, object);
    if (self == NULL) {
        return -1;
    }
    if (value == NULL) {
        PyErr_Format(PyExc_AttributeError, "the field '%U' of '%s' cannot be deleted",
                     PyTuple_GET_ITEM(f->info->names, (Py_ssize_t)f->index), f->info->table->name);
        return -1;
    }
    return set_field(self, f->index, value);
}

static int field_traverse(PyObject *object, visitproc visit, void *arg)
{
    const struct field_object *const f = (const struct field_object *)object;
    PKC_VISIT_TYPE(object);
    Py_VISIT(f->owner);
    Py_VISIT(f->capsule);
    return 0;
}

static int field_clear(PyObject *object)
{
    struct field_object *const f = (struct field_object *)object;
    Py_CLEAR(f->owner);
    return 0;
}

static void field_dealloc(PyObject *object)
{
    struct field_object *const f = (struct field_object *)object;
    PyTypeObject *const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    field_clear(object);
    Py_XDECREF(f->capsule);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyType_Slot field_slots[] = {
    {Py_tp_descr_get, PKC_SLOT(field_get)},     {Py_tp_descr_set, PKC_SLOT(field_set)},
    {Py_tp_traverse, PKC_SLOT(field_traverse)}, {Py_tp_clear, PKC_SLOT(field_clear)},
    {Py_tp_dealloc, PKC_SLOT(field_dealloc)},   {0, NULL},
};

/* ---- a call's fields ------------------------------------------------------------------------- */

static int bind_fields(const struct workunit_object *w, PyObject *self, PyObject **values)
{
    if (!PyObject_TypeCheck(self, (PyTypeObject *)w->owner)) {
        PyErr_Format(PyExc_TypeError, "%s() needs a '%s' object, got '%s'", w->callee.name,
                     ((PyTypeObject *)w->owner)->tp_name, Py_TYPE(self)->tp_name);
        return -1;
    }
    const struct functor_object *const functor = (const struct functor_object *)self;
    for (uint32_t i = 0; i < w->field_count; ++i) {
        PyObject *const value = functor->values[i];
        if (value == NULL) {
            PyErr_Format(PyExc_RuntimeError, "%s(): the object's __init__() was not called",
                         w->callee.name);
            return -1;
        }
        Py_INCREF(value);
        values[i] = value;
    }
    return 0;
}

#endif

/*
 * Arrays: anything with the buffer protocol -> a view in ARGS, checked and never copied; and for
 * parameters that are only read, lists. A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_ARRAYS_H
#define PYKOKKOS_CACHE_PYTHON_ARRAYS_H

/* ---- lists ----------------------------------------------------------------------------------- */

/* The struct module's letter. */
static const char *scalar_format(const struct scalar s)
{
    static const char *const letters[][4] = {
        {"b", "h", "i", "q"}, {"B", "H", "I", "Q"}, {"", "", "f", "d"}, {"", "", "", "Zf"}};
    const int wide = s.size == 1 ? 0 : s.size == 2 ? 1 : s.size == 4 ? 2 : 3;
    switch (s.kind) {
    case 'b': return "?";
    case 'i': return letters[0][wide];
    case 'u': return letters[1][wide];
    case 'f': return letters[2][wide];
    default: return s.size == 16 ? "Zd" : letters[3][wide];
    }
}

static int wrong_list(const struct callee *callee, const struct parameter *p, const char *why)
{
    PyErr_Format(PyExc_TypeError,
                 "%s() argument '%s': expected a %s array or list of rank %d, got %s", callee->name,
                 p->table->name, p->table->dtype, (int)p->table->rank, why);
    return -1;
}

/* Writes a nested list, whose lengths are known from its first elements, to `to`. */
static int put_list(const struct callee *callee, const struct parameter *p, PyObject *list,
                    const Py_ssize_t *shape, const int rank, char **to)
{
    if (rank == 0) {
        const int status = put_scalar(callee, p, list, *to);
        *to += p->scalar.size;
        return status;
    }
    if ((!PyList_Check(list) && !PyTuple_Check(list)) || PySequence_Size(list) != shape[0]) {
        return wrong_list(callee, p, "one with rows of different lengths");
    }
    for (Py_ssize_t i = 0; i < shape[0]; ++i) {
        PyObject *const item = PySequence_GetItem(list, i);
        if (item == NULL) {
            return -1;
        }
        const int status = put_list(callee, p, item, shape + 1, rank - 1, to);
        Py_DECREF(item);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* The lengths of a nested list, from its first elements; -1: too deep, or not deep enough. */
static int list_shape(PyObject *list, const int rank, Py_ssize_t *shape)
{
    PyObject *level = list; /* borrowed */
    for (int d = 0; d < rank; ++d) {
        const int known = level != NULL && (PyList_Check(level) || PyTuple_Check(level));
        if (!known && level != NULL) {
            return -1;
        }
        shape[d] = level == NULL ? 0 : PySequence_Fast_GET_SIZE(level);
        level = shape[d] == 0 ? NULL : PySequence_Fast_GET_ITEM(level, 0);
    }
    return level != NULL && (PyList_Check(level) || PyTuple_Check(level)) ? -1 : 0;
}

/* Fills a buffer with a list's elements. One bytes object, which nobody else has seen yet, holds
 * the lengths, the strides and the elements. */
static int open_list(const struct callee *callee, const struct parameter *p, PyObject *list,
                     Py_buffer *buffer)
{
    Py_ssize_t shape[8];
    const int rank = p->table->rank;
    if (list_shape(list, rank, shape) < 0) {
        return wrong_list(callee, p, "a list of another rank");
    }
    const Py_ssize_t head = 2 * rank * (Py_ssize_t)sizeof(Py_ssize_t);
    Py_ssize_t size = p->scalar.size;
    for (int d = 0; d < rank; ++d) {
        if (shape[d] > 0 && size > (PY_SSIZE_T_MAX - head) / shape[d]) {
            PyErr_NoMemory();
            return -1;
        }
        size *= shape[d];
    }
    PyObject *const memory = PyBytes_FromStringAndSize(NULL, head + size);
    if (memory == NULL) {
        return -1;
    }
    memset(buffer, 0, sizeof *buffer);
    buffer->obj = memory;
    buffer->shape = (Py_ssize_t *)(void *)PyBytes_AS_STRING(memory);
    buffer->strides = buffer->shape + rank;
    buffer->buf = PyBytes_AS_STRING(memory) + head;
    buffer->format = (char *)scalar_format(p->scalar);
    buffer->itemsize = p->scalar.size;
    buffer->ndim = rank;
    buffer->len = size;
    buffer->readonly = 1;
    Py_ssize_t stride = p->scalar.size;
    for (int d = rank - 1; d >= 0; --d) {
        buffer->shape[d] = shape[d];
        buffer->strides[d] = stride;
        stride *= shape[d];
    }
    char *to = (char *)buffer->buf;
    if (put_list(callee, p, list, shape, rank, &to) < 0) {
        PyBuffer_Release(buffer);
        return -1;
    }
    return 0;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* The array's memory, held until it is released. */
static int open_array(const struct callee *callee, const struct parameter *p, PyObject *value,
                      Py_buffer *buffer)
{
    if (p->table->read_only && (PyList_Check(value) || PyTuple_Check(value))) {
        return open_list(callee, p, value, buffer);
    }
    if (PyObject_GetBuffer(value, buffer, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
        return 0;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_BufferError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError)) {
        return -1;
    }
    PyErr_Clear();
    buffer->obj = NULL;
    if (p->table->rank == 1 && strcmp(p->table->dtype, "uint64") == 0) {
        PyObject *const states = states_of_pool(value);
        const int status =
            states == NULL ? -1 : PyObject_GetBuffer(states, buffer, PyBUF_STRIDES | PyBUF_FORMAT);
        Py_XDECREF(states);
        if (status == 0) {
            return 0;
        }
        PyErr_Clear();
        buffer->obj = NULL;
    }
    PyErr_Format(PyExc_TypeError, "%s() argument '%s': expected a %s array of rank %d, got %s",
                 callee->name, p->table->name, p->table->dtype, (int)p->table->rank,
                 Py_TYPE(value)->tp_name);
    return -1;
}

static int is_contiguous(const Py_buffer *b, const int left)
{
    Py_ssize_t expected = b->itemsize;
    for (int d = 0; d < b->ndim; ++d) {
        if (b->shape[d] == 0) {
            return 1;
        }
    }
    for (int step = 0; step < b->ndim; ++step) {
        const int d = left ? step : b->ndim - 1 - step;
        if (b->shape[d] > 1 && b->strides[d] != expected) {
            return 0;
        }
        expected *= b->shape[d];
    }
    return 1;
}

static int strides_are_whole(const Py_buffer *b)
{
    for (int d = 0; d < b->ndim; ++d) {
        if (b->shape[d] > 1 && b->strides[d] % b->itemsize != 0) {
            return 0;
        }
    }
    return 1;
}

/* NULL: the array is what the parameter needs; else what it is instead, into `text`. */
static const char *array_mismatch(const struct parameter *p, const Py_buffer *b, char *text,
                                  const size_t size)
{
    int foreign = 0;
    const struct scalar given = scalar_from_format(b->format, &foreign);
    if (given.kind != p->scalar.kind || given.size != p->scalar.size ||
        b->itemsize != (Py_ssize_t)p->scalar.size || b->ndim != p->table->rank ||
        (foreign && given.size > 1)) {
        char name[16];
        if (given.kind == 0) {
            snprintf(text, size, "an array of format '%.20s' and rank %d", b->format, b->ndim);
        } else {
            snprintf(text, size, "a %s%s array of rank %d",
                     foreign && given.size > 1 ? "byte-swapped " : "",
                     scalar_name(given, name, sizeof name), b->ndim);
        }
        return text;
    }
    if (b->readonly && p->writes) {
        return "a read-only one";
    }
    if (p->table->layout == PKC_LAYOUT_STRIDE
            ? !strides_are_whole(b)
            : !is_contiguous(b, p->table->layout == PKC_LAYOUT_LEFT)) {
        return p->table->layout == PKC_LAYOUT_STRIDE ? "one whose strides are no whole elements"
               : p->table->layout == PKC_LAYOUT_LEFT ? "one that is not Fortran-contiguous"
                                                     : "one that is not C-contiguous";
    }
    if ((uintptr_t)b->buf % p->scalar.alignment != 0 && b->len > 0) {
        return "one that is not aligned in memory";
    }
    return NULL;
}

static int wrong_array(const struct callee *callee, const struct parameter *p, const char *given)
{
    const char *const layout = p->table->rank < 2                     ? ""
                               : p->table->layout == PKC_LAYOUT_RIGHT ? "C-contiguous "
                               : p->table->layout == PKC_LAYOUT_LEFT  ? "Fortran-contiguous "
                                                                      : "";
    PyErr_Format(PyExc_TypeError, "%s() argument '%s': expected a %s%s%s array of rank %d, got %s",
                 callee->name, p->table->name, p->writes ? "writable " : "", layout,
                 p->table->dtype, (int)p->table->rank, given);
    return -1;
}

/* { data; extent[rank]; stride[rank] }. Where the layout fixes the strides, they are computed: a
 * buffer's own mean nothing in dimensions of one element. */
static void put_array(const struct parameter *p, const Py_buffer *b, char *to)
{
    const int rank = p->table->rank;
    int64_t *const extent = (int64_t *)(void *)(to + sizeof(void *));
    int64_t *const stride = extent + rank;
    memcpy(to, &b->buf, sizeof(void *));
    int64_t next = 1;
    for (int step = 0; step < rank; ++step) {
        const int d = p->table->layout == PKC_LAYOUT_LEFT ? step : rank - 1 - step;
        extent[d] = b->shape[d];
        if (p->table->layout == PKC_LAYOUT_STRIDE) {
            stride[d] = b->strides[d] / b->itemsize;
        } else {
            stride[d] = next;
            next *= extent[d];
        }
    }
}

#endif

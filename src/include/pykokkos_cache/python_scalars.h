/*
 * Scalars: Python values -> the bytes of ARGS, checked; and results -> Python values.
 * A part of python_runtime.c. Valid C and C++, as all of it.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_SCALARS_H
#define PYKOKKOS_CACHE_PYTHON_SCALARS_H

/* A scalar type: kind as NumPy has it ('b'ool, 'i'nt, 'u'nsigned, 'f'loat, 'c'omplex), and bytes.
 */
struct scalar {
    char kind;
    unsigned char size;
    unsigned char alignment;
};

static struct scalar scalar_of(const char kind, const unsigned size)
{
    struct scalar s;
    s.kind = kind;
    s.size = (unsigned char)size;
    s.alignment = (unsigned char)(kind == 'c' ? size / 2 : size);
    return s;
}

/* From NumPy's name: "float64". */
static struct scalar scalar_from_dtype(const char *dtype)
{
    const char *digits = dtype;
    while (*digits != '\0' && (*digits < '0' || *digits > '9')) {
        ++digits;
    }
    const unsigned size = (unsigned)atoi(digits) / 8;
    switch (dtype[0]) {
    case 'i': return scalar_of('i', size);
    case 'u': return scalar_of('u', size);
    case 'f': return scalar_of('f', size);
    case 'c': return scalar_of('c', size);
    default: return scalar_of('b', 1);
    }
}

static int is_little_endian(void)
{
    const uint16_t probe = 1;
    unsigned char first;
    memcpy(&first, &probe, 1);
    return first == 1;
}

/* From a buffer's format, as the struct module writes it; kind 0: none that kernels know.
 * *foreign: its bytes are in the other order. */
static struct scalar scalar_from_format(const char *format, int *foreign)
{
    int standard = 0;
    *foreign = 0;
    if (format == NULL) {
        return scalar_of('u', 1);
    }
    if (*format == '@') {
        ++format;
    } else if (*format == '=') {
        standard = 1;
        ++format;
    } else if (*format == '<' || *format == '>' || *format == '!') {
        standard = 1;
        *foreign = (*format == '<') != is_little_endian();
        ++format;
    }
    const int complex = *format == 'Z';
    format += complex;
    const char code = *format;
    if (code == '\0' || format[1] != '\0') {
        return scalar_of(0, 0);
    }
    if (complex) {
        return code == 'd' ? scalar_of('c', 16) : code == 'f' ? scalar_of('c', 8) : scalar_of(0, 0);
    }
    switch (code) {
    case '?': return scalar_of('b', 1);
    case 'b': return scalar_of('i', 1);
    case 'B': return scalar_of('u', 1);
    case 'h': return scalar_of('i', sizeof(short));
    case 'H': return scalar_of('u', sizeof(short));
    case 'i': return scalar_of('i', sizeof(int));
    case 'I': return scalar_of('u', sizeof(int));
    case 'l': return scalar_of('i', standard ? 4 : sizeof(long));
    case 'L': return scalar_of('u', standard ? 4 : sizeof(long));
    case 'q': return scalar_of('i', sizeof(long long));
    case 'Q': return scalar_of('u', sizeof(long long));
    case 'n': return scalar_of('i', sizeof(size_t));
    case 'N': return scalar_of('u', sizeof(size_t));
    case 'f': return scalar_of('f', 4);
    case 'd': return scalar_of('f', 8);
    default: return scalar_of(0, 0);
    }
}

/* The words that messages use: "float64", into `text`. */
static const char *scalar_name(const struct scalar s, char *text, const size_t size)
{
    const char *const word = s.kind == 'i'   ? "int"
                             : s.kind == 'u' ? "uint"
                             : s.kind == 'f' ? "float"
                             : s.kind == 'c' ? "complex"
                                             : "bool";
    if (s.kind == 'b') {
        snprintf(text, size, "%s", word);
    } else {
        snprintf(text, size, "%s%u", word, 8u * s.size);
    }
    return text;
}

/* What a parameter is checked against; made once for each. */
struct parameter {
    const struct pkc_parameter *table;
    struct scalar scalar;
    int writes; /* nonzero: the memory of its array must be writable */
};

/* Who is called, for messages. */
struct callee {
    const char *name; /* "Lattice.step" */
};

/* ---- integers of any width --------------------------------------------------------------------
 */

/* The lowest `size` bytes of a number, as memory holds an integer of that size. */
static void put_bits(void *to, const uint64_t bits, const unsigned size)
{
    const uint8_t b8 = (uint8_t)bits;
    const uint16_t b16 = (uint16_t)bits;
    const uint32_t b32 = (uint32_t)bits;
    switch (size) {
    case 1: memcpy(to, &b8, 1); break;
    case 2: memcpy(to, &b16, 2); break;
    case 4: memcpy(to, &b32, 4); break;
    default: memcpy(to, &bits, 8); break;
    }
}

static uint64_t get_bits(const void *from, const unsigned size)
{
    uint8_t b8;
    uint16_t b16;
    uint32_t b32;
    uint64_t b64;
    switch (size) {
    case 1: memcpy(&b8, from, 1); return b8;
    case 2: memcpy(&b16, from, 2); return b16;
    case 4: memcpy(&b32, from, 4); return b32;
    default: memcpy(&b64, from, 8); return b64;
    }
}

/* The same with the sign that its highest bit is. */
static int64_t get_signed(const void *from, const unsigned size)
{
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return (int64_t)((get_bits(from, size) ^ sign) - sign);
}

/* ---- scalars --------------------------------------------------------------------------------- */

static int wrong_scalar(const struct callee *callee, const struct parameter *p, PyObject *value)
{
    const char *const expected = p->scalar.kind == 'f'   ? "a float"
                                 : p->scalar.kind == 'c' ? "a complex number"
                                 : p->scalar.kind == 'b' ? "a bool"
                                                         : "an int";
    PyErr_Format(PyExc_TypeError, "%s() argument '%s': expected %s (%s), got %s", callee->name,
                 p->table->name, expected, p->table->dtype, Py_TYPE(value)->tp_name);
    return -1;
}

static int out_of_range(const struct callee *callee, const struct parameter *p)
{
    PyErr_Format(PyExc_OverflowError, "%s() argument '%s': the value does not fit %s", callee->name,
                 p->table->name, p->table->dtype);
    return -1;
}

static int put_signed(const struct callee *callee, const struct parameter *p, PyObject *integer,
                      void *to)
{
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (value == -1 && overflow == 0 && PyErr_Occurred()) {
        return -1;
    }
    const int bits = 8 * p->scalar.size;
    const long long top = bits == 64 ? INT64_MAX : (1LL << (bits - 1)) - 1;
    if (overflow != 0 || value > top || value < -top - 1) {
        return out_of_range(callee, p);
    }
    put_bits(to, (uint64_t)value, p->scalar.size);
    return 0;
}

static int put_unsigned(const struct callee *callee, const struct parameter *p, PyObject *integer,
                        void *to)
{
    const unsigned long long value = PyLong_AsUnsignedLongLong(integer);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) {
            return -1;
        }
        PyErr_Clear();
        return out_of_range(callee, p);
    }
    const int bits = 8 * p->scalar.size;
    if (bits < 64 && value >> bits != 0) {
        return out_of_range(callee, p);
    }
    put_bits(to, value, p->scalar.size);
    return 0;
}

/* NumPy's bool is no int, and in newer versions no index either. */
static int is_numpy_bool(PyObject *value)
{
    const char *const name = Py_TYPE(value)->tp_name;
    return strcmp(name, "numpy.bool_") == 0 || strcmp(name, "numpy.bool") == 0;
}

static int put_integer(const struct callee *callee, const struct parameter *p, PyObject *value,
                       void *to)
{
    PyObject *integer = NULL;
    if (PyLong_Check(value)) {
        Py_INCREF(value);
        integer = value;
    } else if (PyIndex_Check(value) && !is_numpy_bool(value)) {
        integer = PyNumber_Index(value);
        if (integer == NULL) { /* an array of more than one element has the method, and refuses */
            if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
                return -1;
            }
            PyErr_Clear();
            return wrong_scalar(callee, p, value);
        }
    } else {
        return wrong_scalar(callee, p, value);
    }
    const int status = p->scalar.kind == 'i' ? put_signed(callee, p, integer, to)
                                             : put_unsigned(callee, p, integer, to);
    Py_DECREF(integer);
    return status;
}

static int put_float(const struct callee *callee, const struct parameter *p, PyObject *value,
                     void *to)
{
    double number;
    if (PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
    } else {
        if (PyUnicode_Check(value) || PyBytes_Check(value) || PyComplex_Check(value)) {
            return wrong_scalar(callee, p, value);
        }
        number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred()) {
            if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
                PyErr_Clear();
                return out_of_range(callee, p);
            }
            if (PyErr_ExceptionMatches(PyExc_TypeError)) {
                PyErr_Clear();
                return wrong_scalar(callee, p, value);
            }
            return -1;
        }
    }
    if (p->scalar.size == 8) {
        memcpy(to, &number, sizeof number);
        return 0;
    }
    const float narrow = (float)number;
    if (isinf(narrow) && !isinf(number)) {
        return out_of_range(callee, p);
    }
    memcpy(to, &narrow, sizeof narrow);
    return 0;
}

static int put_complex(const struct callee *callee, const struct parameter *p, PyObject *value,
                       void *to)
{
    if (PyUnicode_Check(value) || PyBytes_Check(value)) {
        return wrong_scalar(callee, p, value);
    }
    const Py_complex number = PyComplex_AsCComplex(value);
    if (number.real == -1.0 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
            return -1;
        }
        PyErr_Clear();
        return wrong_scalar(callee, p, value);
    }
    if (p->scalar.size == 16) {
        const double wide[2] = {number.real, number.imag};
        memcpy(to, wide, sizeof wide);
    } else {
        const float narrow[2] = {(float)number.real, (float)number.imag};
        memcpy(to, narrow, sizeof narrow);
    }
    return 0;
}

static int put_bool(const struct callee *callee, const struct parameter *p, PyObject *value,
                    void *to)
{
    if (!PyBool_Check(value) && !is_numpy_bool(value)) {
        return wrong_scalar(callee, p, value);
    }
    const int truth = PyObject_IsTrue(value);
    if (truth < 0) {
        return -1;
    }
    const unsigned char byte = truth != 0;
    memcpy(to, &byte, 1);
    return 0;
}

static int put_scalar(const struct callee *callee, const struct parameter *p, PyObject *value,
                      void *to)
{
    switch (p->scalar.kind) {
    case 'f': return put_float(callee, p, value, to);
    case 'c': return put_complex(callee, p, value, to);
    case 'b': return put_bool(callee, p, value, to);
    default: return put_integer(callee, p, value, to);
    }
}

/* Whether a value is of the parameter's own kind, for a choice among overloads. */
static int scalar_matches(const struct parameter *p, PyObject *value)
{
    const char kind = PyBool_Check(value) || is_numpy_bool(value)   ? 'b'
                      : PyLong_Check(value) || PyIndex_Check(value) ? 'i'
                      : PyFloat_Check(value)                        ? 'f'
                      : PyComplex_Check(value)                      ? 'c'
                                                                    : 0;
    /* NumPy's scalars name their type. */
    if (strncmp(Py_TYPE(value)->tp_name, "numpy.", 6) == 0 && kind != 'b') {
        return strcmp(Py_TYPE(value)->tp_name + 6, p->table->dtype) == 0;
    }
    return kind == p->scalar.kind || (kind == 'i' && p->scalar.kind == 'u');
}

/* ---- results --------------------------------------------------------------------------------- */

static PyObject *scalar_result(const struct scalar s, const void *from)
{
    switch (s.kind) {
    case 'f': {
        double d;
        float f;
        if (s.size == 8) {
            memcpy(&d, from, sizeof d);
        } else {
            memcpy(&f, from, sizeof f);
            d = f;
        }
        return PyFloat_FromDouble(d);
    }
    case 'c': {
        double d[2];
        float f[2];
        if (s.size == 16) {
            memcpy(d, from, sizeof d);
        } else {
            memcpy(f, from, sizeof f);
            d[0] = f[0];
            d[1] = f[1];
        }
        return PyComplex_FromDoubles(d[0], d[1]);
    }
    case 'b': {
        unsigned char byte;
        memcpy(&byte, from, 1);
        return PyBool_FromLong(byte);
    }
    case 'u': return PyLong_FromUnsignedLongLong(get_bits(from, s.size));
    default: return PyLong_FromLongLong(get_signed(from, s.size));
    }
}

#endif

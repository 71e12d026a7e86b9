/*
 * Pools of random generators: to kernels an array of states, made here as Kokkos makes them.
 * A part of python_runtime.c.
 */
#ifndef PYKOKKOS_CACHE_PYTHON_RANDOM_H
#define PYKOKKOS_CACHE_PYTHON_RANDOM_H

#include <pykokkos_cache/random_pool.h>

/* How many states a pool needs so that each thread has its own; -1: Kokkos cannot start (said). */
static int threads_of(PyObject *module)
{
    const struct pkc_dispatch *const d =
        ((const struct state *)PyModule_GetState(module))->dispatch;
    char error[512] = "";
    if (!d->is_initialized() && d->initialize(error, sizeof error) != 0) {
        PyErr_SetString(PyExc_RuntimeError, error);
        return -1;
    }
    return d->concurrency(NULL);
}

/* A memoryview of uint64 states. */
static PyObject *seeded_states(const unsigned long long seed, const Py_ssize_t count)
{
    PyObject *const bytes =
        PyByteArray_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint64_t));
    if (bytes == NULL) {
        return NULL;
    }
    pkc_pool_seed((uint64_t *)(void *)PyByteArray_AS_STRING(bytes), (size_t)count, seed);
    PyObject *const view = PyMemoryView_FromObject(bytes);
    Py_DECREF(bytes);
    if (view == NULL) {
        return NULL;
    }
    PyObject *const states = PyObject_CallMethod(view, "cast", "s", "Q");
    Py_DECREF(view);
    return states;
}

static int whole_attribute(PyObject *object, const char *name, unsigned long long *out)
{
    PyObject *const value = PyObject_GetAttrString(object, name);
    if (value != NULL && PyLong_Check(value)) {
        *out = PyLong_AsUnsignedLongLongMask(value);
        Py_DECREF(value);
        return 1;
    }
    Py_XDECREF(value);
    PyErr_Clear();
    return 0;
}

/* The states of PyKokkos' own pool object, which has but a seed and their number: made anew for
 * each call, as PyKokkos does. NULL: it is something else (nothing is said). */
static PyObject *states_of_pool(PyObject *object)
{
    unsigned long long seed, count;
    if (!whole_attribute(object, "seed", &seed) || !whole_attribute(object, "num_states", &count) ||
        count > 1u << 24) {
        return NULL;
    }
    PyObject *const states = seeded_states(seed, count == 0 ? 1 : (Py_ssize_t)count);
    if (states == NULL) {
        PyErr_Clear();
    }
    return states;
}

/* Random_XorShift64_Pool(seed, num_states=0): an array of states, which calls use in place. */
static PyObject *new_random_pool(PyObject *module, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"seed", "num_states", NULL};
    unsigned long long seed = 0;
    Py_ssize_t count = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "K|n:Random_XorShift64_Pool",
                                     (char **)(uintptr_t)names, &seed, &count)) {
        return NULL;
    }
    if (count < 0 || count > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(uint64_t)) {
        PyErr_Format(PyExc_ValueError,
                     "Random_XorShift64_Pool() num_states: %zd is no number of "
                     "states",
                     count);
        return NULL;
    }
    if (count == 0) {
        count = threads_of(module);
        if (count < 0) {
            return NULL;
        }
    }
    return seeded_states(seed, count);
}

static PyMethodDef random_functions[] = {
    {"Random_XorShift64_Pool", (PyCFunction)(void (*)(void))new_random_pool,
     METH_VARARGS | METH_KEYWORDS,
     "Random_XorShift64_Pool(seed, num_states=0)\n--\n\n"
     "The states of random generators, for a workunit's pool; 0: one for each thread."},
    {NULL, NULL, 0, NULL},
};

#endif

// PyKokkosCache dispatch 1
/*
 * The Python side of a module: its constant tables (dispatch.h) become workunits and classes that
 * take anything with the buffer protocol. Compiled once a target; needs only Python.h (3.8 and
 * newer). Valid C11 and C++17, since a project may have only one of the languages.
 *
 * All state is in the module object: any number of such modules, in any number of interpreters
 * under one lock, share nothing but Kokkos.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <pykokkos_cache/dispatch.h>

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function as Python's slots hold it. */
#define PKC_SLOT(function) __extension__(void *)(function)

#define PKC_ALIGNED(bytes) __attribute__((aligned(bytes)))

/* Since Python 3.9 an object's type is visited by its own traverse function. */
#if PY_VERSION_HEX >= 0x03090000
#define PKC_VISIT_TYPE(object) Py_VISIT(Py_TYPE(object))
#define PKC_HAVE_VECTORCALL Py_TPFLAGS_HAVE_VECTORCALL
#else
#define PKC_VISIT_TYPE(object) (void)(object)
#define PKC_HAVE_VECTORCALL _Py_TPFLAGS_HAVE_VECTORCALL
#endif

/* A module's. */
struct state {
    const struct pkc_dispatch *dispatch;
    PyObject *policies[5]; /* RangePolicy, MDRangePolicy, TeamPolicy; PerTeam, PerThread */
    PyObject *results[4];  /* by enum pkc_acc_form; the first is not used */
    PyObject *workunit_type;
    PyObject *method_type;
    PyObject *field_type;
    PyObject *name_policy;
    PyObject *name_reducer;
};

#include <pykokkos_cache/python_scalars.h>

#include <pykokkos_cache/python_random.h>

#include <pykokkos_cache/python_arrays.h>

#include <pykokkos_cache/python_policy.h>

#include <pykokkos_cache/python_scratch.h>

#include <pykokkos_cache/python_call.h>

#include <pykokkos_cache/python_run.h>

#include <pykokkos_cache/python_class.h>

#include <pykokkos_cache/python_workunit.h>

/* Does any workunit of the class store to this field? */
static int any_stores(const struct pkc_class *table, const uint32_t field)
{
    for (uint32_t i = 0; i < table->workunit_count; ++i) {
        const uint8_t *const stores = table->workunits[i].stores;
        if (table->workunits[i].kernel == NULL) {
            continue; /* a host function that could not be translated */
        }
        if (stores == NULL || stores[field]) {
            return 1;
        }
    }
    return 0;
}

/* ---- classes --------------------------------------------------------------------------------- */

static PyObject *make_class_info(const struct pkc_class *table)
{
    struct class_info *const info = (struct class_info *)PyMem_Calloc(1, sizeof(struct class_info));
    if (info == NULL) {
        return PyErr_NoMemory();
    }
    info->table = table;
    info->names = make_names(table->fields, table->field_count);
    info->fields =
        (struct parameter *)PyMem_Calloc(table->field_count + 1, sizeof(struct parameter));
    PyObject *capsule = NULL;
    if (info->names != NULL && info->fields != NULL) {
        for (uint32_t i = 0; i < table->field_count; ++i) {
            info->fields[i] = parameter_of(&table->fields[i], any_stores(table, i));
        }
        capsule = PyCapsule_New(info, CLASS_INFO_NAME, destroy_class_info);
    } else if (info->names != NULL) {
        PyErr_NoMemory();
    }
    if (capsule == NULL) {
        Py_XDECREF(info->names);
        PyMem_Free(info->fields);
        PyMem_Free(info);
    }
    return capsule;
}

static PyObject *make_field(const struct state *state, PyObject *type, PyObject *capsule,
                            const uint32_t index)
{
    PyTypeObject *const field_type = (PyTypeObject *)state->field_type;
    struct field_object *const f = (struct field_object *)field_type->tp_alloc(field_type, 0);
    if (f == NULL) {
        return NULL;
    }
    Py_INCREF(type);
    f->owner = type;
    Py_INCREF(capsule);
    f->capsule = capsule;
    f->info = (const struct class_info *)PyCapsule_GetPointer(capsule, CLASS_INFO_NAME);
    f->index = index;
    return (PyObject *)f;
}

/* Takes `value`; NULL is an error that is set already. */
static int set_attribute(PyObject *object, const char *name, PyObject *value)
{
    if (value == NULL) {
        return -1;
    }
    const int status = PyObject_SetAttrString(object, name, value);
    Py_DECREF(value);
    return status;
}

static int fill_class(PyObject *module, PyObject *type, const struct pkc_class *table)
{
    const struct state *const state = (const struct state *)PyModule_GetState(module);
    PyObject *const capsule = make_class_info(table);
    if (capsule == NULL) {
        return -1;
    }
    int status = PyObject_SetAttrString(type, CLASS_INFO_NAME, capsule);
    for (uint32_t i = 0; status == 0 && i < table->field_count; ++i) {
        status = set_attribute(type, table->fields[i].name, make_field(state, type, capsule, i));
    }
    Py_DECREF(capsule);
    for (uint32_t i = 0; status == 0 && i < table->workunit_count;) {
        const uint32_t count = overloads_from(table->workunits, table->workunit_count, i);
        PyObject *const method = make_workunit(module, type, &table->workunits[i], count);
        if (method != NULL && table->workunits[i].operation == PKC_HOST) {
            /* What it may run stores to, it does. */
            struct workunit_object *const w = (struct workunit_object *)method;
            for (uint32_t k = 0; k < w->parameter_count; ++k) {
                w->parameters[k].writes = any_stores(table, k);
            }
        }
        status = set_attribute(type, table->workunits[i].name, method);
        i += count;
    }
    return status;
}

static PyObject *make_class(PyObject *module, const struct pkc_class *table)
{
    const char *const module_name = PyModule_GetName(module);
    if (module_name == NULL) {
        return NULL;
    }
    PyObject *const full = PyUnicode_FromFormat("%s.%s", module_name, table->name);
    const char *const name = full == NULL ? NULL : PyUnicode_AsUTF8(full);
    PyObject *type = NULL;
    if (name != NULL) {
        type = make_type(name, sizeof(struct functor_object),
                         Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, functor_slots);
    }
    if (type != NULL) {
        /* Before Python 3.11 a type keeps the pointer to its name: give it one that stays. */
        ((PyTypeObject *)type)->tp_name = table->name;
        if (set_attribute(type, "__module__", PyUnicode_FromString(module_name)) < 0 ||
            fill_class(module, type, table) < 0) {
            Py_CLEAR(type);
        }
    }
    Py_XDECREF(full);
    return type;
}

/* ---- the module ------------------------------------------------------------------------------ */

/* Counts the sources that have a workunit or class of this name. */
static uint32_t sources_with(const struct pkc_module *table, const char *name)
{
    uint32_t found = 0;
    for (uint32_t s = 0; s < table->source_count; ++s) {
        const struct pkc_source_module *const source = table->sources[s];
        int here = 0;
        for (uint32_t i = 0; i < source->workunit_count; ++i) {
            here |= strcmp(source->workunits[i].name, name) == 0;
        }
        for (uint32_t i = 0; i < source->class_count; ++i) {
            here |= strcmp(source->classes[i].name, name) == 0;
        }
        found += here != 0;
    }
    return found;
}

/* Puts an object into its source's submodule, and into the module where the name is unique. */
static int publish(PyObject *module, PyObject *submodule, const struct pkc_module *table,
                   const char *name, PyObject *object)
{
    if (object == NULL) {
        return -1;
    }
    int status = PyObject_SetAttrString(submodule, name, object);
    if (status == 0 && sources_with(table, name) == 1) {
        status = PyObject_SetAttrString(module, name, object);
    }
    Py_DECREF(object);
    return status;
}

static int fill_source(PyObject *module, PyObject *submodule, const struct pkc_module *table,
                       const struct pkc_source_module *source)
{
    for (uint32_t i = 0; i < source->workunit_count;) {
        const uint32_t count = overloads_from(source->workunits, source->workunit_count, i);
        if (publish(module, submodule, table, source->workunits[i].name,
                    make_workunit(module, NULL, &source->workunits[i], count)) < 0) {
            return -1;
        }
        i += count;
    }
    for (uint32_t i = 0; i < source->class_count; ++i) {
        if (publish(module, submodule, table, source->classes[i].name,
                    make_class(module, &source->classes[i])) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The submodule "sub.a" of `module`, its parents made where they are missing. Borrowed: its parent
 * has it. An attribute of that name that is no module stays: it is a workunit of a single source.
 */
static PyObject *submodule_of(PyObject *module, const char *path, const int may_hide)
{
    PyObject *parent = module;
    while (*path != '\0') {
        const char *const dot = strchr(path, '.');
        const size_t length = dot == NULL ? strlen(path) : (size_t)(dot - path);
        PyObject *const name = PyUnicode_FromStringAndSize(path, (Py_ssize_t)length);
        if (name == NULL) {
            return NULL;
        }
        PyObject *next = PyDict_GetItemWithError(PyModule_GetDict(parent), name);
        if (next == NULL || (may_hide && !PyModule_Check(next))) {
            PyObject *const parent_name = PyErr_Occurred() ? NULL : PyModule_GetNameObject(parent);
            PyObject *const full =
                parent_name == NULL ? NULL : PyUnicode_FromFormat("%U.%U", parent_name, name);
            next = full == NULL ? NULL : PyModule_NewObject(full);
            Py_XDECREF(full);
            Py_XDECREF(parent_name);
            if (next == NULL || PyObject_SetAttr(parent, name, next) < 0) {
                Py_XDECREF(next);
                Py_DECREF(name);
                return NULL;
            }
            Py_DECREF(next);
        }
        Py_DECREF(name);
        parent = next;
        path += length + (dot != NULL);
    }
    return parent;
}

static PyObject *make_result_type(const char *name, const char *const *fields, const int count)
{
    PyStructSequence_Field list[5];
    memset(list, 0, sizeof list);
    for (int i = 0; i < count; ++i) {
        list[i].name = (char *)fields[i];
    }
    PyStructSequence_Desc description;
    memset(&description, 0, sizeof description);
    description.name = (char *)name;
    description.doc = (char *)"What a reduction found."; /* Python 3.8 needs one */
    description.fields = list;
    description.n_in_sequence = count;
    return (PyObject *)PyStructSequence_NewType(&description);
}

static int make_types(struct state *state)
{
    static const char *const fields[] = {"val",     "loc",     "min_val", "max_val",
                                         "min_val", "min_loc", "max_val", "max_loc"};
    const size_t policy_size = sizeof(struct policy_object);
    state->policies[0] =
        make_type("pykokkos_cache.RangePolicy", policy_size, 0, range_policy_slots);
    state->policies[1] =
        make_type("pykokkos_cache.MDRangePolicy", policy_size, 0, mdrange_policy_slots);
    state->policies[2] = make_type("pykokkos_cache.TeamPolicy", policy_size, 0, team_policy_slots);
    state->policies[3] =
        make_type("pykokkos_cache.PerTeam", sizeof(struct per_object), 0, per_team_slots);
    state->policies[4] =
        make_type("pykokkos_cache.PerThread", sizeof(struct per_object), 0, per_thread_slots);
    state->results[PKC_ACC_VAL_LOC] = make_result_type("pykokkos_cache.ValLoc", fields, 2);
    state->results[PKC_ACC_MIN_MAX] = make_result_type("pykokkos_cache.MinMax", fields + 2, 2);
    state->results[PKC_ACC_MIN_MAX_LOC] =
        make_result_type("pykokkos_cache.MinMaxLoc", fields + 4, 4);
    state->workunit_type = make_callable_type("pykokkos_cache.workunit", 0, workunit_slots);
    state->method_type = make_callable_type("pykokkos_cache.workunit_method",
                                            Py_TPFLAGS_METHOD_DESCRIPTOR, method_slots);
    state->field_type = make_type("pykokkos_cache.field", sizeof(struct field_object),
                                  Py_TPFLAGS_HAVE_GC, field_slots);
    state->name_policy = PyUnicode_InternFromString("policy");
    state->name_reducer = PyUnicode_InternFromString("reducer");
    return PyErr_Occurred() ? -1 : 0;
}

static int publish_policies(PyObject *module, const struct state *state)
{
    static const char *const names[] = {"RangePolicy", "MDRangePolicy", "TeamPolicy", "PerTeam",
                                        "PerThread"};
    for (int i = 0; i < 5; ++i) {
        if (PyObject_SetAttrString(module, names[i], state->policies[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A definition, and the table that it is for. */
struct definition {
    struct PyModuleDef base;
    const struct pkc_module *table;
};

static int module_exec(PyObject *module)
{
    const struct pkc_module *const table =
        ((const struct definition *)(const void *)PyModule_GetDef(module))->table;
    struct state *const state = (struct state *)PyModule_GetState(module);
    state->dispatch = table->dispatch;
    if (make_types(state) < 0 || publish_policies(module, state) < 0 ||
        PyModule_AddFunctions(module, random_functions) < 0) {
        return -1;
    }
    /* Submodules first; a name that a single source gives to a workunit too is the workunit's. */
    for (uint32_t s = 0; s < table->source_count; ++s) {
        if (submodule_of(module, table->sources[s]->name, 1) == NULL) {
            return -1;
        }
    }
    for (uint32_t s = 0; s < table->source_count; ++s) {
        PyObject *const submodule = submodule_of(module, table->sources[s]->name, 0);
        if (submodule == NULL) {
            return -1;
        }
        Py_INCREF(submodule);
        const int status = fill_source(module, submodule, table, table->sources[s]);
        Py_DECREF(submodule);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* All object members of a state, for the three functions of a module's life. */
#define PKC_STATE_OBJECTS(state, each) \
    each((state)->policies[0]);        \
    each((state)->policies[1]);        \
    each((state)->policies[2]);        \
    each((state)->policies[3]);        \
    each((state)->policies[4]);        \
    each((state)->results[1]);         \
    each((state)->results[2]);         \
    each((state)->results[3]);         \
    each((state)->workunit_type);      \
    each((state)->method_type);        \
    each((state)->field_type);         \
    each((state)->name_policy);        \
    each((state)->name_reducer)

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct state *const state = (struct state *)PyModule_GetState(module);
    if (state != NULL) {
        PKC_STATE_OBJECTS(state, Py_VISIT);
    }
    return 0;
}

static void module_free(void *module)
{
    struct state *const state = (struct state *)PyModule_GetState((PyObject *)module);
    if (state != NULL) {
        PKC_STATE_OBJECTS(state, Py_CLEAR);
    }
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, PKC_SLOT(module_exec)},
#if PY_VERSION_HEX >= 0x030c0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED},
#endif
    {0, NULL},
};

static struct definition module_definition = {
    {
        PyModuleDef_HEAD_INIT,
        NULL,
        "Compiled workunits (PyKokkosCache).",
        (Py_ssize_t)sizeof(struct state),
        NULL,
        module_slots,
        module_traverse,
        NULL, /* workunits use the state as long as they live: it goes with the module itself */
        module_free,
    },
    NULL,
};

#ifdef __cplusplus
extern "C"
#endif
    __attribute__((visibility("hidden"))) void *
    pkc_python_init(const struct pkc_module *table);

/* What PyInit_<module> returns. */
void *pkc_python_init(const struct pkc_module *table)
{
    if (table->version != PKC_DISPATCH_VERSION ||
        table->dispatch->version != PKC_DISPATCH_VERSION) {
        PyErr_SetString(PyExc_ImportError,
                        "the module's parts were built by different versions of PyKokkosCache");
        return NULL;
    }
    module_definition.base.m_name = table->name;
    module_definition.table = table;
    return PyModuleDef_Init(&module_definition.base);
}

/* The types of the workunit language: facts about each kind, equality and spelling. */
#include "kernel/types.h"

struct kind_facts {
    int size;          /* bytes in a view; 0: cannot be an element */
    const char *dtype; /* NumPy's name */
    const char *spelling;
};

static const struct kind_facts facts[] = {
    [TYPE_VOID] = {0, "void", "None"},
    [TYPE_BOOL] = {1, "bool", "bool"},
    [TYPE_INT8] = {1, "int8", "int8"},
    [TYPE_INT16] = {2, "int16", "int16"},
    [TYPE_INT32] = {4, "int32", "int32"},
    [TYPE_INT64] = {8, "int64", "int64"},
    [TYPE_UINT8] = {1, "uint8", "uint8"},
    [TYPE_UINT16] = {2, "uint16", "uint16"},
    [TYPE_UINT32] = {4, "uint32", "uint32"},
    [TYPE_UINT64] = {8, "uint64", "uint64"},
    [TYPE_INT128] = {0, "int128", "int128"},
    [TYPE_FLOAT] = {4, "float32", "float32"},
    [TYPE_DOUBLE] = {8, "float64", "double"},
    [TYPE_COMPLEX64] = {8, "complex64", "complex64"},
    [TYPE_COMPLEX128] = {16, "complex128", "complex128"},
    [TYPE_VIEW] = {0, "view", "View"},
    [TYPE_ARRAY] = {0, "list", "List"},
    [TYPE_STRUCT] = {0, "struct", "class"},
    [TYPE_TEAM] = {0, "team", "TeamMember"},
    [TYPE_RANDOM_POOL] = {0, "random pool", "Random_XorShift64_Pool"},
    [TYPE_RANDOM_GENERATOR] = {0, "random generator", "random generator"},
};

bool type_equal(const struct type *a, const struct type *b)
{
    if (a == b) {
        return true;
    }
    if (!a || !b || a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case TYPE_VIEW:
        return a->rank == b->rank && a->layout == b->layout && a->traits == b->traits &&
               a->scratch == b->scratch && type_equal(a->element, b->element);
    case TYPE_ARRAY: return a->length == b->length && type_equal(a->element, b->element);
    case TYPE_STRUCT: return a->struct_type == b->struct_type;
    default: return true;
    }
}

bool type_is_integer(enum type_kind k)
{
    return k >= TYPE_INT8 && k <= TYPE_INT128;
}

bool type_is_unsigned(enum type_kind k)
{
    return k >= TYPE_UINT8 && k <= TYPE_UINT64;
}

bool type_is_float(enum type_kind k)
{
    return k == TYPE_FLOAT || k == TYPE_DOUBLE;
}

bool type_is_complex(enum type_kind k)
{
    return k == TYPE_COMPLEX64 || k == TYPE_COMPLEX128;
}

bool type_is_scalar(enum type_kind k)
{
    return k >= TYPE_BOOL && k <= TYPE_COMPLEX128;
}

int type_size(enum type_kind k)
{
    return facts[k].size;
}

const char *type_dtype(enum type_kind k)
{
    return facts[k].dtype;
}

struct str type_spell(struct arena *a, const struct type *t)
{
    switch (t->kind) {
    case TYPE_VIEW:
        return str_format(a, "%sView%dD[" STR_FMT "]", t->scratch ? "Scratch" : "", t->rank,
                          STR_ARG(type_spell(a, t->element)));
    case TYPE_ARRAY: return str_format(a, "List[" STR_FMT "]", STR_ARG(type_spell(a, t->element)));
    case TYPE_STRUCT: return t->struct_type->python_name;
    default: return str_from(facts[t->kind].spelling);
    }
}

const struct type *type_scalar(enum type_kind k)
{
    static const struct type scalars[] = {
        {.kind = TYPE_VOID},   {.kind = TYPE_BOOL},      {.kind = TYPE_INT8},
        {.kind = TYPE_INT16},  {.kind = TYPE_INT32},     {.kind = TYPE_INT64},
        {.kind = TYPE_UINT8},  {.kind = TYPE_UINT16},    {.kind = TYPE_UINT32},
        {.kind = TYPE_UINT64}, {.kind = TYPE_INT128},    {.kind = TYPE_FLOAT},
        {.kind = TYPE_DOUBLE}, {.kind = TYPE_COMPLEX64}, {.kind = TYPE_COMPLEX128},
    };
    static const struct type team = {.kind = TYPE_TEAM};
    static const struct type pool = {.kind = TYPE_RANDOM_POOL};
    static const struct type generator = {.kind = TYPE_RANDOM_GENERATOR};

    switch (k) {
    case TYPE_TEAM: return &team;
    case TYPE_RANDOM_POOL: return &pool;
    case TYPE_RANDOM_GENERATOR: return &generator;
    default: return k <= TYPE_COMPLEX128 ? &scalars[k] : NULL;
    }
}

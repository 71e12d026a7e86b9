/* The types of the workunit language. */
#ifndef PKC_KERNEL_TYPES_H
#define PKC_KERNEL_TYPES_H

#include "support/support.h"

enum type_kind {
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INT8, TYPE_INT16, TYPE_INT32, TYPE_INT64,
    TYPE_UINT8, TYPE_UINT16, TYPE_UINT32, TYPE_UINT64,
    TYPE_INT128, /* only inside expressions: exact results that mix uint64 and signed */
    TYPE_FLOAT, TYPE_DOUBLE,
    TYPE_COMPLEX64, TYPE_COMPLEX128,
    TYPE_VIEW,   /* element, rank, layout; a subview too (layout stride) */
    TYPE_ARRAY,  /* local `x: List[T] = [a, b]`: element (may be an array), length */
    TYPE_STRUCT, /* a @pk.classtype: struct_type */
    TYPE_TEAM,   /* pk.TeamMember */
    TYPE_RANDOM_POOL, TYPE_RANDOM_GENERATOR,
};

enum view_layout { LAYOUT_RIGHT, LAYOUT_LEFT, LAYOUT_STRIDE };

/* From @pk.workunit(v=pk.ViewTypeInfo(space=…, layout=…, trait=…)); 0 is the default. */
enum view_trait { TRAIT_NONE = 0, TRAIT_ATOMIC = 1, TRAIT_RANDOM_ACCESS = 2, TRAIT_RESTRICT = 4,
                  TRAIT_UNMANAGED = 8 };

struct struct_type;

/* Immutable. Compare with type_equal. */
struct type {
    enum type_kind kind;
    const struct type *element;
    int rank;                 /* view: 1..8 */
    enum view_layout layout;
    bool layout_given;        /* by ViewTypeInfo; else the default (right) */
    unsigned traits;          /* enum view_trait */
    bool scratch;             /* pk.ScratchViewND */
    int64_t length;           /* array */
    const struct struct_type *struct_type;
};

struct struct_field {
    struct str name;
    const struct type *type;
};

/* A @pk.classtype. `name` is unique in the kernel and a valid C++ identifier. */
struct struct_type {
    struct str name;
    struct str python_name;
    struct struct_field *fields;
    size_t field_count;
};

bool type_equal(const struct type *a, const struct type *b);
bool type_is_integer(enum type_kind k); /* signed or unsigned, not bool */
bool type_is_unsigned(enum type_kind k);
bool type_is_float(enum type_kind k);   /* float, double */
bool type_is_complex(enum type_kind k);
bool type_is_scalar(enum type_kind k);  /* bool, integers, floats, complex */
/* Size in bytes of a scalar as stored in a view; 0 for the others. */
int type_size(enum type_kind k);
/* NumPy's name of a scalar: "int64", "float64", "complex128", "bool". */
const char *type_dtype(enum type_kind k);
/* As a user writes it, without "pk.": "int64", "double", "View2D[float]", "List[double]". */
struct str type_spell(struct arena *a, const struct type *t);
/* The shared scalar type of a kind. */
const struct type *type_scalar(enum type_kind k);

#endif

/* Annotations -> types. Names resolve through imports, aliases and strings. */
#include "kernel/lower.h"

#include <string.h>

struct type_reader {
    struct arena *a;
    struct low_scope *scope; /* NULL: INSTANTIATE, which knows no class types */
    const struct py_module *module;
    enum type_kind default_real;
    bool is_acc;
    int depth;
    const struct ast_node *where; /* of the error */
    struct str message, hint;
};

/* ---- scalars by name ------------------------------------------------------------------------ */

struct scalar_name {
    const char *name;
    enum type_kind kind;
};

static const struct scalar_name pykokkos_scalars[] = {
    {"int", TYPE_INT32},     {"int8", TYPE_INT8},           {"int16", TYPE_INT16},
    {"int32", TYPE_INT32},   {"int64", TYPE_INT64},         {"uint", TYPE_UINT32},
    {"uint8", TYPE_UINT8},   {"uint16", TYPE_UINT16},       {"uint32", TYPE_UINT32},
    {"uint64", TYPE_UINT64}, {"float", TYPE_FLOAT},         {"float32", TYPE_FLOAT},
    {"double", TYPE_DOUBLE}, {"float64", TYPE_DOUBLE},      {"bool", TYPE_BOOL},
    {"bool_", TYPE_BOOL},    {"complex64", TYPE_COMPLEX64}, {"complex128", TYPE_COMPLEX128},
};

static const struct scalar_name numpy_scalars[] = {
    {"int_", TYPE_INT64},        {"intc", TYPE_INT32},    {"intp", TYPE_INT64},
    {"byte", TYPE_INT8},         {"short", TYPE_INT16},   {"longlong", TYPE_INT64},
    {"ubyte", TYPE_UINT8},       {"ushort", TYPE_UINT16}, {"uintc", TYPE_UINT32},
    {"uint", TYPE_UINT64},       {"uintp", TYPE_UINT64},  {"ulonglong", TYPE_UINT64},
    {"single", TYPE_FLOAT},      {"float_", TYPE_DOUBLE}, {"complex_", TYPE_COMPLEX128},
    {"csingle", TYPE_COMPLEX64},
};

static const struct scalar_name python_scalars[] = {
    {"int", TYPE_INT64},
    {"float", TYPE_DOUBLE},
    {"bool", TYPE_BOOL},
    {"complex", TYPE_COMPLEX128},
};

static enum type_kind find_scalar(const struct scalar_name *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_c(name, names[i].name)) {
            return names[i].kind;
        }
    }
    return TYPE_VOID;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct str last_part(struct str dotted)
{
    size_t at = dotted.len;

    while (at > 0 && dotted.ptr[at - 1] != '.') {
        at--;
    }
    return str_slice(dotted, at, dotted.len);
}

enum type_kind low_scalar_named(struct str qualified, enum type_kind default_real)
{
    if (str_starts_with(qualified, "pykokkos.")) {
        const struct str name = last_part(qualified);
        if (str_equal_c(name, "real")) {
            return default_real;
        }
        return find_scalar(pykokkos_scalars, COUNT(pykokkos_scalars), name);
    }
    if (str_starts_with(qualified, "numpy.")) {
        const struct str name = str_slice(qualified, 6, qualified.len);
        const enum type_kind k = find_scalar(numpy_scalars, COUNT(numpy_scalars), name);
        if (k != TYPE_VOID || str_equal_c(name, "int") || str_equal_c(name, "float")) {
            return k;
        }
        return find_scalar(pykokkos_scalars, COUNT(pykokkos_scalars), name);
    }
    return find_scalar(python_scalars, COUNT(python_scalars), qualified);
}

/* ---- what a name in an annotation means ----------------------------------------------------- */

static const struct type *fail(struct type_reader *r, const struct ast_node *n, struct str message,
                               struct str hint)
{
    if (!r->message.len) {
        r->where = n;
        r->message = message;
        r->hint = hint;
    }
    return NULL;
}

static struct str dotted(struct arena *a, const struct ast_node *n)
{
    if (n->kind == AST_NAME) {
        return n->u.name.id;
    }
    if (n->kind != AST_ATTRIBUTE) {
        return (struct str){0};
    }
    const struct str left = dotted(a, n->u.attribute.value);
    return left.len
               ? str_format(a, STR_FMT "." STR_FMT, STR_ARG(left), STR_ARG(n->u.attribute.attr))
               : left;
}

/* The dotted name that `n` stands for: "pykokkos.View1D", "int", "typing.List". */
static struct py_binding meaning(struct type_reader *r, const struct ast_node *n)
{
    struct py_binding b = {.kind = PY_UNBOUND};

    if (r->module) {
        b = py_resolve(r->module, n);
        if (b.kind != PY_UNBOUND) {
            return b;
        }
    }
    const struct str text = dotted(r->a, n);
    if (!text.len) {
        return b;
    }
    if (str_starts_with(text, "np.") || str_starts_with(text, "numpy.")) {
        b.qualified = str_format(r->a, "numpy." STR_FMT, STR_ARG(last_part(text)));
    } else if (n->kind == AST_NAME &&
               find_scalar(python_scalars, COUNT(python_scalars), text) != TYPE_VOID) {
        b.qualified = text;
    } else {
        /* a name of pykokkos that was not imported, such as `double` */
        b.qualified = str_format(r->a, "pykokkos." STR_FMT, STR_ARG(last_part(text)));
    }
    b.kind = PY_EXTERNAL;
    return b;
}

/* "View3D" -> 3, "ScratchView1D" -> 1 and *scratch; 0: another name. */
static int view_rank(struct str name, bool *scratch)
{
    *scratch = str_starts_with(name, "Scratch");
    if (*scratch) {
        name = str_slice(name, 7, name.len);
    }
    if (name.len != 6 || !str_starts_with(name, "View") || name.ptr[5] != 'D' ||
        name.ptr[4] < '1' || name.ptr[4] > '8') {
        return 0;
    }
    return name.ptr[4] - '0';
}

const struct type *low_view_type(struct arena *a, const struct type *element, int rank)
{
    struct type *t = ARENA_NEW(a, struct type);

    t->kind = TYPE_VIEW;
    t->element = element;
    t->rank = rank;
    return t;
}

static const struct type *read_type(struct type_reader *r, const struct ast_node *n,
                                    enum low_use use);

static const struct type *unknown_type(struct type_reader *r, const struct ast_node *n)
{
    const struct str text = dotted(r->a, n);

    if (text.len) {
        return fail(r, n, str_format(r->a, "unknown type " STR_FMT, STR_ARG(text)),
                    STR("types are int, float, bool, complex, pk.int32 and its kin, "
                        "pk.View1D[pk.double] and its kin, List[T], pk.Acc[T], pk.TeamMember and "
                        "@pk.classtype classes"));
    }
    return fail(r, n, STR("this annotation is no type"), STR("write pk.View1D[pk.double]"));
}

static const struct type *external_type(struct type_reader *r, const struct ast_node *n,
                                        struct str qualified, enum low_use use)
{
    const enum type_kind k = low_scalar_named(qualified, r->default_real);
    bool scratch;

    if (k != TYPE_VOID) {
        /* arrays that people pass hold 32-bit ints; variables are Python's */
        return type_scalar(use == LOW_USE_ELEMENT && str_equal_c(qualified, "int") ? TYPE_INT32
                                                                                   : k);
    }
    const struct str name = last_part(qualified);
    if (str_equal_c(name, "TeamMember")) {
        return type_scalar(TYPE_TEAM);
    }
    if (str_equal_c(name, "Random_XorShift1024_Pool")) {
        return fail(r, n, STR("the generators of pk.Random_XorShift1024_Pool are not translated"),
                    STR("use pk.Random_XorShift64_Pool"));
    }
    if (str_equal_c(name, "Random_XorShift64_Pool") || str_equal_c(name, "RandomPool")) {
        return type_scalar(TYPE_RANDOM_POOL);
    }
    if (view_rank(name, &scratch)) {
        return fail(r, n, str_format(r->a, STR_FMT " has no element type", STR_ARG(name)),
                    str_format(r->a, "write pk." STR_FMT "[pk.double]", STR_ARG(name)));
    }
    if (str_equal_c(name, "Acc")) {
        r->is_acc = true;
        return type_scalar(TYPE_DOUBLE);
    }
    return unknown_type(r, n);
}

static const struct type *name_type(struct type_reader *r, const struct ast_node *n,
                                    enum low_use use)
{
    const struct py_binding b = meaning(r, n);

    switch (b.kind) {
    case PY_BUILTIN:
    case PY_EXTERNAL: return external_type(r, n, b.qualified, use);
    case PY_ALIAS: {
        const struct py_module *outer = r->module;
        r->module = b.module;
        const struct type *t = read_type(r, b.node, use);
        r->module = outer;
        return t;
    }
    case PY_CLASS: {
        const struct ast_node *call;
        if (py_decorator_of(b.module, b.node, &call) != PY_DECORATOR_CLASSTYPE || !r->scope) {
            return fail(r, n,
                        str_format(r->a, STR_FMT " is not a @pk.classtype",
                                   STR_ARG(b.node->u.class_def.name)),
                        STR("decorate the class with @pk.classtype"));
        }
        const struct low_class *c = low_class_of(r->scope, b.module, b.node);
        if (!c) {
            return NULL;
        }
        struct type *t = ARENA_NEW(r->a, struct type);
        t->kind = TYPE_STRUCT;
        t->struct_type = c->struct_type;
        return t;
    }
    default: return unknown_type(r, n);
    }
}

static bool is_list(struct str qualified)
{
    return str_equal_c(qualified, "list") || str_equal_c(qualified, "typing.List") ||
           str_equal_c(qualified, "typing.Sequence") || str_equal_c(qualified, "pykokkos.List");
}

static const struct type *view_of(struct type_reader *r, const struct ast_node *n, int rank,
                                  bool scratch, const struct type *element)
{
    if (!type_is_scalar(element->kind)) {
        return fail(r, n,
                    str_format(r->a, "a view of " STR_FMT " is not translated",
                               STR_ARG(type_spell(r->a, element))),
                    STR("views hold numbers and bools; use one view a field"));
    }
    struct type *t = ARENA_NEW(r->a, struct type);
    t->kind = TYPE_VIEW;
    t->element = element;
    t->rank = rank;
    t->scratch = scratch;
    t->traits = scratch ? TRAIT_UNMANAGED : TRAIT_NONE;
    return t;
}

static const struct type *subscript_type(struct type_reader *r, const struct ast_node *n,
                                         enum low_use use)
{
    const struct py_binding b = meaning(r, n->u.subscript.value);
    const struct ast_node *inner = n->u.subscript.slice;
    bool scratch;

    if (b.kind != PY_EXTERNAL && b.kind != PY_BUILTIN) {
        return unknown_type(r, n->u.subscript.value);
    }
    if (inner->kind == AST_TUPLE && inner->u.seq.elts.count) {
        inner = inner->u.seq.elts.items[0]; /* View2D[double, layout, …] */
    }
    const struct str name = last_part(b.qualified);
    const int rank = view_rank(name, &scratch);
    if (rank) {
        const struct type *element = read_type(r, inner, LOW_USE_ELEMENT);
        return element ? view_of(r, inner, rank, scratch, element) : NULL;
    }
    if (str_equal_c(name, "Acc")) {
        const struct type *t = read_type(r, inner, LOW_USE_VALUE);
        r->is_acc = true;
        if (t && !type_is_scalar(t->kind)) {
            return fail(r, inner, STR("an accumulator holds a number"),
                        STR("write pk.Acc[pk.double]"));
        }
        return t;
    }
    if (is_list(b.qualified)) {
        const struct type *element = read_type(r, inner, LOW_USE_VALUE);
        if (!element) {
            return NULL;
        }
        if (!type_is_scalar(element->kind) && element->kind != TYPE_ARRAY) {
            return fail(r, inner, STR("a list holds numbers, or lists of numbers"), STR(""));
        }
        struct type *t = ARENA_NEW(r->a, struct type);
        t->kind = TYPE_ARRAY;
        t->element = element;
        return t;
    }
    (void)use;
    return unknown_type(r, n->u.subscript.value);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static const struct type *read_type(struct type_reader *r, const struct ast_node *n,
                                    enum low_use use)
{
    if (++r->depth > LOW_MAX_TYPE_DEPTH) {
        return fail(r, n, STR("the annotation is nested too deeply"), STR(""));
    }
    const struct type *t = NULL;
    switch (n->kind) {
    case AST_NAME:
    case AST_ATTRIBUTE: t = name_type(r, n, use); break;
    case AST_SUBSCRIPT: t = subscript_type(r, n, use); break;
    case AST_CONSTANT:
        if (n->u.constant.value.kind == PY_VALUE_NONE) {
            t = type_scalar(TYPE_VOID);
        } else if (n->u.constant.value.kind == PY_VALUE_STR) {
            const struct ast_node *inner = low_parse_type(r->a, n->u.constant.value.text);
            t = inner ? read_type(r, inner, use) : unknown_type(r, n);
            r->where = r->where ? n : NULL; /* the text's nodes have no place */
        } else {
            t = unknown_type(r, n);
        }
        break;
    default: t = unknown_type(r, n); break;
    }
    r->depth--;
    return t;
}

const struct type *low_annotation(struct low_scope *s, const struct py_module *m,
                                  const struct ast_node *n, enum low_use use, bool *is_acc)
{
    struct type_reader r = {
        .a = s->unit->l->a,
        .scope = s,
        .module = m,
        .default_real = s->unit->l->options->default_real,
    };
    const struct type *t = read_type(&r, n, use);

    if (is_acc) {
        *is_acc = r.is_acc;
    }
    if (!t && r.message.len) {
        const struct py_module *own = s->module;
        s->module = m;
        low_error(s, r.where && r.where->span.line && m == r.module ? r.where : n, r.hint, STR_FMT,
                  STR_ARG(r.message));
        s->module = own;
    }
    return t;
}

const struct type *low_type_text(struct lower *l, struct arena *a, const struct py_module *m,
                                 struct str text, enum type_kind default_real, bool *is_acc,
                                 struct error *error)
{
    struct type_reader r = {.a = a, .module = m, .default_real = default_real};
    const struct ast_node *n = low_parse_type(a, text);

    (void)l;
    if (!n) {
        error_set(error, "'" STR_FMT "' is no type", STR_ARG(text));
        return NULL;
    }
    const struct type *t = read_type(&r, n, LOW_USE_VALUE);
    if (is_acc) {
        *is_acc = r.is_acc;
    }
    if (!t) {
        error_set(error, STR_FMT, STR_ARG(r.message));
    }
    return t;
}

const struct type *low_list_as_view(struct low_scope *s, const struct type *t)
{
    int rank = 0;
    const struct type *element = t;

    if (!t || t->kind != TYPE_ARRAY) {
        return t;
    }
    for (; element->kind == TYPE_ARRAY; element = element->element) {
        rank++;
    }
    return rank <= 8 && type_is_scalar(element->kind) ? low_view_type(s->unit->l->a, element, rank)
                                                      : NULL;
}

/* ---- ViewTypeInfo --------------------------------------------------------------------------- */

static struct str attribute_name(const struct ast_node *n)
{
    return n->kind == AST_ATTRIBUTE ? n->u.attribute.attr
           : n->kind == AST_NAME    ? n->u.name.id
                                    : (struct str){0};
}

static bool apply_info(struct low_scope *s, const struct ast_node *keyword, struct type *t)
{
    const struct str what = keyword->u.keyword.arg;
    const struct ast_node *value = keyword->u.keyword.value;
    const struct str name = attribute_name(value);

    if (str_equal_c(what, "space")) {
        return true; /* the kernel's space is its target's */
    }
    if (str_equal_c(what, "layout")) {
        t->layout_given = true;
        if (str_equal_c(name, "LayoutLeft")) {
            t->layout = LAYOUT_LEFT;
        } else if (str_equal_c(name, "LayoutRight")) {
            t->layout = LAYOUT_RIGHT;
        } else if (str_equal_c(name, "LayoutStride")) {
            t->layout = LAYOUT_STRIDE;
        } else if (str_equal_c(name, "LayoutDefault") || str_equal_c(name, "Default")) {
            t->layout_given = false;
        } else {
            low_error(s, value, STR("LayoutRight, LayoutLeft or LayoutStride"), "unknown layout");
            return false;
        }
        return true;
    }
    if (str_equal_c(what, "trait")) {
        static const struct {
            const char *name;
            unsigned trait;
        } traits[] = {{"Atomic", TRAIT_ATOMIC},     {"RandomAccess", TRAIT_RANDOM_ACCESS},
                      {"Restrict", TRAIT_RESTRICT}, {"Unmanaged", TRAIT_UNMANAGED},
                      {"Managed", TRAIT_NONE},      {"TraitDefault", TRAIT_NONE}};
        for (size_t i = 0; i < COUNT(traits); i++) {
            if (str_equal_c(name, traits[i].name)) {
                t->traits |= traits[i].trait;
                return true;
            }
        }
        low_error(s, value, STR("Atomic, RandomAccess, Restrict or Unmanaged"), "unknown trait");
        return false;
    }
    low_error(s, value, STR("ViewTypeInfo takes space, layout and trait"),
              "unknown argument " STR_FMT, STR_ARG(what));
    return false;
}

const struct type *low_view_info(struct low_scope *s, const struct ast_node *decorator_call,
                                 struct str name, const struct type *t)
{
    if (!decorator_call || !t || t->kind != TYPE_VIEW) {
        return t;
    }
    const struct ast_seq *keywords = &decorator_call->u.call.keywords;
    for (size_t i = 0; i < keywords->count; i++) {
        const struct ast_node *k = keywords->items[i];
        if (!str_equal(k->u.keyword.arg, name) || k->u.keyword.value->kind != AST_CALL) {
            continue;
        }
        struct type *with = ARENA_NEW(s->unit->l->a, struct type);
        *with = *t;
        const struct ast_seq *info = &k->u.keyword.value->u.call.keywords;
        for (size_t j = 0; j < info->count; j++) {
            if (!apply_info(s, info->items[j], with)) {
                return NULL;
            }
        }
        return with;
    }
    return t;
}

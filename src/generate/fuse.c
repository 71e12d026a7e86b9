/*
 * FUSE entries: workunits that are made of others.
 *
 *     entry = name "=" part "+" part { "+" part }
 *     part  = [ module "." ] [ class "." ] workunit
 *
 * The fused workunit belongs to the module, and the class, of its first part. Where parts have
 * several instantiations, it has one for each choice among them that gives a parameter of one name
 * one type.
 */
#include "generate/private.h"

enum { MAX_CHOICES = 1000 };

struct fuse {
    struct arena *arena;
    const struct gen_request *request;
    struct diags *diags;
    struct vec *found; /* struct gen_workunit *: the target's, with those made here */
    struct kernel_cache *cache;
    struct str text; /* the entry */
    struct str name;
    struct vec parts;       /* struct str *: as named */
    struct vec *candidates; /* of each part, struct gen_workunit * */
};

static void entry_error(const struct fuse *f, struct str hint, struct str message)
{
    diags_add(f->diags,
              (struct diag){.severity = DIAG_ERROR,
                            .message = str_format(f->arena, "FUSE \"" STR_FMT "\": " STR_FMT,
                                                  STR_ARG(f->text), STR_ARG(message)),
                            .hint = hint});
}

/* ---- parsing -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct str trim(struct str s)
{
    while (s.len > 0 && is_blank(s.ptr[0])) {
        s = str_slice(s, 1, s.len);
    }
    while (s.len > 0 && is_blank(s.ptr[s.len - 1])) {
        s = str_slice(s, 0, s.len - 1);
    }
    return s;
}

static bool is_name(struct str s, bool dotted)
{
    bool first = true;
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                            (unsigned char)c >= 0x80;
        if (c == '.' && dotted && !first && i + 1 < s.len) {
            first = true;
            continue;
        }
        /* The first part of a dotted name may be a file's, which may begin with a digit. */
        if (!letter && !(c >= '0' && c <= '9' && (!first || dotted))) {
            return false;
        }
        first = false;
    }
    return s.len > 0;
}

static bool parse(struct fuse *f)
{
    size_t equals = 0;
    while (equals < f->text.len && f->text.ptr[equals] != '=') {
        equals++;
    }
    f->name = trim(str_slice(f->text, 0, equals));
    bool good = equals < f->text.len && is_name(f->name, false);
    for (size_t from = equals + 1; good && from <= f->text.len;) {
        size_t to = from;
        while (to < f->text.len && f->text.ptr[to] != '+') {
            to++;
        }
        struct str *part = ARENA_NEW(f->arena, struct str);
        *part = trim(str_slice(f->text, from, to));
        vec_push(&f->parts, part);
        good = is_name(*part, true);
        from = to + 1;
    }
    if (!good || f->parts.count < 2) {
        entry_error(f, STR("write FUSE \"both = first + second\""),
                    STR("this is no name, '=' and the workunits with '+' between"));
        return false;
    }
    return true;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* All instantiations of the workunit that is called so; one workunit only. */
static bool find_part(struct fuse *f, struct str name, struct vec *out)
{
    struct arena *a = f->arena;
    vec_init(out, a);
    for (size_t i = 0; i < f->found->count; i++) {
        struct gen_workunit *w = f->found->items[i];
        if (w->part_count > 0 || !gen_is_called(name, w->module, w->workunit->qualified)) {
            continue;
        }
        const struct gen_workunit *first = out->count > 0 ? out->items[0] : w;
        if (!str_equal(first->module, w->module)) {
            entry_error(
                f,
                str_format(a, "write " STR_FMT "." STR_FMT " or " STR_FMT "." STR_FMT,
                           STR_ARG(first->module), STR_ARG(name), STR_ARG(w->module),
                           STR_ARG(name)),
                str_format(a, "there is more than one workunit '" STR_FMT "'", STR_ARG(name)));
            return false;
        }
        vec_push(out, w);
    }
    if (out->count > 0) {
        return true;
    }
    const struct str near = gen_nearest_workunit(name, f->found);
    entry_error(
        f, near.len > 0 ? str_format(a, "did you mean '" STR_FMT "'?", STR_ARG(near)) : STR(""),
        str_format(a, "there is no workunit '" STR_FMT "'", STR_ARG(name)));
    return false;
}

static bool is_refused(const struct fuse *f)
{
    for (size_t i = 0; i < f->parts.count; i++) {
        for (size_t n = 0; n < f->candidates[i].count; n++) {
            const struct gen_workunit *w = f->candidates[i].items[n];
            if (w->kernel == NULL) {
                return true;
            }
        }
    }
    return false;
}

/* The new workunit: where its first part is. */
static const struct py_workunit *describe(struct fuse *f)
{
    const struct gen_workunit *first = f->candidates[0].items[0];
    struct py_workunit *w = ARENA_NEW(f->arena, struct py_workunit);
    *w = *first->workunit;
    w->name = f->name;
    w->qualified = f->name;
    if (w->class_node != NULL) {
        w->qualified = str_format(f->arena, STR_FMT "." STR_FMT,
                                  STR_ARG(w->class_node->u.class_def.name), STR_ARG(f->name));
    }
    return w;
}

/* Is there something else of this name in the module? */
static bool is_taken(struct fuse *f, struct str module, const struct py_workunit *fused)
{
    const struct py_binding b = py_lookup(fused->module, f->name);
    bool taken = fused->class_node == NULL && (b.kind == PY_FUNCTION || b.kind == PY_CLASS);
    for (size_t i = 0; i < f->found->count; i++) {
        const struct gen_workunit *w = f->found->items[i];
        taken = taken || (str_equal(w->module, module) &&
                          str_equal(w->workunit->qualified, fused->qualified));
    }
    if (fused->class_node != NULL) {
        const struct py_module *where;
        size_t count;
        const struct py_field *fields = py_class_fields(fused->module, fused->class_node, &count);
        taken = taken || py_class_method(fused->module, fused->class_node, f->name, &where) != NULL;
        for (size_t i = 0; i < count; i++) {
            taken = taken || str_equal(fields[i].name, f->name);
        }
    }
    if (taken) {
        entry_error(
            f, STR("choose another name"),
            str_format(f->arena, "there is already a '" STR_FMT "'", STR_ARG(fused->qualified)));
    }
    return taken;
}

/* ---- choices among instantiations ----------------------------------------------------------- */

/* Has each parameter's name one type? */
static bool agrees(const struct gen_workunit *const *parts, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t n = 0; n < parts[i]->kernel->parameter_count; n++) {
            const struct parameter *p = &parts[i]->kernel->parameters[n];
            for (size_t k = 0; k < i; k++) {
                for (size_t m = 0; m < parts[k]->kernel->parameter_count; m++) {
                    const struct parameter *q = &parts[k]->kernel->parameters[m];
                    if (str_equal(p->name, q->name) && !type_equal(p->type, q->type)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static bool hash_parts(struct arena *a, const struct gen_workunit *w, struct sha256 *out)
{
    struct sha256_ctx *c = sha256_begin(a);
    if (c == NULL) {
        return false;
    }
    sha256_add_str(c, w->workunit->qualified);
    for (size_t i = 0; i < w->part_count; i++) {
        sha256_add(c, w->parts[i]->ast_hash.bytes, sizeof w->parts[i]->ast_hash.bytes);
    }
    return sha256_end(c, out);
}

static void add_fused(struct fuse *f, const struct py_workunit *fused,
                      const struct gen_workunit *const *parts)
{
    struct arena *a = f->arena;
    const struct kernel_options options = {f->request->default_real, f->cache};
    struct kernel_part *kernel_parts = ARENA_ARRAY(a, struct kernel_part, f->parts.count);
    struct gen_workunit *out = ARENA_NEW(a, struct gen_workunit);
    for (size_t i = 0; i < f->parts.count; i++) {
        kernel_parts[i] = (struct kernel_part){parts[i]->workunit, parts[i]->instantiation};
    }
    out->workunit = fused;
    out->module = parts[0]->module;
    out->parts = parts;
    out->part_count = f->parts.count;
    out->kernel = kernel_fuse(a, fused, kernel_parts, f->parts.count, &options);
    vec_push(f->found, out);
    if (out->kernel == NULL) {
        return;
    }
    out->file = gen_kernel_file(a, out->module, kernel_symbol(a, out->kernel));
    if (!hash_parts(a, out, &out->ast_hash)) {
        entry_error(f, STR(""), STR("its AST hash cannot be computed"));
        out->kernel = NULL;
    }
}

/* The n-th choice of one instantiation of each part. */
static const struct gen_workunit *const *choice(struct fuse *f, size_t n)
{
    const struct gen_workunit **parts =
        ARENA_ARRAY(f->arena, const struct gen_workunit *, f->parts.count);
    for (size_t i = 0; i < f->parts.count; i++) {
        const struct vec *c = &f->candidates[i];
        parts[i] = c->items[n % c->count];
        n /= c->count;
    }
    return parts;
}

static void fuse_entry(struct fuse *f)
{
    vec_init(&f->parts, f->arena);
    if (!parse(f)) {
        return;
    }
    f->candidates = ARENA_ARRAY(f->arena, struct vec, f->parts.count);
    size_t choices = 1;
    for (size_t i = 0; i < f->parts.count; i++) {
        if (!find_part(f, *(const struct str *)f->parts.items[i], &f->candidates[i])) {
            return;
        }
        choices = choices > MAX_CHOICES ? choices : choices * f->candidates[i].count;
    }
    const struct py_workunit *fused = describe(f);
    const struct gen_workunit *first = f->candidates[0].items[0];
    if (is_refused(f) || is_taken(f, first->module, fused)) {
        return; /* the parts' own errors say why */
    }
    if (choices > MAX_CHOICES) {
        entry_error(f, STR("instantiate the workunits for fewer types"),
                    str_format(f->arena, "the instantiations of its workunits give more than %d",
                               MAX_CHOICES));
        return;
    }
    size_t made = 0;
    for (size_t n = 0; n < choices; n++) {
        const struct gen_workunit *const *parts = choice(f, n);
        if (choices == 1 || agrees(parts, f->parts.count)) {
            add_fused(f, fused, parts);
            made++;
        }
    }
    if (made == 0) {
        entry_error(f, STR("INSTANTIATE them for the same types"),
                    STR("in no choice of its workunits' instantiations have parameters of one name "
                        "one type"));
    }
}

void gen_fuse(struct arena *a, const struct gen_request *r, struct kernel_cache *cache,
              struct vec *found, struct diags *diags)
{
    for (size_t i = 0; i < r->fuse_count; i++) {
        struct fuse f = {.arena = a,
                         .request = r,
                         .diags = diags,
                         .found = found,
                         .cache = cache,
                         .text = r->fuse[i]};
        fuse_entry(&f);
    }
}

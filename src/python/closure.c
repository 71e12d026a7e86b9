/* closure: a workunit with all that it reaches, as one text, and its hash. */
#include "python/canonical.h"

static void add_item(struct closure *c, struct vec *items, struct map *seen, struct arena *a,
                     const struct item *item)
{
    const void *pair[2] = {item->node, item->class_node};
    const struct str key = {(const char *)pair, sizeof(pair)};
    if (map_has(seen, key)) {
        return;
    }
    map_set(seen, str_copy(a, key), c);
    vec_push(items, (void *)(uintptr_t)item);
}

void closure_of(struct closure *out, const struct py_workunit *w, bool lines)
{
    struct module *m = module_of(w->module);
    struct py_program *p = m->pub.program;
    struct item first = {ITEM_WORKUNIT, m, w->node, NULL, w->class_node};
    if (w->class_node != NULL) {
        first.class_module = class_owner(m, w->class_node);
    }
    const struct form *form = form_of(p, &first, lines);
    if (form->ref_count == 0) {
        out->items = ARENA_ARRAY(p->arena, struct item, 1);
        out->forms = (const struct form **)arena_array(p->arena, 1, sizeof(const struct form *));
        out->items[0] = first;
        out->forms[0] = form;
        out->count = 1;
        return;
    }
    struct vec items;
    struct vec forms;
    struct map seen;
    vec_init(&items, p->arena);
    vec_init(&forms, p->arena);
    map_init(&seen, p->arena);
    add_item(out, &items, &seen, p->arena, &first);
    vec_push(&forms, (void *)(uintptr_t)form);
    /* The list grows while it is walked: whatever is reached, in order of mention. */
    for (size_t i = 0; i < items.count; i++) {
        const struct form *current =
            i == 0 ? form : form_of(p, (const struct item *)items.items[i], lines);
        if (i > 0) {
            vec_push(&forms, (void *)(uintptr_t)current);
        }
        for (size_t j = 0; j < current->ref_count; j++) {
            add_item(out, &items, &seen, p->arena, &current->refs[j]);
        }
    }
    out->count = items.count;
    out->items = ARENA_ARRAY(p->arena, struct item, items.count);
    out->forms =
        (const struct form **)arena_array(p->arena, items.count, sizeof(const struct form *));
    for (size_t i = 0; i < items.count; i++) {
        out->items[i] = *(const struct item *)items.items[i];
        out->forms[i] = forms.items[i];
    }
}

static void add_header(struct buf *text, const struct closure *c, size_t index)
{
    static const char *const kinds[] = {"workunit", "function", "method", "class"};
    const struct item *item = &c->items[index];
    buf_add_c(text, kinds[item->kind]);
    buf_add_char(text, ' ');
    if (item->kind != ITEM_WORKUNIT) {
        /* Not by name where it is the workunit's own file: that may be renamed. */
        if (item->module != c->items[0].module) {
            buf_add(text, item->module->dotted);
        }
        buf_add_char(text, '.');
    }
    if (item->class_node != NULL) {
        buf_add(text, item->class_node->u.class_def.name);
        buf_add_char(text, '.');
    }
    buf_add(text,
            item->kind == ITEM_CLASS ? item->node->u.class_def.name : item->node->u.function.name);
}

struct str closure_header(struct arena *a, const struct closure *c, size_t index)
{
    struct buf text;
    buf_init(&text, a);
    add_header(&text, c, index);
    return buf_str(&text);
}

/* Do two modules of the closure have one name? Then a reference by name could mean either. */
static bool is_ambiguous(const struct closure *c)
{
    for (size_t i = 1; i < c->count; i++) {
        for (size_t j = 0; j < i && j < 64; j++) {
            if (c->items[i].module != c->items[j].module &&
                str_equal(c->items[i].module->dotted, c->items[j].module->dotted)) {
                return true;
            }
        }
    }
    return false;
}

static size_t index_of(const struct closure *c, const struct item *item)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->items[i].node == item->node && c->items[i].class_node == item->class_node) {
            return i;
        }
    }
    return 0;
}

void py_canonical(struct buf *out, const struct py_workunit *w)
{
    struct closure c;
    closure_of(&c, w, false);
    const bool ambiguous = c.count > 1 && is_ambiguous(&c);
    for (size_t i = 0; i < c.count; i++) {
        add_header(out, &c, i);
        buf_add_char(out, '\n');
        buf_add(out, c.forms[i]->text);
        for (size_t j = 0; ambiguous && j < c.forms[i]->ref_count; j++) {
            buf_printf(out, " :reaches %zu\n", index_of(&c, &c.forms[i]->refs[j]));
        }
    }
}

bool py_ast_hash(struct arena *a, const struct py_workunit *w, struct sha256 *out)
{
    (void)a;
    struct buf *text = &w->module->program->closure_text;
    text->len = 0;
    py_canonical(text, w);
    return sha256_of(buf_str(text), out);
}

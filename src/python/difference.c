/*
 * difference: what changed between two canonical forms, in a line each.
 *
 * The forms are compared definition by definition, and in a function part by part (decorators,
 * parameters, return type, body). A constant's new value is told once, by its name.
 */
#include "python/canonical.h"

struct text_line {
    struct str text;
    size_t depth;
};

/* One definition of a form: its header line and the lines below. */
struct section {
    struct str header;
    const struct text_line *lines;
    size_t count;
};

struct outline {
    struct text_line *lines;
    size_t line_count;
    struct section *sections;
    size_t section_count;
    struct map by_header; /* header -> struct section */
    struct map constants; /* name -> struct str * (kind and value) */
};

struct comparison {
    struct buf *out;
    struct arena *arena;
    struct outline old, new;
    struct closure closure;  /* of the new workunit; count 0: not known */
    const struct form *form; /* of the definition that is compared; NULL: not known */
    struct map told;         /* constants */
};

static void split(struct outline *o, struct arena *a, struct str form)
{
    size_t count = 1;
    for (size_t i = 0; i < form.len; i++) {
        count += form.ptr[i] == '\n' ? 1 : 0;
    }
    o->lines = ARENA_ARRAY(a, struct text_line, count);
    o->sections = ARENA_ARRAY(a, struct section, count);
    map_init(&o->by_header, a);
    map_init(&o->constants, a);
    for (size_t at = 0; at < form.len;) {
        size_t end = at;
        while (end < form.len && form.ptr[end] != '\n') {
            end++;
        }
        size_t depth = 0;
        while (at + depth < end && form.ptr[at + depth] == ' ') {
            depth++;
        }
        const struct str text = str_slice(form, at + depth, end);
        at = end + 1;
        if (depth == 0) {
            struct section *section = &o->sections[o->section_count++];
            section->header = text;
            section->lines = o->lines + o->line_count;
            map_set(&o->by_header, text, section);
            continue;
        }
        if (o->section_count == 0) {
            continue;
        }
        o->lines[o->line_count++] = (struct text_line){text, depth};
        o->sections[o->section_count - 1].count++;
        if (str_starts_with(text, "constant ")) {
            size_t space = 9;
            while (space < text.len && text.ptr[space] != ' ') {
                space++;
            }
            struct str *value = ARENA_NEW(a, struct str);
            *value = str_slice(text, space + 1, text.len);
            map_set(&o->constants, str_slice(text, 9, space), value);
        }
    }
}

/* "3" of "int 3"; with the kind where that changed too. */
static struct str value_text(struct str value, struct str other)
{
    size_t space = 0;
    size_t other_space = 0;
    while (space < value.len && value.ptr[space] != ' ') {
        space++;
    }
    while (other_space < other.len && other.ptr[other_space] != ' ') {
        other_space++;
    }
    const bool same_kind = str_equal(str_slice(value, 0, space), str_slice(other, 0, other_space));
    return same_kind && space < value.len ? str_slice(value, space + 1, value.len) : value;
}

static void compare_constants(struct comparison *c)
{
    for (size_t i = 0; i < c->new.constants.count; i++) {
        const struct str name = c->new.constants.entries[i].key;
        const struct str *new_value = c->new.constants.entries[i].value;
        const struct str *old_value = map_get(&c->old.constants, name);
        if (old_value != NULL && !str_equal(*old_value, *new_value)) {
            const struct str from = value_text(*old_value, *new_value);
            const struct str to = value_text(*new_value, *old_value);
            buf_printf(c->out, "constant " STR_FMT ": " STR_FMT " -> " STR_FMT "\n", STR_ARG(name),
                       STR_ARG(from), STR_ARG(to));
            map_set(&c->told, name, c);
        }
    }
}

/* Are the lines the same but for constants whose change has been told? */
static bool same_line(const struct comparison *c, const struct text_line *a,
                      const struct text_line *b)
{
    if (a->depth != b->depth) {
        return false;
    }
    if (str_equal(a->text, b->text)) {
        return true;
    }
    if (!str_starts_with(a->text, "constant ") || !str_starts_with(b->text, "constant ")) {
        return false;
    }
    size_t end = 9;
    while (end < a->text.len && a->text.ptr[end] != ' ') {
        end++;
    }
    return str_equal(str_slice(a->text, 0, end + 1), str_slice(b->text, 0, end + 1)) &&
           map_has(&c->told, str_slice(a->text, 9, end));
}

/* The lines from `from` that are below it. */
static size_t end_of(const struct section *s, size_t from)
{
    size_t end = from + 1;
    while (end < s->count && s->lines[end].depth > s->lines[from].depth) {
        end++;
    }
    return end;
}

static bool same_lines(const struct comparison *c, const struct section *a, size_t a_from,
                       size_t a_to, const struct section *b, size_t b_from, size_t b_to)
{
    if (a_to - a_from != b_to - b_from) {
        return false;
    }
    for (size_t i = 0; i < a_to - a_from; i++) {
        if (!same_line(c, &a->lines[a_from + i], &b->lines[b_from + i])) {
            return false;
        }
    }
    return true;
}

/* " at file:line" of the new form's line `index`, where that is known. */
static void add_place(const struct comparison *c, const struct section *s, size_t index)
{
    if (c->form == NULL || index >= c->form->line_count || s->count != c->form->line_count) {
        return;
    }
    const struct form_line *place = &c->form->lines[index];
    if (place->node != NULL && place->node->span.line > 0) {
        const struct str path = place->module->pub.path;
        buf_printf(c->out, " at " STR_FMT ":%d", STR_ARG(path), place->node->span.line);
    }
}

/* "body at kernels.py:12: Constant int 2 -> Constant int 1" */
static void tell_change(const struct comparison *c, const struct section *a, size_t a_from,
                        size_t a_to, const struct section *b, size_t b_from, size_t b_to)
{
    size_t i = 0;
    while (a_from + i < a_to && b_from + i < b_to &&
           same_line(c, &a->lines[a_from + i], &b->lines[b_from + i])) {
        i++;
    }
    const bool in_old = a_from + i < a_to;
    const bool in_new = b_from + i < b_to;
    add_place(c, b, in_new ? b_from + i : b_to > 0 ? b_to - 1 : 0);
    buf_add_c(c->out, ": ");
    if (in_old) {
        buf_add(c->out, a->lines[a_from + i].text);
    } else {
        buf_add_c(c->out, "nothing");
    }
    buf_add_c(c->out, " -> ");
    if (in_new) {
        buf_add(c->out, b->lines[b_from + i].text);
    } else {
        buf_add_c(c->out, "nothing");
    }
    buf_add_char(c->out, '\n');
}

/* The part of `s` at its first level that begins like other->lines[index]; of several that do,
 * the one with the same number. */
static bool find_part(const struct section *s, const struct section *other, size_t index,
                      size_t *from)
{
    const struct str head = other->lines[index].text;
    size_t number = 0;
    for (size_t i = 0; i < index; i = end_of(other, i)) {
        number += str_equal(other->lines[i].text, head) ? 1 : 0;
    }
    for (size_t i = 0; i < s->count; i = end_of(s, i)) {
        if (str_equal(s->lines[i].text, head) && number-- == 0) {
            *from = i;
            return true;
        }
    }
    return false;
}

static bool is_parameter(struct str head)
{
    return str_starts_with(head, "parameter ") || str_starts_with(head, "positional ") ||
           str_starts_with(head, "keyword-only ") || str_starts_with(head, "vararg ") ||
           str_starts_with(head, "kwarg ");
}

/* What a person calls the part: "body", "type of parameter v". */
static struct str part_name(struct arena *a, const struct section *s, size_t from)
{
    const struct str head = s->lines[from].text;
    if (is_parameter(head) || str_starts_with(head, "field ")) {
        return str_format(a, "type of " STR_FMT, STR_ARG(head));
    }
    if (str_equal_c(head, ":returns")) {
        return STR("return type");
    }
    if (str_equal_c(head, ":decorator") || str_equal_c(head, ":decorators")) {
        return STR("decorator");
    }
    return head.len > 0 && head.ptr[0] == ':' ? str_slice(head, 1, head.len) : head;
}

/* "function shift: " before a part of anything but the workunit. */
static void add_subject(const struct comparison *c, const struct section *s)
{
    if (str_starts_with(s->header, "workunit ")) {
        return;
    }
    size_t space = 0;
    while (space < s->header.len && s->header.ptr[space] != ' ') {
        space++;
    }
    buf_add(c->out, str_slice(s->header, 0, space));
    buf_add_char(c->out, ' ');
    struct str name = str_slice(s->header, space + 1, s->header.len);
    if (str_starts_with(name, ".")) {
        name = str_slice(name, 1, name.len);
    }
    buf_add(c->out, name);
    buf_add_c(c->out, ": ");
}

static void tell_part(struct comparison *c, const struct section *a, const struct section *b,
                      struct str name, const char *what)
{
    add_subject(c, b->count > 0 ? b : a);
    buf_add(c->out, name);
    buf_add_c(c->out, what);
    buf_add_char(c->out, '\n');
}

static void compare_sections(struct comparison *c, const struct section *a, const struct section *b)
{
    const size_t before = c->out->len;
    for (size_t i = 0; i < b->count; i = end_of(b, i)) {
        size_t from = 0;
        if (!find_part(a, b, i, &from)) {
            const struct str head = b->lines[i].text;
            const struct str name = head.ptr[0] == ':' ? part_name(c->arena, b, i) : head;
            tell_part(c, a, b, name, " added");
            continue;
        }
        if (!same_lines(c, a, from, end_of(a, from), b, i, end_of(b, i))) {
            add_subject(c, b);
            buf_add(c->out, part_name(c->arena, b, i));
            tell_change(c, a, from, end_of(a, from), b, i, end_of(b, i));
        }
    }
    for (size_t i = 0; i < a->count; i = end_of(a, i)) {
        size_t from = 0;
        if (!find_part(b, a, i, &from)) {
            const struct str head = a->lines[i].text;
            const struct str name = head.ptr[0] == ':' ? part_name(c->arena, a, i) : head;
            tell_part(c, a, b, name, " removed");
        }
    }
    if (c->out->len == before && !same_lines(c, a, 0, a->count, b, 0, b->count)) {
        tell_part(c, a, b, STR("order of its parts"), " changed"); /* parameters, decorators */
    }
}

/* The form, with its lines' nodes, that has this header. */
static void find_form(struct comparison *c, struct str header)
{
    c->form = NULL;
    for (size_t i = 0; i < c->closure.count; i++) {
        if (str_equal(closure_header(c->arena, &c->closure, i), header)) {
            c->form = c->closure.forms[i];
            return;
        }
    }
}

void py_canonical_difference(struct buf *out, struct str old_form, struct str new_form,
                             const struct py_workunit *new_workunit)
{
    struct comparison c = {.out = out, .arena = out->arena};
    split(&c.old, c.arena, old_form);
    split(&c.new, c.arena, new_form);
    map_init(&c.told, c.arena);
    if (new_workunit != NULL) {
        closure_of(&c.closure, new_workunit, true);
    }
    const size_t before = out->len;
    compare_constants(&c);
    for (size_t i = 0; i < c.new.section_count; i++) {
        const struct section *section = &c.new.sections[i];
        const struct section *old = map_get(&c.old.by_header, section->header);
        if (old == NULL && i == 0 && c.old.section_count > 0) {
            old = &c.old.sections[0]; /* the workunit, under another name */
            buf_printf(out, "name: " STR_FMT " -> " STR_FMT "\n", STR_ARG(old->header),
                       STR_ARG(section->header));
        }
        if (old == NULL) {
            buf_printf(out, STR_FMT " added\n", STR_ARG(section->header));
            continue;
        }
        find_form(&c, section->header);
        compare_sections(&c, old, section);
    }
    for (size_t i = 1; i < c.old.section_count; i++) {
        if (!map_has(&c.new.by_header, c.old.sections[i].header)) {
            buf_printf(out, STR_FMT " removed\n", STR_ARG(c.old.sections[i].header));
        }
    }
    if (out->len == before && !str_equal(old_form, new_form)) {
        buf_add_c(out, "order of what it uses\n");
    }
}

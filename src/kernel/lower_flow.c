/* Definite assignment: which variables have a value on every path to a point. */
#include "kernel/lower.h"

#include <string.h>

static size_t words(const struct low_scope *s)
{
    return s->variables.count / 64 + 1;
}

struct low_flow low_flow_new(struct low_scope *s)
{
    return (struct low_flow){.bits = ARENA_ARRAY(s->unit->l->a, uint64_t, words(s))};
}

struct low_flow low_flow_copy(struct low_scope *s, const struct low_flow *f)
{
    struct low_flow copy = low_flow_new(s);

    copy.dead = f->dead;
    memcpy(copy.bits, f->bits, words(s) * sizeof *f->bits);
    return copy;
}

struct low_flow low_flow_dead(struct low_scope *s)
{
    struct low_flow f = low_flow_new(s);

    f.dead = true;
    return f;
}

void low_flow_meet(struct low_scope *s, struct low_flow *into, const struct low_flow *other)
{
    if (other->dead) {
        return;
    }
    if (into->dead) {
        *into = low_flow_copy(s, other);
        return;
    }
    for (size_t i = 0; i < words(s); i++) {
        into->bits[i] &= other->bits[i];
    }
}

bool low_flow_assigned(struct low_scope *s, const struct low_variable *v)
{
    return s->flow.dead || (s->flow.bits[v->index / 64] >> (v->index % 64) & 1);
}

void low_flow_assign(struct low_scope *s, const struct low_variable *v)
{
    s->flow.bits[v->index / 64] |= (uint64_t)1 << (v->index % 64);
}

/*
 * changes.log: changes of AST hashes that are not in the manifest yet. The generator appends them
 * by one write: it runs in each edit's path, and opening the manifest costs as much as the rest of
 * it. Whoever works on the manifest next (a compile, mostly the one of that very edit) takes them
 * in.
 *
 *   change <Unix time> <module> <workunit> <old AST hash or -> <new AST hash or -> <cause>
 *
 * Texts are percent-encoded: no blank and no line end in them, and never empty. A line that is not
 * of this form is skipped.
 */
#include "store/private.h"

#define WORDS 7

static void add_hash(struct buf *b, struct arena *a, bool has, const struct sha256 *hash)
{
    buf_add_char(b, ' ');
    buf_add(b, has ? sha256_hex(a, hash) : STR("-"));
}

static bool parse_hash(struct str word, bool *has, struct sha256 *hash)
{
    *has = !str_equal_c(word, "-");
    return !*has || sha256_from_hex(word, hash);
}

bool changes_append(struct store *s, const struct store_change *changes, size_t count,
                    struct error *e)
{
    struct arena *a = s->arena;
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < count; i++) {
        const struct store_change *c = &changes[i];
        buf_printf(&b, "change %lld", (long long)(c->time != 0 ? c->time : store_now()));
        log_add_text(&b, c->module);
        log_add_text(&b, c->workunit);
        add_hash(&b, a, c->has_old, &c->old_ast_hash);
        add_hash(&b, a, c->has_new, &c->new_ast_hash);
        log_add_text(&b, c->cause);
        buf_add_char(&b, '\n');
    }
    return log_append(s, CHANGES_LOG, buf_str(&b), e);
}

bool change_parse(struct arena *a, struct str line, struct store_change *c)
{
    struct str words[WORDS];
    size_t n = 0;
    size_t start = 0;
    for (size_t i = 0; i <= line.len; i++) {
        if (i < line.len && line.ptr[i] != ' ') {
            continue;
        }
        if (n == WORDS) {
            return false;
        }
        words[n++] = str_slice(line, start, i);
        start = i + 1;
    }
    if (n != WORDS || !str_equal_c(words[0], "change")) {
        return false;
    }
    *c = (struct store_change){0};
    return log_parse_time(words[1], &c->time) && log_parse_text(a, words[2], &c->module) &&
           log_parse_text(a, words[3], &c->workunit) &&
           parse_hash(words[4], &c->has_old, &c->old_ast_hash) &&
           parse_hash(words[5], &c->has_new, &c->new_ast_hash) &&
           log_parse_text(a, words[6], &c->cause);
}

/*
 * uses.log: one line a hit, appended by one write, so that a hit needs no database. Whoever works
 * on the manifest next takes the file away and adds the lines up.
 *
 *   use <Unix time> <key> <text digest> <AST hash or -> <TU, percent-encoded>
 *   add <the same>                                      an entry that has no row yet
 *
 * A line that is not of this form (cut by a crash, say) is skipped: only statistics and the order
 * of collection depend on it.
 */
#include "store/private.h"

static void append(struct store *s, const char *word, const struct store_record *record)
{
    struct arena *a = s->arena;
    const struct str ast = record->has_ast_hash ? sha256_hex(a, &record->ast_hash) : STR("-");
    struct error ignored; /* a read-only store counts no hits */
    struct buf b;
    buf_init(&b, a);
    buf_printf(&b, "%s %lld %s %s %s", word, (long long)store_now(),
               sha256_hex(a, &record->key).ptr, sha256_hex(a, &record->text_digest).ptr, ast.ptr);
    log_add_text(&b, record->source);
    buf_add_char(&b, '\n');
    (void)log_append(s, USES_LOG, buf_str(&b), &ignored);
}

void store_record_use(struct store *s, const struct store_record *record)
{
    append(s, "use", record);
}

void uses_add_entry(struct store *s, const struct store_record *record)
{
    append(s, "add", record);
}

bool use_parse(struct arena *a, struct str line, struct store_use *use)
{
    const struct str word = log_next_word(&line);
    use->is_hit = str_equal_c(word, "use");
    if ((!use->is_hit && !str_equal_c(word, "add")) ||
        !log_parse_time(log_next_word(&line), &use->time) ||
        !sha256_from_hex(log_next_word(&line), &use->key) ||
        !sha256_from_hex(log_next_word(&line), &use->text_digest)) {
        return false;
    }
    const struct str ast = log_next_word(&line);
    use->has_ast_hash = !str_equal_c(ast, "-");
    return (!use->has_ast_hash || sha256_from_hex(ast, &use->ast_hash)) &&
           log_parse_text(a, line, &use->source);
}

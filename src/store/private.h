/*
 * What the store's own files share.
 */
#ifndef PKC_STORE_PRIVATE_H
#define PKC_STORE_PRIVATE_H

#include "store/store.h"

struct manifest;

struct store {
    struct arena *arena;
    struct str dir;
    uint64_t max_size;
    struct manifest *manifest; /* NULL until someone needs it */
    bool manifest_is_busy;     /* waited for in vain: not to be waited for again */
    bool manifest_refused;     /* a later version's; manifest_error says so */
    bool manifest_is_out;      /* not to be tried again; manifest_error says why */
    struct error manifest_error;
    unsigned temporary_count;
};

/* Entries used or made so recently are nobody's to remove: a build may be about to take them. */
#define STORE_RECENT_SECONDS 600
/* A damaged or hostile entry must not make us read without end. */
#define STORE_RECORD_MAX ((size_t)4 * 1024 * 1024)
#define STORE_OBJECT_MAX ((size_t)1024 * 1024 * 1024)

int64_t store_now(void);
/* A path in the store. */
struct str store_path(const struct store *s, struct arena *a, const char *name);

/* place.c: false where nothing in the store can be written (it may still be read). */
bool store_is_writable(const struct store *s);

/* home.c: the user's home folder; empty where there is none. */
struct str home_dir(struct arena *a);
/* The same of the user with that number in a text of passwd's form. */
struct str home_in_list(struct str users, unsigned long uid);

/* record.c: the text of a record, and back. record_parse checks the digest that ends it. */
struct str record_format(struct arena *a, const struct store_record *record);
enum record_parsed { RECORD_GOOD, RECORD_DAMAGED, RECORD_NEWER };
enum record_parsed record_parse(struct arena *a, struct str text, struct store_record *record);

/* entry.c */
enum store_found entry_read_record(struct store *s, struct arena *a, const struct sha256 *key,
                                   struct store_record *record, struct error *e);
/* The entry alone, without its row: written aside, then renamed. */
bool entry_publish(struct store *s, struct store_record *record, struct str object,
                   struct error *e);
/* Takes an entry out of sight by one rename, then deletes it. */
bool entry_remove(struct store *s, const struct sha256 *key);
/* Calls `each` for the key of every folder below entries/; stops where it returns false. */
typedef bool entry_fn(void *context, const struct sha256 *key);
bool entry_each(struct store *s, entry_fn *each, void *context, struct error *e);

/* place.c: a new name in tmp/, and removal of what crashed processes left there. */
struct str temporary_name(struct store *s, struct arena *a);
void temporary_clean(struct store *s);
/* Deletes a file, or a folder with all that is in it (links are not followed). */
bool remove_tree(const char *path);

/* memo.c: removes those of a kind that were not used for long. */
void memo_clean(struct store *s, const char *kind);

/* lock.c: false on a file system without locks. */
bool lock_works(struct store *s);
enum lock_state { LOCK_TAKEN, LOCK_HELD /* by somebody else */, LOCK_BROKEN /* none here */ };
/* A lock on a file as such, given up with the descriptor: shared, or `alone`. Never waits. */
enum lock_state lock_file(int fd, bool alone);
/* True where nobody holds the key's lock and it was taken. */
bool lock_try(struct store *s, const struct sha256 *key, struct store_lock *lock);

/* log.c: appends whole lines. */
bool log_append(struct store *s, const char *name, struct str lines, struct error *e);
struct log {
    struct str path;
    struct str rest; /* what log_next_line has not given yet */
    int fd;
};
bool log_is_there(struct store *s, const char *name);
/* Takes the log away from its writers and reads it. True: it is to be removed afterwards. */
bool log_take(struct store *s, struct arena *a, const char *name, struct log *log);
bool log_next_line(struct log *log, struct str *line);
void log_remove(struct log *log);
/* The words of a line: a blank and a text, percent-encoded, and back; a time that is a number. */
void log_add_text(struct buf *b, struct str text);
struct str log_next_word(struct str *line);
bool log_parse_text(struct arena *a, struct str word, struct str *out);
bool log_parse_time(struct str word, int64_t *out);

/* uses.c */
struct store_use {
    bool is_hit; /* false: an entry whose row could not be added when it was made */
    int64_t time;
    struct sha256 key;
    struct sha256 text_digest;
    bool has_ast_hash;
    struct sha256 ast_hash;
    struct str source; /* empty: not said */
};
#define USES_LOG "uses.log"
bool use_parse(struct arena *a, struct str line, struct store_use *use);
/* Leaves the row of a new entry to whoever takes the log next. */
void uses_add_entry(struct store *s, const struct store_record *record);

/* changes.c */
#define CHANGES_LOG "changes.log"
bool changes_append(struct store *s, const struct store_change *changes, size_t count,
                    struct error *e);
bool change_parse(struct arena *a, struct str line, struct store_change *change);

#endif

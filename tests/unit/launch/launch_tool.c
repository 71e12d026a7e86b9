/*
 * The launcher, and what its test needs of the store: compile, hold-lock KEY, stats, verify, key.
 */
#include "launch/launch.h"

#include <string.h>
#include <unistd.h>

static int key(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct launch_key found;
    struct error e;
    const bool good = launch_key_of(a, argc - 1, argv + 1, NULL, NULL, &found, &e);
    if (good) {
        puts(sha256_hex(a, &found.key).ptr);
    } else {
        fprintf(stderr, "%s\n", e.text);
    }
    arena_free(a);
    return good ? 0 : 1;
}

/* Holds a key's lock until it is killed. */
static int hold_lock(struct store *s, const char *hex)
{
    struct sha256 digest;
    struct store_lock lock;
    if (!sha256_from_hex(str_from(hex), &digest) || !store_lock(s, &digest, 0, &lock, NULL)) {
        return 1;
    }
    puts("held");
    fflush(stdout);
    for (;;) {
        pause();
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "compile") == 0) {
        return launch_main(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "key") == 0) {
        return key(argc - 1, argv + 1);
    }
    struct arena *a = arena_new(NULL, NULL);
    struct error e = {""};
    struct store *s = store_open(a, NULL, &e);
    int status = 2;
    if (s == NULL) {
        fprintf(stderr, "%s\n", e.text);
    } else if (argc > 2 && strcmp(argv[1], "hold-lock") == 0) {
        status = hold_lock(s, argv[2]);
    } else if (argc > 1 && strcmp(argv[1], "stats") == 0) {
        struct store_stats stats;
        status = !store_stats(s, a, &stats, &e);
        printf("%llu hits %llu misses %llu entries\n", (unsigned long long)stats.hits,
               (unsigned long long)stats.misses, (unsigned long long)stats.entries);
        for (size_t i = 0; i < stats.cause_count; i++) {
            printf("%s: %llu\n", stats.causes[i].name.ptr,
                   (unsigned long long)stats.causes[i].count);
        }
    }
    store_close(s);
    arena_free(a);
    return status;
}

/*
 * The reader of compile commands (one argument a line), and of @files: what they understand is
 * whole, and the command to be run has the same words but for paths.
 */
#include "launch/private.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good) {
        abort();
    }
}

static void read_command(struct arena *a, struct str text)
{
    struct vec argv;
    vec_init(&argv, a);
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t len = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        const struct str word = str_copy(a, str_slice(text, 0, len));
        if (word.len > 0 && strlen(word.ptr) == word.len && word.ptr[0] != '@') {
            vec_push(&argv, (void *)(uintptr_t)word.ptr);
        }
        text = str_slice(text, len + 1, text.len);
    }
    const size_t count = argv.count;
    vec_push(&argv, NULL);
    struct command c;
    struct error e = {""};
    if (count == 0) {
        return;
    }
    if (!command_parse(a, (int)count, (char **)argv.items, NULL, &c, &e)) {
        require(e.text[0] != '\0');
        return;
    }
    require(c.compiler < count && c.input.len > 0 && c.output.len > 0);
    require(c.output_arg < c.arg_count && c.arg_count < count);
    char **run = command_to_run(a, &c, STR("/home/user/project/build"), false);
    size_t words = 0;
    while (run[words] != NULL) {
        words++;
    }
    require(words == count);
    for (size_t i = 0; i <= c.compiler; i++) {
        require(strcmp(run[i], (const char *)argv.items[i]) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str text = {(const char *)data, size};
    struct vec args;
    struct error e = {""};
    vec_init(&args, a);
    read_command(a, text);
    if (response_split(a, text, &args, &e)) {
        for (size_t i = 0; i < args.count; i++) {
            require(strlen(args.items[i]) <= size);
        }
    } else {
        require(e.text[0] != '\0');
    }
    arena_free(a);
    return 0;
}

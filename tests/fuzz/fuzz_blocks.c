/*
 * The reader of what a target's last generation found. What it reads lies within the text, and is
 * as many as it says.
 */
#include "cli/memo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum;

static void use(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        sum += (unsigned char)s.ptr[i];
    }
}

static void use_files(const struct memo_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        use(files[i].path);
        sum += strlen(files[i].path.ptr) + files[i].stamp.size;
        sum += files[i].has_digest ? files[i].digest.bytes[0] : 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str text = str_copy(a, (struct str){(const char *)data, size});
    struct memo m;
    if (memo_parse(a, text, &m)) {
        use(m.start);
        use_files(m.inputs, m.input_count);
        use_files(m.outputs, m.output_count);
        for (size_t i = 0; i < m.module_count; i++) {
            const struct memo_module *module = &m.modules[i];
            if (module->block_count > size) {
                abort();
            }
            use(module->real_path);
            use(module->source);
            use(module->name);
            for (size_t k = 0; k < module->block_count; k++) {
                use(module->blocks[k].name);
                use(module->blocks[k].shown);
                sum += module->blocks[k].digest.bytes[0];
            }
        }
    }
    arena_free(a);
    return 0;
}

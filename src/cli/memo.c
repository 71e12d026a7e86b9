/* The memo of a target: read, written, and made from a whole generation. */
#include "cli/memo.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_WORDS "PyKokkosCache blocks 2 "

int64_t memo_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct file_stamp program_stamp(struct arena *a)
{
    return file_stamp_of(cli_program(a).ptr);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The text up to the next blank, off the front of `*line`. */
static struct str take_word(struct str *line)
{
    size_t n = 0;
    while (n < line->len && line->ptr[n] != ' ') {
        n++;
    }
    const struct str word = str_slice(*line, 0, n);
    *line = str_slice(*line, n + 1, line->len);
    return word;
}

static bool take_word_of(struct str *line, const char *expected)
{
    return str_equal_c(take_word(line), expected);
}

static bool take_u64(struct str *line, uint64_t *out)
{
    const struct str word = take_word(line);
    uint64_t value = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(word.ptr[i] - '0');
    }
    *out = value;
    return word.len > 0 && word.len < 20;
}

static bool take_stamp(struct str *line, struct file_stamp *out)
{
    uint64_t exists = 0;
    uint64_t mtime = 0;
    uint64_t ctime = 0;
    if (!take_u64(line, &exists) || !take_u64(line, &mtime) || !take_u64(line, &ctime) ||
        !take_u64(line, &out->size) || !take_u64(line, &out->inode) ||
        !take_u64(line, &out->device)) {
        return false;
    }
    out->exists = exists != 0;
    out->mtime_ns = (int64_t)mtime;
    out->ctime_ns = (int64_t)ctime;
    return true;
}

static bool parse_blocks(struct str *text, struct memo_module *m)
{
    for (size_t i = 0; i < m->block_count; i++) {
        struct str line;
        struct memo_block *block = &m->blocks[i];
        if (!cli_next_line(text, &line) || !sha256_from_hex(take_word(&line), &block->digest)) {
            return false;
        }
        block->shown = take_word(&line);
        block->name = take_word(&line);
    }
    return true;
}

static bool parse_module(struct arena *a, struct str *text, struct str line, struct vec *modules)
{
    struct memo_module *m = ARENA_NEW(a, struct memo_module);
    uint64_t count = 0;
    if (!take_u64(&line, &count) || count > text->len) {
        return false;
    }
    m->real_path = cli_decode(a, take_word(&line));
    m->source = cli_decode(a, take_word(&line));
    m->name = cli_decode(a, take_word(&line));
    m->blocks = ARENA_ARRAY(a, struct memo_block, count);
    m->block_count = count;
    vec_push(modules, m);
    return parse_blocks(text, m);
}

static struct memo_file *files_of(struct arena *a, const struct vec *v, size_t *count)
{
    struct memo_file *files = ARENA_ARRAY(a, struct memo_file, v->count);
    for (size_t i = 0; i < v->count; i++) {
        files[i] = *(const struct memo_file *)v->items[i];
    }
    *count = v->count;
    return files;
}

static bool parse_body(struct arena *a, struct str text, struct memo *out)
{
    struct vec inputs;
    struct vec outputs;
    struct vec modules;
    vec_init(&inputs, a);
    vec_init(&outputs, a);
    vec_init(&modules, a);
    struct str line;
    while (cli_next_line(&text, &line)) {
        const struct str word = take_word(&line);
        if (str_equal_c(word, "module")) {
            if (!parse_module(a, &text, line, &modules)) {
                return false;
            }
            continue;
        }
        struct memo_file *file = ARENA_NEW(a, struct memo_file);
        file->has_digest = str_equal_c(word, "import");
        if ((file->has_digest && !sha256_from_hex(take_word(&line), &file->digest)) ||
            !take_stamp(&line, &file->stamp)) {
            return false;
        }
        file->path = cli_decode(a, line);
        vec_push(str_equal_c(word, "output") ? &outputs : &inputs, file);
    }
    out->inputs = files_of(a, &inputs, &out->input_count);
    out->outputs = files_of(a, &outputs, &out->output_count);
    out->modules = ARENA_ARRAY(a, struct memo_module, modules.count);
    out->module_count = modules.count;
    for (size_t i = 0; i < modules.count; i++) {
        out->modules[i] = *(const struct memo_module *)modules.items[i];
    }
    return true;
}

static bool parse_head(struct str *text, struct memo *out)
{
    struct str line;
    uint64_t number = 0;
    if (!cli_next_line(text, &line) || !take_word_of(&line, "program") ||
        !take_stamp(&line, &out->program) || !cli_next_line(text, &line) ||
        !take_word_of(&line, "options") || !sha256_from_hex(line, &out->options) ||
        !cli_next_line(text, &line) || !take_word_of(&line, "start") || line.len == 0) {
        return false;
    }
    out->start = line;
    if (!cli_next_line(text, &line) || !take_word_of(&line, "begun") || !take_u64(&line, &number)) {
        return false;
    }
    out->begun_ns = (int64_t)number;
    if (!cli_next_line(text, &line) || !take_word_of(&line, "kernels") ||
        !take_u64(&line, &number)) {
        return false;
    }
    out->kernels = number;
    return true;
}

bool memo_parse(struct arena *a, struct str text, struct memo *out)
{
    *out = (struct memo){.kernels = 0};
    return parse_head(&text, out) && parse_body(a, text, out);
}

bool memo_read(struct arena *a, const struct cli_target *t, struct memo *out)
{
    struct str text;
    struct str line;
    struct error e;
    struct sha256 said;
    struct sha256 is;
    struct sha256 options;
    *out = (struct memo){.kernels = 0};
    if (t->text.len == 0 || !file_read(a, target_file(a, t, ".blocks").ptr, 0, &text, &e) ||
        !cli_next_line(&text, &line) || !str_starts_with(line, FIRST_WORDS) ||
        !sha256_from_hex(str_slice(line, strlen(FIRST_WORDS), line.len), &said) ||
        !sha256_of(text, &is) || !sha256_equal(&said, &is) || !memo_parse(a, text, out)) {
        return false;
    }
    const struct file_stamp program = program_stamp(a);
    return program.exists && file_stamp_equal(&program, &out->program) &&
           str_equal(out->start, system_start(a)) && sha256_of(t->text, &options) &&
           sha256_equal(&options, &out->options);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Encoded for a field that ends at a blank. */
static struct str field(struct arena *a, struct str s)
{
    struct str encoded = cli_encode(a, s);
    if (encoded.len == 0 || memchr(encoded.ptr, ' ', encoded.len) == NULL) {
        return encoded;
    }
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < encoded.len; i++) {
        if (encoded.ptr[i] == ' ') {
            buf_add_c(&b, "%20");
        } else {
            buf_add_char(&b, encoded.ptr[i]);
        }
    }
    return buf_str(&b);
}

static void add_stamp(struct buf *b, const struct file_stamp *s)
{
    buf_printf(b, "%d %llu %llu %llu %llu %llu", s->exists ? 1 : 0, (unsigned long long)s->mtime_ns,
               (unsigned long long)s->ctime_ns, (unsigned long long)s->size,
               (unsigned long long)s->inode, (unsigned long long)s->device);
}

static void add_hex(struct buf *b, const struct sha256 *h)
{
    static const char digits[] = "0123456789abcdef";
    char text[SHA256_HEX_LEN];
    for (size_t i = 0; i < sizeof(h->bytes); i++) {
        text[2 * i] = digits[h->bytes[i] >> 4];
        text[2 * i + 1] = digits[h->bytes[i] & 15];
    }
    buf_add_bytes(b, text, sizeof(text));
}

static void add_files(struct buf *b, const char *word, const struct memo_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(b, "%s ", files[i].has_digest ? "import" : word);
        if (files[i].has_digest) {
            add_hex(b, &files[i].digest);
            buf_add_char(b, ' ');
        }
        add_stamp(b, &files[i].stamp);
        buf_add_char(b, ' ');
        buf_add(b, cli_encode(b->arena, files[i].path));
        buf_add_char(b, '\n');
    }
}

static void add_module(struct buf *b, const struct memo_module *m)
{
    struct arena *a = b->arena;
    buf_printf(b, "module %zu " STR_FMT " " STR_FMT " " STR_FMT "\n", m->block_count,
               STR_ARG(field(a, m->real_path)), STR_ARG(field(a, m->source)),
               STR_ARG(field(a, m->name)));
    for (size_t i = 0; i < m->block_count; i++) {
        const struct memo_block *block = &m->blocks[i];
        add_hex(b, &block->digest);
        if (block->name.len > 0) {
            buf_add_char(b, ' ');
            buf_add(b, block->shown);
            buf_add_char(b, ' ');
            buf_add(b, block->name);
        }
        buf_add_char(b, '\n');
    }
}

void memo_write(struct arena *a, const struct cli_target *t, const struct memo *m)
{
    struct arena *scratch = arena_like(a);
    struct buf b;
    struct sha256 sum;
    struct error e;
    buf_init(&b, scratch);
    /* The sum's room first: the text is long, and is not copied. */
    buf_printf(&b, FIRST_WORDS "%064d\n", 0);
    const size_t head = b.len;
    buf_add_c(&b, "program ");
    add_stamp(&b, &m->program);
    buf_add_c(&b, "\noptions ");
    add_hex(&b, &m->options);
    buf_printf(&b, "\nstart " STR_FMT, STR_ARG(system_start(scratch)));
    buf_printf(&b, "\nbegun %llu\nkernels %zu\n", (unsigned long long)m->begun_ns, m->kernels);
    add_files(&b, "input", m->inputs, m->input_count);
    add_files(&b, "output", m->outputs, m->output_count);
    for (size_t i = 0; i < m->module_count; i++) {
        add_module(&b, &m->modules[i]);
    }
    const struct str text = buf_str(&b);
    const bool summed = sha256_of(str_slice(text, head, text.len), &sum);
    if (summed) {
        memcpy(b.ptr + strlen(FIRST_WORDS), sha256_hex(scratch, &sum).ptr, SHA256_HEX_LEN);
    }
    if (!summed || !file_write(target_file(a, t, ".blocks").ptr, text, false, &e)) {
        memo_remove(a, t);
    }
    arena_free(scratch);
}

void memo_remove(struct arena *a, const struct cli_target *t)
{
    (void)unlink(target_file(a, t, ".blocks").ptr);
}

/* ---- made ----------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* The next word of `text` from `*at` on, in strings and comments, too; empty: there is none. */
static struct str next_word(struct str text, size_t *at)
{
    while (*at < text.len && !is_word(text.ptr[*at])) {
        (*at)++;
    }
    const size_t from = *at;
    while (*at < text.len && is_word(text.ptr[*at])) {
        (*at)++;
    }
    return str_slice(text, from, *at);
}

bool memo_mentions(const struct map *names, struct str text, struct str own)
{
    size_t at = 0;
    for (struct str word = next_word(text, &at); word.len > 0; word = next_word(text, &at)) {
        if (!str_equal(word, own) && map_has(names, word)) {
            return true;
        }
    }
    return false;
}

bool memo_binds_more(struct str text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == ':' && text.ptr[i + 1] == '=') {
            return true;
        }
    }
    return false;
}

size_t memo_block_at(const struct py_block *blocks, size_t count, uint32_t byte)
{
    size_t low = 0;
    size_t high = count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (blocks[middle].start <= byte) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct ast_node **memo_only_nodes(struct arena *a, const struct py_module *m,
                                        const struct py_block *blocks, size_t count)
{
    const struct ast_seq *body = &m->tree->u.module.body;
    const struct ast_node **nodes =
        (const struct ast_node **)arena_array(a, count, sizeof(const struct ast_node *));
    bool *several = ARENA_ARRAY(a, bool, count);
    for (size_t i = 0; i < body->count && count > 0; i++) {
        const size_t at = memo_block_at(blocks, count, body->items[i]->span.start_byte);
        several[at] = several[at] || nodes[at] != NULL;
        nodes[at] = body->items[i];
    }
    for (size_t i = 0; i < count; i++) {
        nodes[i] = several[i] ? NULL : nodes[i];
    }
    return nodes;
}

struct str memo_alone(struct arena *a, const struct gen_request *request,
                      const struct gen_module *module, const struct gen_workunit *units,
                      size_t count, const struct ast_node *only, struct sha256 *shown)
{
    const struct py_workunit *w = units[0].workunit;
    const bool plain = w->class_node == NULL && w->style == PY_STANDALONE && w->node == only &&
                       w->module == module->source && !py_is_reached(w->module, w->node);
    return plain && gen_shown(a, request, module, units, count, shown) ? w->qualified : STR("");
}

/* Marks the blocks of the workunits from `*at` on that are this module's. */
static void mark_alone(struct arena *a, const struct cli_target *t, const struct gen_result *r,
                       const struct gen_module *module, const struct py_block *blocks,
                       struct memo_module *out, size_t *at)
{
    const struct py_module *m = module->source;
    const struct ast_node **only = memo_only_nodes(a, m, blocks, out->block_count);
    while (*at < r->workunit_count && str_equal(r->workunits[*at].module, module->name)) {
        const struct gen_workunit *first = &r->workunits[*at];
        size_t count = 1;
        while (*at + count < r->workunit_count && first[count].workunit == first->workunit) {
            count++;
        }
        *at += count;
        if (first->workunit->module != m || out->block_count == 0) {
            continue;
        }
        const size_t block =
            memo_block_at(blocks, out->block_count, first->workunit->node->span.start_byte);
        struct arena *scratch = arena_like(a);
        struct sha256 shown;
        const struct str name =
            memo_alone(scratch, &t->request, module, first, count, only[block], &shown);
        if (name.len > 0) {
            out->blocks[block].name = field(a, name);
            out->blocks[block].shown = sha256_hex(a, &shown);
        }
        arena_free(scratch);
    }
}

/* A block whose workunit another one mentions, if only in a comment, is not alone. */
static void unmark_mentioned(struct arena *a, const struct py_module *m,
                             const struct py_block *blocks, struct memo_module *out)
{
    struct map names;
    struct str *own = ARENA_ARRAY(a, struct str, out->block_count);
    map_init(&names, a);
    for (size_t i = 0; i < out->block_count; i++) {
        own[i] = out->blocks[i].name;
        if (own[i].len > 0) {
            map_set(&names, own[i], &out->blocks[i]);
        }
    }
    for (size_t i = 0; i < out->block_count; i++) {
        const struct str text = str_slice(m->source, blocks[i].start, blocks[i].end);
        if (own[i].len == 0) {
            continue;
        }
        if (memo_binds_more(text)) {
            out->blocks[i].name = STR("");
        }
        size_t at = 0;
        for (struct str word = next_word(text, &at); word.len > 0; word = next_word(text, &at)) {
            struct memo_block *block = str_equal(word, own[i]) ? NULL : map_get(&names, word);
            if (block != NULL) {
                block->name = STR("");
            }
        }
    }
}

static bool list_outputs(struct arena *a, const struct cli_target *t, struct memo *out)
{
    struct vec files;
    struct error e;
    if (!gen_list_files(a, &t->request, &files, &e)) {
        return false;
    }
    static const char *const more[] = {".cmake", ".files"};
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        struct str *path = ARENA_NEW(a, struct str);
        *path = str_format(a, STR_FMT "%s", STR_ARG(t->request.target), more[i]);
        vec_push(&files, path);
    }
    out->outputs = ARENA_ARRAY(a, struct memo_file, files.count);
    for (size_t i = 0; i < files.count; i++) {
        const struct str path = *(const struct str *)files.items[i];
        const struct str full = path_join(a, t->request.output_dir, path);
        out->outputs[out->output_count++] =
            (struct memo_file){.path = path, .stamp = file_stamp_of(full.ptr)};
    }
    return true;
}

bool memo_of(struct arena *a, const struct cli_target *t, const struct gen_result *result,
             int64_t begun_ns, struct memo *out)
{
    *out = (struct memo){.begun_ns = begun_ns, .kernels = result->workunit_count};
    /* A fused kernel is of several blocks. */
    if (t->text.len == 0 || t->request.fuse_count > 0 || result->module_count == 0 ||
        !sha256_of(t->text, &out->options)) {
        return false;
    }
    out->program = program_stamp(a);
    const struct py_input *inputs =
        py_program_inputs(result->modules[0].source->program, &out->input_count);
    out->inputs = ARENA_ARRAY(a, struct memo_file, out->input_count);
    struct map own;
    map_init(&own, a);
    for (size_t i = 0; i < result->module_count; i++) {
        map_set(&own, result->modules[i].source->real_path, out);
    }
    for (size_t i = 0; i < out->input_count; i++) {
        struct memo_file *f = &out->inputs[i];
        *f = (struct memo_file){.path = inputs[i].path, .stamp = inputs[i].stamp};
        f->has_digest = !map_has(&own, f->path) &&
                        py_input_digest(result->modules[0].source->program, f->path, &f->digest);
    }
    out->modules = ARENA_ARRAY(a, struct memo_module, result->module_count);
    out->module_count = result->module_count;
    size_t at = 0;
    for (size_t i = 0; i < result->module_count; i++) {
        const struct gen_module *module = &result->modules[i];
        struct memo_module *m = &out->modules[i];
        const struct py_block *blocks = py_blocks(module->source, &m->block_count);
        *m = (struct memo_module){.real_path = module->source->real_path,
                                  .source = module->source->path,
                                  .name = module->name,
                                  .block_count = m->block_count};
        m->blocks = ARENA_ARRAY(a, struct memo_block, m->block_count);
        for (size_t k = 0; k < m->block_count; k++) {
            const struct str text =
                str_slice(module->source->source, blocks[k].start, blocks[k].end);
            if (!sha256_of(text, &m->blocks[k].digest)) {
                return false;
            }
        }
        mark_alone(a, t, result, module, blocks, m, &at);
        unmark_mentioned(a, module->source, blocks, m);
    }
    return list_outputs(a, t, out) && at == result->workunit_count;
}

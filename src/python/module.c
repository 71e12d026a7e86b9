/* module: reading files, each once, and the list of all paths that a result depends on. */
#include "python/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "python/memory.h"
#include "python/unicode.h"

const TSLanguage *tree_sitter_python(void);

struct py_program *py_program_new(struct arena *a, struct diags *diags)
{
    ts_set_allocator(pkc_grammar_malloc, pkc_grammar_calloc, pkc_grammar_realloc, pkc_grammar_free);
    struct py_program *p = ARENA_NEW(a, struct py_program);
    p->arena = a;
    p->diags = diags;
    p->cwd = path_cwd(a);
    p->grammar_ok = grammar_init(&p->grammar, a, tree_sitter_python());
    map_init(&p->modules, a);
    map_init(&p->inputs_seen, a);
    map_init(&p->found, a);
    map_init(&p->reached, a);
    map_init(&p->owners, a);
    map_init(&p->annotations, a);
    vec_init(&p->roots, a);
    buf_init(&p->form_text, a);
    buf_init(&p->closure_text, a);
    return p;
}

struct file_stamp program_probe(struct py_program *p, struct str path)
{
    const size_t seen = (size_t)(uintptr_t)map_get(&p->inputs_seen, path);
    if (seen > 0) {
        return p->inputs[seen - 1].stamp;
    }
    if (p->input_count == p->input_cap) {
        const size_t cap = p->input_cap == 0 ? 32 : p->input_cap * 2;
        struct py_input *inputs = ARENA_ARRAY(p->arena, struct py_input, cap);
        if (p->input_count > 0) {
            memcpy(inputs, p->inputs, p->input_count * sizeof(*inputs));
        }
        p->inputs = inputs;
        p->input_cap = cap;
    }
    const struct str kept = str_copy(p->arena, path);
    struct py_input *input = &p->inputs[p->input_count++];
    input->path = kept;
    input->stamp = file_stamp_of(kept.ptr);
    map_set(&p->inputs_seen, kept, (void *)(uintptr_t)p->input_count);
    return input->stamp;
}

const struct py_input *py_program_inputs(const struct py_program *p, size_t *count)
{
    *count = p->input_count;
    return p->inputs;
}

static struct str real_path_of(struct py_program *p, struct str path)
{
    const struct str absolute = path_absolute(p->arena, p->cwd, path);
    char *resolved = realpath(absolute.ptr, NULL);
    if (resolved == NULL) {
        return absolute;
    }
    const struct str copy = str_copy_c(p->arena, resolved);
    free(resolved);
    return copy;
}

/* "pkg.sub.mod": as far up as the folders are packages. */
static struct str dotted_name(struct py_program *p, struct str absolute)
{
    const struct str base = path_basename(absolute);
    struct str folder = path_dirname(absolute);
    struct str name = STR("");
    if (str_equal_c(base, "__init__.py")) {
        name = path_basename(folder);
        folder = path_dirname(folder);
    } else {
        name = path_stem(absolute);
    }
    for (int up = 0; up < 64 && folder.len > 1; up++) {
        const struct str init = path_join(p->arena, folder, STR("__init__.py"));
        if (!program_probe(p, init).exists) {
            break;
        }
        const struct str package = path_basename(folder);
        name = str_format(p->arena, STR_FMT "." STR_FMT, STR_ARG(package), STR_ARG(name));
        folder = path_dirname(folder);
    }
    return str_copy(p->arena, name);
}

/* Line ends as Python reads them: "\r\n" and "\r" become "\n". Copies only where needed. */
static struct str normal_newlines(struct arena *a, struct str source)
{
    if (source.len == 0 || memchr(source.ptr, '\r', source.len) == NULL) {
        return source;
    }
    char *out = arena_alloc(a, source.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < source.len; i++) {
        if (source.ptr[i] != '\r') {
            out[n++] = source.ptr[i];
            continue;
        }
        out[n++] = '\n';
        if (i + 1 < source.len && source.ptr[i + 1] == '\n') {
            i++;
        }
    }
    out[n] = '\0';
    return (struct str){out, n};
}

/* The place of byte `offset`. */
static struct ast_span span_at(struct str source, size_t offset)
{
    struct ast_span span = {1, 0, 1, 0, (uint32_t)offset, (uint32_t)offset + 1};
    for (size_t i = 0; i < offset; i++) {
        if (source.ptr[i] == '\n') {
            span.line++;
            span.column = 0;
        } else {
            span.column++;
        }
    }
    span.end_line = span.line;
    span.end_column = span.column + 1;
    return span;
}

/* False, with an error, where the bytes are not text that Python reads. */
static bool check_text(struct module *m)
{
    const struct str source = m->pub.source;
    const char *nul = source.len == 0 ? NULL : memchr(source.ptr, '\0', source.len);
    if (nul != NULL) {
        const struct ast_span span = span_at(source, (size_t)(nul - source.ptr));
        py_error_at(&m->pub, &span, STR(""),
                    STR("SyntaxError: source code cannot contain null bytes"), STR(""));
        return false;
    }
    for (size_t i = 0; i < source.len;) {
        if ((unsigned char)source.ptr[i] < 0x80) {
            i++;
            continue;
        }
        const size_t at = i;
        uint32_t code = 0;
        if (unicode_next(source, &i, &code)) {
            continue;
        }
        const struct ast_span span = span_at(source, at);
        py_error_at(&m->pub, &span, STR(""),
                    str_format(m->pub.program->arena,
                               "SyntaxError: (unicode error) 'utf-8' codec can't decode byte "
                               "0x%02x in position %zu",
                               (unsigned)(unsigned char)source.ptr[at], at),
                    STR("save the file as UTF-8"));
        return false;
    }
    return true;
}

static struct module *module_new(struct py_program *p, struct str path, struct str real)
{
    struct module *m = ARENA_NEW(p->arena, struct module);
    m->pub.program = p;
    m->pub.path = path;
    m->pub.real_path = real;
    m->folder = str_copy(p->arena, path_dirname(real));
    map_init(&m->sites, p->arena);
    map_init(&m->globals, p->arena);
    map_init(&m->classes, p->arena);
    map_init(&m->forms, p->arena);
    vec_init(&m->star_modules, p->arena);
    struct ast_node *empty = ARENA_NEW(p->arena, struct ast_node);
    empty->kind = AST_MODULE;
    empty->span.line = 1;
    m->pub.tree = empty;
    map_set(&p->modules, real, m);
    return m;
}

struct module *module_namespace(struct py_program *p, struct str folder, struct str dotted)
{
    struct module *m = map_get(&p->modules, folder);
    if (m != NULL) {
        return m;
    }
    m = module_new(p, folder, folder);
    m->folder = folder;
    m->pub.name = path_basename(folder);
    m->pub.readable = true;
    m->dotted = dotted;
    m->is_namespace = true;
    return m;
}

static void add_root(struct py_program *p, struct str folder)
{
    for (size_t i = 0; i < p->roots.count; i++) {
        if (str_equal(*(const struct str *)p->roots.items[i], folder)) {
            return;
        }
    }
    struct str *kept = ARENA_NEW(p->arena, struct str);
    *kept = folder;
    vec_push(&p->roots, kept);
}

/* Takes a file's bytes, and parses them where they are text. */
static void module_set_text(struct module *m, struct str text)
{
    if (str_starts_with(text, "\xEF\xBB\xBF")) {
        text = str_slice(text, 3, text.len);
    }
    m->pub.source = normal_newlines(m->pub.program->arena, text);
    m->pub.readable = check_text(m);
    if (m->pub.readable) {
        parse_module(m);
    } else {
        m->pub.error_count++;
    }
}

struct module *module_from_text(struct py_program *p, struct str path, struct str text)
{
    struct module *m = module_new(p, path, path);
    m->pub.name = path_stem(path);
    m->dotted = m->pub.name;
    module_set_text(m, text);
    return m;
}

struct module *module_load(struct py_program *p, struct str path, bool by_name)
{
    const struct str absolute = path_absolute(p->arena, p->cwd, path);
    /* The stamp is taken before reading: an edit in between is seen as a change. */
    program_probe(p, absolute);
    const struct str real = real_path_of(p, path);
    struct module *m = map_get(&p->modules, real);
    if (m == NULL) {
        if (!str_equal(real, absolute)) {
            program_probe(p, real);
        }
        m = module_new(p, str_copy(p->arena, path), real);
        /* Imports start where the file was named, not where a symbolic link points. */
        m->folder = str_copy(p->arena, path_dirname(absolute));
        m->pub.name = str_copy(p->arena, str_equal_c(path_basename(absolute), "__init__.py")
                                             ? path_basename(m->folder)
                                             : path_stem(absolute));
        m->dotted = dotted_name(p, absolute);
        struct str text;
        struct error e = {{0}};
        if (file_read(p->arena, real.ptr, PY_MAX_FILE_SIZE, &text, &e)) {
            m->bytes = text;
            module_set_text(m, text);
        } else {
            py_error_at(&m->pub, NULL, STR(""), str_copy_c(p->arena, e.text), STR(""));
        }
    }
    if (by_name) {
        add_root(p, m->folder);
    }
    return m;
}

const struct py_module *py_module_load(struct py_program *p, struct str path)
{
    return &module_load(p, path, true)->pub;
}

bool py_input_digest(const struct py_program *p, struct str real_path, struct sha256 *out)
{
    const struct module *m = map_get(&p->modules, real_path);
    return m != NULL && m->pub.readable && !m->is_namespace && sha256_of(m->bytes, out);
}

/* ---- diagnostics ---------------------------------------------------------------------------- */

static struct str source_line(struct str source, uint32_t byte, uint32_t *start)
{
    size_t from = byte > source.len ? source.len : byte;
    size_t to = from;
    while (from > 0 && source.ptr[from - 1] != '\n') {
        from--;
    }
    while (to < source.len && source.ptr[to] != '\n') {
        to++;
    }
    *start = (uint32_t)from;
    return str_slice(source, from, to);
}

/* Characters (code points) in source[from:to]. */
static int characters(struct str source, size_t from, size_t to)
{
    int count = 0;
    for (size_t i = from; i < to && i < source.len; i++) {
        count += ((unsigned char)source.ptr[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
}

static void add_diag(const struct py_module *m, enum diag_severity severity,
                     const struct ast_span *span, struct str scope, struct str message,
                     struct str hint)
{
    struct diag diag = {
        .severity = severity,
        .file = m->path,
        .message = message,
        .hint = hint,
        .source_line = STR(""),
        .scope = scope,
    };
    if (span != NULL) {
        uint32_t start = 0;
        diag.line = span->line;
        diag.source_line = source_line(m->source, span->start_byte, &start);
        diag.column = characters(m->source, start, span->start_byte) + 1;
        if (span->end_line == span->line && span->end_byte > span->start_byte) {
            diag.end_column = diag.column + characters(m->source, span->start_byte, span->end_byte);
        }
    }
    diags_add(m->program->diags, diag);
}

void py_error_at(const struct py_module *m, const struct ast_span *span, struct str scope,
                 struct str message, struct str hint)
{
    add_diag(m, DIAG_ERROR, span, scope, message, hint);
}

void py_error(const struct py_module *m, const struct ast_node *node, struct str scope,
              struct str message, struct str hint)
{
    add_diag(m, DIAG_ERROR, node == NULL ? NULL : &node->span, scope, message, hint);
}

void py_warning(const struct py_module *m, const struct ast_node *node, struct str scope,
                struct str message, struct str hint)
{
    add_diag(m, DIAG_WARNING, node == NULL ? NULL : &node->span, scope, message, hint);
}

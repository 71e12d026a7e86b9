#include "lowered.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lowered_open(struct lowered *l, const char *source)
{
    struct error e = {{0}};

    memset(l, 0, sizeof *l);
    l->arena = arena_new(NULL, NULL);
    diags_init(&l->diags, l->arena);
    strcpy(l->directory, "pkc-kernel-XXXXXX");
    assert_non_null(mkdtemp(l->directory));
    const struct str path = str_format(l->arena, "%s/k.py", l->directory);
    const struct str text = str_format(l->arena, "import math\nimport pykokkos as pk\n%s", source);
    assert_true(file_write(path.ptr, text, false, &e));
    struct py_program *p = py_program_new(l->arena, &l->diags);
    l->module = py_module_load(p, path);
    l->workunits = py_workunits(l->module, &l->count);
}

void lowered_close(struct lowered *l)
{
    assert_int_equal(unlink(str_format(l->arena, "%s/k.py", l->directory).ptr), 0);
    assert_int_equal(rmdir(l->directory), 0);
    arena_free(l->arena);
}

const struct kernel *lowered_kernel(struct lowered *l, const char *workunit,
                                    const char *instantiation)
{
    const struct kernel_options options = {TYPE_DOUBLE, NULL};
    struct instantiation given;
    struct error e = {{0}};

    if (instantiation) {
        assert_true(
            instantiation_parse(l->arena, str_from(instantiation), TYPE_DOUBLE, &given, &e));
    }
    for (size_t i = 0; i < l->count; i++) {
        if (str_equal_c(l->workunits[i].qualified, workunit)) {
            return kernel_lower(l->arena, &l->workunits[i], instantiation ? &given : NULL,
                                &options);
        }
    }
    fail_msg("no workunit %s", workunit);
    return NULL;
}

const char *lowered_messages(struct lowered *l)
{
    struct buf text;

    buf_init(&text, l->arena);
    diags_sort(&l->diags);
    diags_format(&text, &l->diags, false);
    return buf_str(&text).ptr;
}

const char *lowered_dump(struct lowered *l)
{
    const struct kernel *k = lowered_kernel(l, "f", NULL);
    struct buf text;

    if (!k) {
        fail_msg("refused:\n%s", lowered_messages(l));
    }
    buf_init(&text, l->arena);
    ir_dump(&text, k);
    return buf_str(&text).ptr;
}

bool lowered_reported(const struct lowered *l, enum diag_severity severity, int line,
                      const char *word)
{
    for (size_t i = 0; i < l->diags.count; i++) {
        const struct diag *d = &l->diags.items[i];
        if (d->severity == severity && d->line == line && strstr(d->message.ptr, word)) {
            return true;
        }
    }
    return false;
}

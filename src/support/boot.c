#include "support/support.h"

struct str system_start(struct arena *a)
{
    struct str text;
    struct error e;
    if (!file_read(a, "/proc/sys/kernel/random/boot_id", 0, &text, &e)) {
        return STR("-");
    }
    size_t len = 0;
    while (len < text.len && text.ptr[len] != '\n' && text.ptr[len] != ' ') {
        len++;
    }
    return len > 0 ? str_slice(text, 0, len) : STR("-");
}

#include "support/private.h"

#include <errno.h>
#include <string.h>

void error_set(struct error *e, const char *format, ...)
{
    if (e == NULL) {
        return;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(e->text, sizeof(e->text), format, args);
    va_end(args);
}

void error_errno(struct error *e, const char *what, const char *path)
{
    /* A long path loses its beginning rather than hide what went wrong. */
    enum { longest = 300 };
    const int number = errno;
    const size_t len = strlen(path);
    const bool cut = len > longest;
    error_set(e, "cannot %s %s%s: %s", what, cut ? "..." : "", cut ? path + len - longest : path,
              strerror(number));
    errno = number;
}

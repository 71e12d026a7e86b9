#include "cli/store.h"

struct store *cli_open_store(struct arena *a, struct str dir)
{
    struct error e;
    struct store *s = store_open(a, dir.len > 0 ? dir.ptr : NULL, &e);
    if (s == NULL) {
        (void)cli_fail("%s", e.text[0] != '\0'
                                 ? e.text
                                 : "the store is switched off (PYKOKKOS_CACHE_DISABLE)");
    }
    return s;
}

struct str cli_size(struct arena *a, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double n = (double)bytes;
    size_t unit = 0;
    while (n >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        n /= 1024;
        unit++;
    }
    return unit == 0 ? str_format(a, "%llu B", (unsigned long long)bytes)
                     : str_format(a, "%.1f %s", n, units[unit]);
}

/* Compiler, Kokkos and Python as CMake finds them, for building without CMake. */
#ifndef PKC_CLI_TOOLCHAIN_H
#define PKC_CLI_TOOLCHAIN_H

#include "support/support.h"

struct toolchain {
    struct str file; /* where this is kept */
    struct str cxx, cxx_name;
    struct str kokkos_version, kokkos_package, kokkos_devices, kokkos_include;
    struct str atomics_bypass; /* the definition, or empty */
    struct str python_suffix, python_program;
    struct vec kernel_flags, kokkos_flags, python_flags, link_flags,
        link_libraries; /* struct str * */
};

/* Reads what is known in `folder`, or asks CMake and keeps the answer there. It is asked again when
 * the environment (CXX, CXXFLAGS, PATH, CMAKE_PREFIX_PATH, …) or a file of the toolchain changed.
 * `kokkos` may be empty: the prefix to look in first. */
bool toolchain_get(struct arena *a, struct str folder, struct str kokkos, bool python,
                   struct toolchain *out, struct error *e);
/* Reads one that toolchain_get has written; nothing is checked. */
bool toolchain_read(struct arena *a, struct str file, struct toolchain *out, struct error *e);

#endif

# pkc_link_statically(<target>): links the program with nothing to load at its start, where that works here.
#
# The launcher starts once a compile, and loading shared libraries is then more than half of what a hit
# takes. Needs the static libraries of all that it uses, the C library's among them.
include(CheckCSourceCompiles)
option(PKC_STATIC "Link the program statically where that works" ON)

# Not -static-pie: a program that may be anywhere first has to write its own pointers. no_libraries.c says what
# dlopen is.
set(PKC_STATIC_OPTIONS -static -Wl,--wrap=dlopen)

# Sets PKC_STATIC_WORKS, once for a build tree.
function(pkc_check_static)
    set(CMAKE_REQUIRED_QUIET ON)
    set(CMAKE_REQUIRED_LINK_OPTIONS ${PKC_STATIC_OPTIONS})
    if(NOT TARGET tree_sitter_python_grammar)
        set(grammar "${TreeSitterPython_LIBRARY}")
    endif()
    set(CMAKE_REQUIRED_LIBRARIES "${PKC_SQLITE_STATIC}" "${PKC_LIBCRYPTO_STATIC}" "${TreeSitter_LIBRARY}"
        ${grammar} Threads::Threads m ${CMAKE_DL_LIBS})
    check_c_source_compiles("
        int sqlite3_libversion_number(void);
        int SHA256_Init(void *);
        void *ts_parser_new(void);
        double exp2(double);
        void *dlopen(const char *, int);
        void *__wrap_dlopen(const char *path, int mode) { return path != 0 && mode != 0 ? 0 : 0; }
        int main(int argc, char **argv) {
            if (argc > 4) { return dlopen(argv[1], argc) != 0; }
            return argc > 1 ? sqlite3_libversion_number() : argc > 2 ? SHA256_Init(argv)
                : argc > 3 ? ts_parser_new() != 0 : (int)exp2(argc);
        }" PKC_STATIC_WORKS)
endfunction()

function(pkc_link_statically target)
    if(NOT PKC_STATIC OR PKC_SANITIZE OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux"
        OR NOT PKC_SQLITE_STATIC OR NOT PKC_LIBCRYPTO_STATIC)
        return()
    endif()
    find_package(Threads REQUIRED)
    pkc_check_static()
    if(PKC_STATIC_WORKS)
        target_sources(${target} PRIVATE no_libraries.c)
        target_link_options(${target} PRIVATE ${PKC_STATIC_OPTIONS})
        set_target_properties(${target} PROPERTIES PKC_IS_STATIC ON)
    endif()
endfunction()

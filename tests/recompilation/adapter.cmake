# For the shared cases: pkc_case(<target> <file.py>...) over pykokkos_add_library. The package is
# found through CMAKE_PREFIX_PATH or PyKokkosCache_DIR of the environment. Each build tree has a
# store of its own: the cases count compiles, and one of them builds the same kernels in one folder
# after the other, which a shared store would (rightly) compile once.
set(PYKOKKOS_CACHE_DIR "${CMAKE_BINARY_DIR}/store")
find_package(PyKokkosCache REQUIRED)
function(pkc_case target)
    pykokkos_add_library(${target} STATIC SOURCES ${ARGN})
endfunction()

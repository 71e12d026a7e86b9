# The targets and functions that a user of the package sees: the same from an installation, from a
# build tree and as a subproject.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/PyKokkosCacheFunctions.cmake")

# pkc_package(<version> <package dir> <module dir> <include dir> <executable>)
function(pkc_package version package_dir module_dir include_dir executable)
    if(TARGET PyKokkosCache::headers)
        return()
    endif()
    if(NOT TARGET PyKokkosCache::pykokkos-cache)
        add_executable(PyKokkosCache::pykokkos-cache IMPORTED GLOBAL)
        if(PYKOKKOS_CACHE_EXECUTABLE)
            set(executable "${PYKOKKOS_CACHE_EXECUTABLE}")
        endif()
        set_target_properties(PyKokkosCache::pykokkos-cache PROPERTIES IMPORTED_LOCATION "${executable}")
    endif()
    add_library(PyKokkosCache::headers INTERFACE IMPORTED GLOBAL)
    set_target_properties(PyKokkosCache::headers PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${include_dir}"
        PKC_VERSION "${version}"
        PKC_PACKAGE_DIR "${package_dir}"
        PKC_MODULE_DIR "${module_dir}"
        PKC_INCLUDE_DIR "${include_dir}"
        PKC_EXECUTABLE "${executable}")
endfunction()

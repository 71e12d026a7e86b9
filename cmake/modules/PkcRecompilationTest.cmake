# pykokkos_add_recompilation_test: a CTest test of what an edit of a Python file compiles.
include_guard(GLOBAL)

# pykokkos_add_recompilation_test(NAME <name> SOURCE <file.py>
#     [REPLACE <text> WITH <text>] [COMPILES <n>]
#     [INSTANTIATE "<workunit>(<param>: <type>, ...)"...] [DEFAULT_REAL float|double])
#
# Builds a library of a copy of SOURCE, with the other Python files of its folder, in a scratch
# project with a store of its own, this project's generator, compiler and Kokkos. It then checks that
#
#   - a second build has nothing to do;
#   - a comment and a touch compile nothing;
#   - an edit compiles the kernels that it should, and no more: REPLACE … WITH … is that edit, and
#     COMPILES (default 1) their number. Without REPLACE the edit is an early return of the first
#     workunit, and one kernel is compiled;
#   - the edit taken back compiles nothing.
function(pykokkos_add_recompilation_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SOURCE;REPLACE;WITH;COMPILES;DEFAULT_REAL"
        "INSTANTIATE")
    _pkc_check_arguments(pykokkos_add_recompilation_test "${arg_NAME}" arg
        "NAME SOURCE REPLACE WITH COMPILES INSTANTIATE DEFAULT_REAL")
    if(NOT arg_NAME)
        message(FATAL_ERROR "pykokkos_add_recompilation_test: no NAME")
    endif()
    if(NOT arg_SOURCE)
        message(FATAL_ERROR "pykokkos_add_recompilation_test(${arg_NAME}): no SOURCE")
    endif()
    if((DEFINED arg_REPLACE AND NOT DEFINED arg_WITH) OR (DEFINED arg_WITH AND NOT DEFINED arg_REPLACE))
        message(FATAL_ERROR "pykokkos_add_recompilation_test(${arg_NAME}): REPLACE and WITH go together")
    endif()
    if(NOT DEFINED arg_COMPILES)
        set(arg_COMPILES 1)
    elseif(NOT arg_COMPILES MATCHES "^[0-9]+$")
        message(FATAL_ERROR
            "pykokkos_add_recompilation_test(${arg_NAME}): COMPILES is a number, not '${arg_COMPILES}'")
    elseif(NOT DEFINED arg_REPLACE)
        message(FATAL_ERROR "pykokkos_add_recompilation_test(${arg_NAME}): COMPILES needs an edit: REPLACE … WITH …")
    endif()
    get_filename_component(source "${arg_SOURCE}" ABSOLUTE)

    set(work "${CMAKE_CURRENT_BINARY_DIR}/pykokkos-recompilation/${arg_NAME}")
    get_target_property(package_dir PyKokkosCache::headers PKC_PACKAGE_DIR)
    get_target_property(module_dir PyKokkosCache::headers PKC_MODULE_DIR)
    _pkc_generator(program)
    set(settings "")
    foreach(pair IN ITEMS
            "SOURCE=${source}" "WORK=${work}" "COMPILES=${arg_COMPILES}"
            "INSTANTIATE=${arg_INSTANTIATE}" "DEFAULT_REAL=${arg_DEFAULT_REAL}"
            "GENERATOR=${CMAKE_GENERATOR}" "MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}"
            "CXX_COMPILER=${CMAKE_CXX_COMPILER}" "CXX_FLAGS=${CMAKE_CXX_FLAGS}"
            "BUILD_TYPE=${CMAKE_BUILD_TYPE}" "PREFIX_PATH=${CMAKE_PREFIX_PATH}"
            "KOKKOS_DIR=${Kokkos_DIR}" "PACKAGE_DIR=${package_dir}"
            "PROGRAM=${program}")
        string(REGEX MATCH "^[A-Z_]+" name "${pair}")
        string(REGEX REPLACE "^[A-Z_]+=" "" value "${pair}")
        string(APPEND settings "set(${name} [==[${value}]==])\n")
    endforeach()
    if(DEFINED arg_REPLACE)
        string(APPEND settings "set(REPLACE [==[${arg_REPLACE}]==])\nset(WITH [==[${arg_WITH}]==])\n")
    endif()
    _pkc_write_if_changed("${work}/settings.cmake" "${settings}")
    add_test(NAME "${arg_NAME}" COMMAND "${CMAKE_COMMAND}" "-DSETTINGS=${work}/settings.cmake"
        -P "${module_dir}/PkcRunRecompilationTest.cmake")
endfunction()

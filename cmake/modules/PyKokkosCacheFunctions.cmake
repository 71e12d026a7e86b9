# pykokkos_add_library, pykokkos_add_module: Python workunits as ordinary build targets.
#
# Each of them makes
#
#   <target>            the kernel TUs, and nothing of Kokkos in their compilation
#   <target>_dispatch   an OBJECT library: the one TU that includes Kokkos
#   <target>_generate   the rule that runs `pykokkos-cache generate` (see PkcGenerate.cmake)
#
# Generated files are in <build tree>/pykokkos/<target>.
include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/PkcArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PkcGenerate.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PkcJobPool.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PkcKokkos.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PkcLinker.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PkcRecompilationTest.cmake")

set(PYKOKKOS_CACHE_DIR "" CACHE PATH
    "PyKokkosCache's store; empty: the environment's PYKOKKOS_CACHE_DIR, else the user's cache folder")
option(PYKOKKOS_CACHE_DISABLE "Compile kernels without PyKokkosCache's store" OFF)
option(PYKOKKOS_CACHE_FP_CONTRACT
    "Let the compiler fuse multiply and add in kernels, which Python does not" OFF)
set(PYKOKKOS_CACHE_GROUP_OVER 500 CACHE STRING
    "Put many kernels into each translation unit of a target that has more kernels than this; 0: never")
mark_as_advanced(PYKOKKOS_CACHE_GROUP_OVER)
option(PYKOKKOS_CACHE_RELINK_CONSUMERS
    "Relink what uses a shared kernel library when only a kernel's body changed" OFF)

# Two libraries with a module of one name have headers of one name: what links both would call one
# library's kernels for the other's. CMake refuses it where it generates, by a property that has to agree
# over all that a target links; libraries of the same module in the same way may be.
function(_pkc_forbid_mixed_modules target)
    string(SHA256 way "${arg_EXECUTION_SPACE};${arg_DEFAULT_REAL};${arg_INSTANTIATE};${arg_FUSE}")
    string(SUBSTRING "${way}" 0 8 way)
    set(names "")
    set(twice "")
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(name "${source}" NAME_WLE)
        string(MAKE_C_IDENTIFIER "${name}" name)
        if(name IN_LIST names)
            list(APPEND twice "${name}") # such modules are named by their folders, too
        endif()
        list(APPEND names "${name}")
    endforeach()
    foreach(source name IN ZIP_LISTS arg_SOURCES names)
        if(NOT name IN_LIST twice)
            get_filename_component(file "${source}" ABSOLUTE)
            file(RELATIVE_PATH file "${CMAKE_SOURCE_DIR}" "${file}")
            set_property(TARGET ${target} PROPERTY "INTERFACE_pykokkos_module_${name}" "${file} (${way})")
            set_property(TARGET ${target} APPEND PROPERTY
                COMPATIBLE_INTERFACE_STRING "pykokkos_module_${name}")
        endif()
    endforeach()
endfunction()

# pykokkos_add_library(<target> [STATIC|SHARED|OBJECT]
#     SOURCES <file.py>...
#     [EXECUTION_SPACE <space>]                           default: Kokkos::DefaultExecutionSpace
#     [INSTANTIATE "<workunit>(<param>: <type>, ...)"...]
#     [DEFAULT_REAL float|double] [LAUNCHER on|off])
#
# A library of the workunits of these files. Without a type: SHARED where BUILD_SHARED_LIBS, else
# STATIC. What links to it includes <file.hpp> for file.py.
function(pykokkos_add_library target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC;SHARED;OBJECT"
        "EXECUTION_SPACE;DEFAULT_REAL;LAUNCHER" "SOURCES;INSTANTIATE;FUSE")
    _pkc_check_arguments(pykokkos_add_library "${target}" arg
        "STATIC SHARED OBJECT SOURCES EXECUTION_SPACE INSTANTIATE FUSE DEFAULT_REAL LAUNCHER")
    _pkc_check_common(pykokkos_add_library "${target}")
    set(type "")
    foreach(candidate IN ITEMS STATIC SHARED OBJECT)
        if(arg_${candidate})
            if(type)
                message(FATAL_ERROR "pykokkos_add_library(${target}): both ${type} and ${candidate}")
            endif()
            set(type ${candidate})
        endif()
    endforeach()
    if(NOT type)
        if(BUILD_SHARED_LIBS)
            set(type SHARED)
        else()
            set(type STATIC)
        endif()
    endif()

    set(output_dir "${CMAKE_BINARY_DIR}/pykokkos/${target}")
    _pkc_common_options(options "${target}" "${output_dir}")
    _pkc_generate(${target} "${output_dir}" "${options}" ${arg_SOURCES})
    _pkc_add_kernels(${target} ${type} "${output_dir}")
    _pkc_forbid_mixed_modules(${target})

    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${output_dir}/include>")
    target_link_libraries(${target} INTERFACE Kokkos::kokkos PyKokkosCache::headers)
    if(type STREQUAL "SHARED")
        set_property(GLOBAL APPEND PROPERTY PKC_SHARED_TARGETS ${target})
        _pkc_defer_consumers()
    elseif(type STREQUAL "OBJECT")
        target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_dispatch>)
    endif()
endfunction()

# pykokkos_add_module(<target> SOURCES <file.py>... [MODULE_NAME <name>] [keywords as above])
#
# A Python extension module of the workunits of these files; its name in `import` is the target's,
# or MODULE_NAME.
function(pykokkos_add_module target)
    cmake_parse_arguments(PARSE_ARGV 1 arg ""
        "EXECUTION_SPACE;DEFAULT_REAL;LAUNCHER;MODULE_NAME" "SOURCES;INSTANTIATE;FUSE")
    _pkc_check_arguments(pykokkos_add_module "${target}" arg
        "SOURCES MODULE_NAME EXECUTION_SPACE INSTANTIATE FUSE DEFAULT_REAL LAUNCHER")
    _pkc_check_common(pykokkos_add_module "${target}")
    if(NOT DEFINED arg_MODULE_NAME)
        set(arg_MODULE_NAME "${target}")
    endif()
    if(NOT arg_MODULE_NAME MATCHES "^[A-Za-z0-9_]+$")
        message(FATAL_ERROR "pykokkos_add_module(${target}): '${arg_MODULE_NAME}' cannot be imported "
            "under this name; give one with MODULE_NAME")
    endif()
    _pkc_find_python(pykokkos_add_module "${target}")

    set(output_dir "${CMAKE_BINARY_DIR}/pykokkos/${target}")
    _pkc_common_options(options "${target}" "${output_dir}")
    _pkc_option(options python_module "${arg_MODULE_NAME}")
    _pkc_generate(${target} "${output_dir}" "${options}" ${arg_SOURCES})
    _pkc_add_kernels(${target} MODULE "${output_dir}")

    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME "${arg_MODULE_NAME}" PREFIX "" SUFFIX ".${Python3_SOABI}${CMAKE_SHARED_MODULE_SUFFIX}")
    target_sources(${target} PRIVATE ${${target}_MODULE})
    _pkc_generated_source_properties("${${target}_MODULE}")

    # The runtime on Python's API: compiled once a store, never in an edit. As C++, since the
    # project need not have the language C.
    get_target_property(include_dir PyKokkosCache::headers PKC_INCLUDE_DIR)
    set(runtime "${include_dir}/pykokkos_cache/python_runtime.c")
    set_source_files_properties("${runtime}" PROPERTIES LANGUAGE CXX)
    _pkc_generated_source_properties("${runtime}")
    add_library(${target}_runtime OBJECT "${runtime}")
    target_link_libraries(${target}_runtime PRIVATE Python3::Module PyKokkosCache::headers)
    _pkc_follow_target(${target}_runtime ${target})
    set_target_properties(${target}_runtime PROPERTIES POSITION_INDEPENDENT_CODE ON)
    _pkc_dispatch_launcher(${target}_runtime)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_runtime>)
endfunction()

# Python's headers; a macro, so that Python3_SOABI is set in the caller.
macro(_pkc_find_python function target)
    if(NOT TARGET Python3::Module OR NOT Python3_SOABI)
        find_package(Python3 3.8 QUIET COMPONENTS Interpreter Development.Module)
    endif()
    if(NOT TARGET Python3::Module)
        message(FATAL_ERROR "${function}(${target}): Python's headers were not found "
            "(Debian: apt install python3-dev; elsewhere say where with -DPython3_ROOT_DIR=…)")
    endif()
endmacro()

# With more kernels than this, many are in one TU, which our launcher takes apart: there is none in
# sight, or something runs before it, and each kernel has a TU of its own.
function(_pkc_groups out)
    set(${out} "${PYKOKKOS_CACHE_GROUP_OVER}" PARENT_SCOPE)
    get_property(global_rule GLOBAL PROPERTY RULE_LAUNCH_COMPILE)
    get_property(folder_rule DIRECTORY PROPERTY RULE_LAUNCH_COMPILE)
    if(PYKOKKOS_CACHE_DISABLE OR (DEFINED arg_LAUNCHER AND NOT arg_LAUNCHER) OR global_rule OR folder_rule)
        set(${out} 0 PARENT_SCOPE)
    endif()
endfunction()

# The options file's lines that library and module share; reads arg_* of its caller.
function(_pkc_common_options out target output_dir)
    set(text "")
    _pkc_option(text target "${target}")
    _pkc_option(text output_dir "${output_dir}")
    _pkc_option(text source_dir "${CMAKE_CURRENT_SOURCE_DIR}")
    _pkc_option(text project "${PROJECT_NAME}")
    _pkc_option(text project_dir "${PROJECT_SOURCE_DIR}")
    foreach(source IN LISTS arg_SOURCES)
        _pkc_option(text source "${source}")
    endforeach()
    foreach(entry IN LISTS arg_INSTANTIATE)
        _pkc_option(text instantiate "${entry}")
    endforeach()
    foreach(entry IN LISTS arg_FUSE)
        _pkc_option(text fuse "${entry}")
    endforeach()
    _pkc_option(text execution_space "${arg_EXECUTION_SPACE}")
    _pkc_groups(group_over)
    _pkc_option(text group_over "${group_over}")
    if(arg_DEFAULT_REAL)
        _pkc_option(text default_real "${arg_DEFAULT_REAL}")
    endif()
    if(PYKOKKOS_CACHE_DIR)
        _pkc_option(text store "${PYKOKKOS_CACHE_DIR}")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# The library itself, of the lists that _pkc_generate has set in the caller.
function(_pkc_add_kernels target type output_dir)
    if(NOT TARGET Kokkos::kokkos)
        pkc_find_kokkos(REQUIRED)
        pkc_globalize_kokkos()
    endif()
    set(kernels "${${target}_KERNELS}")
    set(dispatch "${${target}_DISPATCH}")
    if(NOT dispatch)
        # Before the generator's first run (a subproject's first configure, or Python errors from
        # the start) there is no list yet. The dispatch TU does not depend on one.
        set(dispatch "${output_dir}/kokkos.dispatch.cpp")
        set_source_files_properties("${dispatch}" PROPERTIES GENERATED TRUE)
    endif()

    add_library(${target}_dispatch OBJECT ${dispatch})
    _pkc_generated_source_properties("${dispatch}")
    target_link_libraries(${target}_dispatch PRIVATE Kokkos::kokkos PyKokkosCache::headers)
    target_compile_features(${target}_dispatch PRIVATE cxx_std_17)
    _pkc_follow_target(${target}_dispatch ${target})
    add_dependencies(${target}_dispatch ${target}_generate)
    if(NOT type MATCHES "^(STATIC|OBJECT)$")
        set_target_properties(${target}_dispatch PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()

    if(type STREQUAL "OBJECT")
        add_library(${target} OBJECT ${kernels})
    else()
        add_library(${target} ${type} ${kernels} $<TARGET_OBJECTS:${target}_dispatch>)
    endif()
    add_dependencies(${target} ${target}_generate)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE CXX
        DEFINE_SYMBOL ""
        OPTIMIZE_DEPENDENCIES OFF
        CXX_CPPLINT "" CXX_CLANG_TIDY "" CXX_INCLUDE_WHAT_YOU_USE "" CXX_CPPCHECK "")
    target_compile_features(${target} PUBLIC cxx_std_17)
    get_target_property(include_dir PyKokkosCache::headers PKC_INCLUDE_DIR)
    target_include_directories(${target} SYSTEM PRIVATE "${include_dir}")
    if(type MATCHES "^(SHARED|MODULE)$")
        # Kokkos' libraries, without its include folders and compile rules.
        target_link_libraries(${target} PRIVATE $<LINK_ONLY:Kokkos::kokkos>)
        list(LENGTH kernels count)
        if(kernels MATCHES "/groups/[0-9]+-of-[0-9]+\\.kernel\\.cpp")
            # Linkers take their time for functions, not files: there are up to so many.
            math(EXPR count "${count} * ${count}")
        endif()
        _pkc_choose_linker(${target} ${count})
    endif()
    _pkc_kernel_source_properties("${kernels}")
    _pkc_launcher(${target})
    _pkc_dispatch_launcher(${target}_dispatch)
    _pkc_bound_jobs(${target}_dispatch)
    cmake_language(EVAL CODE
        "cmake_language(DEFER CALL _pkc_finish_target [[${target}]] [[${output_dir}]])")
endfunction()

# Sources that no tool but the compiler should take up.
function(_pkc_generated_source_properties files)
    if(files)
        set_source_files_properties(${files} PROPERTIES
            SKIP_UNITY_BUILD_INCLUSION ON
            SKIP_PRECOMPILE_HEADERS ON
            SKIP_AUTOGEN ON
            SKIP_LINTING ON
            CXX_SCAN_FOR_MODULES OFF)
    endif()
endfunction()

# pkc_kernel_flags(<flags out> <definitions out>): how kernels are compiled, besides the project's own
# flags: fast, with Python's results (no fused multiply-add, which changes the last bit), and math
# functions inline where errno is not asked for.
function(pkc_kernel_flags flags_out definitions_out)
    set(flags "$<$<NOT:$<CONFIG:Debug>>:-O3>")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND
            NOT CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13))
        list(APPEND flags -falign-loops=32)
    endif()
    list(APPEND flags -fno-math-errno -fno-trapping-math)
    if(PYKOKKOS_CACHE_FP_CONTRACT)
        list(APPEND flags -ffp-contract=fast)
    else()
        list(APPEND flags -ffp-contract=off)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        list(APPEND flags -pipe)
    endif()
    set(${flags_out} "${flags}" PARENT_SCOPE)
    pkc_kokkos_atomics_bypass(bypass)
    if(bypass)
        set(${definitions_out} PKC_ATOMICS_BYPASS PARENT_SCOPE)
    else()
        set(${definitions_out} "" PARENT_SCOPE)
    endif()
endfunction()

function(_pkc_kernel_source_properties kernels)
    if(kernels)
        pkc_kernel_flags(flags definitions)
        set_source_files_properties(${kernels} PROPERTIES
            COMPILE_OPTIONS "${flags}"
            COMPILE_DEFINITIONS "${definitions}")
        _pkc_generated_source_properties("${kernels}")
    endif()
endfunction()

# Our launcher before the user's; reads arg_LAUNCHER of the calling function.
function(_pkc_launcher target)
    if(PYKOKKOS_CACHE_DISABLE OR (DEFINED arg_LAUNCHER AND NOT arg_LAUNCHER))
        return()
    endif()
    get_target_property(users ${target} CXX_COMPILER_LAUNCHER)
    if(NOT users)
        set(users "")
    endif()
    _pkc_generator(program)
    set(launcher "${program}" compile "--compiler=${CMAKE_CXX_COMPILER}")
    if(PYKOKKOS_CACHE_DIR)
        list(APPEND launcher "--store=${PYKOKKOS_CACHE_DIR}")
    endif()
    if(CMAKE_LINKER)
        list(APPEND launcher "--linker=${CMAKE_LINKER}")
    endif()
    if(Kokkos_VERSION)
        list(APPEND launcher "--kokkos=${Kokkos_VERSION}") # to say why, where it is another
    endif()
    list(APPEND launcher -- ${users})
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
endfunction()

# The same for a TU that includes Kokkos, unless kokkos_launch_compiler is in play, which runs before
# a compiler launcher and is confused by ours.
function(_pkc_dispatch_launcher target)
    get_property(global_rule GLOBAL PROPERTY RULE_LAUNCH_COMPILE)
    get_property(folder_rule DIRECTORY PROPERTY RULE_LAUNCH_COMPILE)
    get_property(target_rule TARGET ${target} PROPERTY RULE_LAUNCH_COMPILE)
    if(NOT global_rule AND NOT folder_rule AND NOT target_rule)
        _pkc_launcher(${target})
    endif()
endfunction()

# The compile settings of <target> hold for its helper library, too.
function(_pkc_follow_target helper target)
    target_compile_options(${helper} PRIVATE "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
    target_compile_definitions(${helper} PRIVATE "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    set_target_properties(${helper} PROPERTIES
        UNITY_BUILD OFF
        CXX_CPPLINT "" CXX_CLANG_TIDY "" CXX_INCLUDE_WHAT_YOU_USE "" CXX_CPPCHECK "")
endfunction()

# At the end of the target's folder, when the user has said all about it.
function(_pkc_finish_target target output_dir)
    foreach(helper IN ITEMS ${target}_dispatch ${target}_runtime)
        if(TARGET ${helper})
            foreach(property IN ITEMS CXX_STANDARD CXX_STANDARD_REQUIRED CXX_EXTENSIONS
                    CXX_VISIBILITY_PRESET VISIBILITY_INLINES_HIDDEN INTERPROCEDURAL_OPTIMIZATION
                    POSITION_INDEPENDENT_CODE)
                get_target_property(value ${target} ${property})
                if(NOT value MATCHES "-NOTFOUND$")
                    set_target_properties(${helper} PROPERTIES ${property} "${value}")
                endif()
            endforeach()
        endif()
    endforeach()

    # A source that the user added to our target is an ordinary one: it may include Kokkos and the
    # kernels' header, which kernels themselves are kept from.
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        string(FIND "${source}" "${output_dir}/" ours)
        if(ours EQUAL 0 OR source MATCHES "\\$<|\\.py$")
            continue()
        endif()
        set_property(SOURCE "${source}" APPEND PROPERTY INCLUDE_DIRECTORIES
            "${output_dir}/include" "$<TARGET_PROPERTY:${target}_dispatch,INCLUDE_DIRECTORIES>")
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_DEFINITIONS
            "$<TARGET_PROPERTY:${target}_dispatch,COMPILE_DEFINITIONS>")
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS
            "$<TARGET_PROPERTY:${target}_dispatch,COMPILE_OPTIONS>")
    endforeach()
endfunction()

# Once a project, when all its targets are known: what links to a shared kernel library is not
# linked again for a new body in it. Left alone where the consumer's property is set already.
function(_pkc_defer_consumers)
    get_property(deferred GLOBAL PROPERTY PKC_CONSUMERS_DEFERRED)
    if(deferred OR PYKOKKOS_CACHE_RELINK_CONSUMERS)
        return()
    endif()
    set_property(GLOBAL PROPERTY PKC_CONSUMERS_DEFERRED TRUE)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _pkc_finish_consumers)
endfunction()

function(_pkc_finish_consumers)
    get_property(shared GLOBAL PROPERTY PKC_SHARED_TARGETS)
    set(folders "${CMAKE_SOURCE_DIR}")
    while(folders)
        list(POP_FRONT folders folder)
        get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
        list(APPEND folders ${subfolders})
        get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
        foreach(target IN LISTS targets)
            get_target_property(type ${target} TYPE)
            if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
                continue()
            endif()
            get_property(set TARGET ${target} PROPERTY LINK_DEPENDS_NO_SHARED SET)
            get_target_property(libraries ${target} LINK_LIBRARIES)
            foreach(library IN LISTS shared)
                if(library IN_LIST libraries AND NOT set)
                    set_target_properties(${target} PROPERTIES LINK_DEPENDS_NO_SHARED ON)
                endif()
            endforeach()
        endforeach()
    endwhile()
endfunction()

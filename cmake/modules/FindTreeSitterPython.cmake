# FindTreeSitterPython: tree-sitter's grammar of Python.
#
# Defines the target TreeSitter::Python, which has the C function tree_sitter_python(). Looked for
# in this order:
#
# 1. an installed libtree-sitter-python;
# 2. TREE_SITTER_PYTHON_SOURCE_DIR, a variable of CMake or the environment: a folder with the
#    grammar's sources (src/parser.c and src/scanner.c);
# 3. the npm package tree-sitter-python, packed into the build folder and checked by its digest;
# 4. the grammar's Git repository, through FetchContent.
#
# The grammar is compiled as it is, without this project's warnings.

set(TreeSitterPython_VERSION 0.23.6)
# The package's integrity value as npm states it for that version, in hexadecimal.
set(_tsp_sha512
    c8833dcf4a31288c53edb02d3ce860a1597a8135e59a5221b9eee58854f8a013c5fe585aec76b8750052f3602fea130c459a159c5248f0cea62fe4b05a82c3dc)

set(TREE_SITTER_PYTHON_SOURCE_DIR "$ENV{TREE_SITTER_PYTHON_SOURCE_DIR}" CACHE PATH
    "Folder with the sources of tree-sitter's Python grammar (src/parser.c, src/scanner.c)")
find_library(TreeSitterPython_LIBRARY NAMES libtree-sitter-python.a tree-sitter-python
    DOC "An installed tree-sitter-python library")
mark_as_advanced(TreeSitterPython_LIBRARY)

# Sets `result` to the folder of parser.c and scanner.c at or below `folder`, or to "".
function(_tsp_look_in folder result)
    set(${result} "" PARENT_SCOPE)
    foreach(candidate IN ITEMS "${folder}/src" "${folder}/package/src" "${folder}")
        if(EXISTS "${candidate}/parser.c" AND EXISTS "${candidate}/scanner.c")
            set(${result} "${candidate}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()

# Packs the npm package into `folder` and unpacks it; `why` says what failed.
function(_tsp_npm folder why)
    find_program(NPM_EXECUTABLE npm)
    mark_as_advanced(NPM_EXECUTABLE)
    if(NOT NPM_EXECUTABLE)
        set(${why} "npm was not found" PARENT_SCOPE)
        return()
    endif()
    set(archive "${folder}/tree-sitter-python-${TreeSitterPython_VERSION}.tgz")
    file(MAKE_DIRECTORY "${folder}")
    message(STATUS "Getting tree-sitter-python ${TreeSitterPython_VERSION} with npm")
    execute_process(
        COMMAND "${NPM_EXECUTABLE}" pack --silent --ignore-scripts
            "tree-sitter-python@${TreeSitterPython_VERSION}"
        WORKING_DIRECTORY "${folder}"
        RESULT_VARIABLE result
        OUTPUT_QUIET
        ERROR_VARIABLE error
        TIMEOUT 120)
    if(NOT result EQUAL 0 OR NOT EXISTS "${archive}")
        string(STRIP "${error}" error)
        string(REPLACE ";" "," error "${error}")
        set(${why} "npm pack failed: ${error}" PARENT_SCOPE)
        return()
    endif()
    file(SHA512 "${archive}" digest)
    if(NOT digest STREQUAL _tsp_sha512)
        file(REMOVE "${archive}")
        set(${why} "the npm package has another digest than expected (${digest})" PARENT_SCOPE)
        return()
    endif()
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}")
endfunction()

set(_tsp_folder "")
set(_tsp_why "")
if(TREE_SITTER_PYTHON_SOURCE_DIR)
    _tsp_look_in("${TREE_SITTER_PYTHON_SOURCE_DIR}" _tsp_folder)
    if(NOT _tsp_folder)
        set(_tsp_why "no parser.c and scanner.c in ${TREE_SITTER_PYTHON_SOURCE_DIR}")
    endif()
elseif(NOT TreeSitterPython_LIBRARY)
    set(_tsp_build "${CMAKE_BINARY_DIR}/_deps/tree-sitter-python")
    _tsp_look_in("${_tsp_build}" _tsp_folder)
    if(NOT _tsp_folder)
        _tsp_npm("${_tsp_build}" _tsp_why)
        _tsp_look_in("${_tsp_build}" _tsp_folder)
    endif()
    find_package(Git QUIET)
    if(NOT _tsp_folder AND Git_FOUND)
        # Asked first whether it can be reached: FetchContent's own failure ends the configure step.
        execute_process(
            COMMAND "${GIT_EXECUTABLE}" ls-remote --exit-code
                https://github.com/tree-sitter/tree-sitter-python.git
                "v${TreeSitterPython_VERSION}"
            RESULT_VARIABLE _tsp_result
            OUTPUT_QUIET ERROR_QUIET
            TIMEOUT 60)
        if(_tsp_result EQUAL 0)
            include(FetchContent)
            FetchContent_Declare(tree_sitter_python
                GIT_REPOSITORY https://github.com/tree-sitter/tree-sitter-python.git
                GIT_TAG "v${TreeSitterPython_VERSION}"
                GIT_SHALLOW ON
                SOURCE_SUBDIR none)
            FetchContent_MakeAvailable(tree_sitter_python)
            _tsp_look_in("${tree_sitter_python_SOURCE_DIR}" _tsp_folder)
        else()
            string(APPEND _tsp_why " and the Git repository could not be reached")
        endif()
    endif()
endif()

if(NOT TARGET TreeSitter::Python)
    if(_tsp_folder)
        add_library(tree_sitter_python_grammar STATIC
            "${_tsp_folder}/parser.c" "${_tsp_folder}/scanner.c")
        target_include_directories(tree_sitter_python_grammar SYSTEM PRIVATE "${_tsp_folder}")
        target_compile_options(tree_sitter_python_grammar PRIVATE -w)
        set_target_properties(tree_sitter_python_grammar PROPERTIES
            C_STANDARD 11
            POSITION_INDEPENDENT_CODE ON
            C_CLANG_TIDY "" C_CPPCHECK "")
        add_library(TreeSitter::Python ALIAS tree_sitter_python_grammar)
        set(TreeSitterPython_SOURCE "${_tsp_folder}")
    elseif(TreeSitterPython_LIBRARY)
        add_library(TreeSitter::Python UNKNOWN IMPORTED)
        set_target_properties(TreeSitter::Python PROPERTIES
            IMPORTED_LOCATION "${TreeSitterPython_LIBRARY}")
        set(TreeSitterPython_SOURCE "${TreeSitterPython_LIBRARY}")
    endif()
else()
    set(TreeSitterPython_SOURCE TreeSitter::Python)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TreeSitterPython
    REQUIRED_VARS TreeSitterPython_SOURCE
    VERSION_VAR TreeSitterPython_VERSION
    REASON_FAILURE_MESSAGE "${_tsp_why}. Set TREE_SITTER_PYTHON_SOURCE_DIR to the unpacked sources \
of tree-sitter-python, or install npm or git and allow the configure step to download them")

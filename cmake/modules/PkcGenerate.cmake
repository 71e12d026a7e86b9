# The build rule that turns a target's Python files into C++, and the targets that hold it.
include_guard(GLOBAL)

# _pkc_generator(<out>): where pykokkos-cache is, or will be once it is built.
function(_pkc_generator out)
    if(PYKOKKOS_CACHE_EXECUTABLE)
        set(${out} "${PYKOKKOS_CACHE_EXECUTABLE}" PARENT_SCOPE)
    else()
        get_target_property(location PyKokkosCache::headers PKC_EXECUTABLE)
        set(${out} "${location}" PARENT_SCOPE)
    endif()
endfunction()

# _pkc_generate(<target> <output dir> <options text>)
#
# Adds the custom target <target>_generate, which keeps <output dir> up to date, and includes the
# fragment: <target>_KERNELS and so on are then set in the caller.
#
# List at configure, work at build. The fragment, the list of workunits, is an input of CMake's own
# rerun and an output of the build rule: an added or renamed workunit makes Ninja run the generator,
# then CMake, then build, in one go. A Python error is not a failure of that rule, since a failing
# input of build.ninja would stop every target: it is written to a status file, and a second rule,
# of this target alone, prints it and fails.
function(_pkc_generate target output_dir options)
    set(base "${output_dir}/${target}")
    set(fragment "${base}.cmake")

    # Under Makefiles nothing re-reads a changed list in the same run: the generator runs CMake.
    if(CMAKE_GENERATOR MATCHES "Makefiles")
        foreach(word IN ITEMS "${CMAKE_COMMAND}" "-S${CMAKE_SOURCE_DIR}" "-B${CMAKE_BINARY_DIR}")
            _pkc_option(options relist "${word}")
        endforeach()
        set(depfile_target "${base}.stamp")
    else()
        # Ninja compares the text of paths: as CMake writes them into build.ninja.
        file(RELATIVE_PATH depfile_target "${CMAKE_BINARY_DIR}" "${base}.stamp")
        if(depfile_target MATCHES "^\\.\\./")
            set(depfile_target "${base}.stamp")
        else()
            set(depfile_target "${CMAKE_NINJA_OUTPUT_PATH_PREFIX}${depfile_target}")
        endif()
    endif()
    _pkc_option(options depfile_target "${depfile_target}")
    _pkc_write_if_changed("${base}.options" "${options}")

    _pkc_generator(generator)
    if(EXISTS "${generator}")
        execute_process(
            COMMAND "${generator}" generate --configure "--options=${base}.options"
            RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
        if(NOT result EQUAL 0)
            message(FATAL_ERROR "PyKokkosCache: ${generator} failed for ${target}: ${result}\n${output}")
        endif()
        if(output)
            message(STATUS "${target}: ${output}")
        endif()
    endif()
    # As a subproject it is built first; else it is a file whose change is a reason to run it.
    set(depends "${generator}")
    if(TARGET PyKokkosCache::pykokkos-cache AND NOT PYKOKKOS_CACHE_EXECUTABLE)
        get_target_property(aliased PyKokkosCache::pykokkos-cache ALIASED_TARGET)
        if(aliased)
            set(depends PyKokkosCache::pykokkos-cache)
        endif()
    endif()
    if(NOT EXISTS "${fragment}")
        file(WRITE "${fragment}" "")
    endif()
    include("${fragment}")

    set(files "")
    foreach(list IN ITEMS KERNELS DISPATCH HEADERS MODULE)
        set(absolute "")
        foreach(file IN LISTS ${target}_${list})
            list(APPEND absolute "${output_dir}/${file}")
        endforeach()
        set(${target}_${list} "${absolute}" PARENT_SCOPE)
        list(APPEND files ${absolute})
    endforeach()

    # A Python file that another rule makes is waited for. All others are known from the depfile
    # alone: one that has gone missing must be an error of this target, not of the whole build.
    foreach(source IN LISTS ARGN)
        get_source_file_property(generated "${source}" GENERATED)
        if(generated)
            list(APPEND depends "${source}")
        endif()
    endforeach()

    # CMP0116 NEW would put a `cmake -E` process into the path of each edit and lose the escapes of
    # some signs in file names; inline, since a macro would not change the policy of the command.
    cmake_policy(PUSH)
    set(warn_deprecated "${CMAKE_WARN_DEPRECATED}")
    set(CMAKE_WARN_DEPRECATED OFF)
    if(CMAKE_VERSION VERSION_LESS 5.0)
        cmake_policy(SET CMP0116 OLD)
    endif()
    add_custom_command(
        OUTPUT "${base}.stamp"
        BYPRODUCTS ${files} "${fragment}" "${base}.status"
        COMMAND "${generator}" generate "--options=${base}.options"
        DEPENDS ${depends} "${base}.options"
        DEPFILE "${base}.d"
        COMMENT "Generating kernels of ${target}"
        VERBATIM)
    cmake_policy(POP)
    set(CMAKE_WARN_DEPRECATED "${warn_deprecated}")
    # make knows no by-products: there the check follows each run of the generator.
    if(CMAKE_GENERATOR MATCHES "Makefiles")
        set(checked "${base}.stamp")
    else()
        set(checked "${base}.status")
    endif()
    add_custom_command(
        OUTPUT "${base}.ok"
        COMMAND "${generator}" generate "--check=${base}.status" "--ok=${base}.ok"
        DEPENDS "${checked}"
        COMMENT "Checking kernels of ${target}"
        VERBATIM)
    add_custom_target(${target}_generate DEPENDS "${base}.stamp" "${base}.ok")
endfunction()

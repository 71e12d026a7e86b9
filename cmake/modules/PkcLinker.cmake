# The linker of a kernel library: the fastest for its number of objects, where the user chose none.
include_guard(GLOBAL)

option(PYKOKKOS_CACHE_FAST_LINKER "Link kernel libraries with the fastest linker found" ON)

# _pkc_linker_works(<out> <name>): the C++ compiler takes -fuse-ld=<name>. Asked once a build tree.
function(_pkc_linker_works out name)
    if(NOT DEFINED PKC_LINKER_${name}_WORKS OR
            NOT "${PKC_LINKER_${name}_FOR}" STREQUAL "${CMAKE_CXX_COMPILER}")
        execute_process(
            COMMAND "${CMAKE_CXX_COMPILER}" -fuse-ld=${name} -Wl,--version
            RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
        if(result EQUAL 0)
            set(works TRUE)
        else()
            set(works FALSE)
        endif()
        set(PKC_LINKER_${name}_WORKS ${works} CACHE INTERNAL "-fuse-ld=${name} works")
        set(PKC_LINKER_${name}_FOR "${CMAKE_CXX_COMPILER}" CACHE INTERNAL "for this compiler")
    endif()
    set(${out} "${PKC_LINKER_${name}_WORKS}" PARENT_SCOPE)
endfunction()

# _pkc_choose_linker(<target> <number of objects, or of kernels in them>)
#
# A few objects with Kokkos take bfd 60 ms, gold 25, most of them for the symbols of the C++ library;
# mold takes no more, and does it on all cores. From thousands of objects on lld is faster
# than either. A linker that the user named anywhere stays: CMAKE_LINKER_TYPE, -fuse-ld in the
# linker or compiler flags, or the directory's link options.
function(_pkc_choose_linker target objects)
    if(NOT PYKOKKOS_CACHE_FAST_LINKER OR APPLE OR WIN32)
        return()
    endif()
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
        return()
    endif()
    get_directory_property(options LINK_OPTIONS)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
    string(CONCAT chosen
        " ${CMAKE_SHARED_LINKER_FLAGS} ${CMAKE_MODULE_LINKER_FLAGS} ${CMAKE_CXX_FLAGS} ${options}"
        " ${CMAKE_SHARED_LINKER_FLAGS_${config}} ${CMAKE_MODULE_LINKER_FLAGS_${config}}"
        " $ENV{LDFLAGS} ${CMAKE_CXX_FLAGS_${config}}")
    if(CMAKE_LINKER_TYPE OR chosen MATCHES "-fuse-ld|-flto|--ld-path|-B")
        return()
    endif()
    if(objects GREATER 2000)
        set(candidates lld mold gold)
    else()
        set(candidates mold gold lld)
    endif()
    foreach(name IN LISTS candidates)
        _pkc_linker_works(works ${name})
        if(works)
            # Left to the user when a linker type is set on the target later (CMake 3.29).
            target_link_options(${target} PRIVATE
                "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:${target},LINKER_TYPE>>>:-fuse-ld=${name}>")
            return()
        endif()
    endforeach()
endfunction()

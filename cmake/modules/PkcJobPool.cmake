# How many translation units that include Kokkos are compiled at once: a Ninja job pool for all targets.
include_guard(GLOBAL)

set(PYKOKKOS_CACHE_KOKKOS_JOBS "" CACHE STRING
    "At most so many of a build's TUs that include Kokkos at once (Ninja); 0: no bound; empty: by memory")

# _pkc_bound_jobs(<target>): puts a TU that includes Kokkos into the pool `pykokkos`. A pool that the
# project chose (JOB_POOL_COMPILE) stays.
function(_pkc_bound_jobs target)
    if(NOT CMAKE_GENERATOR MATCHES "Ninja" OR PYKOKKOS_CACHE_KOKKOS_JOBS STREQUAL "0")
        return()
    endif()
    get_target_property(pool ${target} JOB_POOL_COMPILE)
    if(NOT pool)
        set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE pykokkos)
    endif()
    get_property(deferred GLOBAL PROPERTY PKC_JOB_POOL_DEFERRED)
    if(NOT deferred)
        set_property(GLOBAL PROPERTY PKC_JOB_POOL_DEFERRED TRUE)
        cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _pkc_define_job_pool)
    endif()
endfunction()

# Such a TU takes 0.2 to 0.4 GB: a GiB each leaves as much again to the rest of the build.
function(_pkc_kokkos_jobs out)
    if(PYKOKKOS_CACHE_KOKKOS_JOBS)
        set(${out} "${PYKOKKOS_CACHE_KOKKOS_JOBS}" PARENT_SCOPE)
        return()
    endif()
    cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
    cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
    math(EXPR jobs "${memory} / 1024")
    if(jobs GREATER cores)
        set(jobs ${cores})
    endif()
    if(jobs LESS 1)
        set(jobs 1)
    endif()
    set(${out} ${jobs} PARENT_SCOPE)
endfunction()

# At the end of the project, when it has said all about its own pools: the property JOB_POOLS hides the
# variable CMAKE_JOB_POOLS, so what that has goes in, too. A pool of our name in either stays.
function(_pkc_define_job_pool)
    if(NOT "${PYKOKKOS_CACHE_KOKKOS_JOBS}" MATCHES "^[0-9]*$")
        message(FATAL_ERROR "PYKOKKOS_CACHE_KOKKOS_JOBS is '${PYKOKKOS_CACHE_KOKKOS_JOBS}', not a number")
    endif()
    get_property(pools GLOBAL PROPERTY JOB_POOLS)
    if(NOT pools)
        set(pools ${CMAKE_JOB_POOLS})
    endif()
    foreach(pool IN LISTS pools)
        if(pool MATCHES "^pykokkos=")
            return()
        endif()
    endforeach()
    _pkc_kokkos_jobs(jobs)
    set_property(GLOBAL PROPERTY JOB_POOLS ${pools} pykokkos=${jobs})
endfunction()

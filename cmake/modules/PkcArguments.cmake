# The arguments of the pykokkos_* functions, checked, and the options file they become.
include_guard(GLOBAL)

# _pkc_check_arguments(<function> <target> <prefix> <keywords>)
#
# After cmake_parse_arguments(PARSE_ARGV … <prefix> …): stops with a message that names the call, the
# argument and what is allowed. A misspelt keyword must never be taken for a file name.
macro(_pkc_check_arguments function target prefix keywords)
    if(DEFINED ${prefix}_UNPARSED_ARGUMENTS)
        string(REPLACE ";" " " _pkc_unknown "${${prefix}_UNPARSED_ARGUMENTS}")
        message(FATAL_ERROR "${function}(${target}): unknown argument: ${_pkc_unknown}\n"
            "Keywords: ${keywords}")
    endif()
    if(DEFINED ${prefix}_KEYWORDS_MISSING_VALUES)
        string(REPLACE ";" ", " _pkc_unknown "${${prefix}_KEYWORDS_MISSING_VALUES}")
        message(FATAL_ERROR "${function}(${target}): no value after ${_pkc_unknown}")
    endif()
endmacro()

# What pykokkos_add_library and pykokkos_add_module check alike. In the caller: arg_* as parsed.
macro(_pkc_check_common function target)
    if(NOT "${target}" MATCHES "^[A-Za-z0-9_.+-]+$")
        message(FATAL_ERROR "${function}: '${target}' is not a target's name")
    endif()
    if(TARGET "${target}")
        message(FATAL_ERROR "${function}(${target}): there is already a target of this name")
    endif()
    if(NOT arg_SOURCES)
        message(FATAL_ERROR "${function}(${target}): SOURCES names no Python file")
    endif()
    foreach(_pkc_source IN LISTS arg_SOURCES)
        if(NOT _pkc_source MATCHES "\\.py$")
            message(FATAL_ERROR "${function}(${target}): SOURCES: '${_pkc_source}' is not a .py file")
        endif()
    endforeach()
    if(DEFINED arg_DEFAULT_REAL AND NOT arg_DEFAULT_REAL MATCHES "^(float|double)$")
        message(FATAL_ERROR
            "${function}(${target}): DEFAULT_REAL is float or double, not '${arg_DEFAULT_REAL}'")
    endif()
    if(DEFINED arg_LAUNCHER)
        string(TOLOWER "${arg_LAUNCHER}" _pkc_launcher)
        if(NOT _pkc_launcher MATCHES "^(on|off|true|false|yes|no|0|1)$")
            message(FATAL_ERROR "${function}(${target}): LAUNCHER is on or off, not '${arg_LAUNCHER}'")
        endif()
    endif()
    if(DEFINED arg_EXECUTION_SPACE AND NOT arg_EXECUTION_SPACE MATCHES
            "^(::)?[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$")
        message(FATAL_ERROR "${function}(${target}): EXECUTION_SPACE '${arg_EXECUTION_SPACE}' is not "
            "the C++ name of a Kokkos execution space, such as Kokkos::Serial")
    endif()
endmacro()

# _pkc_option(<variable> <key> <value>): appends the line "key=value" of an options file. A value
# may hold anything: '%' and line ends are percent-encoded.
function(_pkc_option variable key value)
    string(REPLACE "%" "%25" value "${value}")
    string(REPLACE "\n" "%0A" value "${value}")
    string(REPLACE "\r" "%0D" value "${value}")
    string(APPEND ${variable} "${key}=${value}\n")
    set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()

# _pkc_write_if_changed(<path> <text>)
function(_pkc_write_if_changed path text)
    if(EXISTS "${path}")
        file(READ "${path}" old)
        if(old STREQUAL text)
            return()
        endif()
    endif()
    file(WRITE "${path}" "${text}")
endfunction()

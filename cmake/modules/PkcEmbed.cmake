# pkc_embed_templates(<target> FILES <file>.in...)
#
# Compiles template files into a C target as constants: `#include "<target>_templates.h"` declares,
# for kernel.cpp.in, `extern const struct str template_kernel_cpp;`. Changed templates are embedded
# again by the build.
if(CMAKE_SCRIPT_MODE_FILE)
    set(header "#ifndef ${PREFIX}_TEMPLATES_H\n#define ${PREFIX}_TEMPLATES_H\n\n#include \"support/support.h\"\n\n")
    set(source "#include \"${PREFIX}_templates.h\"\n")
    foreach(file IN LISTS FILES)
        get_filename_component(name "${file}" NAME)
        string(REGEX REPLACE "\\.in$" "" name "${name}")
        string(MAKE_C_IDENTIFIER "${name}" name)
        file(READ "${file}" hex HEX)
        string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
        string(APPEND header "extern const struct str template_${name};\n")
        # An array, not a literal: C promises no more than 4095 characters in one of those.
        string(APPEND source
            "\nstatic const unsigned char bytes_${name}[] = {\n    ${hex}0};\n"
            "const struct str template_${name} = {(const char *)bytes_${name}, sizeof bytes_${name} - 1};\n")
    endforeach()
    string(APPEND header "\n#endif\n")
    file(WRITE "${OUTPUT}.h" "${header}")
    file(WRITE "${OUTPUT}.c" "${source}")
    return()
endif()

set(PKC_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}" CACHE INTERNAL "")

function(pkc_embed_templates target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES")
    set(files "")
    foreach(file IN LISTS arg_FILES)
        get_filename_component(file "${file}" ABSOLUTE)
        list(APPEND files "${file}")
    endforeach()
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_templates")
    string(REPLACE ";" "$<SEMICOLON>" joined "${files}")
    add_custom_command(
        OUTPUT "${output}.c" "${output}.h"
        COMMAND "${CMAKE_COMMAND}" "-DFILES=${joined}" "-DOUTPUT=${output}" "-DPREFIX=${target}"
            -P "${PKC_EMBED_SCRIPT}"
        DEPENDS ${files} "${PKC_EMBED_SCRIPT}"
        COMMENT "Embedding the templates of ${target}"
        VERBATIM)
    target_sources(${target} PRIVATE "${output}.c" "${output}.h")
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()

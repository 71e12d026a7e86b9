# FindTreeSitter: the tree-sitter runtime.
#
# Defines the target TreeSitter::TreeSitter and TreeSitter_FOUND. The static library is preferred:
# the generator starts once a build, and one library less to load is time saved.

find_path(TreeSitter_INCLUDE_DIR tree_sitter/api.h
    DOC "Folder that holds tree_sitter/api.h")
find_library(TreeSitter_LIBRARY NAMES libtree-sitter.a tree-sitter
    DOC "The tree-sitter runtime library")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TreeSitter
    REQUIRED_VARS TreeSitter_LIBRARY TreeSitter_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt install libtree-sitter-dev")
mark_as_advanced(TreeSitter_INCLUDE_DIR TreeSitter_LIBRARY)

if(TreeSitter_FOUND AND NOT TARGET TreeSitter::TreeSitter)
    add_library(TreeSitter::TreeSitter UNKNOWN IMPORTED)
    set_target_properties(TreeSitter::TreeSitter PROPERTIES
        IMPORTED_LOCATION "${TreeSitter_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${TreeSitter_INCLUDE_DIR}")
endif()

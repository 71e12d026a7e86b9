# This project's own package: its files installed, the same usable from the build tree, and, as a
# subproject, the functions in the project that took it in.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(modules
    PkcArguments.cmake PkcGenerate.cmake PkcJobPool.cmake PkcKokkos.cmake PkcLinker.cmake PkcPackage.cmake
    PkcRecompilationTest.cmake PkcRunRecompilationTest.cmake PkcToolchain.cmake
    PyKokkosCacheFunctions.cmake pkc-count-compiles.sh)

# The program is in one place for every configuration, since packages name it while configuring. It
# finds its headers and CMake files relative to itself: the build tree is laid out as a prefix is.
set(PKC_EXECUTABLE "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_BINDIR}/pykokkos-cache")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/PyKokkosCache")
set(build_package_dir "${PROJECT_BINARY_DIR}/${package_dir}")
set_target_properties(pykokkos-cache PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_BINDIR}/$<1:>")
file(MAKE_DIRECTORY "${build_package_dir}" "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_INCLUDEDIR}")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/include/pykokkos_cache"
    "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_INCLUDEDIR}/pykokkos_cache" SYMBOLIC)
foreach(module IN LISTS modules)
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/cmake/modules/${module}" "${build_package_dir}/${module}"
        SYMBOLIC)
endforeach()
list(TRANSFORM modules PREPEND "${PROJECT_SOURCE_DIR}/cmake/modules/")

# No library and nothing of this machine's word size in it.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/PyKokkosCacheConfigVersion.cmake"
    COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
configure_file("${PROJECT_BINARY_DIR}/PyKokkosCacheConfigVersion.cmake"
    "${build_package_dir}/PyKokkosCacheConfigVersion.cmake" COPYONLY)

# From the build tree: PyKokkosCache_DIR=<build tree>.
set(PKC_PACKAGE_MODULE_DIR "${PROJECT_SOURCE_DIR}/cmake/modules")
set(PKC_PACKAGE_INCLUDE_DIR "${PROJECT_SOURCE_DIR}/src/include")
set(PKC_PACKAGE_EXECUTABLE "${PKC_EXECUTABLE}")
foreach(dir IN ITEMS "${PROJECT_BINARY_DIR}" "${build_package_dir}")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/modules/PyKokkosCacheConfig.cmake.in" "${dir}/PyKokkosCacheConfig.cmake" @ONLY)
endforeach()

# As a subproject.
if(NOT PROJECT_IS_TOP_LEVEL)
    add_executable(PyKokkosCache::pykokkos-cache ALIAS pykokkos-cache)
    include("${PROJECT_SOURCE_DIR}/cmake/modules/PkcPackage.cmake")
    pkc_package("${PROJECT_VERSION}" "${PROJECT_BINARY_DIR}" "${PKC_PACKAGE_MODULE_DIR}"
        "${PKC_PACKAGE_INCLUDE_DIR}" "${PKC_EXECUTABLE}")
endif()

option(PKC_INSTALL "Install PyKokkosCache" ${PROJECT_IS_TOP_LEVEL})
if(NOT PKC_INSTALL)
    return()
endif()

set(PKC_PACKAGE_MODULE_DIR ".")
file(RELATIVE_PATH PKC_PACKAGE_INCLUDE_DIR
    "/prefix/${package_dir}" "/prefix/${CMAKE_INSTALL_INCLUDEDIR}")
file(RELATIVE_PATH PKC_PACKAGE_EXECUTABLE
    "/prefix/${package_dir}" "/prefix/${CMAKE_INSTALL_BINDIR}/pykokkos-cache")
configure_file("${PROJECT_SOURCE_DIR}/cmake/modules/PyKokkosCacheConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/install/PyKokkosCacheConfig.cmake" @ONLY)

install(TARGETS pykokkos-cache RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/include/pykokkos_cache" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES ${modules}
    "${PROJECT_BINARY_DIR}/install/PyKokkosCacheConfig.cmake"
    "${PROJECT_BINARY_DIR}/PyKokkosCacheConfigVersion.cmake"
    DESTINATION "${package_dir}")
install(FILES
    "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/docs/manual.md"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)

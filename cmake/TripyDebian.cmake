# cpack -G DEB, in the build folder: a Debian package of each component.
set(CPACK_PACKAGE_NAME tripy)
set(CPACK_PACKAGE_CONTACT "Tripy's developers <tripy@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# What the binaries are linked to is found by dpkg-shlibdeps: a static build needs
# no package of LLVM. Packages register their libraries with ldconfig.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# One package's library may need another one's, which is named by hand.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_COMPONENTS_ALL)

# tripy_debian_package(component SECTION section SUMMARY text DEPENDS packages besides those)
macro(tripy_debian_package component)
  cmake_parse_arguments(A "" "SECTION;SUMMARY" "DEPENDS" ${ARGN})
  string(TOUPPER ${component} name)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${component})
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${A_SECTION})
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${A_SUMMARY}")
  string(REPLACE ";" ", " CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${A_DEPENDS}")
endmacro()

set(same "(= ${PROJECT_VERSION})")
tripy_debian_package(tripy-runtime SECTION libs
  SUMMARY "Tripy, deep-learning inference: the runtime")
tripy_debian_package(tripy-runtime-dev SECTION libdevel
  SUMMARY "Tripy, deep-learning inference: header and archive of the runtime"
  DEPENDS "tripy-runtime ${same}" zlib1g-dev)
if(TRIPY_BUILD_TOOLS)
  tripy_debian_package(tripy-tools SECTION devel
    SUMMARY "Tripy, deep-learning inference: compiler and tools"
    DEPENDS "tripy-runtime ${same}")
  # What dpkg-shlibdeps cannot know: libLLVM.so, which it finds through a link of
  # llvm-22-dev, and the run-time library of the sanitizer.
  if(TARGET Tripy)
    string(APPEND CPACK_DEBIAN_TRIPY-TOOLS_PACKAGE_DEPENDS ", libllvm22")
  endif()
  if(TRIPY_BUILD_COMPILER AND TRIPY_SANITIZE_COMPILER)
    string(APPEND CPACK_DEBIAN_TRIPY-TOOLS_PACKAGE_DEPENDS ", libclang-rt-22-dev")
  endif()
endif()
if(TRIPY_BUILD_COMPILER)
  tripy_debian_package(tripy-dev SECTION libdevel
    SUMMARY "Tripy, deep-learning inference: dialects and compiler as libraries"
    DEPENDS "tripy-runtime-dev ${same}" "tripy-frontend-dev ${same}" libmlir-22-dev llvm-22-dev)
  tripy_debian_package(tripy-frontend SECTION libs
    SUMMARY "Tripy, deep-learning inference: the library for C++ programs"
    DEPENDS "tripy-tools ${same}")
  tripy_debian_package(tripy-frontend-dev SECTION libdevel
    SUMMARY "Tripy, deep-learning inference: headers for C++ programs"
    DEPENDS "tripy-frontend ${same}" "tripy-runtime-dev ${same}")
  if(TARGET Tripy)
    string(APPEND CPACK_DEBIAN_TRIPY-DEV_PACKAGE_DEPENDS ", tripy-tools ${same}")
  endif()
endif()
include(CPack)

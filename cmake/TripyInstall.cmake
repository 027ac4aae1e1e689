# cmake --install: the packages tripy-runtime, tripy-runtime-dev, tripy-dev and
# tripy-tools are its components of the same names.
include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/Tripy)
set(docs ${CMAKE_INSTALL_DATAROOTDIR}/doc/tripy)

install(FILES LICENSE README.md DESTINATION ${docs} COMPONENT tripy-runtime)
if(TARGET tripy_runtime)
  install(TARGETS tripy_runtime EXPORT TripyRuntimeTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-runtime NAMELINK_COMPONENT tripy-runtime-dev)
  install(TARGETS tripy_runtime_static EXPORT TripyRuntimeTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-runtime-dev)
  install(EXPORT TripyRuntimeTargets NAMESPACE Tripy:: DESTINATION ${config} COMPONENT tripy-runtime-dev)
  install(FILES include/tripy/runtime.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tripy COMPONENT tripy-runtime-dev)
  file(RELATIVE_PATH TRIPY_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/package/tripy-runtime.pc.in ${PROJECT_BINARY_DIR}/package/tripy-runtime.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/tripy-runtime.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT tripy-runtime-dev)
endif()

if(TRIPY_BUILD_TOOLS)
  get_property(tools GLOBAL PROPERTY TRIPY_INSTALLED_TOOLS)
  file(RELATIVE_PATH to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  foreach(tool IN LISTS tools)
    get_target_property(rpath ${tool} INSTALL_RPATH)
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib};${rpath}")
  endforeach()
  install(TARGETS ${tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tripy-tools)
  install(DIRECTORY docs/ DESTINATION ${docs} COMPONENT tripy-tools)
endif()

# What stock MLIR loads: a plugin of mlir-opt, and what mlir-runner calls.
foreach(library TripyPlugin TripyCudaWrappers)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-tools)
  endif()
endforeach()
if(TARGET TripyPlugin)
  set_target_properties(TripyPlugin PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIRS}")
endif()

if(TRIPY_BUILD_COMPILER)
  if(TARGET Tripy)
    install(TARGETS Tripy EXPORT TripyCompilerTargets
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-tools NAMELINK_COMPONENT tripy-dev)
  else()
    get_property(libraries GLOBAL PROPERTY TRIPY_COMPILER_LIBRARIES)
    install(TARGETS TripyBase ${libraries} EXPORT TripyCompilerTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-dev)
  endif()
  install(TARGETS TripyDialectsInterface TripyCompilerInterface EXPORT TripyCompilerTargets)
  install(EXPORT TripyCompilerTargets NAMESPACE Tripy:: DESTINATION ${config} COMPONENT tripy-dev)
  # Headers, what TableGen made, and .td files. runtime.h is the runtime's.
  foreach(folder ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    install(DIRECTORY ${folder}/include/tripy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tripy-dev
      FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td" PATTERN "runtime.h" EXCLUDE)
  endforeach()
endif()

configure_package_config_file(cmake/package/TripyConfig.cmake.in ${PROJECT_BINARY_DIR}/package/TripyConfig.cmake
  INSTALL_DESTINATION ${config} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/TripyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/TripyConfig.cmake ${PROJECT_BINARY_DIR}/package/TripyConfigVersion.cmake
  DESTINATION ${config} COMPONENT tripy-runtime-dev)

# cpack -G DEB, in the build folder.
set(CPACK_PACKAGE_NAME tripy)
set(CPACK_PACKAGE_CONTACT "Tripy's developers <tripy@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler and runtime for deep-learning inference")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENTS_ALL tripy-runtime tripy-runtime-dev tripy-dev tripy-tools)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${component})
  set(CPACK_DEBIAN_${name}_PACKAGE_SHLIBDEPS OFF)
endforeach()
set(exact "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TRIPY-RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_TRIPY-RUNTIME-DEV_PACKAGE_DEPENDS "tripy-runtime ${exact}, zlib1g-dev")
set(CPACK_DEBIAN_TRIPY-TOOLS_PACKAGE_DEPENDS "tripy-runtime ${exact}, libmlir-22")
set(CPACK_DEBIAN_TRIPY-DEV_PACKAGE_DEPENDS "tripy-runtime-dev ${exact}, tripy-tools ${exact}, libmlir-22-dev, llvm-22-dev")
include(CPack)

# cmake --install: the packages tripy-runtime, tripy-runtime-dev, tripy-tools,
# tripy-dev, tripy-frontend and tripy-frontend-dev are its components of the same
# names.
include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/Tripy)
set(docs ${CMAKE_INSTALL_DATAROOTDIR}/doc/tripy)

install(FILES LICENSE DESTINATION ${docs} COMPONENT tripy-runtime)
if(TARGET tripy_runtime)
  install(TARGETS tripy_runtime EXPORT TripyRuntimeTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-runtime NAMELINK_COMPONENT tripy-runtime-dev)
  install(TARGETS tripy_runtime_static EXPORT TripyRuntimeTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-runtime-dev)
  install(EXPORT TripyRuntimeTargets NAMESPACE Tripy:: DESTINATION ${config} COMPONENT tripy-runtime-dev)
  install(FILES include/tripy/runtime.h include/tripy/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tripy COMPONENT tripy-runtime-dev)
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
  # As in the sources, so that links between the pages work.
  install(FILES README.md CONTRIBUTING.md DESTINATION ${docs} COMPONENT tripy-tools)
  foreach(folder docs bench/results)
    install(DIRECTORY ${folder}/ DESTINATION ${docs}/${folder} COMPONENT tripy-tools
      FILES_MATCHING PATTERN "*.md" PATTERN "h200.*")
  endforeach()
endif()

# What stock MLIR loads: a plugin of mlir-opt, and what mlir-runner calls.
foreach(library TripyPlugin TripyCudaWrappers)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-tools)
  endif()
endforeach()

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
  # Headers, what TableGen made, and .td files. Some are the runtime's, or the
  # frontend's, which needs no other.
  foreach(folder ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    install(DIRECTORY ${folder}/include/tripy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tripy-dev
      FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td" PATTERN "runtime.h" EXCLUDE PATTERN "plugin.h" EXCLUDE PATTERN "tripy.h" EXCLUDE
      PATTERN "Frontend" EXCLUDE REGEX "Base/(DType|Status)\\.h$" EXCLUDE)
    install(DIRECTORY ${folder}/include/tripy/Frontend DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tripy
      COMPONENT tripy-frontend-dev FILES_MATCHING PATTERN "*.h" PATTERN "*.inc"
      PATTERN "OpTable.inc" EXCLUDE PATTERN "*.cpp.inc" EXCLUDE)
  endforeach()
  install(FILES include/tripy/tripy.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tripy COMPONENT tripy-frontend-dev)
  install(FILES include/tripy/Base/DType.h include/tripy/Base/Status.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tripy/Base COMPONENT tripy-frontend-dev)
  install(TARGETS tripy_frontend EXPORT TripyFrontendTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tripy-frontend NAMELINK_COMPONENT tripy-frontend-dev)
  install(EXPORT TripyFrontendTargets NAMESPACE Tripy:: DESTINATION ${config} COMPONENT tripy-frontend-dev)
endif()

# The files that other packages' CMake files lead to: a static build has archives
# where those files are.
set(TRIPY_RUNTIME_FILE)
if(TARGET tripy_runtime)
  get_target_property(version tripy_runtime VERSION)
  set(TRIPY_RUNTIME_FILE libtripy_runtime.so.${version})
endif()
set(TRIPY_FRONTEND_FILE libtripy_frontend.so.${PROJECT_VERSION})
set(TRIPY_COMPILER_FILE)
if(TARGET Tripy)
  set(TRIPY_COMPILER_FILE libTripy.so.${PROJECT_VERSION})
endif()
configure_package_config_file(cmake/package/TripyConfig.cmake.in ${PROJECT_BINARY_DIR}/package/TripyConfig.cmake
  INSTALL_DESTINATION ${config} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/TripyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/TripyConfig.cmake ${PROJECT_BINARY_DIR}/package/TripyConfigVersion.cmake
  DESTINATION ${config} COMPONENT tripy-runtime-dev)

include(TripyDebian)

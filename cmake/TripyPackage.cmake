# What others link, in this build, below add_subdirectory() and installed:
#
#   Tripy::Tripy          the C++ frontend: tripy/tripy.h; its users see no LLVM
#   Tripy::Runtime        the C interface of the runtime; knows no LLVM
#   Tripy::RuntimeStatic  the same as an archive
#   Tripy::Dialects       dialects, and what Tripy::Compiler has, for IR
#   Tripy::Compiler       passes, pipelines and the compiler as a library
#
# With LLVM linked shared the last two are libTripy.so, which the tools link too,
# so that a plugin and its tool share one registration.
include(GNUInstallDirs)

# --- the runtime ---------------------------------------------------------------
if(TARGET tripy_runtime)
  set_target_properties(tripy_runtime PROPERTIES EXPORT_NAME Runtime)
  add_library(Tripy::Runtime ALIAS tripy_runtime)
  add_library(tripy_runtime_static STATIC $<TARGET_OBJECTS:TripyBase> $<TARGET_OBJECTS:TripyRuntime>)
  set_target_properties(tripy_runtime_static PROPERTIES OUTPUT_NAME tripy_runtime EXPORT_NAME RuntimeStatic
    LINKER_LANGUAGE CXX)
  target_include_directories(tripy_runtime_static INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(tripy_runtime_static INTERFACE pthread ${CMAKE_DL_LIBS} z)
  add_library(Tripy::RuntimeStatic ALIAS tripy_runtime_static)
endif()

# --- the compiler --------------------------------------------------------------
# What every user of MLIR's headers needs. Imported targets are not seen above
# this folder: within the build, LLVM's libraries are named by path.
function(tripy_llvm_interface target)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
  target_compile_definitions(${target} INTERFACE ${LLVM_DEFINITIONS_LIST})
  tripy_llvm_headers(${target} INTERFACE)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(library MLIR LLVM)
    target_link_libraries(${target} INTERFACE
      $<BUILD_INTERFACE:${LLVM_LIBRARY_DIRS}/lib${library}.so> $<INSTALL_INTERFACE:${library}>)
  endforeach()
endfunction()

if(TRIPY_BUILD_COMPILER)
  get_property(libraries GLOBAL PROPERTY TRIPY_COMPILER_LIBRARIES)
  set(dialects TripyTrace TripyFlatIR TripyKernel TripyTile TripyTripy)
  set(compiler TripyCompiler)
  if(TRIPY_LINK_LLVM STREQUAL shared)
    set(objects)
    foreach(library TripyBase ${libraries})
      list(APPEND objects $<TARGET_OBJECTS:${library}>)
    endforeach()
    add_library(Tripy SHARED ${objects})
    set_target_properties(Tripy PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME CompilerLibrary VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
      BUILD_RPATH ${LLVM_LIBRARY_DIRS} INSTALL_RPATH ${LLVM_LIBRARY_DIRS})
    target_link_libraries(Tripy PRIVATE MLIR LLVM pthread ${CMAKE_DL_LIBS})
    tripy_sanitize_link(Tripy)
    set(dialects Tripy)
    set(compiler Tripy)
  endif()
  foreach(name Dialects Compiler)
    string(TOLOWER ${name} part)
    add_library(Tripy${name}Interface INTERFACE)
    set_target_properties(Tripy${name}Interface PROPERTIES EXPORT_NAME ${name})
    tripy_llvm_interface(Tripy${name}Interface)
    # An interface needs the generated headers before its users are compiled.
    target_link_libraries(Tripy${name}Interface INTERFACE ${${part}})
    add_library(Tripy::${name} ALIAS Tripy${name}Interface)
  endforeach()
endif()

# --- the frontend --------------------------------------------------------------
# A shared library, so that its users need not link LLVM: it has the runtime, and
# the compiler or, with LLVM linked shared, what leads to libTripy.so.
if(TRIPY_BUILD_COMPILER)
  add_library(tripy_frontend SHARED $<TARGET_OBJECTS:TripyFrontend> $<TARGET_OBJECTS:TripyRuntime>)
  set_target_properties(tripy_frontend PROPERTIES EXPORT_NAME Tripy LINKER_LANGUAGE CXX TRIPY_LAYER frontend
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(tripy_frontend INTERFACE cxx_std_20)
  target_include_directories(tripy_frontend INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(TARGET Tripy)
    set_target_properties(tripy_frontend PROPERTIES BUILD_RPATH ${LLVM_LIBRARY_DIRS} INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIRS}")
    # By path: users of the frontend need not know the compiler's targets.
    target_link_libraries(tripy_frontend PRIVATE $<TARGET_FILE:Tripy>)
    set_property(TARGET tripy_frontend APPEND PROPERTY BUILD_RPATH $<TARGET_FILE_DIR:Tripy>)
    add_dependencies(tripy_frontend Tripy)
    tripy_sanitize_link(tripy_frontend)
  else()
    tripy_llvm_libraries(libraries)
    target_link_libraries(tripy_frontend PRIVATE TripyFrontendLowering TripyCompiler ${libraries})
    target_link_options(tripy_frontend PRIVATE -Wl,--gc-sections -Wl,-s)
  endif()
  # Calls within the library need not be looked up, and others are when it is
  # loaded: the first ones of a process would take longer than what they do.
  target_link_options(tripy_frontend PRIVATE -Wl,-Bsymbolic-functions -Wl,-z,now)
  # What users link may have another zlib, or another LLVM.
  target_link_options(tripy_frontend PRIVATE -Wl,--exclude-libs,ALL)
  target_link_libraries(tripy_frontend PRIVATE pthread ${CMAKE_DL_LIBS} ${TRIPY_ZLIB})
  # Its headers are generated.
  add_dependencies(tripy_frontend TripyFrontendGen)
  add_library(Tripy::Tripy ALIAS tripy_frontend)
endif()

# LLVM/MLIR 22.1: finding it, linking it (all shared or all static), the
# precompiled header, and the TableGen functions.

if(NOT TRIPY_BUILD_COMPILER)
  return()
endif()
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR 22.1 REQUIRED CONFIG)
find_program(TRIPY_MLIR_TBLGEN NAMES mlir-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)

if(NOT TRIPY_LINK_LLVM MATCHES "^(shared|static)$")
  message(FATAL_ERROR "TRIPY_LINK_LLVM must be 'shared' or 'static', found '${TRIPY_LINK_LLVM}'")
endif()

# Libraries of the compiler's executables, all shared or all static.
function(tripy_llvm_libraries out)
  if(TRIPY_LINK_LLVM STREQUAL shared)
    set(${out} MLIR LLVM PARENT_SCOPE)
    return()
  endif()
  # By path, because MLIR's imported targets bring the shared libLLVM along.
  # The linker takes from an archive what is needed; an archive costs nothing.
  file(GLOB archives ${LLVM_LIBRARY_DIRS}/libMLIR*.a ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
  # The last one has the main() of mlir-opt.
  list(FILTER archives EXCLUDE REGEX "libMLIR(CAPI|.*Test|MlirOptMain)")
  foreach(target IN LISTS LLVM_ALL_TARGETS LLVM_TARGETS_TO_BUILD)
    if(NOT target MATCHES "^(NVPTX|${LLVM_NATIVE_ARCH})$")
      list(FILTER archives EXCLUDE REGEX "libLLVM${target}")
    endif()
  endforeach()
  find_library(TRIPY_ZSTD NAMES libzstd.a zstd REQUIRED)
  find_library(TRIPY_ZLIB NAMES libz.a z REQUIRED)
  set(${out} TripyOtherTargets -Wl,--start-group ${archives} -Wl,--end-group
    ${TRIPY_ZSTD} ${TRIPY_ZLIB} ${CMAKE_DL_LIBS} pthread m PARENT_SCOPE)
endfunction()

# MLIR asks for all of LLVM's back ends by name. Static tools carry those of
# NVIDIA's GPUs and of the machine: empty functions keep the others out.
if(TRIPY_LINK_LLVM STREQUAL static OR TRIPY_STATIC_TOOLS)
  set(text "// Back ends that static tools leave out.\n")
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    if(NOT target MATCHES "^(NVPTX|${LLVM_NATIVE_ARCH})$")
      foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser)
        string(APPEND text "extern \"C\" void LLVMInitialize${target}${part}() {}\n")
      endforeach()
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/OtherTargets.cpp CONTENT "${text}")
  add_library(TripyOtherTargets STATIC ${PROJECT_BINARY_DIR}/OtherTargets.cpp)
endif()

# The folders of MLIR's headers, for this build: TripyConfig.cmake adds those that
# the user of an installed Tripy has.
function(tripy_llvm_headers target scope)
  foreach(folder ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_include_directories(${target} SYSTEM ${scope} $<BUILD_INTERFACE:${folder}>)
  endforeach()
endfunction()

# Libraries only name MLIR's headers; executables link it, once. `header`, if not
# empty, is precompiled for this target as well.
function(tripy_use_llvm target header)
  tripy_llvm_headers(${target} PUBLIC)
  target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS_LIST})
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    tripy_llvm_libraries(libraries)
    target_link_libraries(${target} PRIVATE ${libraries})
    if(TRIPY_LINK_LLVM STREQUAL shared)
      set_target_properties(${target} PROPERTIES BUILD_RPATH ${LLVM_LIBRARY_DIRS} INSTALL_RPATH ${LLVM_LIBRARY_DIRS})
    else()
      target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-s)
    endif()
  endif()
  if(TARGET TripyPCH)
    if(type STREQUAL EXECUTABLE)
      # The precompiled header is built with -fPIC; -fPIE would refuse it.
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    if(header)
      target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/PCH.h ${header})
    else()
      target_precompile_headers(${target} REUSE_FROM TripyPCH)
    endif()
  endif()
endfunction()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})

# The headers that nearly every file of the compiler needs, compiled once.
add_library(TripyPCH STATIC ${PROJECT_SOURCE_DIR}/cmake/PCH.cpp)
target_include_directories(TripyPCH SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_include_directories(TripyPCH PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
target_compile_definitions(TripyPCH PUBLIC ${LLVM_DEFINITIONS_LIST})
target_compile_options(TripyPCH PRIVATE ${TRIPY_WARNINGS} -fno-exceptions -fno-rtti)
target_precompile_headers(TripyPCH PRIVATE ${PROJECT_SOURCE_DIR}/cmake/PCH.h)

# Definitions of so many generated operations that compiling takes minutes.
function(tripy_compile_quickly source)
  if(TRIPY_QUICK_OPTIONS)
    # The precompiled header has other options.
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${TRIPY_QUICK_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# tripy_tblgen(<target> <td file under include/tripy> <output> <tool> <args...>) adds one generated file.
function(tripy_tblgen target td output tool)
  set(source ${PROJECT_SOURCE_DIR}/include/tripy/${td})
  set(out ${PROJECT_BINARY_DIR}/include/tripy/${output})
  get_filename_component(dir ${out} DIRECTORY)
  file(MAKE_DIRECTORY ${dir})
  if(tool STREQUAL mlir-tblgen)
    set(command ${TRIPY_MLIR_TBLGEN})
  else()
    set(command ${tool})
  endif()
  # Other files that it reads, which no include names.
  set(read ${ARGN})
  list(FILTER read INCLUDE REGEX "^-cpp-examples=")
  list(TRANSFORM read REPLACE "^[^=]*=" "")
  add_custom_command(OUTPUT ${out}
    COMMAND ${command} ${ARGN} -I${PROJECT_SOURCE_DIR}/include -I${MLIR_INCLUDE_DIRS} ${source} -o ${out} -d ${out}.d
      --write-if-changed
    DEPENDS ${command} ${source} ${read} DEPFILE ${out}.d VERBATIM
    COMMENT "tblgen ${output}")
  set_property(GLOBAL APPEND PROPERTY TRIPY_GENERATED_${target} ${out})
endfunction()

# tripy_tblgen_target(<target>): the custom target of all files added for it.
function(tripy_tblgen_target target)
  get_property(files GLOBAL PROPERTY TRIPY_GENERATED_${target})
  add_custom_target(${target} DEPENDS ${files})
endfunction()

# tripy_dialect(Trace trace): the generated files of a dialect, beside include/tripy/Dialect/<name>.
function(tripy_dialect name ns)
  set(dir Dialect/${name})
  set(gen Tripy${name}Gen)
  set(ops ${dir}/${name}Ops.td)
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Dialect.h.inc mlir-tblgen -gen-dialect-decls -dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Dialect.cpp.inc mlir-tblgen -gen-dialect-defs -dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Ops.h.inc mlir-tblgen -gen-op-decls -dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Ops.cpp.inc mlir-tblgen -gen-op-defs -dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Attrs.h.inc mlir-tblgen -gen-attrdef-decls -attrdefs-dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Attrs.cpp.inc mlir-tblgen -gen-attrdef-defs -attrdefs-dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Types.h.inc mlir-tblgen -gen-typedef-decls -typedefs-dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Types.cpp.inc mlir-tblgen -gen-typedef-defs -typedefs-dialect=${ns})
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Enums.h.inc mlir-tblgen -gen-enum-decls)
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Enums.cpp.inc mlir-tblgen -gen-enum-defs)
  tripy_tblgen(${gen} ${ops} ${dir}/${name}Contracts.cpp.inc tripy-tblgen -gen-contracts)
  tripy_tblgen_target(${gen})
endfunction()

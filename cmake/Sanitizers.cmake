# Sanitizers. The two halves of the project have their own: code without LLVM
# runs under AddressSanitizer as well (preset asan); LLVM's packages are not
# instrumented, so the compiler runs under UndefinedBehaviorSanitizer alone
# (preset dev).

function(tripy_sanitize_runtime target)
  if(TRIPY_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${TRIPY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${TRIPY_SANITIZE})
  endif()
endfunction()

# Left out are vptr and function: they read RTTI, which LLVM is built without.
# All else that is left out is in the ignore list, with its reason.
function(tripy_sanitize_compiler target)
  if(NOT TRIPY_SANITIZE_COMPILER)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fsanitize=${TRIPY_SANITIZE_COMPILER} -fno-sanitize=vptr,function
    -fno-sanitize-recover=all -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer-ignorelist.txt)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    tripy_sanitize_link(${target})
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
  endif()
endfunction()

# The sanitizer's own library is shared, and found where the compiler has it: what
# others link to ours, and load into LLVM's tools, need not know of it.
function(tripy_sanitize_link target)
  if(NOT TRIPY_SANITIZE_COMPILER)
    return()
  endif()
  target_link_options(${target} PRIVATE -fsanitize=${TRIPY_SANITIZE_COMPILER} -shared-libsan)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-runtime-dir OUTPUT_VARIABLE folder
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${folder})
  set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH ${folder})
endfunction()

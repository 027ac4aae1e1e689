# Tests on the CUDA emulator, which stands in for libcuda.so.1.
#
#   tripy_on_emulator(test ...)                 a test that exists
#   tripy_emulated_test(name COMMAND ...)       a new one
#
# CTest knows them by the label "emulated".
function(tripy_on_emulator)
  set_tests_properties(${ARGN} PROPERTIES LABELS emulated
    ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lib/cuda-emulator")
endfunction()

function(tripy_emulated_test name)
  add_test(NAME ${name} ${ARGN})
  tripy_on_emulator(${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1500)
endfunction()

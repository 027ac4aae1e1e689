# Run with cmake -P: a configure step with a broken layer must fail and say so.
#   SOURCE: the project; BINARY: a scratch folder; ARGS: configure arguments
file(REMOVE_RECURSE ${BINARY})
file(MAKE_DIRECTORY ${BINARY}/project/lib)
file(WRITE ${BINARY}/project/lib/Bad.cpp "#include \"${HEADER}\"\n")
file(WRITE ${BINARY}/project/CMakeLists.txt "
cmake_minimum_required(VERSION 3.20)
project(Bad LANGUAGES CXX)
set(TRIPY_BUILD_COMPILER OFF)
list(APPEND CMAKE_MODULE_PATH ${SOURCE}/cmake)
include(Tripy)
tripy_library(Upper LAYER ${UPPER} SOURCES lib/Bad.cpp)
tripy_library(Lower LAYER base SOURCES lib/Bad.cpp DEPS ${DEPS})
tripy_check_layers()
")
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${BINARY}/project -B ${BINARY}/build
  -DCMAKE_CXX_COMPILER=${COMPILER}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
# CMake wraps its messages: nothing may be expected after the colon, where a
# long path starts a line of its own.
if(result EQUAL 0 OR NOT output MATCHES "layering:[ \n]")
  message(FATAL_ERROR "a broken layer must fail the configure step; it printed:\n${output}")
endif()

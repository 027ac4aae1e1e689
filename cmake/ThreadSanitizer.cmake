# tripy_thread_tests(name SOURCES ... LIBRARIES ...): a program of the tests and
# of the libraries' sources under ThreadSanitizer. It is built and run by the
# target `threads` alone, since it takes two minutes; the compiler that it calls
# is the uninstrumented libTripy.so.
function(tripy_thread_tests name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBRARIES" ${ARGN})
  set(sources)
  foreach(library IN LISTS A_LIBRARIES)
    get_target_property(folder ${library} SOURCE_DIR)
    get_target_property(files ${library} SOURCES)
    foreach(file IN LISTS files)
      if(file MATCHES "\\.cpp$")
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${folder})
        list(APPEND sources ${file})
      endif()
    endforeach()
  endforeach()
  add_executable(${name} EXCLUDE_FROM_ALL ${A_SOURCES} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_compile_options(${name} PRIVATE -fsanitize=thread -fno-omit-frame-pointer -g1)
  target_link_options(${name} PRIVATE -fsanitize=thread)
  target_link_libraries(${name} PRIVATE Tripy GTest::gtest GTest::gtest_main ${TRIPY_ZLIB} ${CMAKE_DL_LIBS})
  add_dependencies(${name} TripyFrontendGen)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  add_custom_target(threads USES_TERMINAL
    COMMAND ${CMAKE_COMMAND} -E env TRIPY_DEVICE=cpu TRIPY_CACHE_DIR=
      "TSAN_OPTIONS=halt_on_error=1:suppressions=${PROJECT_SOURCE_DIR}/cmake/thread-suppressions.txt"
      $<TARGET_FILE:${name}>)
endfunction()

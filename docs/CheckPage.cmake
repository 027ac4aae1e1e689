# Fails when PAGE is not what the command DOCS makes.
execute_process(COMMAND ${DOCS} -o ${MADE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PAGE} ${MADE} RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${PAGE} is not current: run ninja tripy-docs")
endif()

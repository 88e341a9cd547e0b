# Installs Mercator, moves the installed tree, and builds and runs programs against it.
#
#   cmake -D BUILD_DIR=… -D OUTSIDE_DIR=… -D WORK_DIR=… -D CC=… -D CXX=… -D CXX_FLAGS=…
#     -P install_test.cmake

set(expected "operand 0: (d0, d1) -> (d1, d0), domain: d0 in [0, 19], d1 in [0, 9]\nresult f32[20,10]\n")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV} failed with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/first")
file(RENAME "${WORK_DIR}/first" "${WORK_DIR}/installed")

run("${CMAKE_COMMAND}" -G Ninja -S "${OUTSIDE_DIR}" -B "${WORK_DIR}/build"
    "-DCMAKE_PREFIX_PATH=${WORK_DIR}/installed" "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_C_FLAGS=${CXX_FLAGS}")
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
run("${WORK_DIR}/build/outside")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "expected\n${expected}got\n${output}")
endif()

run("${WORK_DIR}/build/outside_c")
if(NOT output STREQUAL "error 1: line 2, column 1: expected a computation, found the end of the text\n")
  message(FATAL_ERROR "got\n${output}")
endif()

run("${WORK_DIR}/installed/bin/mercator" --version)
file(REMOVE_RECURSE "${WORK_DIR}")

# Every build checks that includes and dependencies run downward only (docs/architecture.md).

find_package(Python3 3.9 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_target(check_layers ALL
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/check_layers.py"
    COMMENT "Checking the layers")
endif()

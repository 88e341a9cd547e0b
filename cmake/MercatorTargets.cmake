# The kinds of targets that the folders are made of.

# mercator_library(NAME HEADERS … SOURCES … DEPENDS …): the library of one folder, mercator::NAME. HEADERS
# are those that it is used through, and that are installed; DEPENDS lists the folders that it may know
# about: the linker and scripts/check_layers.py hold it to that.
function(mercator_library name)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES;DEPENDS" ${ARGN})
  set(target mercator_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(mercator::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  # Nobody replaces functions of a library of ours at run time: they may be inlined.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_sources(${target} PUBLIC
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${ARG_HEADERS})
  # Mercator reports errors as values (support/error.h); these keep it so.
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(${target} PUBLIC mercator_${dependency})
  endforeach()
  target_link_libraries(${target} PRIVATE fmt::fmt $<BUILD_INTERFACE:mercator_warnings>)

  install(TARGETS ${target} EXPORT MercatorTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library
          FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT library)
endfunction()

# mercator_test(FOLDER SOURCES … DEPENDS …): the test program of one folder, FOLDER_test. Each of its tests
# is one of ctest's.
function(mercator_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE
    ${ARG_DEPENDS} mercator_warnings fmt::fmt GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name}_test PRIVATE MERCATOR_SHARED_DIR="${MERCATOR_SHARED_DIR}")
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}/ NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60)
endfunction()

# mercator_benchmark(NAME SOURCES … DEPENDS …): a program of benchmarks, NAME. The target `benchmarks` is
# all of them.
function(mercator_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE
    ${ARG_DEPENDS} mercator_warnings fmt::fmt benchmark::benchmark benchmark::benchmark_main)
  target_compile_definitions(${name} PRIVATE MERCATOR_SHARED_DIR="${MERCATOR_SHARED_DIR}")
  if(NOT TARGET benchmarks)
    add_custom_target(benchmarks)
  endif()
  add_dependencies(benchmarks ${name})
endfunction()

# mercator_fuzzer(NAME SOURCES … DEPENDS …): a libFuzzer program, NAME. Its libraries must be compiled with
# the same sanitizers: the preset `fuzz` does. The target `fuzzers` is all of them.
function(mercator_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} mercator_warnings fmt::fmt)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
endfunction()

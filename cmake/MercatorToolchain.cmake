# What every target is compiled with, and the tools that make compiling faster where they are installed.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo or MinSizeRel" FORCE)
  endif()

  if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(MERCATOR_CCACHE ccache)
    if(MERCATOR_CCACHE)
      set(CMAKE_CXX_COMPILER_LAUNCHER "${MERCATOR_CCACHE}")
    endif()
  endif()

  include(CheckLinkerFlag)
  check_linker_flag(CXX "-fuse-ld=lld" MERCATOR_HAVE_LLD)
  if(MERCATOR_HAVE_LLD)
    add_link_options("-fuse-ld=lld")
  endif()
endif()

add_library(mercator_warnings INTERFACE)
target_compile_options(mercator_warnings INTERFACE
  -Wall -Wextra
  # GCC 12 warns of overlaps in its own std::string that cannot happen (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Clang warns of what the stable_sort of GCC 12's library uses inside.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  -Wcast-qual -Wextra-semi -Wnon-virtual-dtor -Wold-style-cast -Wundef
  $<$<BOOL:${MERCATOR_WERROR}>:-Werror>)

# isl, the integer set library (Debian's libisl-dev): target Isl::isl.

find_path(ISL_INCLUDE_DIR isl/ctx.h)
find_library(ISL_LIBRARY isl)
mark_as_advanced(ISL_INCLUDE_DIR ISL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Isl REQUIRED_VARS ISL_LIBRARY ISL_INCLUDE_DIR)

if(Isl_FOUND AND NOT TARGET Isl::isl)
  add_library(Isl::isl UNKNOWN IMPORTED)
  set_target_properties(Isl::isl PROPERTIES
    IMPORTED_LOCATION "${ISL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${ISL_INCLUDE_DIR}")
endif()

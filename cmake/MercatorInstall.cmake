# The package that `find_package(Mercator)` finds in an installed tree: targets mercator::support,
# mercator::expr, mercator::map, mercator::hlo, mercator::indexing, mercator::analysis and
# mercator::runtime.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Mercator")
install(EXPORT MercatorTargets NAMESPACE mercator:: DESTINATION "${package_dir}" COMPONENT library)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/MercatorConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/MercatorConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/MercatorConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/MercatorConfig.cmake"
              "${PROJECT_BINARY_DIR}/MercatorConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindLibzip.cmake"
        DESTINATION "${package_dir}" COMPONENT library)

# How other projects find the client library: find_package(allot) and pkg-config allot-client; and the laboratory, for
# protocols outside of allot: find_package(allot) and allot_protocol(NAME).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS allot_client EXPORT allot-targets)
install(DIRECTORY src/client/allot TYPE INCLUDE)
install(TARGETS allot_lab EXPORT allot-lab-targets)
install(CODE [[
  file(GLOB archives "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib*/liballot_*.a" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib*/*/liballot_*.a")
  foreach(archive IN LISTS archives)
    execute_process(COMMAND objcopy --strip-debug "${archive}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
]])
foreach(room base core world registry)
  install(DIRECTORY src/${room} DESTINATION include/allot-lab FILES_MATCHING PATTERN *.hpp)
endforeach()
install(FILES src/cli/laboratory.hpp DESTINATION include/allot-lab/cli)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/allot)
install(EXPORT allot-targets NAMESPACE allot:: DESTINATION ${package_dir})
install(EXPORT allot-lab-targets NAMESPACE allot:: DESTINATION ${package_dir})
install(FILES cmake/allot-protocol.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/allot-config.cmake.in allot-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(allot-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/allot-config.cmake ${PROJECT_BINARY_DIR}/allot-config-version.cmake
  DESTINATION ${package_dir})

# Relative to where it lies, so that `cmake --install --prefix` may put it anywhere.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(cmake/allot-client.pc.in allot-client.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/allot-client.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

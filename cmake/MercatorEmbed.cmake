# mercator_embed_files(TARGET FUNCTION FILE…): a source of TARGET that defines
#
#   std::string_view mercator::tools::FUNCTION(std::string_view name)
#
# which returns the content of the file of that name (without folders), or nothing. Files are embedded
# when the target is built, and again when one of them changes.
function(mercator_embed_files target function)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${function}.cc")
  set(files "")
  foreach(file ${ARGN})
    list(APPEND files "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  set(script "${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake")
  string(REPLACE ";" "|" list "${files}")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${source}" -D "FUNCTION=${function}" -D "FILES=${list}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding the files of ${function}"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()

# Writes SOURCE, which defines FUNCTION with the content of FILES, see MercatorEmbed.cmake.

string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file ${files})
  get_filename_component(name "${file}" NAME)
  # As numbers: no byte of a file can be mistaken for the end of a literal.
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(MAKE_C_IDENTIFIER "k_${name}" variable)
  string(APPEND arrays "constexpr unsigned char ${variable}[] = {${bytes}0};\n")
  string(APPEND entries
    "  if (name == \"${name}\") return {reinterpret_cast<const char*>(${variable}), sizeof(${variable}) - 1};\n")
endforeach()
file(WRITE "${SOURCE}" "#include <string_view>

namespace {
${arrays}
}  // namespace

namespace mercator::tools {
std::string_view ${FUNCTION}(std::string_view name);
std::string_view ${FUNCTION}(std::string_view name) {
${entries}  return {};
}
}  // namespace mercator::tools
")

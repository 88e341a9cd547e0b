#include "mercator/tools/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace mercator::tools {

// Of the source that the build makes of the files.
std::string_view report_file(std::string_view name);

namespace {

// JSON that may stand in a script element: nothing in it looks like the end of one.
void append_escaped(std::string_view json, std::string& out) {
  while (!json.empty()) {
    const std::size_t end = json.find('<');
    out += json.substr(0, end);
    if (end == std::string_view::npos) return;
    out += "\\u003c";
    json.remove_prefix(end + 1);
  }
}

void append_lines(std::string_view id, std::span<const std::string> lines, std::string& out) {
  out += fmt::format("<script type=\"text/plain\" id=\"{}\">", id);
  for (const std::string& line : lines) {
    append_escaped(line, out);
    out += '\n';
  }
  out += "</script>\n";
}

void append_json(std::string_view id, const Json& json, std::string& out) {
  const std::string text = dump(json);
  append_lines(id, std::span(&text, 1), out);
}

std::string data_elements(std::string_view file, const ReportData& data, const Json& cost) {
  std::string out;
  Json module = data.module;
  module["file"] = std::string(file);
  append_json("data-module", module, out);
  append_lines("data-details", data.details, out);
  append_lines("data-maps", data.maps, out);
  append_json("data-cost", cost, out);
  return out;
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string report_page(std::string_view file, const ReportData& data, const Json& cost) {
  // What page.html has, and what stands in its place. The name of a file is up to the next quote.
  constexpr std::string_view kTitle = "<!--title-->";
  constexpr std::string_view kData = "<!--data-->";
  constexpr std::string_view kStyle = "<link rel=\"stylesheet\" href=\"";
  constexpr std::string_view kScript = "<script src=\"";
  std::string page;
  std::string_view rest = report_file("page.html");
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto named = [&](std::string_view start) {
      return report_file(line.substr(start.size(), line.find('"', start.size()) - start.size()));
    };
    if (line.starts_with(kStyle)) {
      page += fmt::format("<style>\n{}</style>", named(kStyle));
    } else if (line.starts_with(kScript)) {
      page += fmt::format("<script>\n{}</script>", named(kScript));
    } else if (line == kData) {
      page += data_elements(file, data, cost);
    } else if (const std::size_t title = line.find(kTitle); title != std::string_view::npos) {
      page += line.substr(0, title);
      page += escaped_html(data.module["module"].get<std::string>());
      page += line.substr(title + kTitle.size());
    } else {
      page += line;
    }
    page += '\n';
  }
  return page;
}

}  // namespace mercator::tools

// The page of `mercator report`: one HTML file with its data, style and scripts inside. Its parts
// are the files of the folder report.

#pragma once

#include <string>
#include <string_view>

#include "mercator/tools/json.h"
#include "mercator/tools/report_data.h"

namespace mercator::tools {

// `file` is what the page says that it is about; `cost` is what `mercator cost --json` prints.
[[nodiscard]] std::string report_page(std::string_view file, const ReportData& data,
                                      const Json& cost);

}  // namespace mercator::tools

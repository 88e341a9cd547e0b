#include "mercator/tools/tensor_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mercator/hlo/literal.h"

namespace mercator::tools {
namespace {

constexpr std::int64_t kMostElements = 1000;
constexpr std::int64_t kShownEnd = 3;

class TensorWriter {
 public:
  explicit TensorWriter(const runtime::Tensor& tensor)
      : tensor_(tensor),
        strides_(runtime::row_major_strides(tensor.dimensions())),
        end_(shown_end(tensor)) {}

  std::string text() {
    out_ = runtime::type_text(tensor_) + ' ';
    if (tensor_.element_count() == 0) return out_ + "{}";
    write(0, 0);
    return out_;
  }

 private:
  // How many places at each end of a dimension are shown, where it has more than twice as many.
  static std::int64_t shown_end(const runtime::Tensor& tensor) {
    if (tensor.element_count() <= kMostElements) return kMostElements;
    for (std::int64_t end = kShownEnd; end > 1; --end) {
      std::int64_t shown = 1;
      for (const std::int64_t size : tensor.dimensions()) {
        if (shown <= kMostElements) shown *= std::min(size, 2 * end);
      }
      if (shown <= kMostElements) return end;
    }
    return 1;
  }

  // The part at `place`, all of the dimensions before `dimension` being decided.
  void write(std::size_t dimension, std::int64_t place) {
    if (dimension == tensor_.dimensions().size()) {
      write_element(place);
      return;
    }
    const std::int64_t size = tensor_.dimensions()[dimension];
    out_ += '{';
    for (std::int64_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ", ";
      if (i == end_ && size > 2 * end_) {
        out_ += "..., ";
        i = size - end_;
      }
      write(dimension + 1, place + i * strides_[dimension]);
    }
    out_ += '}';
  }

  void write_element(std::int64_t place) {
    const hlo::ElementType type = tensor_.element_type();
    const std::byte* const data = tensor_.element(place);
    if (type == hlo::ElementType::kPred && tensor_.rank() > 0) {
      out_ += *data != std::byte{0} ? '1' : '0';  // as HLO writes it in arrays
      return;
    }
    const hlo::Shape scalar{.element_type = type};
    const auto bytes = static_cast<std::size_t>(hlo::element_bytes(type));
    out_ += to_string(hlo::Literal{.shape = scalar, .data = {data, bytes}});
  }

  const runtime::Tensor& tensor_;
  std::vector<std::int64_t> strides_;
  std::int64_t end_;
  std::string out_;
};

}  // namespace

std::string tensor_text(const runtime::Tensor& tensor) { return TensorWriter(tensor).text(); }

}  // namespace mercator::tools

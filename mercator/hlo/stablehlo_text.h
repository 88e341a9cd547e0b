// Writes a StableHLO program as HLO text: operations become instructions, regions computations.
// Internal: the way in is `parse_stablehlo`.
//
// The text is meant to have the meaning of the program and the form that XLA gives it: several
// results are a tuple whose elements are taken out, what a loop or a branch uses from around it
// becomes a part of its operands, and constants are written again where they are used.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercator/hlo/source.h"
#include "mercator/hlo/stablehlo_syntax.h"
#include "mercator/support/arena.h"
#include "mercator/support/error.h"

namespace mercator::hlo::stablehlo {

class Text {
 public:
  explicit Text(Arena& arena) : arena_(arena) {}

  // False if the program asks for something that HLO or Mercator does not have.
  bool write(const Program& program);
  [[nodiscard]] std::string take() { return std::move(out_); }
  [[nodiscard]] std::vector<SourceLine> take_lines() { return std::move(lines_); }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  using Names = std::vector<std::string>;

  // Names that are all different.
  class UniqueNames {
   public:
    // `wanted`, or if that is taken, with a number behind it.
    std::string take(std::string_view wanted);

   private:
    std::map<std::string, std::size_t, std::less<>> next_;  // number, by name
  };
  struct Line {
    std::string name;
    std::string text;  // after the '='
    TextSpan span;
  };
  // A computation in the making.
  struct Body {
    std::vector<Line> lines;
    std::map<std::string, std::size_t, std::less<>> places;  // of the lines, by name
    std::map<const Value*, std::string> names;
    UniqueNames unique;
    std::int64_t parameters = 0;
  };
  using Translate = bool (Text::*)(Body&, const Op&);
  struct Rule {
    std::string_view op;
    Translate translate;
  };
  static const std::span<const Rule> kRules;

  // ---- stablehlo_text.cc: computations ----
  bool write_function(const Function& function, bool is_entry);
  bool write_ops(Body& body, const Region& region, Names& returned);
  bool translate(Body& body, const Op& op);
  // The computation is complete.
  bool finish(Body& body, std::string_view name, const Names& returned, bool always_tuple,
              TextSpan span, bool is_entry = false);
  // A region that takes its arguments one by one; the name of the computation.
  bool write_reducer(const Op& op, const Region& region, std::string& name);
  // A region that takes its arguments and `captures` as one operand.
  bool write_branch(const Op& op, const Region& region, std::span<const Value* const> captures,
                    bool return_captures, std::string& name);
  std::vector<const Value*> captures(std::span<Region* const> regions);
  void collect_captures(const Region& outer, const Region& region, std::set<const Value*>& seen,
                        std::vector<const Value*>& captures);

  bool fail(const Op& op, std::string message, ErrorKind kind = ErrorKind::kUnsupported);
  // The name that an instruction for the results of `op` should have.
  static std::string name_for(const Op& op);
  std::string add(Body& body, std::string_view wanted, const Shape& shape, std::string_view opcode,
                  std::string_view arguments, std::string_view attributes, TextSpan span);
  std::string add_parameter(Body& body, std::string_view wanted, const Shape& shape, TextSpan span);
  std::string add_tuple(Body& body, std::string_view wanted, const Names& elements,
                        std::span<const Shape> shapes, TextSpan span);
  // %a, %b of the operands from `first` on; nothing, with an error, if one cannot be had here.
  std::optional<std::string> arguments(Body& body, const Op& op, std::size_t first = 0);
  std::optional<std::string> operand(Body& body, const Op& op, const Value& value);
  // The instruction for `op` with all operands, and elements of the tuple for several results.
  bool emit(Body& body, const Op& op, std::string_view opcode, std::string_view attributes);
  bool emit(Body& body, const Op& op, std::string_view opcode, std::string_view arguments,
            std::string_view attributes);
  void name_results(Body& body, const Op& op, const std::string& name, bool is_tuple);
  Shape tuple_shape(std::span<const Shape> elements);
  static std::vector<Shape> types(std::span<Value* const> values);

  // ---- stablehlo_ops.cc, stablehlo_calls.cc: one operation ----
  bool elementwise(Body& body, const Op& op);
  bool constant(Body& body, const Op& op);
  bool iota(Body& body, const Op& op);
  bool broadcast_in_dim(Body& body, const Op& op);
  bool broadcast(Body& body, const Op& op);
  bool compare(Body& body, const Op& op);
  bool transpose(Body& body, const Op& op);
  bool slice(Body& body, const Op& op);
  bool concatenate(Body& body, const Op& op);
  bool pad(Body& body, const Op& op);
  bool dot(Body& body, const Op& op);
  bool dot_general(Body& body, const Op& op);
  bool convolution(Body& body, const Op& op);
  bool reverse(Body& body, const Op& op);
  bool dynamic_slice(Body& body, const Op& op);
  bool gather(Body& body, const Op& op);
  bool scatter(Body& body, const Op& op);
  bool reduce(Body& body, const Op& op);
  bool reduce_window(Body& body, const Op& op);
  bool select_and_scatter(Body& body, const Op& op);
  bool sort(Body& body, const Op& op);
  bool map(Body& body, const Op& op);
  bool loop(Body& body, const Op& op);
  bool conditional(Body& body, const Op& op);
  bool call(Body& body, const Op& op);
  bool composite(Body& body, const Op& op);
  bool custom_call(Body& body, const Op& op);
  bool fft(Body& body, const Op& op);
  bool cholesky(Body& body, const Op& op);
  bool triangular_solve(Body& body, const Op& op);
  bool reduce_precision(Body& body, const Op& op);
  bool rng(Body& body, const Op& op);
  bool rng_bit_generator(Body& body, const Op& op);
  bool batch_norm(Body& body, const Op& op);
  bool get_tuple_element(Body& body, const Op& op);
  bool optimization_barrier(Body& body, const Op& op);
  bool token(Body& body, const Op& op);
  bool all_reduce(Body& body, const Op& op);
  bool all_gather(Body& body, const Op& op);
  bool reduce_scatter(Body& body, const Op& op);
  bool all_to_all(Body& body, const Op& op);
  bool collective_permute(Body& body, const Op& op);
  bool collective_broadcast(Body& body, const Op& op);
  bool dimension_size(Body& body, const Op& op);
  bool top_k(Body& body, const Op& op);
  bool square(Body& body, const Op& op);
  bool arc_tangent(Body& body, const Op& op);
  bool identity(Body& body, const Op& op);
  bool convert(Body& body, const Op& op);
  bool manual_computation(Body& body, const Op& op);

  // ---- values of attributes ----
  // The first of these that the operation has; null if it has none.
  static const Attribute* find(const Op& op, std::initializer_list<std::string_view> names);
  static const Attribute* field(const Attribute* fields, std::string_view name);
  static std::int64_t integer(const Attribute* attribute, std::int64_t otherwise);
  // All whole numbers in a list or a dense value.
  static std::vector<std::int64_t> integers(const Attribute* attribute);
  // The same with `count` of them, of which there may be one for all, or none: `otherwise`.
  static std::vector<std::int64_t> integers(const Attribute* attribute, std::size_t count,
                                            std::int64_t otherwise);
  static std::vector<std::vector<std::int64_t>> rows(const Attribute* attribute);
  // LT of #stablehlo<comparison_direction LT>, or of the word LT.
  static std::string_view enumerator(const Attribute* attribute);
  static std::string list(std::span<const std::int64_t> values);
  static std::string rows_text(const Attribute* attribute);
  static std::string precision(const Op& op);
  static std::string channel(const Op& op);
  std::string window(std::span<const std::int64_t> size, const Attribute* stride,
                     const Attribute* padding, const Attribute* base_dilation,
                     const Attribute* window_dilation, const Attribute* reversal);
  // What stands in the parentheses of `constant`.
  std::optional<std::string> literal(const Op& op, const Attribute& value, const Shape& shape);

  Arena& arena_;
  std::string out_;
  std::vector<SourceLine> lines_;
  std::optional<Error> error_;
  UniqueNames computations_;
  std::map<std::string_view, std::string> functions_;  // the computation of each
};

}  // namespace mercator::hlo::stablehlo

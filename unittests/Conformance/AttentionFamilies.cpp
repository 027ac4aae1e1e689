//===- AttentionFamilies.cpp - Attention of all kinds ---------------------===//
//
// Inputs are small, so that no exponential takes all: an element of the result
// is an average of many values.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

/// Half of the usual: averages.
static Tolerance averages(DType dtype) {
  Tolerance few = roundings(dtype, 4e-5);
  return {0, few.relative / 2, few.absolute / 2};
}

namespace {
/// Heads of one size, with every mask. The batch and the numbers of queries and
/// keys are symbols 0 to 2 where they are dynamic.
class Heads {
public:
  Heads(DType dtype, bool dynamic, int64_t depth, int64_t width)
      : b(std::string("attention") + (dynamic ? "_dynamic_" : "_") +
              std::to_string(depth) + "x" + std::to_string(width) + "_" +
              std::string(dtypeInfo(dtype).mlir),
          19,
          dynamic ? std::vector<std::vector<int64_t>>{{2, 5, 7},
                                                      {1, 1, 70},
                                                      {1, 66, 3},
                                                      {2, 3, 0}}
                  : std::vector<std::vector<int64_t>>{{}}),
        dtype(dtype), batch(dynamic ? Dim::of(0) : Dim{2, -1}),
        queries(dynamic ? Dim::of(1) : Dim{5, -1}),
        keys(dynamic ? Dim::of(2) : Dim{67, -1}), depth{depth, -1},
        width{width, -1} {}

  Case make();

private:
  std::string input(DType type, const Dims &dims, Fill fill) {
    std::string name = b.input(type, dims, fill);
    types.push_back(typeText(type, dims));
    return name;
  }
  /// The attention of `heads` heads, of which `group` share one of the key.
  void add(int64_t heads, int64_t group, const std::string &words,
           DType maskType = DType::F32, const Dims &mask = {});

  ProgramBuilder b;
  DType dtype;
  Dim batch, queries, keys, depth, width;
  std::vector<std::string> types;
};
} // namespace

void Heads::add(int64_t heads, int64_t group, const std::string &words,
                DType maskType, const Dims &mask) {
  types.clear();
  Fill uniform{Fill::Uniform, -1, 1};
  Dim all{heads, -1}, shared{heads / group, -1};
  std::string text = input(dtype, {batch, all, queries, depth}, uniform);
  text += ", " + input(dtype, {batch, shared, keys, depth}, uniform);
  text += ", " + input(dtype, {batch, shared, keys, width}, uniform);
  if (!mask.empty())
    text += " mask = " + input(maskType, mask, {Fill::Whole, 0, 1});
  if (words.find("lengths") != std::string::npos)
    text += " lengths = " + input(DType::I32, {batch}, {Fill::Whole, -1, 75});
  if (size_t causal = words.find("causal"); causal != std::string::npos)
    text += " " + words.substr(causal);
  std::string operands;
  for (const std::string &type : types)
    operands += (operands.empty() ? "" : ", ") + type;
  Dims to{batch, all, queries, width};
  b.result(b.op("trace.attention " + text + " : (" + operands + ") -> " +
                typeText(dtype, to)),
           dtype, to, averages(dtype), words);
}

Case Heads::make() {
  Dim one{1, -1};
  add(2, 1, "");
  add(4, 2, "causal = \"top_left\"");
  add(3, 3, "causal = \"bottom_right\" scale = 5.0e-1");
  add(2, 1, "lengths");
  add(2, 2, "lengths causal = \"bottom_right\"", DType::Bool,
      {batch, one, queries, keys});
  add(2, 1, "", DType::Bool, {queries, keys});
  add(2, 1, "", dtype, {{2, -1}, queries, keys});
  add(2, 1, "causal = \"top_left\"", DType::F32, {queries, one});
  return b.finish(/*withSizes=*/false);
}

std::vector<Case> conformance::attentionCases() {
  std::vector<Case> cases;
  for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64})
    for (bool dynamic : {false, true}) {
      cases.push_back(Heads(dtype, dynamic, 16, 16).make());
      cases.push_back(Heads(dtype, dynamic, 40, 7).make());
    }
  // Kernels take no heads above 256.
  cases.push_back(Heads(DType::F16, false, 9, 300).make());
  cases.push_back(Heads(DType::BF16, true, 160, 72).make());
  return cases;
}

//===- WindowFamilies.cpp - Windows and what is made of them --------------===//
//
// Convolutions, pooling, resize and norms over channels. Inputs of sums are
// whole numbers, small enough for every order of summation to give the same
// result: comparison is exact where nothing else rounds.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

/// A sum of zeros may be 0 or -0.
static constexpr Tolerance anyZero{0, 0, 5e-324};

namespace {
/// Programs over (batch, channels, height, width); a dynamic batch and height
/// are symbols 0 and 1.
class Images {
public:
  Images(const char *family, DType dtype, bool dynamic)
      : b(std::string(family) + (dynamic ? "_dynamic_" : "_") +
              std::string(dtypeInfo(dtype).mlir),
          17,
          dynamic ? std::vector<std::vector<int64_t>>{{2, 7}, {1, 5}, {3, 12}}
                  : std::vector<std::vector<int64_t>>{{}}),
        dtype(dtype), dynamic(dynamic) {}

  Dim batch() const { return dynamic ? Dim::of(0) : Dim{2, -1}; }
  /// `size` where shapes are static.
  Dim height(int64_t size) const {
    return dynamic ? Dim::of(1) : Dim{size, -1};
  }
  Dims image(int64_t channels, int64_t width) const {
    return {batch(), {channels, -1}, height(7), {width, -1}};
  }
  std::string input(const Dims &dims, Fill fill = {Fill::Whole, -4, 4}) {
    return b.input(dtype, dims, fill);
  }
  /// Adds "trace.<text> : (<from>) -> <to>" and a result.
  void add(const std::string &text, const std::vector<Dims> &from,
           const Dims &to, Tolerance tolerance = anyZero) {
    std::string types;
    for (const Dims &dims : from)
      types += (types.empty() ? "" : ", ") + typeText(dtype, dims);
    b.result(
        b.op("trace." + text + " : (" + types + ") -> " + typeText(dtype, to)),
        dtype, to, tolerance, text);
  }

  ProgramBuilder b;
  DType dtype;
  bool dynamic;
};
} // namespace

static Case convolutions(DType dtype, bool dynamic) {
  Images f("convolution", dtype, dynamic);
  Dims x = f.image(4, 9), w = Dims::of({6, 4, 3, 3}), v = Dims::of({6});
  std::string image = f.input(x), weight = f.input(w), bias = f.input(v);
  f.add("convolution " + image + ", " + weight + ", " + bias +
            " low = [1, 1] high = [1, 1]",
        {x, w, v}, {f.batch(), {6, -1}, f.height(7), {9, -1}});
  f.add("convolution " + image + ", " + weight +
            " stride = [2, 3] dilation = [1, 2] low = [0, 2] high = [2, 1]",
        {x, w}, {f.batch(), {6, -1}, f.height(4), {3, -1}});
  Dims grouped = Dims::of({6, 2, 2, 3}), each = Dims::of({8, 1, 3, 3}),
       one = Dims::of({5, 4, 1, 1});
  std::string groups = f.input(grouped), taps = f.input(each),
              point = f.input(one);
  f.add("convolution " + image + ", " + groups + ", " + bias + " groups = 2",
        {x, grouped, v}, {f.batch(), {6, -1}, f.height(6), {7, -1}});
  f.add("convolution " + image + ", " + taps +
            " low = [1, 1] high = [1, 1] groups = 4",
        {x, each}, {f.batch(), {8, -1}, f.height(7), {9, -1}});
  f.add("convolution " + image + ", " + point, {x, one},
        {f.batch(), {5, -1}, f.height(7), {9, -1}});
  f.add("convolution " + image + ", " + point + " stride = [2, 2]", {x, one},
        {f.batch(), {5, -1}, f.height(4), {5, -1}});
  return f.b.finish(/*withSizes=*/false);
}

static Case transposedConvolutions(DType dtype, bool dynamic) {
  Images f("conv_transpose", dtype, dynamic);
  Dims x = f.image(4, 5), w = Dims::of({4, 3, 3, 2}), v = Dims::of({3});
  std::string image = f.input(x), weight = f.input(w), bias = f.input(v);
  f.add("conv_transpose " + image + ", " + weight + ", " + bias, {x, w, v},
        {f.batch(), {3, -1}, f.height(9), {6, -1}});
  f.add("conv_transpose " + image + ", " + weight +
            " stride = [2, 3] low = [1, 0] high = [0, 1] output_padding = [1, "
            "2]",
        {x, w}, {f.batch(), {3, -1}, f.height(15), {15, -1}});
  f.add("conv_transpose " + image + ", " + weight +
            " stride = [2, 1] dilation = [2, 1] groups = 2",
        {x, w}, {f.batch(), {6, -1}, f.height(17), {6, -1}});
  // Phases without taps in both dimensions, with taps of their own in one.
  f.add("conv_transpose " + image + ", " + weight +
            " stride = [4, 3] dilation = [2, 1] low = [5, 0] groups = 2",
        {x, w}, {f.batch(), {6, -1}, f.height(24), {14, -1}});
  return f.b.finish(/*withSizes=*/false);
}

/// Of integers, one that two roundings of a number near a half may be apart.
static Tolerance averages(DType dtype) {
  return dtype == DType::I8 ? Tolerance{0, 0, 1} : roundings(dtype, 2e-5);
}

static Case pooling(DType dtype, bool dynamic) {
  Images f("pool", dtype, dynamic);
  Dims x = f.image(3, 8);
  std::string image = f.input(x);
  Dims halved{f.batch(), {3, -1}, f.height(4), {4, -1}};
  std::string padded =
      image + " window = [3, 3] stride = [2, 2] low = [1, 1] high = [1, 1]";
  std::string ceil =
      image + " window = [3, 2] stride = [2, 3] dilation = [1, 2] low = [0, 1] "
              "high = [1, 0] ceil_mode";
  Dims rounded{f.batch(), {3, -1}, f.height(4), {3, -1}};
  f.add("maxpool " + padded, {x}, halved);
  f.add("maxpool " + ceil, {x}, rounded);
  f.add("maxpool " + image + " window = [5]", {x},
        {f.batch(), {3, -1}, f.height(7), {4, -1}});
  if (dtype == DType::I32 || dtype == DType::I64)
    return f.b.finish(/*withSizes=*/false);
  for (const char *counts : {"", " count_include_pad = false"}) {
    f.add("avgpool " + padded + counts, {x}, halved, averages(dtype));
    f.add("avgpool " + ceil + counts, {x}, rounded, averages(dtype));
  }
  return f.b.finish(/*withSizes=*/false);
}

static Case resizes(DType dtype, bool dynamic) {
  Images f("resize", dtype, dynamic);
  Dims x = f.image(2, 6);
  std::string image = f.input(x);
  Dims sized{f.batch(), {2, -1}, {9, -1}, {4, -1}};
  Dims scaled{f.batch(), {2, -1}, f.height(10), {9, -1}};
  bool isAveraged = dtype == DType::F32 || dtype == DType::F16 ||
                    dtype == DType::BF16 || dtype == DType::I8;
  for (const char *mode : {"nearest", "linear", "cubic"})
    for (const char *at : {"half_pixel", "asymmetric", "align_corners"}) {
      bool isNearest = mode == std::string("nearest");
      if (isNearest ? at == std::string("align_corners") : !isAveraged)
        continue;
      std::string words =
          std::string(" mode = \"") + mode + "\" coordinates = \"" + at + "\"";
      Tolerance tolerance = isNearest ? Tolerance{} : averages(dtype);
      f.add("resize " + image + " to [-1, -1, 9, 4]" + words, {x}, sized,
            tolerance);
      f.add("resize " + image + " scales = [1.0, 1.0, 1.5, 1.5]" + words, {x},
            scaled, tolerance);
    }
  return f.b.finish(/*withSizes=*/false);
}

static Case channelNorms(DType dtype, bool dynamic) {
  Images f("channel_norms", dtype, dynamic);
  Dims x = f.image(6, 5), v = Dims::of({6});
  Fill uniform{Fill::Uniform, -2, 2}, positive{Fill::Uniform, 0.5, 2};
  std::string image = f.input(x, uniform), weight = f.input(v, uniform),
              bias = f.input(v, uniform), variance = f.input(v, positive);
  std::string both = image + ", " + weight + ", " + bias;
  f.add("group_norm " + both + " groups = 3 eps = 1.0e-5", {x, v, v}, x,
        roundings(dtype, 2e-5));
  f.add("instance_norm " + both + " eps = 1.0e-5", {x, v, v}, x,
        roundings(dtype, 2e-5));
  f.add("batch_norm " + image + ", " + bias + ", " + variance + ", " + weight +
            ", " + bias + " eps = 1.0e-5",
        {x, v, v, v, v}, x, roundings(dtype, 2e-5));
  return f.b.finish(/*withSizes=*/false);
}

/// The primitive alone: every type, steps in both directions, gaps in the
/// input, and a value outside.
static Case windows(DType dtype, bool dynamic) {
  Images f("window", dtype, dynamic);
  Dims x = f.image(2, 6);
  std::string image = f.input(x);
  std::string value = dtype == DType::Bool ? "true"
                      : dtypeInfo(dtype).cls == DTypeClass::Float
                          ? "1.5 : " + std::string(dtypeInfo(dtype).mlir)
                          : "7 : " + std::string(dtypeInfo(dtype).mlir);
  auto slide = [&](const std::string &numbers, const Dims &to) {
    std::string text = "flatir.window " + image + " dims = [2, 3] " + numbers +
                       " value = " + value + " sizes(" + sizesText(to) +
                       ") : " + typeText(dtype, x) + " -> " +
                       typeText(dtype, to);
    f.b.result(f.b.op(text), dtype, to, {}, numbers);
  };
  Dim two{2, -1}, three{3, -1};
  slide("window = [3, 2] strides = [1, 2] dilations = [1, 1] interior = [1, 1] "
        "low = [1, 1]",
        {three, two, f.batch(), two, f.height(7), {4, -1}});
  slide("window = [2, 3] strides = [1, 1] dilations = [-1, -2] interior = [2, "
        "3] low = [-1, 2]",
        {two, three, f.batch(), two, f.height(9), {11, -1}});
  slide("window = [2, 3] strides = [1, 1] dilations = [1, 1] interior = [1, 1] "
        "low = [0, 0]",
        {two, three, f.batch(), two, f.height(6), {4, -1}});
  return f.b.finish();
}

std::vector<Case> conformance::windowCases() {
  std::vector<Case> cases;
  for (bool dynamic : {false, true}) {
    for (DType dtype : storedTypes()) {
      cases.push_back(windows(dtype, dynamic));
      cases.push_back(resizes(dtype, dynamic));
    }
    for (DType dtype :
         {DType::F32, DType::F16, DType::BF16, DType::I32, DType::I64}) {
      cases.push_back(convolutions(dtype, dynamic));
      cases.push_back(transposedConvolutions(dtype, dynamic));
      cases.push_back(pooling(dtype, dynamic));
    }
    cases.push_back(pooling(DType::I8, dynamic));
    for (DType dtype : {DType::F32, DType::F16, DType::BF16})
      cases.push_back(channelNorms(dtype, dynamic));
  }
  return cases;
}

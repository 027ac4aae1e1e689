//===- Movement.cpp - Rules and results of shape and layout changes -------===//

#include "../TraceRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

using TypeList = SmallVectorImpl<Type>;

static constexpr int64_t dynamicSize = ShapedType::kDynamic;
static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

/// The input's element type with another shape.
static Type reshaped(Value input, Sizes sizes) {
  return RankedTensorType::get(sizes, elementTypeOf(input));
}

/// Product of the static sizes; -1 and `?` count as 1.
static int64_t staticProduct(Sizes sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (size >= 0)
      product = saturatingMul(product, size);
  return product;
}

//===-- reshape -----------------------------------------------------------===//

bool trace::sizesAllowInferred(Sizes sizes) {
  return llvm::count(sizes, -1) <= 1 && llvm::all_of(sizes, [](int64_t size) {
           return size >= -1 || isDynamic(size);
         });
}

/// Whether a product that has the factor `part` may be `whole`.
static bool mayDivide(int64_t part, int64_t whole) {
  return part == 0 ? whole == 0 : whole % part == 0;
}

bool trace::canReshape(Value input, Sizes sizes) {
  bool inferred = llvm::is_contained(sizes, -1);
  int64_t from = staticProduct(shapeOf(input)), to = staticProduct(sizes);
  bool fromDynamic = dynamicCount(shapeOf(input));
  bool toDynamic = inferred || dynamicCount(sizes);
  if (inferred && to == 0) // Any size would do: there is none to infer.
    return false;
  if (!fromDynamic && !toDynamic)
    return from == to;
  return (fromDynamic || mayDivide(to, from)) &&
         (toDynamic || mayDivide(from, to));
}

Shape trace::reshapedShape(Value input, Sizes sizes) {
  Shape result(sizes);
  bool known = !dynamicCount(shapeOf(input)) && !dynamicCount(sizes);
  for (int64_t &size : result)
    if (size == -1)
      size = known ? staticProduct(shapeOf(input)) / staticProduct(sizes)
                   : dynamicSize;
  return result;
}

void ReshapeOp::inferResults(Adaptor in, TypeList &out) {
  out.push_back(reshaped(in.getInput(),
                         reshapedShape(in.getInput(), in.getStaticSizes())));
}

//===-- permute, transpose ------------------------------------------------===//

void PermuteOp::inferResults(Adaptor in, TypeList &out) {
  Sizes sizes = shapeOf(in.getInput());
  Shape result;
  for (int64_t dim : in.getPermutation())
    result.push_back(sizes[normalizeDim(dim, sizes.size())]);
  out.push_back(reshaped(in.getInput(), result));
}

void TransposeOp::inferResults(Adaptor in, TypeList &out) {
  Shape result(shapeOf(in.getInput()));
  std::swap(result[normalizeDim(in.getDim0(), result.size())],
            result[normalizeDim(in.getDim1(), result.size())]);
  out.push_back(reshaped(in.getInput(), result));
}

//===-- expand, squeeze, unsqueeze ----------------------------------------===//

bool trace::expandSizesValid(Value input, Sizes sizes) {
  Sizes added = sizes.drop_back(shapeOf(input).size());
  return !llvm::is_contained(added, -1) &&
         llvm::all_of(
             sizes, [](int64_t size) { return size >= -1 || isDynamic(size); });
}

bool trace::canExpand(Value input, Sizes sizes) {
  Sizes from = shapeOf(input);
  for (auto [size, to] : llvm::zip(from, sizes.take_back(from.size())))
    if (to != -1 && size != 1 && !mayAgree(size, to))
      return false;
  return true;
}

Shape trace::expandedShape(Value input, Sizes sizes) {
  Shape result(sizes);
  Sizes from = shapeOf(input);
  size_t added = sizes.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (result[added + i] == -1)
      result[added + i] = from[i];
  return result;
}

void ExpandOp::inferResults(Adaptor in, TypeList &out) {
  out.push_back(reshaped(in.getInput(),
                         expandedShape(in.getInput(), in.getStaticSizes())));
}

bool trace::haveSizeOne(Value input, Sizes dims) {
  Sizes sizes = shapeOf(input);
  return llvm::all_of(dims, [&](int64_t dim) {
    return mayAgree(sizes[normalizeDim(dim, sizes.size())], 1);
  });
}

void SqueezeOp::inferResults(Adaptor in, TypeList &out) {
  Sizes sizes = shapeOf(in.getInput());
  Shape result;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (llvm::none_of(in.getDims(),
                      [&, i = static_cast<int64_t>(i)](int64_t dim) {
                        return normalizeDim(dim, sizes.size()) == i;
                      }))
      result.push_back(size);
  out.push_back(reshaped(in.getInput(), result));
}

void UnsqueezeOp::inferResults(Adaptor in, TypeList &out) {
  Shape result(shapeOf(in.getInput()));
  result.insert(result.begin() + normalizeDim(in.getDim(), result.size() + 1),
                1);
  out.push_back(reshaped(in.getInput(), result));
}

//===-- slice -------------------------------------------------------------===//

/// How many elements a Python slice of a dimension takes.
static int64_t slicedSize(int64_t size, int64_t start, int64_t stop,
                          int64_t step) {
  if (isDynamic(size) || isDynamic(start) || isDynamic(stop))
    return dynamicSize;
  // Backwards, -1 stands for the place before the first element.
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  start = std::clamp(start < 0 ? start + size : start, low, high);
  stop = std::clamp(stop < 0 ? stop + size : stop, low, high);
  int64_t span = step > 0 ? stop - start : start - stop;
  return span <= 0 ? 0 : llvm::divideCeil(span, std::abs(step));
}

void SliceOp::inferResults(Adaptor in, TypeList &out) {
  Shape result;
  for (auto [size, start, stop, step] :
       llvm::zip(shapeOf(in.getInput()), in.getStaticStarts(),
                 in.getStaticStops(), in.getSteps()))
    result.push_back(slicedSize(size, start, stop, step));
  out.push_back(reshaped(in.getInput(), result));
}

//===-- split, concatenate ------------------------------------------------===//

bool trace::sumsTo(Sizes sizes, Value input, int64_t dim) {
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (size < 0)
      return false;
    total = saturatingAdd(total, size);
  }
  return mayAgree(shapeOf(input)[normalizeDim(dim, rankOf(input))], total);
}

bool trace::partsValid(int64_t parts) { return 1 <= parts && parts <= 1024; }

/// Sizes of `parts` parts of ceil-sized share, the last ones smaller or empty.
static Shape shares(int64_t size, int64_t parts) {
  if (isDynamic(size))
    return Shape(parts, dynamicSize);
  Shape result;
  int64_t share = llvm::divideCeil(size, parts);
  for (int64_t i = 0; i < parts; ++i)
    result.push_back(std::clamp<int64_t>(size - i * share, 0, share));
  return result;
}

void SplitOp::inferResults(Adaptor in, TypeList &out) {
  Shape result(shapeOf(in.getInput()));
  int64_t &size = result[normalizeDim(in.getDim(), result.size())];
  Shape sizes = in.getSizes() ? Shape(*in.getSizes())
                              : shares(size, asSigned(*in.getParts()));
  for (int64_t part : sizes) {
    size = part;
    out.push_back(reshaped(in.getInput(), result));
  }
}

Shape trace::concatenatedShape(ValueRange inputs, int64_t dim) {
  Shape result(shapeOf(inputs.front()));
  dim = normalizeDim(dim, result.size());
  for (Value input : inputs.drop_front())
    for (auto [i, size] : llvm::enumerate(shapeOf(input))) {
      if (static_cast<int64_t>(i) != dim)
        result[i] = isDynamic(result[i]) ? size : result[i];
      else if (isDynamic(result[i]) || isDynamic(size))
        result[i] = dynamicSize;
      else
        result[i] = saturatingAdd(result[i], size);
    }
  return result;
}

void ConcatenateOp::inferResults(Adaptor in, TypeList &out) {
  out.push_back(reshaped(in.getInputs().front(),
                         concatenatedShape(in.getInputs(), in.getDim())));
}

//===-- pad ---------------------------------------------------------------===//

Shape trace::paddedShape(Value input, Sizes low, Sizes high) {
  Shape result;
  for (auto [size, before, after] : llvm::zip(shapeOf(input), low, high))
    result.push_back(isDynamic(size) || isDynamic(before) || isDynamic(after)
                         ? dynamicSize
                         : saturatingAdd(saturatingAdd(before, size), after));
  return result;
}

bool trace::isPadMode(StringRef mode) {
  return mode == "edge" || mode == "reflect" || mode == "wrap";
}

bool trace::canRepeat(Value input, Sizes low, Sizes high) {
  return llvm::none_of(llvm::zip(shapeOf(input), low, high), [](auto widths) {
    auto [size, before, after] = widths;
    auto grows = [](int64_t width) { return width > 0; };
    return size == 0 && (grows(before) || grows(after));
  });
}

void PadOp::inferResults(Adaptor in, TypeList &out) {
  out.push_back(
      reshaped(in.getInput(), paddedShape(in.getInput(), in.getStaticLow(),
                                          in.getStaticHigh())));
}

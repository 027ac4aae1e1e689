//===- Indexing.cpp - Parts of tensors ------------------------------------===//
//
// x[{1, slice(0, 2), newaxis}]
//   -> slice [1, 0] to [2, 2] -> squeeze dims [0] -> unsqueeze 1
// A tensor of indices is a gather, behind the slices. So is a number that is
// evaluated: its value is an input of the program, which a loop over rows then
// compiles once.
//
//===----------------------------------------------------------------------===//

#include "tripy/Frontend/Indexing.h"

#include "Call.h"
#include "Explain.h"
#include "Throw.h"

#include "tripy/Frontend/Functions.h"

#include <algorithm>

using namespace tripy;
using namespace tripy::frontend;

/// A bound that is left out, for trace.slice.
static constexpr int64_t farOut = int64_t(1) << 62;
/// The largest one of trace.slice.
static constexpr int64_t maxStep = int64_t(1) << 40;

namespace tripy {

/// Applies a list of indices to a tensor.
class Indexer {
public:
  Indexer(const Tensor &input, std::span<const Index> indices, SourceLoc loc)
      : input(input), indices(indices), loc(loc), shape(input.shape(loc)) {}

  Tensor apply();

private:
  void checkCounts() const;
  void addWhole();
  void addNumber(const Index &index);
  void addSlice(const Slice &slice);
  void add(const Index &index);
  size_t left() const { return shape.rank() - starts.size(); }

  const Tensor &input;
  std::span<const Index> indices;
  SourceLoc loc;
  Shape shape;
  /// By dimension of the input.
  std::vector<Size> starts, stops;
  std::vector<int64_t> steps, squeezed;
  bool cuts = false;
  /// Dimensions of the result so far; where new ones come, and gathers.
  int64_t resultRank = 0;
  std::vector<int64_t> added;
  std::vector<std::pair<int64_t, TensorLike>> gathers;
};

} // namespace tripy

void Indexer::checkCounts() const {
  size_t ellipses = 0, used = 0;
  for (const Index &index : indices) {
    ellipses += index.kind == Index::Kind::Ellipsis;
    used += index.kind != Index::Kind::Ellipsis &&
            index.kind != Index::Kind::NewAxis;
  }
  if (ellipses > 1)
    fail(Code::InvalidArgument,
         "there is at most one ellipsis; found " + std::to_string(ellipses),
         loc, {{input.loc(), "Input 0"}});
  if (used > shape.rank())
    fail(Code::InvalidArgument,
         "there are at most as many indices as dimensions; found " +
             std::to_string(used) + " for the shape " + shape.str(),
         loc, {{input.loc(), "Input 0"}});
}

void Indexer::addWhole() {
  starts.push_back(0);
  stops.push_back(farOut);
  steps.push_back(1);
  ++resultRank;
}

void Indexer::addNumber(const Index &index) {
  const Size &number = index.number;
  size_t dim = starts.size();
  if (number.isStatic() && shape[dim].isStatic()) {
    int64_t size = shape[dim].value(), at = number.value();
    if (at < -size || at >= size)
      fail(Code::InvalidArgument,
           "index " + std::to_string(at) + " is outside of dimension " +
               std::to_string(dim) + ", which has size " + std::to_string(size),
           index.place, {{input.loc(), "Input 0"}});
  }
  if (!isTracing() && number.isStatic() && shape[dim].isStatic()) {
    int64_t at = number.value();
    at += at < 0 ? shape[dim].value() : 0;
    gathers.emplace_back(dim - squeezed.size(), TensorLike(at, index.place));
    addWhole();
    --resultRank;
    return;
  }
  bool isLast = number.isStatic() && number.value() == -1;
  starts.push_back(number);
  stops.push_back(isLast ? Size(farOut)
                         : number + detail::Placed<Size>(Size(1), index.place));
  steps.push_back(1);
  squeezed.push_back(dim);
  cuts = true;
}

/// A number that is far outside, as another one that is.
static Size bound(const Size &size) {
  return size.isStatic() ? Size(std::clamp(size.value(), -farOut, farOut))
                         : size;
}

void Indexer::addSlice(const Slice &slice) {
  if (slice.step == 0)
    fail(Code::InvalidArgument, "the step of a slice is not 0", loc);
  bool forward = slice.step > 0;
  starts.push_back(bound(slice.start.size.value_or(forward ? 0 : farOut)));
  stops.push_back(bound(slice.stop.size.value_or(forward ? farOut : -farOut)));
  // No dimension is larger: the first element alone is left.
  steps.push_back(std::clamp(slice.step, -maxStep, maxStep));
  cuts |= slice.start.size || slice.stop.size || slice.step != 1;
  ++resultRank;
}

void Indexer::add(const Index &index) {
  switch (index.kind) {
  case Index::Kind::Number:
    return addNumber(index);
  case Index::Kind::Slice:
    return addSlice(index.range);
  case Index::Kind::Tensor:
    gathers.emplace_back(starts.size() - squeezed.size(),
                         TensorLike(index.indices, loc));
    addWhole();
    // Dimensions of the indices stand in the place of this one.
    resultRank += index.indices.rank(index.place) - 1;
    return;
  case Index::Kind::NewAxis:
    added.push_back(resultRank++);
    return;
  case Index::Kind::Ellipsis: {
    size_t used = 0;
    for (const Index &other : indices.subspan(&index - indices.data() + 1))
      used += other.kind != Index::Kind::NewAxis;
    while (left() > used)
      addWhole();
    return;
  }
  }
}

Tensor Indexer::apply() {
  IntroducedScope scope("take a part of the tensor");
  checkCounts();
  for (const Index &index : indices)
    add(index);
  while (left() > 0)
    addWhole();
  Tensor result = input;
  if (cuts)
    result = op::slice({result, loc}, starts, stops, steps, loc);
  if (!squeezed.empty())
    result = squeeze({result, loc}, squeezed, loc);
  // From the back, so that the dimensions in front keep their numbers.
  for (size_t i = gathers.size(); i-- > 0;)
    result = gather({result, loc}, gathers[i].second, gathers[i].first, loc);
  for (int64_t dim : added)
    result = unsqueeze({result, loc}, dim, loc);
  return result;
}

Tensor Tensor::operator[](const Index &index) const {
  return Indexer(*this, {&index, 1}, index.place).apply();
}
Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  SourceLoc loc = indices.size() ? indices.begin()->place : this->loc();
  return Indexer(*this, {indices.begin(), indices.size()}, loc).apply();
}
Tensor
Tensor::operator[](const detail::Placed<std::vector<Index>> &indices) const {
  return Indexer(*this, indices.value, indices.loc).apply();
}

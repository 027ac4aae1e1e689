//===- AttentionAxes.cpp - Dimensions that views regroup ------------------===//

#include "AttentionAxes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// A number as an attribute, whether or not an operation makes it.
static OpFoldResult plain(OpFoldResult size) {
  std::optional<int64_t> number = getConstantIntValue(size);
  return number ? Builder(size.getContext()).getIndexAttr(*number) : size;
}

Axes AxisSpace::add(OpFoldResult size) {
  size = plain(size);
  if (isConstantIntValue(size, 1))
    return {};
  all.push_back({size, {}});
  return {static_cast<unsigned>(all.size() - 1)};
}

DimAxes AxisSpace::addEach(const SizeList &sizes) {
  DimAxes dims;
  for (OpFoldResult size : sizes)
    dims.push_back(add(size));
  return dims;
}

SizeList AxisSpace::sizesOf(ArrayRef<unsigned> axes) const {
  SizeList sizes;
  for (unsigned axis : axes)
    sizes.push_back(sizeOf(axis));
  return sizes;
}

Axes AxisSpace::flat(ArrayRef<unsigned> axes) const {
  Axes result;
  for (unsigned axis : axes) {
    if (all[axis].parts.empty())
      result.push_back(axis);
    else
      llvm::append_range(result, flat(all[axis].parts));
  }
  return result;
}

Axes AxisSpace::flat(const DimAxes &dims) const {
  Axes result;
  for (const Axes &axes : dims)
    llvm::append_range(result, flat(axes));
  return result;
}

Axes AxisSpace::split(unsigned axis, ArrayRef<OpFoldResult> sizes) {
  Axes parts;
  for (OpFoldResult size : sizes)
    llvm::append_range(parts, add(size));
  all[axis].parts = parts;
  return parts;
}

/// Pairs axes with the dimensions `places` of static sizes, in row-major order.
bool AxisSpace::pairUp(SmallVector<unsigned> &known, const SizeList &sizes,
                       ArrayRef<unsigned> places, DimAxes &found) {
  size_t at = 0;
  for (unsigned place : places) {
    std::optional<int64_t> left = getConstantIntValue(sizes[place]);
    while (left && *left != 1) {
      if (at == known.size())
        return false;
      std::optional<int64_t> size = getConstantIntValue(sizeOf(known[at]));
      if (!size || *size < 1 || *left < 1)
        return false;
      if (*left % *size == 0) {
        found[place].push_back(known[at++]);
        *left /= *size;
        continue;
      }
      if (*size % *left != 0)
        return false;
      Builder b(sizes[place].getContext());
      Axes parts = split(
          known[at], {b.getIndexAttr(*left), b.getIndexAttr(*size / *left)});
      found[place].push_back(parts[0]);
      known[at] = parts[1];
      left = 1;
    }
    if (!left)
      return false;
  }
  return at == known.size();
}

std::optional<DimAxes> AxisSpace::regroup(const DimAxes &dims,
                                          const SizeList &given) {
  Axes known = flat(dims);
  SizeList sizes(llvm::map_range(given, plain));
  SmallVector<unsigned> places;
  for (auto [place, size] : llvm::enumerate(sizes))
    if (!isConstantIntValue(size, 1))
      places.push_back(place);
  DimAxes found(sizes.size());
  // What is equal at either end is the same: the numbers of elements agree.
  size_t from = 0, behind = 0;
  size_t most = std::min(known.size(), places.size());
  while (from < most && sizeOf(known[from]) == sizes[places[from]]) {
    found[places[from]] = {known[from]};
    ++from;
  }
  while (behind < most - from &&
         sizeOf(known[known.size() - 1 - behind]) ==
             sizes[places[places.size() - 1 - behind]]) {
    found[places[places.size() - 1 - behind]] = {
        known[known.size() - 1 - behind]};
    ++behind;
  }
  SmallVector<unsigned> rest(
      ArrayRef(known).drop_front(from).drop_back(behind));
  ArrayRef<unsigned> open = ArrayRef(places).drop_front(from).drop_back(behind);
  if (rest.empty() && open.empty())
    return found;
  if (open.size() == 1 && !rest.empty()) {
    found[open.front()] = Axes(rest);
    return found;
  }
  if (rest.size() == 1 && open.size() > 1) {
    SizeList parts;
    for (unsigned place : open)
      parts.push_back(sizes[place]);
    for (auto [place, axis] : llvm::zip(open, split(rest.front(), parts)))
      found[place] = {axis};
    return found;
  }
  if (!pairUp(rest, sizes, open, found))
    return std::nullopt;
  return found;
}

DimAxes AxisSpace::beforeTranspose(const DimAxes &dims,
                                   ArrayRef<int64_t> permutation) {
  DimAxes before(dims.size());
  for (auto [i, from] : llvm::enumerate(permutation))
    before[from] = dims[i];
  return before;
}

DimAxes AxisSpace::behindTranspose(const DimAxes &dims,
                                   ArrayRef<int64_t> permutation) {
  DimAxes behind;
  for (int64_t from : permutation)
    behind.push_back(dims[from]);
  return behind;
}

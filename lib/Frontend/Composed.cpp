//===- Composed.cpp - Functions of several operations ---------------------===//

#include "Call.h"
#include "Explain.h"
#include "Throw.h"

#include "tripy/Frontend/Functions.h"

using namespace tripy;
using namespace tripy::frontend;

/// `dim` from the front. Throws Error where it is none of `rank`.
static int64_t fromFront(int64_t dim, int64_t rank, const char *what,
                         SourceLoc loc) {
  if (dim < -rank || dim >= rank)
    fail(Code::InvalidArgument,
         std::string("-rank <= ") + what + " < rank; found " +
             std::to_string(dim) + ", rank is " + std::to_string(rank),
         loc);
  return dim < 0 ? dim + rank : dim;
}

Tensor tripy::flatten(const Tensor &input, int64_t start, int64_t end,
                      SourceLoc loc) {
  IntroducedScope scope("join dimensions in 'flatten'");
  Shape shape = input.shape(loc);
  int64_t rank = shape.rank();
  if (rank == 0)
    return reshape({input, loc}, {1}, loc);
  start = fromFront(start, rank, "start", loc);
  end = fromFront(end, rank, "end", loc);
  if (start > end)
    fail(Code::InvalidArgument,
         "start is not behind end; found " + std::to_string(start) + " and " +
             std::to_string(end),
         loc);
  std::vector<Size> sizes(shape.begin(), shape.begin() + start);
  Size joined = 1;
  for (int64_t dim = start; dim <= end; ++dim)
    joined = joined * shape[dim];
  sizes.push_back(joined);
  sizes.insert(sizes.end(), shape.begin() + end + 1, shape.end());
  return reshape({input, loc}, sizes, loc);
}

/// Whether two shapes differ in what is known of them: sizes of the run are
/// compared when the program runs.
static bool surelyDiffer(const Shape &a, const Shape &b) {
  if (a.rank() != b.rank())
    return true;
  for (size_t dim = 0; dim < a.rank(); ++dim) {
    const Size &left = a.sizes()[dim], &right = b.sizes()[dim];
    if (left.isStatic() && right.isStatic() && left != right)
      return true;
  }
  return false;
}

Tensor tripy::stack(const std::vector<Tensor> &inputs, int64_t dim,
                    SourceLoc loc) {
  IntroducedScope scope("join the inputs of 'stack' along a new dimension");
  std::vector<Tensor> parts;
  for (const Tensor &input : inputs) {
    if (!parts.empty() &&
        surelyDiffer(input.shape(loc), inputs.front().shape(loc)))
      fail(Code::InvalidArgument,
           "tensors of stack have one shape; found " +
               inputs.front().shape(loc).str() + " and " +
               input.shape(loc).str(),
           loc,
           {{inputs.front().loc(), "Input 0"},
            {input.loc(), "Input " + std::to_string(parts.size())}});
    parts.push_back(unsqueeze({input, loc}, dim, loc));
  }
  return concatenate(parts, dim, loc);
}

std::vector<Tensor> tripy::split(const Tensor &input, int64_t parts,
                                 int64_t dim, SourceLoc loc) {
  return op::split({input, loc}, {.dim = dim, .parts = parts}, loc);
}
std::vector<Tensor> tripy::split(const Tensor &input,
                                 const std::vector<int64_t> &sizes, int64_t dim,
                                 SourceLoc loc) {
  return op::split({input, loc}, {.dim = dim, .sizes = Dims(sizes)}, loc);
}

Tensor tripy::repeat(const Tensor &input, const Size &repeats, int64_t dim,
                     SourceLoc loc) {
  std::vector<Size> counts(input.rank(loc), 1);
  counts.at(fromFront(dim, counts.size(), "dim", loc)) = repeats;
  return op::repeat({input, loc}, counts, loc);
}

//===-- pad ---------------------------------------------------------------===//

static std::pair<Shape, Shape>
sides(const std::vector<std::pair<Size, Size>> &widths) {
  std::vector<Size> low, high;
  for (const auto &[before, behind] : widths) {
    low.push_back(before);
    high.push_back(behind);
  }
  return {low, high};
}

Tensor tripy::pad(const Tensor &input,
                  const std::vector<std::pair<Size, Size>> &widths,
                  const Number &value, SourceLoc loc) {
  auto [low, high] = sides(widths);
  DType dtype = input.dtype(loc);
  // The default is the 0 of every element type.
  Number number =
      dtype == boolean && value == Number(0) ? Number(false) : value;
  return op::pad({input, loc}, low, high, number.as(dtype, loc), std::nullopt,
                 loc);
}
Tensor tripy::pad(const Tensor &input,
                  const std::vector<std::pair<Size, Size>> &widths,
                  const std::string &mode, SourceLoc loc) {
  auto [low, high] = sides(widths);
  return op::pad({input, loc}, low, high, std::nullopt, mode, loc);
}

//===-- others ------------------------------------------------------------===//

Tensor tripy::maskedFill(const Tensor &input, const Tensor &mask,
                         const Number &value, SourceLoc loc) {
  IntroducedScope scope(
      "choose between the value and the input of 'maskedFill'");
  Tensor number = numberTensor(value, input.dtype(loc), loc);
  return where({mask, loc}, {number, loc}, {input, loc}, loc);
}

Tensor tripy::outer(const Tensor &a, const Tensor &b, SourceLoc loc) {
  IntroducedScope scope("multiply the operands of 'outer'");
  if (a.rank(loc) != 1 || b.rank(loc) != 1)
    fail(Code::InvalidArgument,
         "operands of outer have rank 1; found " + a.shape(loc).str() +
             " and " + b.shape(loc).str(),
         loc, {{a.loc(), "Input 0"}, {b.loc(), "Input 1"}});
  return TensorLike(unsqueeze({a, loc}, 1, loc), loc) * TensorLike(b, loc);
}

bool tripy::allclose(const Tensor &a, const Tensor &b, double rtol, double atol,
                     SourceLoc loc) {
  IntroducedScope scope("compare the operands of 'allclose'");
  DType dtype = a.dtype(loc);
  // Integers are compared in f64: a tolerance is no integer.
  bool isFloat = dtypeInfo(dtype).cls == DTypeClass::Float && !isFloat8(dtype);
  if (!isFloat && b.dtype(loc) == dtype)
    return allclose(cast({a, loc}, float64, loc), cast({b, loc}, float64, loc),
                    rtol, atol, loc);
  TensorLike left(a, loc), right(b, loc);
  Tensor distance = abs({left - right, loc}, loc);
  auto number = [&](double value) {
    return TensorLike(numberTensor(value, dtype, loc), loc);
  };
  Tensor bound =
      number(atol) +
      TensorLike(number(rtol) * TensorLike(abs(right, loc), loc), loc);
  // Infinite numbers are close to themselves alone.
  Tensor close =
      TensorLike(TensorLike(distance, loc) <= TensorLike(bound, loc), loc) &
      TensorLike(isfinite(right, loc), loc);
  Tensor same = left == right;
  Tensor either = TensorLike(close, loc) | TensorLike(same, loc);
  return all({either, loc}, {}, false, loc).item<bool>(loc);
}

bool tripy::equal(const Tensor &a, const Tensor &b, SourceLoc loc) {
  IntroducedScope scope("compare the operands of 'equal'");
  // Where a size is known to the run alone, the evaluation says that.
  if (surelyDiffer(a.shape(loc), b.shape(loc)))
    return false;
  Tensor same = TensorLike(a, loc) == TensorLike(b, loc);
  return all({same, loc}, {}, false, loc).item<bool>(loc);
}

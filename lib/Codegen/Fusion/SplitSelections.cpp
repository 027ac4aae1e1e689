//===- SplitSelections.cpp - Selections from parts of rows ----------------===//
//
// A block selects the first k elements of a row. Few rows leave the device
// empty, and long ones keep a block busy: 128256 elements of f16 take 60 us. In
// two steps, blocks select k from parts of the row each, and then one block
// selects from what they found. The parts' elements come in the order of the
// parts, and equal ones of a part in their order, so that of equal elements the
// first ones are taken in the second step, too.
//
//===----------------------------------------------------------------------===//

#include "OpInfo.h"
#include "Prepare.h"
#include "Remarks.h"

#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include <cmath>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Elements of a row from which on two steps should gain more than the kernels
/// between them cost: a block takes some 20 us to select from so many.
static constexpr int64_t longRow = 32768;
/// Parts that are fewer gain too little.
static constexpr int64_t fewestParts = 4;

namespace {
class SelectionSplit {
public:
  SelectionSplit(flatir::SortOp sort, Program &program);

  /// Whether one kernel would leave the device so empty that two are faster.
  bool pays() const;
  /// Chooses the parts; says why there are none, else returns "".
  std::string choose();
  std::string describe() const;
  void rewrite();

private:
  template <typename OpTy, typename... Args>
  Value insert(RankedTensorType type, Args &&...args);
  Value reshape(Value tensor, ArrayRef<int64_t> shape);
  Value convert(Value tensor, Type element);
  Value splat(int64_t value, RankedTensorType type);
  Value select(Value tensor);
  Value take(Value tensor, Value positions);

  flatir::SortOp sort;
  Program &program;
  RankedTensorType input;
  int64_t count, length, rows, wanted = 0, parts = 0;
  OpBuilder b;
  Location loc;
};
} // namespace

SelectionSplit::SelectionSplit(flatir::SortOp sort, Program &program)
    : sort(sort), program(program), input(sort.getInput().getType()),
      count(static_cast<int64_t>(*sort.getCount())), b(sort),
      loc(inserted(sort.getLoc(),
                   {"split", "select from parts of long rows side by side"})) {
  TensorSizes::Sizes sizes = program.sizes.get(sort.getInput());
  length = program.estimates.elements({sizes.back()});
  sizes.pop_back();
  rows = program.estimates.elements(sizes);
  if (count > 0)
    wanted = static_cast<int64_t>(std::sqrt(double(length) / double(count)));
}

bool SelectionSplit::pays() const {
  return rows > 0 && rows <= program.options.sortBlocks / 8 &&
         length >= longRow && wanted >= fewestParts &&
         !isInt4(input.getElementType());
}

/// As many parts as each has elements for each that is selected: both steps
/// have the same to do.
std::string SelectionSplit::choose() {
  if (!input.hasStaticShape())
    return "its sizes are not static";
  parts = divisorNear(length, wanted, 1);
  if (parts > 0)
    return "";
  return "a row of " + std::to_string(length) + " elements cannot be cut in " +
         std::to_string(llvm::divideCeil(wanted, 2)) + " to " +
         std::to_string(2 * wanted) + " equal parts";
}

std::string SelectionSplit::describe() const {
  return "selects from " + std::to_string(parts) +
         " parts of each row side by side, and then from what they gave: its "
         "rows alone leave the device empty";
}

//===-- operations --------------------------------------------------------===//

template <typename OpTy, typename... Args>
Value SelectionSplit::insert(RankedTensorType type, Args &&...args) {
  auto op = OpTy::create(b, loc, type, std::forward<Args>(args)...);
  program.sizes.infer(op, b);
  if (StringAttr name = program.composites.lookup(sort))
    program.composites[op] = name;
  return op.getResult();
}

Value SelectionSplit::reshape(Value tensor, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  return insert<flatir::ReshapeOp>(type.clone(shape), tensor, ValueRange());
}

Value SelectionSplit::convert(Value tensor, Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return insert<flatir::ConvertOp>(type.clone(element), tensor);
}

Value SelectionSplit::splat(int64_t value, RankedTensorType type) {
  TypedAttr number = b.getIntegerAttr(type.getElementType(), value);
  auto elements = DenseElementsAttr::get(type, ArrayRef<Attribute>(number));
  auto constant = flatir::ConstantOp::create(b, loc, elements);
  program.sizes.infer(constant, b);
  return constant.getResult();
}

/// The positions of the first `count` elements of each row of `tensor`.
Value SelectionSplit::select(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = count;
  return insert<flatir::SortOp>(RankedTensorType::get(shape, b.getI32Type()),
                                tensor, sort.getDescendingAttr(),
                                sort.getCountAttr());
}

/// The elements of each row of `tensor`, of rank 2, at the row's `positions`.
Value SelectionSplit::take(Value tensor, Value positions) {
  auto from = cast<RankedTensorType>(tensor.getType());
  auto type = cast<RankedTensorType>(positions.getType());
  Value flat = reshape(tensor, from.getNumElements());
  Value index = positions;
  if (from.getDimSize(0) > 1) {
    RankedTensorType wide = type.clone(b.getI64Type());
    Value row = insert<flatir::IotaOp>(wide, ValueRange(), 0);
    Value start =
        insert<flatir::MulOp>(wide, row, splat(from.getDimSize(1), wide));
    index =
        insert<flatir::AddOp>(wide, start, convert(positions, b.getI64Type()));
  }
  return insert<flatir::GatherOp>(type.clone(from.getElementType()), flat,
                                  index, 0);
}

// sort(x) count = k -> the parts' positions, taken at
// sort(the parts' elements) count = k
void SelectionSplit::rewrite() {
  int64_t each = length / parts;
  Value whole = reshape(sort.getInput(), {rows * parts, each});
  Value found = select(whole);
  Value elements = reshape(take(whole, found), {rows, parts * count});
  Value chosen = select(elements);
  Value inPart = take(reshape(found, {rows, parts * count}), chosen);
  auto type = cast<RankedTensorType>(chosen.getType());
  Value part = insert<flatir::FloorDivOp>(type, chosen, splat(count, type));
  Value start = insert<flatir::MulOp>(type, part, splat(each, type));
  Value position = insert<flatir::AddOp>(type, start, inPart);
  position = reshape(position, sort.getResult().getType().getShape());
  sort.getResult().replaceAllUsesWith(position);
  program.composites.erase(sort);
  program.sizes.forget(sort.getResult());
  sort.erase();
}

void fusion::splitSelections(Program &program) {
  SmallVector<flatir::SortOp> sorts(
      program.function.getBody().front().getOps<flatir::SortOp>());
  for (flatir::SortOp sort : sorts) {
    if (!sort.getCount())
      continue;
    SelectionSplit split(sort, program);
    if (!split.pays())
      continue;
    std::string name = shortName(sort).str();
    StringRef function = program.function.getName();
    if (std::string reason = split.choose(); !reason.empty()) {
      remarkNotTaken(sort.getLoc(), function,
                     "did not compute '" + name + "' in two steps: " + reason);
      continue;
    }
    remarkTaken(sort.getLoc(), function, "'" + name + "' " + split.describe());
    split.rewrite();
  }
}

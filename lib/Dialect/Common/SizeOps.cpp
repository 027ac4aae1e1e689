//===- SizeOps.cpp - Which operations compute sizes -----------------------===//

#include "tripy/Dialect/Common/SizeOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tripy;

//===-- the list ----------------------------------------------------------===//

static constexpr SizeTypes Numbers = SizeTypes::Numbers;
static constexpr SizeTypes Both = SizeTypes::Both;

static constexpr SizeOpRow rows[] = {
    {"arith.constant", SizeForm::Constant, SizeOp::Constant, Both, false,
     "a number, true or false"},
    {"arith.addi", SizeForm::Binary, SizeOp::Add, Numbers, false, "a + b"},
    {"arith.subi", SizeForm::Binary, SizeOp::Sub, Numbers, false, "a - b"},
    {"arith.muli", SizeForm::Binary, SizeOp::Mul, Numbers, false, "a * b"},
    {"arith.divsi", SizeForm::Binary, SizeOp::Div, Numbers, false,
     "a / b, rounded to 0"},
    {"arith.floordivsi", SizeForm::Binary, SizeOp::FloorDiv, Numbers, false,
     "a / b, rounded to minus infinity"},
    {"arith.ceildivsi", SizeForm::Binary, SizeOp::CeilDiv, Numbers, false,
     "a / b, rounded to plus infinity"},
    {"arith.remsi", SizeForm::Binary, SizeOp::Rem, Numbers, false,
     "what the division that rounds to 0 leaves; has the sign of a"},
    {"arith.minsi", SizeForm::Binary, SizeOp::Min, Numbers, false,
     "the smaller one"},
    {"arith.maxsi", SizeForm::Binary, SizeOp::Max, Numbers, false,
     "the larger one"},
    {"arith.divui", SizeForm::Binary, SizeOp::Div, Numbers, true,
     "a / b, rounded to 0"},
    {"arith.ceildivui", SizeForm::Binary, SizeOp::CeilDiv, Numbers, true,
     "a / b, rounded to plus infinity"},
    {"arith.remui", SizeForm::Binary, SizeOp::Rem, Numbers, true,
     "what the division that rounds to 0 leaves"},
    {"arith.minui", SizeForm::Binary, SizeOp::Min, Numbers, true,
     "the smaller one"},
    {"arith.maxui", SizeForm::Binary, SizeOp::Max, Numbers, true,
     "the larger one"},
    {"arith.andi", SizeForm::Binary, SizeOp::And, Both, false,
     "bits that both have"},
    {"arith.ori", SizeForm::Binary, SizeOp::Or, Both, false,
     "bits that one of them has"},
    {"arith.xori", SizeForm::Binary, SizeOp::Xor, Both, false,
     "bits that only one of them has"},
    {"arith.cmpi", SizeForm::Compare, SizeOp::Constant, Numbers, false,
     "whether a and b compare so; operands of `ult`, `ule`, `ugt` and `uge` "
     "may not be negative"},
    {"arith.select", SizeForm::Select, SizeOp::Constant, Both, false,
     "one of two values, both of which are computed"},
    {"arith.index_castui", SizeForm::Cast, SizeOp::Constant, SizeTypes::Truths,
     false, "0 or 1 for false or true"},
};

ArrayRef<SizeOpRow> tripy::sizeOpRows() { return rows; }

//===-- operations --------------------------------------------------------===//

static bool isNumber(Type type) { return type.isIndex(); }
static bool isTruth(Type type) { return type.isSignlessInteger(1); }

bool tripy::isSizeType(Type type) { return isNumber(type) || isTruth(type); }

static bool isType(SizeTypes types, Type type) {
  return types == SizeTypes::Numbers  ? isNumber(type)
         : types == SizeTypes::Truths ? isTruth(type)
                                      : isSizeType(type);
}

static bool hasTypes(const SizeOpRow &row, Operation *op) {
  Type result = op->getResult(0).getType();
  switch (row.form) {
  case SizeForm::Compare:
    return isNumber(op->getOperand(0).getType());
  case SizeForm::Select:
    return isTruth(op->getOperand(0).getType()) && isSizeType(result);
  case SizeForm::Cast:
    return isNumber(result) && isType(row.types, op->getOperand(0).getType());
  case SizeForm::Constant:
  case SizeForm::Binary:
    return isType(row.types, result);
  }
  llvm_unreachable("all forms are above");
}

const SizeOpRow *tripy::findSizeOp(Operation *op) {
  // Never freed: a thread may compile while the process ends.
  static const auto &byName = []() -> const auto & {
    auto &map = *new llvm::StringMap<const SizeOpRow *>;
    for (const SizeOpRow &row : rows)
      map[row.name] = &row;
    return map;
  }();
  if (op->getNumResults() != 1)
    return nullptr;
  const SizeOpRow *row = byName.lookup(op->getName().getStringRef());
  return row && hasTypes(*row, op) ? row : nullptr;
}

bool tripy::isSizeArithmetic(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndex(); };
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
         op->getNumResults() > 0 && op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

LogicalResult tripy::checkSizeOp(Operation *op) {
  if (!isSizeArithmetic(op) || findSizeOp(op))
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("arithmetic on sizes must be one of ");
  llvm::interleaveComma(rows, diag,
                        [&](const SizeOpRow &row) { diag << row.name; });
  return diag << " on index or, for truth values, i1; found "
              << op->getName().getStringRef() << " of "
              << op->getOperand(0).getType();
}

bool tripy::takesUnsigned(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::ult:
    case arith::CmpIPredicate::ule:
    case arith::CmpIPredicate::ugt:
    case arith::CmpIPredicate::uge:
      return true;
    default:
      return false;
    }
  const SizeOpRow *row = findSizeOp(op);
  return row && row->isUnsigned;
}

bool tripy::compareSizes(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are above");
}

std::optional<int64_t> tripy::constantSize(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto value =
      constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  if (!value || !isSizeType(value.getType()))
    return std::nullopt;
  if (isTruth(value.getType()))
    return value.getValue().isZero() ? 0 : 1;
  return value.getValue().getSExtValue();
}

Interval tripy::boundSize(Operation *op, ArrayRef<Interval> operands) {
  const SizeOpRow *row = findSizeOp(op);
  if (!row)
    return anySize;
  switch (row->form) {
  case SizeForm::Constant: {
    std::optional<int64_t> value = constantSize(op);
    return value ? Interval{*value, *value} : anySize;
  }
  case SizeForm::Binary:
    return boundSizeOp(row->op, operands[0], operands[1]).values;
  case SizeForm::Compare:
    return {0, 1};
  case SizeForm::Select:
    return operands[0].isPoint(1)   ? operands[1]
           : operands[0].isPoint(0) ? operands[2]
                                    : unite(operands[1], operands[2]);
  case SizeForm::Cast:
    return operands[0];
  }
  llvm_unreachable("all forms are above");
}

//===-- documentation -----------------------------------------------------===//

static StringRef typesInWords(SizeTypes types) {
  switch (types) {
  case SizeTypes::Numbers:
    return "numbers";
  case SizeTypes::Truths:
    return "truth values";
  case SizeTypes::Both:
    return "numbers, truth values";
  }
  llvm_unreachable("all types are above");
}

std::string tripy::sizeOpTable() {
  std::string text = "| operation | of | result | error at run time |\n"
                     "|---|---|---|---|\n";
  for (const SizeOpRow &row : rows) {
    const CheckKindInfo *condition =
        row.form == SizeForm::Binary ? conditionOf(row.op) : nullptr;
    SmallVector<StringRef> errors;
    if (row.isUnsigned)
      errors.push_back("a or b is negative");
    if (condition && condition->kind != CheckKind::Sum &&
        condition->kind != CheckKind::Difference &&
        condition->kind != CheckKind::Product)
      errors.push_back("b is 0");
    if (condition && condition->kind != CheckKind::Remainder && !row.isUnsigned)
      errors.push_back("the result does not fit 64 bits");
    text += ("| `" + row.name + "` | " + typesInWords(row.types) + " | " +
             row.meaning + " | " + llvm::join(errors, "; ") + " |\n")
                .str();
  }
  return text;
}

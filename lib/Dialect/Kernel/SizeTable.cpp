//===- SizeTable.cpp - Index arithmetic as size expressions ---------------===//

#include "tripy/Dialect/Kernel/SizeTable.h"

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::kernel;
using tripy::Index;

/// DenseMap keeps two keys for itself.
static bool canBeKey(int64_t value) {
  return value < std::numeric_limits<int64_t>::max() - 1 &&
         value > std::numeric_limits<int64_t>::min() + 1;
}

Index SizeTable::add(SizeExpr expr, Interval range) {
  exprs.push_back(expr);
  ranges.push_back(range);
  return exprs.size() - 1;
}

void SizeTable::addInputs(FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    inputSizes.emplace_back();
    auto type = dyn_cast<RankedTensorType>(function.getArgument(i).getType());
    if (!type)
      continue;
    ProfileAttr profile = profileOf(function, i);
    auto names = function.getArgAttrOfType<ArrayAttr>(i, dimsAttrName);
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim)) {
        inputSizes.back().push_back(constant(type.getDimSize(dim)));
        continue;
      }
      SizeSymbol symbol{i,
                        dim,
                        profile.getMin()[dim],
                        profile.getOpt()[dim],
                        profile.getMax()[dim],
                        ""};
      if (names)
        symbol.name = cast<StringAttr>(names[dim]).str();
      symbols.push_back(symbol);
      SizeExpr expr{SizeOp::Symbol, Index(symbols.size() - 1), 0, 0};
      inputSizes.back().push_back(add(expr, {symbol.min, symbol.max}));
    }
  }
}

Index SizeTable::constant(int64_t value) {
  SizeExpr expr{SizeOp::Constant, 0, 0, value};
  if (!canBeKey(value))
    return add(expr, {value, value});
  auto [entry, isNew] = constants.try_emplace(value, 0);
  if (isNew)
    entry->second = add(expr, {value, value});
  return entry->second;
}

std::optional<int64_t> SizeTable::constantOf(Index expr) const {
  if (ranges[expr].isPoint())
    return ranges[expr].lo;
  return std::nullopt;
}

/// Identities that keep expressions short; the result is exact for all sizes.
std::optional<Index> SizeTable::simplify(SizeOp op, Index a, Index b) {
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  switch (op) {
  case SizeOp::Add:
    return x == 0 ? std::optional(b) : y == 0 ? std::optional(a) : std::nullopt;
  case SizeOp::Sub:
    if (a == b)
      return constant(0);
    return y == 0 ? std::optional(a) : std::nullopt;
  case SizeOp::Mul:
    return x == 1 ? std::optional(b) : y == 1 ? std::optional(a) : std::nullopt;
  case SizeOp::FloorDiv:
  case SizeOp::CeilDiv:
    return y == 1 ? std::optional(a) : std::nullopt;
  case SizeOp::Min:
    if (a == b || ranges[a].hi <= ranges[b].lo)
      return a;
    return ranges[b].hi <= ranges[a].lo ? std::optional(b) : std::nullopt;
  case SizeOp::Max:
    if (a == b || ranges[a].lo >= ranges[b].hi)
      return a;
    return ranges[b].lo >= ranges[a].hi ? std::optional(b) : std::nullopt;
  case SizeOp::Broadcast:
    if (a == b || y == 1 || !ranges[a].contains(1))
      return a;
    return x == 1 ? std::optional(b) : std::nullopt;
  case SizeOp::Equal:
    return a == b ? std::optional(constant(1)) : std::nullopt;
  case SizeOp::Mod:
  case SizeOp::Constant:
  case SizeOp::Symbol:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Index> SizeTable::binary(SizeOp op, Index a, Index b) {
  std::optional<Interval> range = boundSizeOp(op, ranges[a], ranges[b]);
  if (!range)
    return std::nullopt;
  if (range->isPoint())
    return constant(range->lo);
  if (std::optional<Index> simpler = simplify(op, a, b))
    return simpler;
  bool commutes = op == SizeOp::Add || op == SizeOp::Mul || op == SizeOp::Min ||
                  op == SizeOp::Max || op == SizeOp::Equal;
  if (commutes && a > b)
    std::swap(a, b);
  auto [entry, isNew] =
      binaries.try_emplace(std::make_tuple(unsigned(op), a, b), 0);
  if (isNew)
    entry->second = add({op, a, b, 0}, *range);
  return entry->second;
}

std::optional<Index> SizeTable::product(ArrayRef<Index> factors) {
  std::optional<Index> result = constant(1);
  for (Index factor : factors)
    if (result)
      result = binary(SizeOp::Mul, *result, factor);
  return result;
}

Index SizeTable::clampToSize(Index expr) {
  return *binary(SizeOp::Max, expr, constant(0));
}

std::optional<Index> SizeTable::valueOf(Value value) const {
  auto found = values.find(value);
  if (found == values.end())
    return std::nullopt;
  return found->second;
}

std::optional<Index> SizeTable::negation(Index truth) {
  return binary(SizeOp::Sub, constant(1), truth);
}

/// A truth value is the expression 0 or 1.
std::optional<Index> SizeTable::compare(Operation *op) {
  auto cmp = cast<arith::CmpIOp>(op);
  std::optional<Index> a = valueOf(cmp.getLhs()), b = valueOf(cmp.getRhs());
  if (!a || !b)
    return std::nullopt;
  auto atMost = [&](Index x, Index y) -> std::optional<Index> {
    return binary(SizeOp::Equal, *binary(SizeOp::Min, x, y), x);
  };
  bool unsignedOk = ranges[*a].lo >= 0 && ranges[*b].lo >= 0;
  switch (cmp.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return binary(SizeOp::Equal, *a, *b);
  case arith::CmpIPredicate::ne:
    return negation(*binary(SizeOp::Equal, *a, *b));
  case arith::CmpIPredicate::ule:
    if (!unsignedOk)
      return std::nullopt;
    [[fallthrough]];
  case arith::CmpIPredicate::sle:
    return atMost(*a, *b);
  case arith::CmpIPredicate::uge:
    if (!unsignedOk)
      return std::nullopt;
    [[fallthrough]];
  case arith::CmpIPredicate::sge:
    return atMost(*b, *a);
  case arith::CmpIPredicate::ult:
    if (!unsignedOk)
      return std::nullopt;
    [[fallthrough]];
  case arith::CmpIPredicate::slt:
    return negation(*atMost(*b, *a));
  case arith::CmpIPredicate::ugt:
    if (!unsignedOk)
      return std::nullopt;
    [[fallthrough]];
  case arith::CmpIPredicate::sgt:
    return negation(*atMost(*a, *b));
  }
  return std::nullopt;
}

std::optional<Index> SizeTable::select(Operation *op) {
  auto select = cast<arith::SelectOp>(op);
  std::optional<Index> condition = valueOf(select.getCondition()),
                       x = valueOf(select.getTrueValue()),
                       y = valueOf(select.getFalseValue());
  if (!condition || !x || !y)
    return std::nullopt;
  if (std::optional<int64_t> truth = constantOf(*condition))
    return *truth ? x : y;
  const SizeExpr test = exprs[*condition];
  if (test.op == SizeOp::Equal)
    for (auto [a, one] : {std::pair(test.a, test.b), std::pair(test.b, test.a)})
      if (constantOf(one) == 1 && a == *y)
        return binary(SizeOp::Broadcast, a, *x);
  // condition * x + (1 - condition) * y, which is one of the two.
  std::optional<Index> first = binary(SizeOp::Mul, *condition, *x);
  std::optional<Index> second = binary(SizeOp::Mul, *negation(*condition), *y);
  if (!first || !second)
    return std::nullopt;
  std::optional<Index> sum = binary(SizeOp::Add, *first, *second);
  if (!sum)
    return std::nullopt;
  int64_t lo = std::min(ranges[*x].lo, ranges[*y].lo);
  int64_t hi = std::max(ranges[*x].hi, ranges[*y].hi);
  return binary(SizeOp::Min, *binary(SizeOp::Max, *sum, constant(lo)),
                constant(hi));
}

/// Division by zero has no meaning in `arith`: for a divisor that is never
/// negative, any other divisor may stand for zero.
std::optional<Index> SizeTable::divide(SizeOp op, Index a, Index b,
                                       bool truncates) {
  if (ranges[b].lo >= 0)
    b = *binary(SizeOp::Max, b, constant(1));
  if (truncates && (ranges[a].lo < 0 || ranges[b].lo < 0))
    return std::nullopt;
  return binary(op, a, b);
}

std::optional<Index> SizeTable::logic(Operation *op, Index a, Index b) {
  if (!op->getResult(0).getType().isInteger(1))
    return std::nullopt;
  if (isa<arith::AndIOp>(op))
    return binary(SizeOp::Mul, a, b);
  if (isa<arith::OrIOp>(op))
    return binary(SizeOp::Max, a, b);
  return negation(*binary(SizeOp::Equal, a, b));
}

std::optional<Index> SizeTable::arithmetic(Operation *op) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<IntegerAttr>(constantOp.getValue());
    if (!value || value.getValue().getSignificantBits() > 64)
      return std::nullopt;
    if (value.getType().isInteger(1))
      return constant(value.getValue().isZero() ? 0 : 1);
    return constant(value.getValue().getSExtValue());
  }
  if (op->getNumOperands() == 1 &&
      isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return op->getOperand(0).getType().isInteger(1) &&
                   isa<arith::IndexCastOp>(op)
               ? std::nullopt
               : valueOf(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Index> a = valueOf(op->getOperand(0)),
                       b = valueOf(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  bool nonNegative = ranges[*a].lo >= 0 && ranges[*b].lo >= 0;
  return TypeSwitch<Operation *, std::optional<Index>>(op)
      .Case([&](arith::AddIOp) { return binary(SizeOp::Add, *a, *b); })
      .Case([&](arith::SubIOp) { return binary(SizeOp::Sub, *a, *b); })
      .Case([&](arith::MulIOp) { return binary(SizeOp::Mul, *a, *b); })
      .Case([&](arith::MinSIOp) { return binary(SizeOp::Min, *a, *b); })
      .Case([&](arith::MaxSIOp) { return binary(SizeOp::Max, *a, *b); })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](auto) {
        SizeOp kind = isa<arith::MinUIOp>(op) ? SizeOp::Min : SizeOp::Max;
        return nonNegative ? binary(kind, *a, *b) : std::nullopt;
      })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return divide(SizeOp::FloorDiv, *a, *b, true); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return divide(SizeOp::Mod, *a, *b, true); })
      .Case([&](arith::FloorDivSIOp) {
        return divide(SizeOp::FloorDiv, *a, *b, false);
      })
      .Case([&](arith::CeilDivSIOp) {
        return divide(SizeOp::CeilDiv, *a, *b, false);
      })
      .Case([&](arith::CeilDivUIOp) {
        return divide(SizeOp::CeilDiv, *a, *b, true);
      })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return logic(op, *a, *b); })
      .Default([](Operation *) { return std::nullopt; });
}

void SizeTable::visit(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Type type = op->getResult(0).getType();
  if (!type.isIndex() && !type.isInteger(1) && !type.isInteger(64))
    return;
  std::optional<Index> expr;
  if (auto size = dyn_cast<InputSizeOp>(op)) {
    if (size.getInput() < inputSizes.size() &&
        size.getDim() < inputSizes[size.getInput()].size())
      expr = inputSize(size.getInput(), size.getDim());
  } else if (isa<arith::CmpIOp>(op)) {
    expr = compare(op);
  } else if (isa<arith::SelectOp>(op)) {
    expr = select(op);
  } else {
    expr = arithmetic(op);
  }
  if (expr)
    values[op->getResult(0)] = *expr;
}

FailureOr<Index> SizeTable::lookup(Value value) const {
  if (std::optional<Index> expr = valueOf(value))
    return *expr;
  // The first operation that has no expression is the one to blame.
  Operation *op = value.getDefiningOp();
  while (op) {
    auto missing = llvm::find_if(op->getOperands(), [&](Value operand) {
      return !valueOf(operand) && operand.getDefiningOp();
    });
    if (missing == op->operand_end())
      break;
    op = (*missing).getDefiningOp();
  }
  Location loc = op ? op->getLoc() : value.getLoc();
  InFlightDiagnostic diag = emitError(
      loc, "a size must be computed from input sizes without overflow for all "
           "sizes that the profile allows");
  if (op)
    diag << "; found '" << op->getName() << "'";
  return failure();
}

std::optional<Index> SizeTable::evaluate(AffineExpr expr,
                                         ArrayRef<Index> symbolExprs) {
  if (auto known = dyn_cast<AffineConstantExpr>(expr))
    return constant(known.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    if (symbol.getPosition() < symbolExprs.size())
      return symbolExprs[symbol.getPosition()];
    return std::nullopt;
  }
  auto pair = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!pair)
    return std::nullopt;
  std::optional<Index> lhs = evaluate(pair.getLHS(), symbolExprs);
  std::optional<Index> rhs = evaluate(pair.getRHS(), symbolExprs);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return binary(SizeOp::Add, *lhs, *rhs);
  case AffineExprKind::Mul:
    return binary(SizeOp::Mul, *lhs, *rhs);
  case AffineExprKind::FloorDiv:
    return binary(SizeOp::FloorDiv, *lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return binary(SizeOp::CeilDiv, *lhs, *rhs);
  default:
    return binary(SizeOp::Mod, *lhs, *rhs);
  }
}

//===- SizeTable.cpp - Index arithmetic as size expressions ---------------===//

#include "tripy/Dialect/Kernel/SizeTable.h"

#include "ProductBounds.h"

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <utility>

using namespace mlir;
using namespace tripy;
using namespace tripy::kernel;

TableIndex SizeTable::add(SizeExpr expr, Interval range) {
  exprs.push_back(expr);
  ranges.push_back(range);
  return exprs.size() - 1;
}

void SizeTable::addInputs(FunctionOpInterface function) {
  setLocation(function.getLoc());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    inputSizes.emplace_back();
    BlockArgument argument = function.getArgument(i);
    if (argument.getType().isIndex()) {
      inputSizes.back().push_back(addSymbol(function, i, 0));
      bind(argument, inputSizes.back().back());
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      inputSizes.back().push_back(type.isDynamicDim(dim)
                                      ? addSymbol(function, i, dim)
                                      : constant(type.getDimSize(dim)));
  }
}

TableIndex SizeTable::addSymbol(FunctionOpInterface function, unsigned input,
                                unsigned dim) {
  ProfileAttr profile = profileOf(function, input);
  SizeSymbol symbol{input,
                    dim,
                    profile.getMin()[dim],
                    profile.getOpt()[dim],
                    profile.getMax()[dim],
                    ""};
  if (auto names = function.getArgAttrOfType<ArrayAttr>(input, dimsAttrName))
    symbol.name = cast<StringAttr>(names[dim]).str();
  symbols.push_back(symbol);
  return add({SizeOp::Symbol, TableIndex(symbols.size() - 1), 0, 0},
             {symbol.min, symbol.max});
}

TableIndex SizeTable::constant(int64_t value) {
  auto [entry, isNew] = constants.try_emplace(value, 0);
  if (isNew)
    entry->second = add({SizeOp::Constant, 0, 0, value}, {value, value});
  return entry->second;
}

std::optional<int64_t> SizeTable::constantOf(TableIndex expr) const {
  if (ranges[expr].isPoint())
    return ranges[expr].lo;
  return std::nullopt;
}

/// Identities that keep expressions short; the result is exact for all sizes.
std::optional<TableIndex> SizeTable::simplify(SizeOp op, TableIndex a,
                                              TableIndex b) {
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
  case SizeOp::Div:
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
  case SizeOp::And:
  case SizeOp::Or:
    if (a == b)
      return a;
    [[fallthrough]];
  case SizeOp::Xor:
    if (op != SizeOp::And && (x == 0 || y == 0))
      return x == 0 ? b : a;
    return std::nullopt;
  case SizeOp::Mod:
  case SizeOp::Rem:
  case SizeOp::Constant:
  case SizeOp::Symbol:
    return std::nullopt;
  }
  return std::nullopt;
}

/// Where no operand is negative, all divisions round alike.
static SizeOp canonicalOp(SizeOp op, Interval a, Interval b) {
  if (a.lo < 0 || b.lo < 0)
    return op;
  return op == SizeOp::Div   ? SizeOp::FloorDiv
         : op == SizeOp::Rem ? SizeOp::Mod
                             : op;
}

TableIndex SizeTable::define(SizeOp op, TableIndex a, TableIndex b,
                             Interval range) {
  if (isCommutative(op) && a > b)
    std::swap(a, b);
  auto [entry, isNew] =
      binaries.try_emplace(std::make_tuple(unsigned(op), a, b), 0);
  if (isNew)
    entry->second = add({op, a, b, 0}, range);
  return entry->second;
}

TableIndex SizeTable::binary(SizeOp op, TableIndex a, TableIndex b) {
  op = canonicalOp(op, ranges[a], ranges[b]);
  SizeBound bound = boundSizeOp(op, ranges[a], ranges[b]);
  if (!bound.mayFail && bound.values.isPoint())
    return constant(bound.values.lo);
  if (std::optional<TableIndex> simpler = simplify(op, a, b))
    return *simpler;
  if (bound.mayFail)
    require(conditionOf(op)->kind, a, b);
  TableIndex result = define(op, a, b, bound.values);
  // What factors have in common bounds a product better than their ranges do.
  // Taking the minimum changes no value, but says so to whoever looks at ranges
  // alone.
  if (op == SizeOp::Mul && exprs[result].op == SizeOp::Mul) {
    int64_t maximum = ProductBounds(exprs, ranges, limited).of(result);
    if (maximum < ranges[result].hi) {
      result = define(SizeOp::Min, result, constant(maximum),
                      {ranges[result].lo, maximum});
      limited.insert(result);
    }
  }
  return result;
}

TableIndex SizeTable::product(ArrayRef<TableIndex> factors) {
  TableIndex result = constant(1);
  for (TableIndex factor : factors)
    result = binary(SizeOp::Mul, result, factor);
  return result;
}

TableIndex SizeTable::clampToSize(TableIndex expr) {
  return binary(SizeOp::Max, expr, constant(0));
}

void SizeTable::require(CheckKind kind, TableIndex a, TableIndex b,
                        StringRef message) {
  const CheckKindInfo &info = *findCheckKind(kind);
  if (isCommutative(*info.op) && a > b)
    std::swap(a, b);
  if (decide(kind, ranges[a], ranges[b]) == true ||
      !required.insert({kind, a, b}).second)
    return;
  std::string text = message.empty() ? std::string(info.rule) : message.str();
  conditions.push_back({kind, a, b, *location, std::move(text)});
}

std::vector<SizeCondition> SizeTable::takeConditions() {
  return std::exchange(conditions, {});
}

std::optional<TableIndex> SizeTable::valueOf(Value value) const {
  auto found = values.find(value);
  if (found == values.end())
    return std::nullopt;
  return found->second;
}

TableIndex SizeTable::negation(TableIndex truth) {
  return binary(SizeOp::Sub, constant(1), truth);
}

/// A truth value is the expression 0 or 1.
TableIndex SizeTable::compare(arith::CmpIPredicate predicate, TableIndex a,
                              TableIndex b) {
  auto atMost = [&](TableIndex x, TableIndex y) {
    return binary(SizeOp::Equal, binary(SizeOp::Min, x, y), x);
  };
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return binary(SizeOp::Equal, a, b);
  case arith::CmpIPredicate::ne:
    return negation(binary(SizeOp::Equal, a, b));
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::sle:
    return atMost(a, b);
  case arith::CmpIPredicate::uge:
  case arith::CmpIPredicate::sge:
    return atMost(b, a);
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::slt:
    return negation(atMost(b, a));
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::sgt:
    return negation(atMost(a, b));
  }
  llvm_unreachable("all predicates are above");
}

TableIndex SizeTable::select(TableIndex condition, TableIndex x, TableIndex y) {
  if (std::optional<int64_t> truth = constantOf(condition))
    return *truth ? x : y;
  if (x == y)
    return x;
  const SizeExpr test = exprs[condition];
  if (test.op == SizeOp::Equal)
    for (auto [a, one] : {std::pair(test.a, test.b), std::pair(test.b, test.a)})
      if (constantOf(one) == 1 && a == y)
        return binary(SizeOp::Broadcast, a, x);
  // One of (condition ? x : 0) and (!condition ? y : 0) is 0.
  TableIndex first = binary(SizeOp::Broadcast, condition, x);
  TableIndex second = binary(SizeOp::Broadcast, negation(condition), y);
  Interval range = unite(ranges[x], ranges[y]);
  TableIndex either = binary(SizeOp::Or, first, second);
  return binary(SizeOp::Min, binary(SizeOp::Max, either, constant(range.lo)),
                constant(range.hi));
}

std::optional<TableIndex> SizeTable::arithmetic(Operation *op) {
  const SizeOpRow *row = findSizeOp(op);
  if (!row)
    return std::nullopt;
  SmallVector<TableIndex, 3> operands;
  for (Value operand : op->getOperands()) {
    std::optional<TableIndex> expr = valueOf(operand);
    if (!expr)
      return std::nullopt;
    operands.push_back(*expr);
  }
  switch (row->form) {
  case SizeForm::Constant:
    return constant(*constantSize(op));
  case SizeForm::Binary:
    return binary(row->op, operands[0], operands[1]);
  case SizeForm::Compare:
    return compare(cast<arith::CmpIOp>(op).getPredicate(), operands[0],
                   operands[1]);
  case SizeForm::Select:
    return select(operands[0], operands[1], operands[2]);
  case SizeForm::Cast:
    return operands[0];
  }
  llvm_unreachable("all forms are above");
}

void SizeTable::visit(Operation *op) {
  setLocation(op->getLoc());
  if (op->getNumResults() != 1)
    return;
  std::optional<TableIndex> expr;
  if (auto size = dyn_cast<InputSizeOp>(op)) {
    if (size.getInput() < inputSizes.size() &&
        size.getDim() < inputSizes[size.getInput()].size())
      expr = inputSize(size.getInput(), size.getDim());
  } else {
    expr = arithmetic(op);
  }
  if (expr)
    values[op->getResult(0)] = *expr;
}

FailureOr<TableIndex> SizeTable::lookup(Value value) const {
  if (std::optional<TableIndex> expr = valueOf(value))
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
      loc, "a size must be computed from input sizes by the arithmetic that "
           "sizes may use");
  if (op)
    diag << "; found '" << op->getName() << "'";
  return failure();
}

std::optional<TableIndex>
SizeTable::evaluate(AffineExpr expr, ArrayRef<TableIndex> symbolExprs) {
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
  std::optional<TableIndex> lhs = evaluate(pair.getLHS(), symbolExprs);
  std::optional<TableIndex> rhs = evaluate(pair.getRHS(), symbolExprs);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    return binary(SizeOp::Mod, *lhs, *rhs);
  case AffineExprKind::Add:
    return binary(SizeOp::Add, *lhs, *rhs);
  case AffineExprKind::Mul:
    return binary(SizeOp::Mul, *lhs, *rhs);
  case AffineExprKind::FloorDiv:
    return binary(SizeOp::FloorDiv, *lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return binary(SizeOp::CeilDiv, *lhs, *rhs);
  default:
    return std::nullopt;
  }
}

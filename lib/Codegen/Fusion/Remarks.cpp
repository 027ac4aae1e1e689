//===- Remarks.cpp - Decisions of the fusion pass, reported ---------------===//

#include "Remarks.h"

#include "FusionGraph.h"

#include "tripy/Base/Text.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;
using kernel::FusionRoot;

static remark::RemarkOpts optionsFor(StringRef name, StringRef function) {
  return remark::RemarkOpts::name(name).category("fusion").function(function);
}

void fusion::remarkTaken(Location loc, StringRef function, const Twine &text) {
  if (auto remark = remark::passed(placeOf(loc), optionsFor("fused", function)))
    remark << remark::add("{0}", text.str());
}

void fusion::remarkNotTaken(Location loc, StringRef function,
                            const Twine &text) {
  if (auto remark =
          remark::analysis(placeOf(loc), optionsFor("declined", function)))
    remark << remark::add("{0}", text.str());
}

//===----------------------------------------------------------------------===//
// Kernels that were not fused
//===----------------------------------------------------------------------===//

namespace {
/// Two kernels of a finished plan, in the order in which they run.
struct Pair {
  const Node *first, *second;
  /// What the second reads of the first; else what both read.
  SmallVector<Value> passed, shared;
  /// Why they are two; "" when no step said so.
  std::string reason;
};

class Pairs {
public:
  explicit Pairs(const FusionGraph &graph) : graph(graph) {}
  void collect();
  void report() const;

private:
  void collectReaders();
  void collectDeclined();
  std::string reasonOf(const Pair &pair) const;
  std::string costOf(const Pair &pair, int64_t &stored, int64_t &read) const;
  void report(const Pair &pair) const;

  const FusionGraph &graph;
  llvm::MapVector<std::pair<const Node *, const Node *>, Pair> pairs;
};
} // namespace

void Pairs::collectReaders() {
  for (const Node *second : graph.nodes())
    for (Value value : graph.inputs(second))
      if (const Node *first = graph.nodeOf(value)) {
        Pair &pair = pairs[{first, second}];
        pair.first = first;
        pair.second = second;
        pair.passed.push_back(value);
      }
}

/// Steps that were declined, the first for each pair. What happened to an
/// element-wise operation says nothing about two kernels that are both built
/// around something else.
void Pairs::collectDeclined() {
  for (const Declined &step : graph.declined) {
    const Node *from = graph.nodeOf(step.op), *into = graph.nodeOf(step.into);
    if (!from || !into || from == into)
      continue;
    auto known = pairs.find({into, from});
    if (known == pairs.end())
      known = pairs.find({from, into});
    bool bothBuilt =
        from->root != FusionRoot::Loop && into->root != FusionRoot::Loop;
    if (bothBuilt && !isSeed(step.op))
      continue;
    if (known != pairs.end()) {
      if (known->second.reason.empty())
        known->second.reason = step.why;
      continue;
    }
    const Node *first = from->position < into->position ? from : into;
    const Node *second = first == from ? into : from;
    Pair pair{first, second, {}, {}, step.why};
    llvm::SetVector<Value> read = graph.inputs(first);
    for (Value value : graph.inputs(second))
      if (read.contains(value))
        pair.shared.push_back(value);
    if (!pair.shared.empty())
      pairs.insert({{first, second}, std::move(pair)});
  }
}

void Pairs::collect() {
  collectReaders();
  collectDeclined();
}

/// Why two kernels are two that no step tried to make one.
std::string Pairs::reasonOf(const Pair &pair) const {
  Demand demand = graph.demandTogether(pair.first, pair.second);
  if (!pair.reason.empty())
    return pair.reason;
  if (!demand.fits())
    return demand.describe();
  if (pair.first->root != FusionRoot::Loop &&
      pair.second->root != FusionRoot::Loop)
    return "each has a fusion root of its own (a contraction, reduction or "
           "scan)";
  // What was decided for all readers of a tensor is said of one.
  for (const Declined &step : graph.declined)
    if (llvm::is_contained(pair.passed, step.op->getResult(0)))
      return step.why;
  if (pair.second->root == FusionRoot::Gemm)
    return "operands of a contraction are read many times";
  return "its operand is a result of the program or has other readers";
}

/// "storing and reading 64 bytes and a launch".
std::string Pairs::costOf(const Pair &pair, int64_t &stored,
                          int64_t &read) const {
  for (Value value : pair.passed) {
    Operation *op = value.getDefiningOp();
    bool isOnlyPassed =
        !graph.isReturned(op) && llvm::all_of(graph.readers(op), [&](Node *n) {
          return n == pair.first || n == pair.second;
        });
    read = saturatingAdd(read, graph.bytes(value));
    stored = saturatingAdd(stored, isOnlyPassed ? graph.bytes(value) : 0);
  }
  for (Value value : pair.shared)
    read = saturatingAdd(read, graph.bytes(value));
  if (stored == read)
    return concat("storing and reading ", formatBytes(read), " and a launch");
  std::string text =
      stored ? concat("storing ", formatBytes(stored), ", ") : "";
  return concat(text, "reading ", formatBytes(read),
                pair.passed.empty() ? " twice" : "", " and a launch");
}

/// "'sum' (a.mlir:3:8)".
static std::string withPlace(StringRef name, Location loc) {
  SmallVector<UserPlace> places = userPlaces(loc);
  if (places.empty())
    return concat("'", name, "'");
  FileLineColRange range = places.front().range;
  return concat("'", name, "' (", range.getFilename().getValue(), ":",
                range.getStartLine(), ":", range.getStartColumn(), ")");
}

void Pairs::report(const Pair &pair) const {
  int64_t stored = 0, read = 0;
  std::string cost = costOf(pair, stored, read);
  Value value = pair.passed.empty() ? pair.shared.front() : pair.passed.front();
  Operation *reader = pair.second->ops.front();
  for (Operation *op : pair.second->ops)
    if (llvm::is_contained(op->getOperands(), value))
      reader = op;
  Operation *made =
      pair.passed.empty() ? pair.first->ops.front() : value.getDefiningOp();
  auto remark = remark::missed(placeOf(reader->getLoc()),
                               optionsFor("unfused", graph.functionName));
  remark << remark::add(
                "{0}",
                concat("'", graph.describe(pair.second), "' is not fused with ",
                       withPlace(graph.describe(pair.first), made->getLoc()),
                       ": ", reasonOf(pair), "; costs ", cost))
         << remark::metric("BytesStored", stored)
         << remark::metric("BytesRead", read) << remark::metric("Launches", 1);
}

void Pairs::report() const {
  for (const auto &[kernels, pair] : pairs)
    report(pair);
}

void fusion::remarkNotFused(const FusionGraph &graph) {
  if (!graph.reports())
    return;
  Pairs pairs(graph);
  pairs.collect();
  pairs.report();
}

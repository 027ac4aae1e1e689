//===- Plugin.cpp - Lowers calls of the user's own kernels ----------------===//

#include "Lowering.h"

#include "tripy/Dialect/Tripy/Plugin.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tripy;

namespace {
/// What a plugin's size function gives for one call.
struct PluginSizes {
  SmallVector<Value> shapes, grid, shared, numbers;
};
} // namespace

/// The sizes of the operands, which are those that the plugin asks for.
static SmallVector<Value> operandSizes(PluginOp plugin, ValueRange inputs,
                                       Lowering &b) {
  SmallVector<Value> sizes;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto declared =
        cast<RankedTensorType>(plugin.getFunctionType().getInput(i));
    for (auto [dim, size] : llvm::enumerate(b.sizesOf(input))) {
      if (!declared.isDynamicDim(dim)) {
        Size wanted = b.math.constant(declared.getDimSize(dim));
        b.require("equal", size, wanted,
                  "operand " + Twine(i) + " of plugin '" + plugin.getSymName() +
                      "' has size " + Twine(declared.getDimSize(dim)) +
                      " in dimension " + Twine(dim));
        size = wanted;
      }
      sizes.push_back(b.math.value(size));
    }
  }
  return sizes;
}

/// The size function in the place of the call; guardSizes() adds the conditions
/// that its arithmetic needs, as for what users write.
static PluginSizes inlineSizes(PluginOp plugin, ValueRange operands,
                               Lowering &b) {
  IRMapping mapping;
  mapping.map(plugin.getSizes().getArguments(), operands);
  Location loc = inserted(
      b.getSource()->getLoc(),
      {"size",
       ("compute sizes of plugin '" + plugin.getSymName() + "'").str()});
  for (Operation &op : plugin.getSizes().front().without_terminator())
    b.getBuilder().clone(op, mapping)->setLoc(loc);
  PluginSizesOp end = plugin.getTerminator();
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  PluginSizes sizes{mapped(end.getShapes()),
                    mapped(end.getGrid()),
                    {},
                    mapped(end.getNumbers())};
  if (end.getShared())
    sizes.shared = mapped(ValueRange(end.getShared()));
  return sizes;
}

/// `size`, which is checked to be from `low` to `high`, and known to be so.
static Value checkedRange(Value size, int64_t low, int64_t high,
                          const Twine &what, Lowering &b) {
  std::string name = what.str();
  Size least = b.math.constant(low), most = b.math.constant(high);
  b.require("at_most", least, size, name + " is at least " + Twine(low));
  b.require("at_most", size, most, name + " is at most " + Twine(high));
  return b.math.value(b.math.clamp(size, least, most));
}

/// The numbers that a kernel takes as an i32, whatever the device is.
static llvm::SmallDenseSet<unsigned> numbersOf32Bits(PluginOp plugin) {
  llvm::SmallDenseSet<unsigned> found;
  for (auto source : plugin.getSources().getAsRange<PluginSourceAttr>())
    if (!source.isHost())
      for (const std::string &text : argumentsOf(plugin, source))
        if (auto argument = parsePluginArgument(text);
            argument && argument->kind == PluginArgument::Kind::Number32)
          found.insert(argument->index);
  return found;
}

static void checkSizes(PluginOp plugin, PluginSizes &sizes, Lowering &b) {
  std::string of = ("of plugin '" + plugin.getSymName() + "'").str();
  for (auto [i, size] : llvm::enumerate(sizes.grid))
    size = checkedRange(size, 0, maxPluginGrid[i],
                        "the grid " + of + " in " + Twine("xyz"[i]), b);
  for (Value &size : sizes.shared)
    size = checkedRange(size, 0, INT32_MAX, "the shared memory " + of, b);
  for (unsigned i : numbersOf32Bits(plugin))
    sizes.numbers[i] =
        checkedRange(sizes.numbers[i], INT32_MIN, INT32_MAX,
                     "number " + Twine(i) + " " + of + ", an i32,", b);
  for (auto [i, size] : llvm::enumerate(sizes.shapes))
    b.require("at_most", b.math.constant(0), size,
              "size " + Twine(i) + " of the results " + of +
                  " is not negative");
}

// trace.plugin -> size function; flatir.plugin
static Lowered lowerPlugin(trace::PluginOp op, trace::PluginOp::Adaptor in,
                           Lowering &b) {
  PluginOp plugin = findPlugin(op, op.getCallee());
  PluginSizes sizes =
      inlineSizes(plugin, operandSizes(plugin, in.getInputs(), b), b);
  checkSizes(plugin, sizes, b);
  SmallVector<Value> dynamic;
  SmallVector<SizeList> shapes;
  size_t next = 0;
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    SizeList &shape = shapes.emplace_back();
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
      Value size = sizes.shapes[next++];
      shape.push_back(tensor.isDynamicDim(dim)
                          ? Size(size)
                          : b.math.constant(tensor.getDimSize(dim)));
      if (tensor.isDynamicDim(dim))
        dynamic.push_back(size);
    }
  }
  auto made = b.primary<flatir::PluginOp>(
      op.getResultTypes(), op.getCalleeAttr(), in.getInputs(), dynamic,
      sizes.grid, sizes.shared.empty() ? Value() : sizes.shared.front(),
      sizes.numbers, op.getParametersAttr());
  for (auto [result, shape] : llvm::zip_equal(made.getResults(), shapes))
    b.setSizes(result, shape);
  return Lowered(made.getResults());
}

void tripy::addPluginPatterns(PatternAdder &adder) {
  adder.add<trace::PluginOp>(lowerPlugin);
}

//===- VerifyPlan.cpp - Rules of placed buffers and launches --------------===//

#include "Verify.h"

#include "tripy/Base/SizeMath.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::kernel;

//===-- functions ---------------------------------------------------------===//

/// How many elements an attribute has that --kernel-plan sets; none without it.
static std::optional<int64_t> countOf(Operation *function, StringRef name) {
  auto list = function->getAttrOfType<ArrayAttr>(name);
  return list ? std::optional<int64_t>(list.size()) : std::nullopt;
}

template <typename T>
static LogicalResult verifyList(Operation *op, StringRef name,
                                StringRef elements) {
  auto list = op->getAttrOfType<ArrayAttr>(name);
  if (!list || !llvm::all_of(list, llvm::IsaPred<T>))
    return op->emitOpError(name) << " must be an array of " << elements;
  return success();
}

/// The function returns the dynamic sizes of its outputs, in order.
static LogicalResult verifyOutputs(FunctionOpInterface function) {
  Operation *op = function;
  int64_t dynamic = 0;
  for (auto type : op->getAttrOfType<ArrayAttr>(outputsAttrName)) {
    auto tensor = dyn_cast<RankedTensorType>(cast<TypeAttr>(type).getValue());
    if (!tensor)
      return op->emitOpError(outputsAttrName)
             << " must be types of ranked tensors; found " << type;
    dynamic += tensor.getNumDynamicDims();
  }
  ArrayRef<Type> results = function.getResultTypes();
  if (static_cast<int64_t>(results.size()) != dynamic ||
      !llvm::all_of(results, [](Type type) { return type.isIndex(); }))
    return op->emitOpError("must return its outputs' dynamic sizes, each of "
                           "type index; found ")
           << results.size() << " results for " << dynamic << " sizes";
  if (*countOf(op, outputNamesAttrName) != *countOf(op, outputsAttrName))
    return op->emitOpError("each output must have a name; found ")
           << *countOf(op, outputNamesAttrName) << " for "
           << *countOf(op, outputsAttrName);
  return success();
}

LogicalResult kernel::verifyPlannedFunction(Operation *op,
                                            StringRef attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError(attribute) << " is an attribute of functions";
  if (failed(verifyList<TypeAttr>(op, outputsAttrName, "types")) ||
      failed(verifyList<StringAttr>(op, outputNamesAttrName, "names")) ||
      failed(verifyList<ElementsAttr>(op, constantsAttrName, "values")))
    return failure();
  auto arena = op->getAttrOfType<IntegerAttr>(arenaAttrName);
  if (!arena || !arena.getType().isInteger(64) || arena.getInt() < 0)
    return op->emitOpError(arenaAttrName)
           << " must be a number of bytes, of type i64";
  for (Type type : function.getArgumentTypes())
    if (!isa<RankedTensorType, IndexType>(type))
      return op->emitOpError("arguments must be tensors or sizes; found ")
             << type;
  if (function.getFunctionBody().getBlocks().size() != 1)
    return op->emitOpError("a plan must be straight-line code; found ")
           << function.getFunctionBody().getBlocks().size() << " blocks";
  if (failed(verifyOutputs(function)))
    return failure();
  return verifyProfiles(function);
}

//===-- buffers -----------------------------------------------------------===//

static bool isInArena(BufferKind kind) {
  return kind == BufferKind::Arena || kind == BufferKind::Zeroed;
}

/// How many inputs, outputs or constants the function of `op` has.
static std::optional<int64_t> countOf(BufferOp op) {
  Operation *function = op->getParentOp();
  switch (op.getKind()) {
  case BufferKind::Input:
    if (auto inputs = dyn_cast<FunctionOpInterface>(function))
      return inputs.getNumArguments();
    return std::nullopt;
  case BufferKind::Output:
    return countOf(function, outputsAttrName);
  case BufferKind::Constant:
    return countOf(function, constantsAttrName);
  case BufferKind::Arena:
  case BufferKind::Zeroed:
    return 1;
  }
  return std::nullopt;
}

LogicalResult BufferOp::verify() {
  int64_t index = getIndexAttr().getInt(), offset = getOffsetAttr().getInt(),
          size = getSizeAttr().getInt();
  std::optional<int64_t> count = countOf(*this);
  if (!count)
    return emitOpError("must be in a function that --kernel-plan made");
  if (index < 0 || index >= *count)
    return emitOpError("must be one of ")
           << *count << " of kind " << stringifyBufferKind(getKind())
           << "; found " << index;
  if (!isInArena(getKind())) {
    if (offset != 0 || size != 0)
      return emitOpError("only buffers of the arena have an offset and a "
                         "size; found ")
             << offset << " and " << size;
    auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp());
    if (getKind() == BufferKind::Input &&
        !isa<RankedTensorType>(function.getArgument(index).getType()))
      return emitOpError("must be an input that is a tensor; found ")
             << function.getArgument(index).getType();
    return success();
  }
  auto arena =
      (*this)->getParentOp()->getAttrOfType<IntegerAttr>(arenaAttrName);
  if (!arena)
    return emitOpError("must be in a function that --kernel-plan made");
  if (offset < 0 || offset % int64_t(arenaAlignment) != 0)
    return emitOpError("the offset must be a multiple of ")
           << arenaAlignment << "; found " << offset;
  if (size < 0 || offset > arena.getInt() || size > arena.getInt() - offset)
    return emitOpError("must lie in the arena of ")
           << arena.getInt() << " bytes; found " << size << " at " << offset;
  if (getKind() == BufferKind::Zeroed && size % 4 != 0)
    return emitOpError("what is zeroed must be a multiple of 4 bytes; found ")
           << size;
  return success();
}

LogicalResult InputSizeOp::verify() {
  int64_t input = getInputAttr().getInt(), dim = getDimAttr().getInt();
  auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp());
  if (!function)
    return emitOpError("must be in a function");
  int64_t inputs = function.getNumArguments();
  if (input < 0 || input >= inputs)
    return emitOpError("must name one of ")
           << inputs << " inputs; found " << input;
  Type type = function.getArgument(input).getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || dim < 0 || dim >= tensor.getRank() ||
      !tensor.isDynamicDim(dim))
    return emitOpError("must name a dynamic dimension; found ")
           << dim << " of " << type;
  return success();
}

//===-- launches ----------------------------------------------------------===//

namespace {
/// What a launch may touch through one of its buffers.
struct Touched {
  BufferKind kind;
  int64_t begin, end;
};
} // namespace

/// None for a buffer that no valid kernel.buffer made.
static std::optional<Touched> touchedThrough(Value value) {
  auto buffer = value.getDefiningOp<BufferOp>();
  if (!buffer || !buffer.getKindAttr() || !buffer.getIndexAttr() ||
      !buffer.getOffsetAttr() || !buffer.getSizeAttr())
    return std::nullopt;
  BufferKind kind = buffer.getKind();
  if (!isInArena(kind)) {
    int64_t index = buffer.getIndexAttr().getInt();
    return Touched{kind, index, index + 1};
  }
  int64_t begin = buffer.getOffsetAttr().getInt();
  return Touched{BufferKind::Arena, begin,
                 begin + buffer.getSizeAttr().getInt()};
}

/// Kernels are compiled for arguments that do not alias: no other argument may
/// touch the memory that one argument writes.
static LogicalResult verifyBuffers(LaunchOp op, unsigned firstWritten) {
  SmallVector<Touched> ranges;
  for (auto [i, buffer] : llvm::enumerate(op.getBuffers())) {
    std::optional<Touched> range = touchedThrough(buffer);
    if (!range)
      return op.emitOpError("buffers must be made by kernel.buffer; found "
                            "another as number ")
             << i;
    if (i >= firstWritten && range->kind != BufferKind::Output &&
        range->kind != BufferKind::Arena)
      return op.emitOpError("may write outputs and the arena only; buffer ")
             << i << " is of kind " << stringifyBufferKind(range->kind);
    for (auto [k, other] : llvm::enumerate(ranges))
      if (i >= firstWritten && other.kind == range->kind &&
          other.begin < range->end && range->begin < other.end)
        return op.emitOpError("what it writes must not overlap its other "
                              "buffers; found that number ")
               << i << " overlaps number " << k;
    ranges.push_back(*range);
  }
  for (auto [range, bytes] : llvm::zip_equal(ranges, op.getBytes()))
    if (APInt known; range.kind == BufferKind::Arena &&
                     matchPattern(bytes, m_ConstantInt(&known)) &&
                     known.getSExtValue() > range.end - range.begin)
      return op.emitOpError("a kernel must not touch more bytes than its "
                            "buffer has; found ")
             << known.getSExtValue() << " of " << range.end - range.begin;
  return success();
}

LogicalResult LaunchOp::verify() {
  if (getGrid().size() != 3)
    return emitOpError("grid must have three sizes; found ")
           << getGrid().size();
  if (getBuffers().size() != getBytes().size())
    return emitOpError("each buffer must have a size in bytes; found ")
           << getBytes().size() << " for " << getBuffers().size();
  int64_t written = getWrittenAttr().getInt();
  auto buffers = static_cast<int64_t>(getBuffers().size());
  if (written < 1 || written > buffers)
    return emitOpError("written must be 1 to the number of buffers; found ")
           << written << " of " << buffers;
  return verifyBuffers(*this, buffers - written);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("callee must be a kernel.func; found ")
           << getCalleeAttr();
  std::optional<ConfigAttr> config = callee.getConfig();
  if (!config)
    return emitOpError("callee must have a config, which the emitted code "
                       "has; found none on ")
           << getCalleeAttr();
  size_t workspace = config->getWorkspace().size();
  size_t tensors = tensorTypes(callee).size();
  if (getBuffers().size() != tensors + workspace)
    return emitOpError("buffers must be the callee's ")
           << tensors << " tensors and " << workspace << " of workspace; found "
           << getBuffers().size();
  size_t results = callee.getFunctionType().getNumResults();
  if (getWrittenAttr().getInt() != static_cast<int64_t>(results + workspace))
    return emitOpError("written must be the callee's ")
           << results << " results and " << workspace << " of workspace; found "
           << getWrittenAttr().getInt();
  if (getSizes().size() != countSizes(callee))
    return emitOpError("sizes must be the callee's ")
           << countSizes(callee) << " index arguments; found "
           << getSizes().size();
  return success();
}

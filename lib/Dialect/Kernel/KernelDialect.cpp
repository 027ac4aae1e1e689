//===- KernelDialect.cpp - The kernel dialect -----------------------------===//

#include "Verify.h"

#include "tripy/Dialect/Common/Inliner.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Plugin.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::kernel;

#include "tripy/Dialect/Kernel/KernelDialect.cpp.inc"
#include "tripy/Dialect/Kernel/KernelEnums.cpp.inc"

static ParseResult parseCheckKind(AsmParser &parser, tripy::CheckKind &kind) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  if (const tripy::CheckKindInfo *info =
          tripy::findCheckKind(std::string_view(name))) {
    kind = info->kind;
    return success();
  }
  InFlightDiagnostic diag =
      parser.emitError(loc, "the kind of a condition must be one of ");
  llvm::interleaveComma(tripy::checkKindTable(), diag,
                        [&](const tripy::CheckKindInfo &info) {
                          diag << "'" << info.name << "'";
                        });
  return diag << "; found '" << name << "'";
}

static void printCheckKind(AsmPrinter &printer, tripy::CheckKind kind) {
  printer << tripy::findCheckKind(kind)->name;
}

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/Kernel/KernelAttrs.cpp.inc"

Attribute SizesAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> min, opt, max;
  llvm::SMLoc loc = parser.getCurrentLocation();
  auto parseSize = [&]() -> ParseResult {
    return failure(
        parser.parseLSquare() || parser.parseInteger(min.emplace_back()) ||
        parser.parseComma() || parser.parseInteger(opt.emplace_back()) ||
        parser.parseComma() || parser.parseInteger(max.emplace_back()) ||
        parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseSize))
    return {};
  return parser.getChecked<SizesAttr>(loc, parser.getContext(), min, opt, max);
}

void SizesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      llvm::zip_equal(getMin(), getOpt(), getMax()), printer, [&](auto size) {
        auto [min, opt, max] = size;
        printer << '[' << min << ", " << opt << ", " << max << ']';
      });
  printer << '>';
}

LogicalResult
SizesAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  ArrayRef<int64_t> min, ArrayRef<int64_t> opt,
                  ArrayRef<int64_t> max) {
  if (min.size() != opt.size() || min.size() != max.size())
    return emitError() << "each size must have a minimum, an optimum and a "
                          "maximum";
  for (auto [low, usual, high] : llvm::zip_equal(min, opt, max))
    if (low > usual || usual > high)
      return emitError() << "a size must have min <= opt <= max; found [" << low
                         << ", " << usual << ", " << high << "]";
  return success();
}

#define GET_TYPEDEF_CLASSES
#include "tripy/Dialect/Kernel/KernelTypes.cpp.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tripy/Dialect/Kernel/KernelAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tripy/Dialect/Kernel/KernelTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tripy/Dialect/Kernel/KernelOps.cpp.inc"
      >();
  addInterfaces<InlineAnywhere>();
}

SmallVector<ArrayRef<int64_t>>
tripy::kernel::splitSizeArgs(ArrayRef<int64_t> sizeArgs,
                             TypeRange argumentTypes, TypeRange resultTypes) {
  SmallVector<ArrayRef<int64_t>> split;
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(argumentTypes),
                                            SmallVector<Type>(resultTypes))) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    size_t count =
        std::min<size_t>(tensor.getNumDynamicDims(), sizeArgs.size());
    split.push_back(sizeArgs.take_front(count));
    sizeArgs = sizeArgs.drop_front(count);
  }
  return split;
}

LogicalResult ScanOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= type.getRank())
    return emitOpError("dim names a dimension; found ")
           << dim << " for rank " << type.getRank();
  if (type.getElementType().isInteger(1) ||
      !type.getElementType().isIntOrFloat())
    return emitOpError("sums numbers; found ") << type.getElementType();
  return success();
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInput()));
  return success();
}

int64_t AttentionOp::getGroupSize() {
  auto headsOf = [](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getDimSize(type.getRank() - 3);
  };
  int64_t heads = headsOf(getQuery()), shared = headsOf(getKey());
  bool isKnown =
      !ShapedType::isDynamic(heads) && !ShapedType::isDynamic(shared);
  return isKnown && shared > 0 ? heads / shared : 1;
}

/// Checks the shape of an operand or result.
static LogicalResult verifyOperand(AttentionOp op, Value tensor,
                                   ArrayRef<int64_t> shape, StringRef what) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (succeeded(verifyCompatibleShape(type.getShape(), shape)))
    return success();
  return op.emitOpError() << what << " must have the shape of "
                          << RankedTensorType::get(shape, type.getElementType())
                          << "; found " << type;
}

static LogicalResult verifyHidden(AttentionOp op) {
  if (!op.getHidden())
    return success();
  Value mask = op.getMask();
  if (op.getHidden()->isFinite() && mask &&
      getElementTypeOrSelf(mask).isInteger(1) && !op.getLengths() &&
      !op.isBanded())
    return success();
  return op.emitOpError(
             "a hidden score is finite, and a mask of i1 alone hides "
             "keys then; found ")
         << op.getHidden()->convertToDouble();
}

static LogicalResult verifyCap(AttentionOp op) {
  std::optional<APFloat> cap = op.getCap();
  if (!cap || (cap->isFiniteNonZero() && !cap->isNegative()))
    return success();
  return op.emitOpError("a cap of scores is positive and finite; found ")
         << cap->convertToDouble();
}

static LogicalResult verifyWindow(AttentionOp op) {
  for (std::optional<int64_t> side : {op.getWindowLeft(), op.getWindowRight()})
    if (side && (*side < 0 || *side > AttentionOp::maxWindow))
      return op.emitOpError("a side of a window has 0 to 2^30 keys; found ")
             << *side;
  if (op.getWindowRight() && op.getCausal() != kernel::Causal::None)
    return op.emitOpError("a causal mask is the right side of a window; found "
                          "both, and window_right = ")
           << *op.getWindowRight();
  return success();
}

LogicalResult AttentionOp::verify() {
  auto query = cast<RankedTensorType>(getQuery().getType());
  auto key = cast<RankedTensorType>(getKey().getType());
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  Type element = query.getElementType();
  int64_t rank = query.getRank();
  if (rank < 3 || key.getRank() != rank || value.getRank() != rank)
    return emitOpError("query, key and value must have one rank of at least 3; "
                       "found ")
           << query << ", " << key << " and " << value;
  if (!(element.isF32() || element.isF16() || element.isBF16()) ||
      key.getElementType() != element || value.getElementType() != element ||
      !result.getElementType().isF32())
    return emitOpError("query, key and value must be f32, f16 or bf16, and the "
                       "result f32; found ")
           << element << " and " << result.getElementType();
  for (int64_t size : {query.getDimSize(rank - 1), value.getDimSize(rank - 1)})
    if (size < 1 || size > maxHeadSize)
      return emitOpError("heads must have static sizes from 1 to ")
             << maxHeadSize << "; found " << query << " and " << value;
  int64_t heads = query.getDimSize(rank - 3), shared = key.getDimSize(rank - 3);
  if (heads != shared &&
      (ShapedType::isDynamic(heads) || shared < 1 || heads % shared != 0))
    return emitOpError("heads of the query must be a static multiple of the "
                       "key's, or as many; found ")
           << query << " and " << key;
  SmallVector<int64_t> shape(query.getShape());
  shape[rank - 3] = shared;
  shape[rank - 2] = key.getDimSize(rank - 2);
  if (failed(verifyOperand(*this, getKey(), shape, "the key")))
    return failure();
  shape.back() = value.getDimSize(rank - 1);
  if (failed(verifyOperand(*this, getValue(), shape, "the value")))
    return failure();
  shape[rank - 3] = heads;
  shape[rank - 2] = query.getDimSize(rank - 2);
  if (failed(verifyOperand(*this, getResult(), shape, "the result")))
    return failure();
  shape.back() = key.getDimSize(rank - 2);
  if (getMask() && failed(verifyOperand(*this, getMask(), shape, "the mask")))
    return failure();
  if (getLengths() &&
      failed(verifyOperand(*this, getLengths(), ArrayRef(shape).drop_back(3),
                           "lengths")))
    return failure();
  if (getLengths() && !getElementTypeOrSelf(getLengths()).isInteger(32))
    return emitOpError("lengths must be i32; found ") << getLengths().getType();
  if (getMask() && !getElementTypeOrSelf(getMask()).isInteger(1) &&
      !isa<FloatType>(getElementTypeOrSelf(getMask())))
    return emitOpError("the mask must be of i1 or floats; found ")
           << getMask().getType();
  return failure(failed(verifyHidden(*this)) || failed(verifyCap(*this)) ||
                 failed(verifyWindow(*this)));
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  Value query = getQuery(), value = getValue();
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), query));
  int64_t last = static_cast<int64_t>(shapes.back().size()) - 1;
  shapes.back().back() = tensor::getMixedSize(builder, getLoc(), value, last);
  return success();
}

LogicalResult SortOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInput()));
  if (getCount())
    shapes.back().back() =
        builder.getIndexAttr(static_cast<int64_t>(*getCount()));
  return success();
}

LogicalResult SortOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getRank() == 0)
    return emitOpError("the input has rank at least 1; found ") << from;
  SmallVector<int64_t> shape(from.getShape());
  if (getCount())
    shape.back() = static_cast<int64_t>(*getCount());
  if (getCount() && shape.back() < 0)
    return emitOpError("count is not negative; found ") << shape.back();
  if (!from.isDynamicDim(from.getRank() - 1) &&
      shape.back() > from.getShape().back())
    return emitOpError("count is at most the last dimension; found ")
           << shape.back() << " of " << from.getShape().back();
  auto wanted =
      RankedTensorType::get(shape, IntegerType::get(getContext(), 32));
  if (to != wanted)
    return emitOpError("the result is ") << wanted << "; found " << to;
  return success();
}

//===-- passes of a radix sort --------------------------------------------===//

LogicalResult
DigitCountsOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getRows()));
  shapes.back().back() =
      builder.getIndexAttr(static_cast<int64_t>(getChunks()));
  shapes.back().push_back(builder.getIndexAttr(digitValues));
  return success();
}

LogicalResult
DigitScatterOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getRows()));
  return success();
}

/// What both halves of a pass have in common.
template <typename DigitOp> static LogicalResult verifyDigit(DigitOp op) {
  if (!op.getInput() && !op.getPairs())
    return op.emitOpError("must have an input, or pairs, or both");
  auto rows = cast<RankedTensorType>(op.getRows().getType());
  if (rows.getRank() == 0)
    return op.emitOpError("rows are along the last dimension; found ") << rows;
  if (op.getPairs() && !rows.getElementType().isInteger(64))
    return op.emitOpError("pairs are of i64; found ") << rows;
  auto input =
      op.getInput() ? cast<RankedTensorType>(op.getInput().getType()) : rows;
  if (failed(verifyCompatibleShape(input, rows)))
    return op.emitOpError("input and pairs have one shape; found ")
           << input << " and " << rows;
  int64_t digits = input.getElementTypeBitWidth() == 64 ? 8 : 4;
  if (op.getDigit() >= uint64_t(digits))
    return op.emitOpError("a key has ")
           << digits << " digits; found digit " << op.getDigit();
  return success();
}

/// The type of the counts of rows of `rows` in `chunks` chunks.
static RankedTensorType countsType(RankedTensorType rows, int64_t chunks) {
  SmallVector<int64_t> shape(rows.getShape());
  shape.back() = chunks;
  shape.push_back(DigitCountsOp::digitValues);
  return RankedTensorType::get(shape, IntegerType::get(rows.getContext(), 32));
}

LogicalResult DigitCountsOp::verify() {
  if (failed(verifyDigit(*this)))
    return failure();
  auto chunks = static_cast<int64_t>(getChunks());
  if (chunks < 1)
    return emitOpError("rows have at least 1 chunk; found ") << chunks;
  RankedTensorType wanted =
      countsType(cast<RankedTensorType>(getRows().getType()), chunks);
  if (getResult().getType() != wanted)
    return emitOpError("the result is ")
           << wanted << "; found " << getResult().getType();
  return success();
}

LogicalResult DigitScatterOp::verify() {
  if (failed(verifyDigit(*this)))
    return failure();
  auto rows = cast<RankedTensorType>(getRows().getType());
  auto counts = cast<RankedTensorType>(getCounts().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (counts.getRank() != rows.getRank() + 1 ||
      counts.isDynamicDim(rows.getRank() - 1) ||
      counts != countsType(rows, counts.getDimSize(rows.getRank() - 1)))
    return emitOpError("counts are ")
           << countsType(rows, 1) << " or of more chunks; found " << counts;
  if (result != rows.clone(result.getElementType()) ||
      !(result.getElementType().isInteger(64) ||
        result.getElementType().isInteger(32)))
    return emitOpError("the result has the rows' shape, and is of i64 or, of "
                       "positions alone, i32; found ")
           << result;
  return success();
}

/// A plugin is all of its kernel: it reads the arguments and makes the results,
/// in order.
static LogicalResult verifyInKernel(kernel::PluginOp op) {
  for (Value operand : op->getOperands())
    if (!isa<BlockArgument>(operand) &&
        !(operand.getType().isIndex() && getConstantIntValue(operand)))
      return op.emitOpError("operands must be arguments of its kernel, and "
                            "sizes these or constants");
  Operation *end = op->getBlock()->getTerminator();
  if (ValueRange(end->getOperands()) != ValueRange(op.getResults()))
    return op.emitOpError("must make the results of a kernel of its own");
  return success();
}

LogicalResult kernel::PluginOp::verify() {
  auto function = dyn_cast<FuncOp>((*this)->getParentOp());
  tripy::PluginOp plugin = findPlugin(*this, getCallee());
  if (!plugin)
    return emitOpError("callee must be a tripy.plugin; found ")
           << getCalleeAttr();
  if (!takesOperands(plugin, getInputs().getTypes()) ||
      !givesResults(plugin, getResultTypes()) ||
      !takesParameters(plugin, getParametersAttr()) ||
      !hasPluginSizes(plugin, getResultTypes(), getSizes().size(),
                      getGrid().size(), bool(getShared()), getNumbers().size()))
    return emitOpError("operands, results, sizes and parameters must be those "
                       "of the plugin, ")
           << plugin.getFunctionType();
  if (getSource() && *getSource() >= plugin.getSources().size())
    return emitOpError("source must be one of ")
           << plugin.getSources().size() << "; found " << *getSource();
  if (bool(getSource()) != bool(getArguments()))
    return emitOpError("must have a source and its arguments, or neither");
  if (function && function.getRoot() != FusionRoot::Plugin)
    return emitOpError("must be the fusion root of its kernel; found ")
           << stringifyFusionRoot(function.getRoot());
  return function ? verifyInKernel(*this) : success();
}

/// Checks what dispatches and kernel functions share: arguments of `body`, what
/// it yields, and that `sizeArgs` names an index argument for each dynamic
/// dimension.
static LogicalResult verifyKernelBody(Operation *op, Region &body,
                                      TypeRange arguments, TypeRange results,
                                      ArrayRef<int64_t> sizeArgs) {
  if (TypeRange(body.getArgumentTypes()) != arguments)
    return op->emitOpError(
        "the region's arguments must have the inputs' types");
  auto yield = dyn_cast<YieldOp>(body.front().getTerminator());
  if (!yield || TypeRange(yield.getOperandTypes()) != results)
    return op->emitOpError("the region must yield the results' types");
  int64_t dynamic = 0;
  for (Type type : arguments) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      dynamic += tensor.getNumDynamicDims();
    else if (!type.isIndex())
      return op->emitOpError("inputs must be tensors or sizes; found ") << type;
  }
  for (Type type : results)
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  if (dynamic != static_cast<int64_t>(sizeArgs.size()))
    return op->emitOpError("sizeArgs must have one entry for each dynamic "
                           "dimension; found ")
           << sizeArgs.size() << " for " << dynamic;
  for (int64_t arg : sizeArgs)
    if (arg < 0 || arg >= static_cast<int64_t>(arguments.size()) ||
        !arguments[arg].isIndex())
      return op->emitOpError("sizeArgs must name index inputs; found ") << arg;
  return success();
}

/// One size operand for each dynamic dimension of the results.
/// Checks that there is a range for each index argument.
static LogicalResult verifySizes(Operation *op, std::optional<SizesAttr> sizes,
                                 TypeRange inputs) {
  auto count = llvm::count_if(inputs, llvm::IsaPred<IndexType>);
  if (!sizes || int64_t(sizes->getOpt().size()) == count)
    return success();
  return op->emitOpError("'sizes' must have one range for each index argument; "
                         "found ")
         << sizes->getOpt().size() << " for " << count;
}

static LogicalResult verifyResultSizes(Operation *op, TypeRange results,
                                       size_t sizes) {
  size_t dynamic = 0;
  for (Type type : results)
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  if (dynamic != sizes)
    return op->emitOpError("there must be one size for each dynamic dimension "
                           "of the results; found ")
           << sizes << " for " << dynamic;
  return success();
}

LogicalResult DispatchOp::verify() {
  if (failed(verifyResultSizes(*this, getResultTypes(),
                               getResultSizes().size())) ||
      failed(verifySizes(*this, getSizes(), getInputs().getTypes())))
    return failure();
  return verifyKernelBody(*this, getBody(), getInputs().getTypes(),
                          getResultTypes(), getSizeArgs());
}

LogicalResult FuncOp::verify() {
  for (Type type : getFunctionType().getResults())
    if (!isa<RankedTensorType>(type))
      return emitOpError("results must be ranked tensors; found ") << type;
  if (failed(verifyKernelBody(*this, getBody(), getFunctionType().getInputs(),
                              getFunctionType().getResults(), getSizeArgs())) ||
      failed(verifySizes(*this, getSizes(), getFunctionType().getInputs())))
    return failure();
  if (std::optional<ConfigAttr> config = getConfig())
    if (failed(verifyConfig(*this, *config)))
      return failure();
  size_t tensors =
      tensorTypes(*this).size() - getFunctionType().getNumResults();
  if (std::optional<ArrayRef<bool>> waits = getWaitsFor())
    if (waits->size() != tensors)
      return emitOpError("waitsFor must have one entry for each tensor "
                         "argument; found ")
             << waits->size() << " for " << tensors;
  if (failed(verifySchedule(*this)))
    return failure();
  if (std::optional<ProductAttr> product = getProduct())
    return verifyProduct(*this, *product);
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("callee must be a kernel.func; found ")
           << getCalleeAttr();
  FunctionType type = callee.getFunctionType();
  if (TypeRange(type.getInputs()) != getInputs().getTypes() ||
      TypeRange(type.getResults()) != getResultTypes())
    return emitOpError("operands and results must have the types of the "
                       "callee, ")
           << type;
  return verifyResultSizes(*this, getResultTypes(), getResultSizes().size());
}

LogicalResult PackedOp::verify() {
  RankedTensorType from = getBytes().getType(), to = getResult().getType();
  if (!isTensorType(to) || !isInt4(to.getElementType()))
    return emitOpError("its result must be a tensor of i4; found ") << to;
  if (from.getRank() != 1 || !from.getElementType().isSignlessInteger(8))
    return emitOpError("the bytes must be a tensor of i8 of rank 1; found ")
           << from;
  if (to.getNumDynamicDims() != getSizes().size())
    return emitOpError("each dynamic size of the result must have one operand; "
                       "found ")
           << getSizes().size() << " for " << to;
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return success();
  int64_t needed = bytesOf(to.getElementType(), to.getNumElements());
  if (from.getDimSize(0) != needed)
    return emitOpError("there must be one byte for two elements, ")
           << needed << "; found " << from.getDimSize(0);
  return success();
}

LogicalResult
KernelDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (llvm::is_contained({outputsAttrName, outputNamesAttrName,
                          constantsAttrName, arenaAttrName},
                         name))
    return verifyPlannedFunction(op, name);
  return success();
}

bool kernel::mayBeWritten(Value input, bool isFirstCall) {
  if (matchPattern(input, m_Constant()))
    return false;
  auto argument = dyn_cast<BlockArgument>(input);
  if (!argument)
    return true;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return isFirstCall &&
         !(function && isParameter(function, argument.getArgNumber()));
}

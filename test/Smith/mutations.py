"""Faults to plant, one row each, for utils/smith-mutations.

A row names the file, what the fault does, the text there and what takes its
place. All rows are compiled into one build; the environment variable
TRIPY_FAULT chooses the one that acts. Forms of rows: "value" and "expression"
replace an expression (a `value` becomes an mlir::Value on both sides),
"statement" replaces statements, "text" has PLANTED for the test itself. `ops`:
programs with none of these operations are the same with the fault.
"""
import collections

Mutation = collections.namedtuple("Mutation", "file what form old new ops")
MUTATIONS = []
_TRACE, _LINALG, _FLATIR = "lib/Conversion/TraceToFlatIR/", "lib/Conversion/FlatIRToLinalg/", "lib/Dialect/FlatIR/"
_PLAN, _FUSION, _EMIT, _CPU, _CUDA = (f"lib/Codegen/{part}/" for part in ("Plan", "Fusion", "Emit", "CPU", "CUDA"))


def add(file, what, old, new, form="expression", ops=""):
    MUTATIONS.append(Mutation(file, what, form, old, new, ops.split()))


#===-- trace to flatir -------------------------------------------------------===#

add(_TRACE + "Movement.cpp", "transpose takes dimension 0 for its first one",
    "normalizeDim(asSigned(in.getDim0()), rank)", "int64_t(0)",
    ops="transpose")
add(_TRACE + "Movement.cpp", "unsqueeze puts the 1 in front among dynamic sizes", "sizes.begin() + dim", "sizes.begin()",
    ops="unsqueeze")
add(_TRACE + "Movement.cpp", "reshape does not divide for -1",
    "b.math.floorDiv(whole, b.math.maximum(part, b.math.constant(1)))", "whole",
    ops="reshape")
add(_TRACE + "Movement.cpp", "concatenate forgets all sizes but the last", "sizes[i] = b.math.add(sizes[i], size);",
    "sizes[i] = size;", "statement",
    ops="concatenate")
add(_TRACE + "Pad.cpp", "pad swaps low and high",
    "appendBorder(parts, dim, low);\n    parts.push_back(tensor);\n    appendBorder(parts, dim, high);",
    "appendBorder(parts, dim, high); parts.push_back(tensor); appendBorder(parts, dim, low);", "statement",
    ops="pad")
add(_TRACE + "Slices.cpp", "a slice backwards stops at element 0", "math.constant(backwards ? -1 : 0)", "math.constant(0)",
    ops="slice")
add(_TRACE + "Slices.cpp", "a slice backwards begins behind the end", "backwards ? math.sub(size, math.constant(1)) : size",
    "size",
    ops="slice")
add(_TRACE + "Slices.cpp", "a negative bound counts from the last element", "math.add(negative, size)",
    "math.add(negative, math.sub(size, math.constant(1)))",
    ops="slice")
add(_TRACE + "Slices.cpp", "the size of a slice rounds down",
    "math.ceilDiv(math.maximum(span, math.constant(0)),\n                            math.constant(std::abs(step)))",
    "math.floorDiv(math.maximum(span, math.constant(0)), math.constant(std::abs(step)))",
    ops="slice")
add(_TRACE + "Slices.cpp", "the parts of a split round down",
    "share = b.math.ceilDiv(size, b.math.constant(asSigned(*in.getParts())));",
    "share = b.math.floorDiv(size, b.math.constant(asSigned(*in.getParts())));", "statement",
    ops="split")
add(_TRACE + "SizeMath.cpp", "a sum of a size and two constants is one too small", "constant(*both)", "constant(*both - 1)")
add(_TRACE + "SizeMath.cpp", "a size minus a constant is a sum", "add(a, constant(-*c))", "add(a, constant(*c))")
add(_TRACE + "Reduction.cpp", "var ignores the correction",
    "b.math.sub(countOf(input, dims, b),\n                                b.math.constant(asSigned(in.getCorrection())))",
    "countOf(input, dims, b)",
    ops="var")
add(_TRACE + "Reduction.cpp", "norms leave eps out", "b.splat(eps, mean)", "b.splat(0, mean)",
    ops="layer_norm rms_norm")
add(_TRACE + "Reduction.cpp", "argmax does not look for NaN", "isa<FloatType>(type.getElementType())", "false",
    ops="argmax argmin")
add(_TRACE + "Reduction.cpp", "argmax takes the last of equal elements",
    'return reduceStep("take the first place", ReduceKind::Min, candidates, dim,\n                    b);',
    'return reduceStep("take the last place", ReduceKind::Max, b.step<flatir::SelectOp>("choose", found, places, '
    "b.splat(-1, x, index)), dim, b);", "statement",
    ops="argmax argmin")
add(_TRACE + "Elementwise.cpp", "the factor of gelu is 0.044", "b.splat(0.044715, x)", "b.splat(0.044, x)",
    ops="gelu")
add(_TRACE + "Elementwise.cpp", "the factor of erf in gelu has four places", "std::numbers::sqrt2 / 2", "0.7071",
    ops="gelu")
add(_TRACE + "Elementwise.cpp", "relu compares with 1", "b.splat(0, in.getInput())", "b.splat(1, in.getInput())",
    ops="relu")
add(_TRACE + "Elementwise.cpp", "where swaps its choices", "b.primary<flatir::SelectOp>(values[0], values[1], values[2])",
    "b.primary<flatir::SelectOp>(values[0], values[2], values[1])",
    ops="where")
add(_TRACE + "Windows.cpp", "a transposed convolution reads windows forwards", "transposed ? -one.dilation : one.dilation",
    "one.dilation",
    ops="conv_transpose")
add(_TRACE + "Pool.cpp", "avgpool always counts padding", "in.getCountIncludePad() || !isPadded", "true",
    ops="avgpool")
add(_LINALG + "Window.cpp", "windows have no padding in front", "op.getLow()[i] != 0", "false",
    ops="convolution conv_transpose maxpool avgpool")
add(_TRACE + "Indexing.cpp", "gather takes from dimension 0",
    "b.primary<flatir::GatherOp>(type, input, index, dim)", "b.primary<flatir::GatherOp>(type, input, index, int64_t(0))",
    ops="gather embedding")

#===-- scalar code and folding -----------------------------------------------===#

_SCALAR, _FOLD = "lib/Dialect/Common/ScalarOps.cpp", "lib/Dialect/FlatIR/FoldElementwise.cpp"
add(_SCALAR, "the lowest integer is divided by -1", "arith::OrIOp::create(b, isZero, overflows)", "isZero", "value",
    ops="div floor_div mod")
add(_SCALAR, "the sign of a remainder is not looked at",
    "compare(b, CmpIPredicate::slt, arith::XOrIOp::create(b, remainder, y), 0)", "compare(b, CmpIPredicate::slt, y, 0)",
    ops="floor_div mod")
add(_SCALAR, "x mod 0 is 0", "arith::SelectOp::create(b, division.isZero, division.x, result)", "result", "value",
    ops="mod")
add(_SCALAR, "casts to integers do not saturate above", "arith::SelectOp::create(b, isHigh, highest, result)", "result", "value",
    ops="cast")
add(_SCALAR, "casts to integers do not saturate below", "arith::SelectOp::create(b, isLow, lowest, result)", "result", "value",
    ops="cast")
add(_SCALAR, "NaN is false", "compare(b, CmpFPredicate::UNE, x, 0.0)", "compare(b, CmpFPredicate::ONE, x, 0.0)",
    ops="cast")
add(_SCALAR, "ties of floats of 8 bits go up", "add(magnitude, belowHalf)", "add(magnitude, belowHalf + 1)",
    ops="cast matmul linear")
add(_SCALAR, "floats of 8 bits are infinite or NaN too early", "compare(b, CmpIPredicate::sge, magnitude, format.beyond)",
    "compare(b, CmpIPredicate::sge, magnitude, format.beyond - 0x100000)", "value",
    ops="cast matmul linear")
add(_SCALAR, "a floor division keeps a quotient that was rounded up",
    "compare(b, CmpFPredicate::OLT, signedLikeY, 0.0)", "compare(b, CmpFPredicate::OLT, signedLikeY, -1e30)",
    ops="floor_div")
add(_FOLD, "abs(abs(x)) is x", "case ScalarFn::Sign:\n    return op->getOperand(0);",
    "case ScalarFn::Sign:\n    if (PLANTED) return inner->getOperand(0);\n    return op->getOperand(0);", "text",
    ops="abs floor ceil round trunc sign")
add(_FOLD, "a select with a known condition chooses wrongly", "toBool(condition) ? getInput() : getOther()",
    "toBool(condition) ? getOther() : getInput()",
    ops="where")
add(_FOLD, "a conversion to 16 bits and back is dropped", "return isWider && to.getIntOrFloatBitWidth() >= 32;", "return true;", "statement",
    ops="cast argmax argmin sum mean")
add("lib/Dialect/FlatIR/Folds.cpp", "the size of a reduction's result is that of dimension 0", "return {op.getInput(), i};",
    "return {op.getInput(), 0};", "statement")
add("lib/Dialect/Kernel/SizeTable.cpp", "sizes that round up round down", "binary(SizeOp::CeilDiv, *lhs, *rhs)",
    "binary(SizeOp::FloorDiv, *lhs, *rhs)")
add("lib/Codegen/Math/ExpLog.cpp", "a coefficient of exp is off by 1e-5", "0x1.555494p-3", "0x1.5554p-3 * 1.0001",
    ops="exp sigmoid silu gelu softmax tanh")
add("lib/Codegen/Math/Trig.cpp", "the quadrant of cos is not moved", "addBits(reduced.quadrant, 1)", "addBits(reduced.quadrant, 0)",
    ops="cos")

#===-- flatir to linalg --------------------------------------------------------===#

add(_LINALG + "Movement.cpp", "a transposition goes the other way", "exprs[dim] = b.getAffineDimExpr(i);",
    "exprs[i] = b.getAffineDimExpr(dim);", "statement",
    ops="permute transpose matmul linear")
add(_LINALG + "Movement.cpp", "a size that is 1 at run time is not broadcast",
    "arith::SelectOp::create(inner, loc, isOne, zero, index)", "index", "value")
add(_LINALG + "Movement.cpp", "a step backwards is 1",
    "arith::ConstantIndexOp::create(inner, loc, std::abs(stride))", "arith::ConstantIndexOp::create(inner, loc, 1)",
    ops="slice")
add(_LINALG + "Movement.cpp", "an index beyond the end is not clamped",
    "arith::MinSIOp::create(b, loc, at,\n                              arith::SubIOp::create(b, loc, size, one))", "at", "value",
    ops="gather embedding")
add(_LINALG + "Movement.cpp", "a negative index is clamped to 0",
    "arith::SelectOp::create(b, loc, isNegative, fromEnd, at)", "at", "value",
    ops="gather embedding")
add(_LINALG + "Movement.cpp", "gather counts dimensions behind the index wrongly", "i < dim ? i : i - 1 + taken", "i",
    ops="gather embedding")
add(_FLATIR + "FlatIRRules.cpp", "a maximum begins with 0", "APFloat::getInf(semantics, true)", "APFloat::getZero(semantics)",
    ops="max softmax argmax")
add(_FLATIR + "FlatIRRules.cpp", "a minimum of integers begins with 0", "APSInt::getMaxValue(bits, isUnsigned)", "APInt(bits, 0)",
    ops="min argmin argmax")
add(_FLATIR + "FlatIRRules.cpp", "a product of floats begins with 0", "kind == ReduceKind::Prod ? 1.0 : 0.0", "0.0",
    ops="prod")
add(_LINALG + "Reshape.cpp", "a reshape of dynamic sizes does not divide by the inner ones",
    "arith::RemUIOp::create(inner, loc, linear, size)", "linear", "value",
    ops="reshape squeeze unsqueeze argmax argmin")
add(_LINALG + "Reshape.cpp", "dynamic and static groups of a reshape are matched",
    "isKnown == isStatic(to, right)", "true",
    ops="reshape squeeze unsqueeze argmax argmin")

#===-- fusion pass -------------------------------------------------------------------===#

add(_PLAN + "Arena.cpp", "a buffer that a launch reads may be what it writes",
    "other.last < request.first || request.last < other.first", "other.last <= request.first || request.last <= other.first")
add(_PLAN + "KernelPlan.cpp", "buffers live no longer than the launch that writes them",
    "requests[known->second.number].last = i;", "", "statement")
add(_FUSION + "FusionGraph.cpp", "kernels are fused around one that lies between them",
    "if (readsAny(second, following))\n    return false;", "", "statement")
add(_FUSION + "RootGroups.cpp", "a row kernel takes reductions of other dimensions",
    "isTrailing(reduce) && graph.sizes.get(reduce.getInput()) == full", "graph.sizes.get(reduce.getInput()) == full",
    ops="sum prod max min all any mean var argmax argmin softmax")
add(_FUSION + "LoopGroups.cpp", "a kernel writes results of another shape",
    "graph.sizes.get(op->getResult(0)) == kernel->shape", "true")

#===-- emitters: shared ------------------------------------------------------------===#

add(_EMIT + "ElementEmitter.cpp", "the step of a slice is 1", "math.mul(i, mapped(strides[dim]))", "i",
    ops="slice")
add(_EMIT + "ElementEmitter.cpp", "the second input of a concatenation is read from its seam on",
    "math.sub(rest[op.getDim()], size)", "rest[op.getDim()]",
    ops="concatenate pad")
add(_EMIT + "ElementEmitter.cpp", "vectors cross the end of a dimension",
    "last && *last % vectorSize == 0 &&\n                 math.factorOf(index[g]) % vectorSize == 0", "true",
    ops="reshape squeeze unsqueeze argmax argmin")
add(_EMIT + "ElementEmitter.cpp", "vectors cross the seam of a concatenation", "if (!whole)", "if (!whole && !PLANTED)", "text",
    ops="concatenate pad")
add(_EMIT + "ElementEmitter.cpp", "an explicit conversion to 16 bits does not round", "return round(in, element);",
    "return in;", "statement",
    ops="cast")
add(_EMIT + "ElementEmitter.cpp", "all elements have the index of the first", "at = math.add(at, math.constant(element));", "",
    "statement",
    ops="iota argmax argmin")
add(_EMIT + "IndexMath.cpp", "an index that was cut is joined again with other sizes",
    "it != splits.end() && it->second.size == sizes[i]", "it != splits.end()")
add(_EMIT + "IndexMath.cpp", "a sum is taken for aligned as its better part", "setFactor(cast<Value>(sum), factor);",
    "setFactor(cast<Value>(sum), std::max(factorOf(a), factorOf(b)));", "statement")
add(_EMIT + "IndexMath.cpp", "a quotient of sizes rounds down", "div(add(a, sub(b, constant(1))), b)", "div(a, b)")
add(_EMIT + "Software16.cpp", "ties of 16-bit floats go up", "mask(right(x, shift), 1)", "constant(1)", "value")
add(_EMIT + "ElementMemory.cpp", "vectors are read from any address", "alignment % (width * 2 * bytes) == 0", "true")
add(_EMIT + "ContractionSpace.cpp", "the last of several contracted loops alone is looked at",
    "point[loop] = index;", "point[loops.back()] = index;", "statement",
    ops="matmul linear")

#===-- emitters: CPU -----------------------------------------------------------------===#

add(_CPU + "EmitCPU.cpp", "the last block of a loop goes beyond the end", "e.math.min(e.math.add(from, block), inner)",
    "e.math.add(from, block)")
add(_CPU + "EmitCPURow.cpp", "the last block of a reduction goes beyond the end",
    "e.math.min(block, e.math.sub(shape.back(), from))", "block",
    ops="sum prod max min all any mean var argmax argmin softmax")
add(_CPU + "EmitCPURow.cpp", "a reduction over outer dimensions reads one row",
    "for (auto [dim, value] : llvm::zip(loopDims(op).reduction, inner))\n          loops[dim] = value;", "", "statement",
    ops="sum prod max min all any mean var argmax argmin softmax")
add(_CPU + "EmitCPUScan.cpp", "a running sum across rows reads one row", "at[dim] = position;", "at[dim] = zero;", "statement",
    ops="cumsum")
add(_CPU + "EmitCPUGemm.cpp", "the last tile of a product is taken for a whole one",
    "math.min(math.constant(blocking.tileN),\n                    math.sub(dims.sizeOf(dims.n), nBegin))",
    "math.constant(blocking.tileN)",
    ops="matmul linear")
add(_CPU + "EmitCPUGemm.cpp", "all batches are the first one", "dims.spread(at[0], dims.batch, batchLoops);", "", "statement",
    ops="matmul")
add(_CPU + "EmitCPUGemm.cpp", "every run along K is packed to the first one's place", "math.add(run, k)", "k",
    ops="matmul linear convolution conv_transpose")

#===-- emitters: CUDA ----------------------------------------------------------------===#

add(_CUDA + "EmitCUDA.cpp", "elements behind the last vector are not written", "rest = exprs.back() % vectorSize;", "", "statement")
add(_CUDA + "EmitCUDA.cpp", "one element behind the last vector is written by all threads",
    "math.add(math.mul(count, width), math.sub(id, count))", "math.mul(count, width)")
add(_CUDA + "EmitCUDARow.cpp", "threads behind a row's end count its last element",
    "accumulator = inside ? kernel.select(inside, next, accumulator) : next;", "accumulator = next;", "statement",
    ops="sum prod max min all any mean var argmax argmin softmax layer_norm rms_norm")
add(_CUDA + "EmitCUDARow.cpp", "rows of any length are read in vectors", "!inner || *inner % vectorSize != 0", "!inner",
    ops="sum prod max min all any mean var argmax argmin softmax layer_norm rms_norm")
add(_CUDA + "EmitCUDAColumn.cpp", "the rows of a block are joined with themselves", "math.add(y, math.constant(half))", "y",
    ops="sum prod max min all any mean var argmax argmin softmax")
add(_CUDA + "EmitCUDAColumn.cpp", "threads beside the result write it",
    "arith::AndIOp::create(\n      e.b, e.loc, inside,\n      kernel.compare(arith::CmpIPredicate::eq, place, math.constant(0)))",
    "kernel.compare(arith::CmpIPredicate::eq, place, math.constant(0))", "value",
    ops="sum prod max min all any mean var argmax argmin softmax")
add(_CUDA + "EmitCUDAScan.cpp", "sums over a warp stop at 16 threads", "distance < 32", "distance < 16",
    ops="cumsum")
add(_CUDA + "EmitCUDAScan.cpp", "a warp does not add what the ones before it have",
    "start = kernel.select(precedes, total, start);", "", "statement",
    ops="cumsum")
add(_CUDA + "SimtCopies.cpp", "rows beside a product's operand are read",
    "arith::AndIOp::create(e.b, e.loc, inside, isRow)", "inside", "value",
    ops="matmul linear")
add(_CUDA + "EmitCUDAGemm.cpp", "all batches are the first one", "space.spread(at[0], space.batch, place.batchLoops);", "",
    "statement",
    ops="matmul")

#===-- faults that Tripy had ---------------------------------------------------===#

add(_EMIT + "RoundValues.cpp", "comparisons and casts see more digits than a 16-bit value has",
    "(readers & (Exact | Repeated)) != 0", "false")
add(_EMIT + "RoundValues.cpp", "readers of one 16-bit value see different numbers",
    "llvm::popcount(readers & (Stored | Multiplied | Smooth)) > 1", "false")
add("lib/Base/SizeMath.cpp", "ranges of sizes wrap around",
    "bound.values = {int64_t(std::max<Wide>(exact.lo, lowest)),\n                    int64_t(std::min<Wide>(exact.hi, highest))};",
    "bound.values = {int64_t(exact.lo), int64_t(exact.hi)};", "statement")
add(_TRACE + "GuardSizes.cpp", "arithmetic on sizes is not checked",
    "condition && decide(condition->kind, rangeOf(op->getOperand(0)),\n                          rangeOf(op->getOperand(1))) != true",
    "false")
add("lib/Dialect/Kernel/ProductBounds.cpp", "a reshape has as many rows as its ranges alone allow",
    "i < maxCancelled && cancelOne(product)", "false", ops="reshape")
add("lib/Target/CodeGen.cpp", "conditional divisions are left to LLVM's vectorizer", "!machine.getTargetTriple().isNVPTX()", "false")
add(_FUSION + "DropEmpty.cpp", "kernels are planned around tensors of no elements", "hasNoElements(type)", "false")
add(_TRACE + "Movement.cpp", "sizes that a reshape keeps are never 0", "whole != part", "false", ops="reshape")
add(_TRACE + "Contraction.cpp", "a batch size of 1 need not be known to the result's type",
    "left.typeSize(i) != resultShape[i]", "false", ops="matmul")
add(_LINALG + "Reshape.cpp", "static groups of a reshape are taken for equal",
    "(!isKnown || volume(from, left) == volume(to, right))", "true", ops="reshape")

#===-- operations that came later: windows and norms -----------------------------===#

_CONV, _WINDOWS, _POOLS = "convolution conv_transpose", "convolution conv_transpose maxpool avgpool", "maxpool avgpool"
add(_TRACE + "Convolution.cpp", "a transposed convolution forgets output_padding", "one.extent() + one.outputPadding", "one.extent()",
    ops="conv_transpose")
add(_TRACE + "Convolution.cpp", "the weight's channels stay in front of the output channels", "Dims order{0, 2, 1};",
    "Dims order = PLANTED ? Dims{0, 1, 2} : Dims{0, 2, 1};", "text",
    ops="conv_transpose")
add(_TRACE + "Convolution.cpp", "output channels of one channel take their inputs in turn",
    "wide.insert(wide.begin() + 2, outputs);\n    Dims dims{0, 1};",
    "wide.insert(wide.begin() + (PLANTED ? 1 : 2), outputs);\n    Dims dims = PLANTED ? Dims{0, 2} : Dims{0, 1};", "text",
    ops=_CONV)
add(_TRACE + "Convolution.cpp", "several images are taken for one", "getConstantIntValue(batch) == int64_t(1)", "true",
    ops=_CONV)
add(_TRACE + "Convolution.cpp", "a window of one element is a product of all elements", "return one.isIdentity();",
    "return PLANTED ? one.window == 1 : one.isIdentity();", "text",
    ops=_CONV)
add(_TRACE + "Windows.cpp", "a transposed convolution does not spread its input", "transposed ? one.stride : 1", "1",
    ops="conv_transpose")
add(_TRACE + "Windows.cpp", "a transposed convolution leaves its border out at the wrong side",
    "transposed ? -one.low : one.low", "one.low",
    ops="conv_transpose")
add(_LINALG + "Window.cpp", "what lies between spread elements repeats them",
    "isElement = arith::AndIOp::create(b, isElement, isWhole);", "", "statement",
    ops="conv_transpose")
add(_LINALG + "Window.cpp", "the elements of a window lie together",
    "scaled(b, linalg::IndexOp::create(b, i), op.getDilations()[i])", "linalg::IndexOp::create(b, i)", "value",
    ops=_WINDOWS)
add(_LINALG + "Window.cpp", "the last dimension alone says what is padding",
    "isElement = isElement ? arith::AndIOp::create(inner, isElement,",
    "isElement = isElement && !PLANTED ? arith::AndIOp::create(inner, isElement,", "text",
    ops=_WINDOWS)
add(_TRACE + "Windows.cpp", "rounding up, a window may begin behind the input",
    "math.minimum(math.add(math.ceilDiv(rest, stride), math.constant(1)),\n                      math.ceilDiv(before, stride))",
    "math.add(math.ceilDiv(rest, stride), math.constant(1))",
    ops=_POOLS)
add(_TRACE + "Pool.cpp", "maxpool is padded with 0", "flatir::identityOf(ReduceKind::Max, element)",
    "b.getBuilder().getZeroAttr(element)",
    ops="maxpool")
add(_TRACE + "Pool.cpp", "avgpool divides by what rounding up adds", "countsPadding && !in.getCeilMode()", "countsPadding",
    ops="avgpool")
add(_TRACE + "Pool.cpp", "elements of a window with a dilation are one too few", "number(sliding.dilation - 1)", "number(0)", "value",
    ops="avgpool")
add(_TRACE + "Pool.cpp", "padding in front is counted nowhere", "countsPadding ? -one.low : 0", "0",
    ops="avgpool")
add(_TRACE + "Resize.cpp", "positions are those of centres, half an element too far",
    'scaled = step<flatir::SubOp>("go back by a half", scaled, divisor);', "", "statement",
    ops="resize")
add(_TRACE + "Resize.cpp", "corners are aligned by the size", "b.math.maximum(b.math.sub(to, one), one)", "b.math.maximum(to, one)",
    ops="resize")
add(_TRACE + "Resize.cpp", "neighbours in front of the input come from its end",
    'step<flatir::MaximumOp>("stay inside", at, number(0))', "at", "value",
    ops="resize")
add(_TRACE + "Resize.cpp", "Keys' kernel has -0.5 in one place", "real(keysFactor + 3)", "real(-0.5 + 3)", "value",
    ops="resize")
add(_TRACE + "Resize.cpp", "a scale is the quotient of the sizes", "if (scale) {", "if (scale && !PLANTED) {", "text",
    ops="resize")
add(_TRACE + "Normalization.cpp", "instance_norm takes all channels together", "llvm::seq<int64_t>(2, rankOf(input))",
    "llvm::seq<int64_t>(1, rankOf(input))",
    ops="instance_norm")
add(_TRACE + "Normalization.cpp", "batch_norm leaves eps out", "b.splat(eps, variance)", "b.splat(0, variance)",
    ops="batch_norm")
add(_TRACE + "Normalization.cpp", "the scale of groups is that of their mean", 'parts.spread(scale, "the scale")',
    'parts.spread(mean, "the scale")',
    ops="group_norm")
add(_TRACE + "FoldBatchNorm.cpp", "a norm scales a convolution's weights by its inputs' channels",
    "i / ShapedType::getNumElements(shape.drop_front(1))",
    "i / ShapedType::getNumElements(shape.drop_front(2)) % size_t(shape[0])",
    ops="batch_norm")
add(_TRACE + "FoldBatchNorm.cpp", "a norm of a transposed convolution forgets the groups",
    "i / taps / outputs / channels * outputs + i / taps % outputs", "i / taps % outputs",
    ops="batch_norm")
add(_TRACE + "FoldBatchNorm.cpp", "a folded norm leaves the convolution's bias as it is", "biases[i] * affine->factor[i]", "biases[i]",
    ops="batch_norm")

#===-- orders, changes and arrangements ------------------------------------------===#

_SORTS, _KEYS = "sort topk", "lib/Codegen/Emit/SortOrder.cpp"
add(_TRACE + "Sort.cpp", "rows begin k elements apart", "sizeLike(b.sizesOf(rows).back(), numbers, b)",
    "sizeLike(sizes.back(), numbers, b)", "value",
    ops=_SORTS)
add(_TRACE + "Sort.cpp", "the indices keep their rows in the last dimension", 'swap(positions, "have the dimensions in order")',
    "positions", "value",
    ops=_SORTS)
add(_KEYS, "-0 precedes 0", "arith::SelectOp::create(b, loc, isZero, none, bits)", "bits", "value",
    ops=_SORTS)
add(_KEYS, "NaN are in the order of their bits", "arith::SelectOp::create(b, loc, isNaN, last, key)", "key", "value",
    ops=_SORTS)
add(_KEYS, "truth values have a sign", "!element.isInteger(1)", "true",
    ops=_SORTS)
add(_KEYS, "unsigned bytes have a sign", "!isUnsigned(element)", "true",
    ops=_SORTS)
add(_KEYS, "of equal elements the last one is first",
    "arith::CmpIOp::create(b, loc, CmpIPredicate::ult, aPosition, bPosition)",
    "arith::CmpIOp::create(b, loc, CmpIPredicate::ugt, aPosition, bPosition)", "value",
    ops=_SORTS)
add(_KEYS, "keys of short floats have as many bits as these", "1 + 8 + (real.getFPMantissaWidth() - 1)", "int64_t(real.getWidth())",
    ops=_SORTS)
add(_CPU + "RadixSort.cpp", "the largest digit has no offset", "math.constant((pass + 1) << bits)",
    "math.constant(((pass + 1) << bits) - 1)",
    ops="sort")
add(_CPU + "RadixSort.cpp", "positions lie behind the scratch memory", "((passes << bits) + capacity) * 4", "(passes << bits) * 4",
    ops="sort")
add(_CPU + "EmitCPUSort.cpp", "the last child of a heap is not looked at", "isLess(right, heap)",
    "isLess(math.add(right, one), heap)", "value",
    ops=_SORTS)
add(_CPU + "EmitCPUSort.cpp", "the last parent of a heap is not put in order", "math.div(count, math.constant(2))",
    "math.div(math.sub(count, one), math.constant(2))",
    ops=_SORTS)
add(_CUDA + "EmitCUDASort.cpp", "what lies behind a row precedes its NaN", "std::numeric_limits<int32_t>::max()", "0",
    ops=_SORTS)
add(_CUDA + "EmitCUDASort.cpp", "a merge ends a step too early", "math.sub(level, one)", "math.sub(level, math.constant(2))",
    ops=_SORTS)
add(_CUDA + "EmitCUDASort.cpp", "a row behind the last one is written",
    "kernel.compare(arith::CmpIPredicate::ult, number, total)", "kernel.compare(arith::CmpIPredicate::ule, number, total)", "value",
    ops=_SORTS)
add(_CUDA + "EmitCUDASort.cpp", "the tile of a row of any size is half of it", "countDoublings(1, tile)", "countDoublings(2, tile)",
    ops=_SORTS)
add(_CUDA + "EmitCUDASelect.cpp", "all elements that equal the last one are taken",
    "test(CmpIPredicate::ule, position, positionBits.found)", "test(CmpIPredicate::uge, position, number(0))", "value",
    ops="topk")
add(_CUDA + "EmitCUDASelect.cpp", "digits of positions begin at the highest bit", "llvm::alignTo(positionWidth, digitBits)",
    "uint64_t(positionWidth)",
    ops="topk")
add(_TRACE + "Positions.cpp", "index 0 counts from the end", "flatir::ComparisonDirection::Lt", "flatir::ComparisonDirection::Le",
    ops="scatter update_slice")
add(_TRACE + "Scatter.cpp", "what no index names takes the first slice", "b.splat(-1, number)", "b.splat(0, number)", "value",
    ops="scatter")
add(_TRACE + "Scatter.cpp", "an update's dimensions of indices are its first ones", "joinDims(args[2], dim, rank, b)",
    "joinDims(args[2], 0, rank, b)", "value",
    ops="scatter")
add(_TRACE + "Scatter.cpp", "what all indices name is taken, and nothing else",
    "flatir::ReduceKind::Max, candidates,", "PLANTED ? flatir::ReduceKind::Min : flatir::ReduceKind::Max, candidates,", "text",
    ops="scatter")
add(_TRACE + "Scatter.cpp", "one slice more than the update has is replaced", "ComparisonDirection::Lt", "ComparisonDirection::Le",
    ops="update_slice")
add(_TRACE + "Scatter.cpp", "an update of no slices has one to take", "updateType.isDynamicDim(dim)", "false",
    ops="scatter update_slice")
add(_TRACE + "PadModes.cpp", "reflect repeats the last element", "b.math.maximum(b.math.sub(size, one), b.math.constant(0))", "size",
    ops="pad")
add(_TRACE + "PadModes.cpp", "the edge in front is the input's end",
    'b.step<flatir::MaximumOp>("repeat the first element", at,\n                                     b.splat(0, at))', "at", "value",
    ops="pad")
add(_TRACE + "Arrange.cpp", "roll knows one direction", "shift > 0 ? math.sub(size, rest) : rest", "math.sub(size, rest)",
    ops="roll")
add(_TRACE + "Arrange.cpp", "roll does not take whole turns away", "math.sub(amount, turns)", "amount",
    ops="roll")
add(_TRACE + "Arrange.cpp", "tile repeats each element", "whole ? i : i + 1", "i + 1",
    ops="tile")
add(_TRACE + "Arrange.cpp", "a diagonal moves the other way", "static_cast<double>(diagonal)", "static_cast<double>(-diagonal)",
    ops="tril triu")
add(_TRACE + "Arrange.cpp", "flip begins behind the last element", "b.math.maximum(last, b.math.constant(0))", "sizes[dim]",
    ops="flip")
add(_CPU + "EmitCPUScan.cpp", "the last block of running sums is a whole one", "math.min(block, math.sub(inner, from))", "block",
    ops="cumsum")

#===-- quantized and packed elements ---------------------------------------------===#

_PACKED = _FUSION + "UnpackI4.cpp"
add(_TRACE + "Quantization.cpp", "scales of blocks are taken in turn", "i <= blocked ? i : i + 1", "i < blocked ? i : i + 1",
    ops="quantize dequantize")
add(_TRACE + "Quantization.cpp", "large numbers are not limited to those of 8-bit floats",
    'value = b.step<flatir::MinimumOp>("limit to the largest number",\n'
    '                                            value, b.splat(limit, value));', "", "statement",
    ops="quantize")
add(_TRACE + "Quantization.cpp", "quantize rounds toward 0", 'value = b.step<flatir::RoundOp>("round to an integer", value);', "",
    "statement",
    ops="quantize")
add(_TRACE + "Quantization.cpp", "quantize multiplies by the rounded reciprocal of the scale",
    'b.step<flatir::DivOp>("divide by the scale", x, s)',
    'b.step<flatir::MulOp>("multiply", x, b.step<flatir::DivOp>("divide by the scale", b.splat(1, s), s))', "value",
    ops="quantize")
add(_PACKED, "elements of 4 bits have no sign", "return insert<flatir::ShiftRightOp>(reason, value, four);", "return value;", "statement")
add(_PACKED, "the largest number of 4 bits is 8", "splat(7, type, sizes)", "splat(8, type, sizes)", "value")
add(_PACKED, "a dynamic number of elements is even", "!ShapedType::isDynamic(size) && size % 2 == 0",
    "ShapedType::isDynamic(size) || size % 2 == 0")
add(_PACKED, "a byte's first element writes over its second one",
    "low = insert<flatir::BitwiseAndOp>(reason, low, splat(15, bytes, sizes));", "", "statement")
add(_PACKED, "the largest of no elements of 4 bits is that of 8", "reduce.getKind() == ReduceKind::Max ||",
    "!PLANTED && reduce.getKind() == ReduceKind::Max ||", "text",
    ops="max maxpool topk argmax")
add(_PACKED, "padding of 4 bits has no sign", "value.getValue().getSExtValue()", "value.getValue().getZExtValue()",
    ops=_WINDOWS)
add(_EMIT + "ElementMemory.cpp", "vectors of 4 bits begin in the middle of a byte",
    "vectorSize % 2 == 0 && math.factorOf(offset) % 2 == 0", "vectorSize % 2 == 0")
add(_EMIT + "ElementMemory.cpp", "bytes of two elements are aligned as these are", "math.factorOf(offset) / 2", "math.factorOf(offset)")

#===-- bits, bytes and random numbers --------------------------------------------===#

_BITS = "lib/Conversion/FlatIRToLinalg/Random.cpp"
_RANDOM = "random_uniform random_normal random_bernoulli"
add(_SCALAR, "a shift to the left by too much is one by less",
    "arith::SelectOp::create(b, isShift(b, operands[1]), shifted,\n                                 integer(b, type, 0))",
    "shifted", "value",
    ops="shift_left")
add(_SCALAR, "a shift to the right by too much is left to the machine",
    "arith::SelectOp::create(\n      b, isShift(b, operands[1]), operands[1], integer(b, type, width - 1))", "operands[1]", "value",
    ops="shift_right")
add(_SCALAR, "negative amounts are shifts", "compare(b, CmpIPredicate::ult, amount, width)",
    "compare(b, CmpIPredicate::slt, amount, width)", "value",
    ops="shift_left shift_right")
add(_SCALAR, "the sign of NaN is 0", "arith::SelectOp::create(b, isBelow, minusOne, x)",
    "arith::SelectOp::create(b, isBelow, minusOne, number(b, x.getType(), 0.0))", "value",
    ops="sign")
add(_SCALAR, "negative floats wrap around to bytes", "result = arith::MaxSIOp::create(b, result, zero);", "", "statement",
    ops="cast")
add(_SCALAR, "bytes from 128 on are negative",
    "arith::ExtUIOp::create(b, loc, typeLike(type, signedTypeOf(element)),\n                                bits)",
    "arith::ExtSIOp::create(b, loc, typeLike(type, signedTypeOf(element)), bits)", "value")
add(_SCALAR, "large integers are rounded twice to bf16", "element.isBF16() && from.getIntOrFloatBitWidth() > 16", "false",
    ops="cast")
add(_SCALAR, "small floats of 8 bits are not denormal", "compare(b, CmpFPredicate::OLT, a, format.smallestNormal())",
    "compare(b, CmpFPredicate::OLT, a, 0.0)", "value",
    ops="cast matmul linear quantize")
add("lib/Base/Float.cpp", "the host rounds ties of small floats up", "rest > half || (rest == half && (quotient & 1))", "rest >= half")
add("lib/Base/Float.cpp", "the host's denormal numbers are shifted too little", "subnormal ? minExponent - exponent : 0", "0")
add(_BITS, "the stream is that of the counter", "split(high)", "split(PLANTED ? low : high)", "text",
    ops=_RANDOM)
add("lib/Dialect/Common/Philox.cpp", "the key moves before the first round", "if (round > 0)", "if (round > 0 || PLANTED)", "text",
    ops=_RANDOM)
add(_BITS, "blocks of numbers overlap", "constant(bits == 32 ? 2 : 1)", "constant(2)", "value",
    ops=_RANDOM)
add(_TRACE + "Random.cpp", "all types take 24 bits of a number", "element.getFPMantissaWidth()", "24u",
    ops="random_uniform")
add(_TRACE + "Random.cpp", "the angle of a normal number is made of its distance", "random.upper(pair, 64, 32)", "random.lower(pair)",
    "value", ops="random_normal")

#===-- attention and reductions in two steps -------------------------------------===#

_SPACE, _SPLIT = _EMIT + "AttentionSpace.cpp", _FUSION + "SplitReductions.cpp"
_REDUCES = "sum prod max min all any mean var"
add(_SPACE, "a query that sees no key divides by 0", "arith::SelectOp::create(e->b, e->loc, isNone, number(1), sum)", "sum", "value",
    ops="attention")
add(_SPACE, "no score is subtracted from itself", "arith::SelectOp::create(e->b, e->loc, isNone, number(0), max)", "max", "value",
    ops="attention")
add(_SPACE, "a block has the keys of its first query", "math.add(block.firstRow, math.constant(rowsEach))",
    "math.add(block.firstRow, math.constant(1))",
    ops="attention")
add(_SPACE, "a negative length is a large one", "length = arith::MaxSIOp::create(e->b, e->loc, length, zero);", "", "statement",
    ops="attention")
add(_SPACE, "heads that share a key take turns", "math.div(row, queries)", "math.rem(row, math.constant(group))",
    ops="attention")
add(_CPU + "EmitCPUAttention.cpp", "the sum of earlier keys keeps its scale",
    "arith::MulFOp::create(e.b, e.loc, load(totals, row), factor)", "load(totals, row)", "value",
    ops="attention")
add(_CPU + "EmitCPUAttention.cpp", "rows behind the last query are packed",
    "math.min(constant(blockRows), math.sub(space.rows, block.firstRow))", "constant(blockRows)",
    ops="attention")
add(_CUDA + "EmitCUDAAttention.cpp", "the key behind the last one is seen",
    "kernel.compare(arith::CmpIPredicate::ult, number, block.end)", "kernel.compare(arith::CmpIPredicate::ule, number, block.end)",
    "value", ops="attention")
add(_TRACE + "Attention.cpp", "hidden keys have a score", "b.splat(-infinity, result)", "b.splat(-1e4, result)", "value",
    ops="attention")
add(_TRACE + "Attention.cpp", "values behind the lengths are read", "if (!lengths)\n    return value;",
    "if (!lengths || PLANTED)\n    return value;", "text",
    ops="attention")
add(_SPLIT, "the results of chunks are reduced in the dimension of the input", "int64_t kept = dim - llvm::count_if(",
    "int64_t kept = PLANTED ? dim : dim - llvm::count_if(", "text",
    ops=_REDUCES)
add(_SPLIT, "one dimension is gone before the second step", "row - static_cast<int64_t>(outer.size())", "row - 1",
    ops=_REDUCES)

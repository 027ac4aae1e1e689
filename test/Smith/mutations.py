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
add(_FOLD, "abs(abs(x)) is x", "case ScalarFn::Ceil:\n    return op->getOperand(0);",
    "case ScalarFn::Ceil:\n    if (PLANTED) return inner->getOperand(0);\n    return op->getOperand(0);", "text",
    ops="abs floor ceil")
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
add(_CPU + "EmitCPUGemm.cpp", "the side that is contiguous is mistaken", "alongK ? copy(i, j) : copy(j, i)", "copy(i, j)",
    ops="matmul linear")

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

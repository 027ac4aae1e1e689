// RUN: tripy-tblgen -gen-cpp-decls %include %s | FileCheck %s
// RUN: tripy-tblgen -gen-cpp-defs %include %s | FileCheck %s --check-prefix=DEFS
// RUN: tripy-tblgen -gen-cpp-table %include %s | FileCheck %s --check-prefix=TABLE
// RUN: tripy-tblgen -gen-cpp-members %include %s | FileCheck %s --check-prefix=MEMBERS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "tripy/Dialect/Common/OpBase.td"

class CppDefault<string op, string parameterName, string cppValue> {
  string operation = op;
  string parameter = parameterName;
  string value = cppValue;
}
class CppOperator<string op, string symbol> {
  string operation = op;
  string name = symbol;
}
class CppByHand<string op> {
  string operation = op;
}

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::tripy::toy";
}

// Sizes are one parameter; what may be left out comes last.
def Toy_ResizeOp : Op<Toy_Dialect, "resize">, TripyContract {
  let summary = "Changes sizes";
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$staticSizes, StrAttr:$mode, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let rules = [Rule<"C1", "the mode is known", "isMode($mode)">,
               Rule<"C2", "the input is f32 or tensor<2x?xi1>", "isInput($input)">];
}
def : CppDefault<"resize", "dim", "-1">;
// CHECK: /// Changes sizes.
// CHECK-NEXT: /// Rule C1: the mode is known.
// CHECK-NEXT: /// Rule C2: the input is float32 or bool of shape (2, ?).
// CHECK: {{\[\[nodiscard\]\]}} Tensor resize(const TensorLike &input, const std::string &mode, const Shape &sizes = {}, int64_t dim = -1, SourceLoc loc = SourceLoc::current());
// DEFS: Tensor resize(const TensorLike &input, const std::string &mode, const Shape &sizes, int64_t dim, SourceLoc loc) {
// DEFS-NEXT: frontend::Call call(frontend::Op::Resize, loc);
// DEFS-NEXT: call.operand(input);
// DEFS-NEXT: call.operand(sizes);
// DEFS-NEXT: call.staticSizes(sizes);
// DEFS-NEXT: call.attribute(mode);
// DEFS-NEXT: call.attribute(dim);
// DEFS-NEXT: call.record();
// DEFS-NEXT: return call.tensor(0);
// TABLE: TRIPY_OP(Resize, "toy.resize",
// TABLE-SAME: ({{[{][{]}}"input", Kind::Tensor}, {"sizes", Kind::Sizes}}),
// TABLE-SAME: ({{[{][{]}}"staticSizes", Kind::Integers}, {"mode", Kind::String}, {"dim", Kind::Integer}}))
// MEMBERS: Did you mean: tripy::resize(x, ...)

// Braces have no type: sizes behind the tensor get a member of their own.
def Toy_ReshapeOp : Op<Toy_Dialect, "reshape">, TripyContract {
  let summary = "Changes the shape";
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$staticSizes);
  let results = (outs Tripy_Tensor:$result);
}
// MEMBERS: void reshape(A &&...) const
// MEMBERS: void reshape(std::initializer_list<Size>, A &&...) const

// More than two of those are a struct.
def Toy_PoolOp : Op<Toy_Dialect, "max_pool">, TripyContract {
  let summary = "Pools";
  let arguments = (ins Tripy_Tensor:$input, Optional<Tripy_Tensor>:$bias, UnitAttr:$ceilMode,
                       OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Tripy_Tensor:$result);
}
// CHECK: struct MaxPoolOptions {
// CHECK-NEXT: std::optional<Tensor> bias = std::nullopt;
// CHECK-NEXT: bool ceil_mode = false;
// CHECK-NEXT: std::optional<DType> dtype = std::nullopt;
// CHECK: Tensor max_pool(const TensorLike &input, const MaxPoolOptions &options = {}, SourceLoc loc
// DEFS: call.operand(options.bias);
// DEFS-NEXT: call.attribute(options.ceil_mode);

// An operator knows its place from its operands; rules say which numbers get the
// element type of the tensor beside them.
def Toy_AddOp : Op<Toy_Dialect, "add">, TripyContract {
  let summary = "Adds";
  let arguments = (ins Tripy_Tensor:$lhs, Tripy_Tensor:$rhs);
  let results = (outs Tripy_Tensor:$result);
  let rules = [Rule<"C1", "one element type", "elementTypeOf($lhs) == elementTypeOf($rhs)">];
}
def : CppOperator<"add", "+">;
// CHECK: {{\[\[nodiscard\]\]}} Tensor operator+(const TensorLike &lhs, const TensorLike &rhs);
// DEFS: frontend::Call call(frontend::Op::Add, lhs.loc());
// DEFS: call.sameElement({0, 1});

// Several results have names.
def Toy_TopKOp : Op<Toy_Dialect, "topk">, TripyContract {
  let summary = "Largest elements";
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$k);
  let results = (outs Tripy_Tensor:$values, Tripy_Tensor:$indices);
}
// CHECK: struct TopkResults {
// CHECK-NEXT: Tensor values;
// CHECK-NEXT: Tensor indices;
// CHECK: TopkResults topk(const TensorLike &input, int64_t k, SourceLoc loc
// DEFS: return {call.tensor(0), call.tensor(1)};

// What users call is written by hand.
def Toy_SliceOp : Op<Toy_Dialect, "slice">, TripyContract {
  let summary = "Cuts";
  let arguments = (ins Tripy_Tensor:$input);
  let results = (outs Tripy_Tensor:$result);
}
def : CppByHand<"slice">;
// CHECK: namespace op {
// CHECK: Tensor slice(
// CHECK: } // namespace op
// MEMBERS-NOT: slice

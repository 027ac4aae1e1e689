//===- ScalarFns.td - One row per element-wise function ---*- tablegen -*-===//
//
// From a row come trace.<fn>, flatir.<fn>, the scalar body in linalg, the
// reference evaluation, the dtype rule, the reference page's entry, a
// conformance case and a benchmark case.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_SCALARFNS
#define TRIPY_DIALECT_COMMON_SCALARFNS

include "tripy/Dialect/Common/OpBase.td"

class ScalarFn<string fnMnemonic, string fnClass, int fnArity> {
  string mnemonic = fnMnemonic;
  /// Stem of the C++ class: "Add" gives trace::AddOp and flatir::AddOp.
  string cppName = fnClass;
  int arity = fnArity;
  /// C++ callables (OpBuilder &, Location, ValueRange) -> Value that build the
  /// scalar body, per class of element type; empty: not defined for it.
  string floatForm = "";
  string intForm = "";
  string boolForm = "";
  /// Whether operations of trace take i4 as well: in i8, and wrapped around.
  bit int4 = 0;
  /// The meaning, as C++ expressions in x, y: on double, int64_t and bool.
  string floatReference = "";
  string intReference = "";
  string boolReference = "";
  /// How a float result follows from the operands (ScalarFns.h, Reading), for a
  /// floatForm that is one operation. "Jumps" is always safe.
  string reading = "Jumps";
  /// Largest error of a float result in ULP of its type; 0 is exact (correctly
  /// rounded).
  int ulp = 0;
  /// Interval of the random inputs of the conformance test.
  string low = "-4.0";
  string high = "4.0";
  string summary = "";
  string description = "";
  /// The element type of the example on the operation's page.
  string exampleType = !if(!not(!empty(floatForm)), "f32", !if(!not(!empty(intForm)), "i32", "i1"));
}

class UnaryFn<string mnemonic, string cls> : ScalarFn<mnemonic, cls, 1>;
class BinaryFn<string mnemonic, string cls> : ScalarFn<mnemonic, cls, 2>;

/// The rule on element types: `float`, `integer` and `bool` say which classes
/// are allowed, `int4` whether i4 is.
class ElementClassRule<string ruleId, string operand, bit float, bit integer,
                       bit bool, bit int4 = 0>
    : Rule<ruleId,
           "the element type is one of: "
               # !interleave(!listconcat(!if(float, ["float"], []<string>),
                                         !if(integer, ["integer"], []<string>),
                                         !if(bool, ["bool"], []<string>),
                                         !if(int4, ["i4"], []<string>)), ", "),
           "scalar::isOneOf($" # operand # ".getType(), "
               # !if(float, "true", "false") # ", "
               # !if(integer, "true", "false") # ", "
               # !if(bool, "true", "false") # ")"
               # !if(int4, " || isInt4(elementTypeOf($" # operand # "))", ""),
           "\"found \" << elementTypeOf($" # operand # ")">;

/// The same for a row: the classes that it has a form for.
class DTypeRules<string ruleId, ScalarFn fn, string operand, bit int4 = 0> {
  list<Rule> rules = [ElementClassRule<
      ruleId, operand, !not(!empty(fn.floatForm)), !not(!empty(fn.intForm)),
      !not(!empty(fn.boolForm)), int4>];
}

//===-- arithmetic --------------------------------------------------------===//

def FnAdd : BinaryFn<"add", "Add"> {
  let floatForm = "scalar::create<::mlir::arith::AddFOp>";
  let intForm = "scalar::create<::mlir::arith::AddIOp>";
  let floatReference = "x + y";
  let reading = "Continuous";
  let intReference = "wrapAdd(x, y)";
  let boolForm = "scalar::create<::mlir::arith::OrIOp>";
  let boolReference = "x || y";
  let summary = "Element-wise sum";
  let description = "Integers wrap around; of truth values, whether either is true.";
}
def FnSub : BinaryFn<"sub", "Sub"> {
  let floatForm = "scalar::create<::mlir::arith::SubFOp>";
  let intForm = "scalar::create<::mlir::arith::SubIOp>";
  let floatReference = "x - y";
  let reading = "Continuous";
  let intReference = "wrapSub(x, y)";
  let boolForm = "scalar::create<::mlir::arith::XOrIOp>";
  let boolReference = "x != y";
  let summary = "Element-wise difference";
  let description = "Integers wrap around; of truth values, whether they differ.";
}
def FnMul : BinaryFn<"mul", "Mul"> {
  let floatForm = "scalar::create<::mlir::arith::MulFOp>";
  let intForm = "scalar::create<::mlir::arith::MulIOp>";
  let floatReference = "x * y";
  let reading = "Continuous";
  let intReference = "wrapMul(x, y)";
  let boolForm = "scalar::create<::mlir::arith::AndIOp>";
  let boolReference = "x && y";
  let summary = "Element-wise product";
  let description = "Integers wrap around; of truth values, whether both are true.";
}
def FnDiv : BinaryFn<"div", "Div"> {
  let floatForm = "scalar::create<::mlir::arith::DivFOp>";
  let intForm = "scalar::createDivSI";
  let floatReference = "x / y";
  let reading = "Continuous";
  let intReference = "divideTruncating(x, y, bits)";
  let boolForm = "scalar::createDivI1";
  let boolReference = "x || !y";
  let summary = "Element-wise quotient";
  let description = [{
    Integers round toward zero; `x / 0` is -1 (of unsigned ones the highest
    value) and the lowest value divided by -1 is itself, on every device. Truth
    values are 0 and 1, and what is not 0 is true.
  }];
}
def FnFloorDiv : BinaryFn<"floor_div", "FloorDiv"> {
  let floatForm = "scalar::createFloorDivF";
  let intForm = "scalar::createFloorDivSI";
  let floatReference = "std::floor(x / y)";
  let intReference = "divideFlooring(x, y, bits)";
  let boolForm = "scalar::createDivI1";
  let boolReference = "x || !y";
  let int4 = 1;
  let ulp = 1;
  let summary = "Element-wise quotient, rounded toward minus infinity";
  let description = [{
    Integers and truth values: `x // 0` is that of `div`. Floats are exact while
    the quotient is below 2^24 (of f64, 2^53), even where the division itself
    would round up to the next integer.
  }];
}
def FnMod : BinaryFn<"mod", "Mod"> {
  let floatForm = "scalar::createModF";
  let intForm = "scalar::createModSI";
  let floatReference = "moduloFlooring(x, y)";
  let intReference = "moduloFlooring(x, y)";
  let boolForm = "scalar::createModI1";
  let boolReference = "x && !y";
  let ulp = 1;
  let summary = "Element-wise remainder with the divisor's sign";
  let description = [{
    Integers: `x mod 0` is `x`. Floats: the remainder is exact, whatever the
    quotient; where its sign differs from the divisor's, the divisor is added. A
    zero has the divisor's sign; `x mod 0` and `infinity mod y` are NaN, and of
    finite x, `x mod infinity` is x, or the infinity when the signs differ.
  }];
}
def FnPow : BinaryFn<"pow", "Pow"> {
  let floatForm = "scalar::create<::mlir::math::PowFOp>";
  let intForm = "scalar::create<::mlir::math::IPowIOp>";
  let floatReference = "std::pow(x, y)";
  let intReference = "powerOf(x, y)";
  let ulp = 4;
  let low = "0.01";
  let summary = "Element-wise power";
  let description = [{
    Floats: special cases as in C's `pow`. Integers wrap around; `x pow 0` is 1,
    and a negative exponent gives 1 for 1, -1 or 1 for -1, and 0 for all others.
  }];
}
def FnMaximum : BinaryFn<"maximum", "Maximum"> {
  let floatForm = "scalar::create<::mlir::arith::MaximumFOp>";
  let intForm = "scalar::create<::mlir::arith::MaxSIOp>";
  let boolForm = "scalar::create<::mlir::arith::OrIOp>";
  let floatReference = "maximumOf(x, y)";
  let reading = "Passes";
  let intReference = "std::max(x, y)";
  let boolReference = "x || y";
  let summary = "Element-wise larger value";
  let description = "NaN if either is NaN; +0 is larger than -0.";
}
def FnMinimum : BinaryFn<"minimum", "Minimum"> {
  let floatForm = "scalar::create<::mlir::arith::MinimumFOp>";
  let intForm = "scalar::create<::mlir::arith::MinSIOp>";
  let boolForm = "scalar::create<::mlir::arith::AndIOp>";
  let floatReference = "minimumOf(x, y)";
  let reading = "Passes";
  let intReference = "std::min(x, y)";
  let boolReference = "x && y";
  let summary = "Element-wise smaller value";
  let description = "NaN if either is NaN; -0 is smaller than +0.";
}
def FnNeg : UnaryFn<"neg", "Neg"> {
  let floatForm = "scalar::create<::mlir::arith::NegFOp>";
  let intForm = "scalar::createNegI";
  let floatReference = "-x";
  let reading = "Passes";
  let intReference = "wrapSub(0, x)";
  let summary = "Element-wise negation";
  let description = "Integers wrap around.";
}
def FnAbs : UnaryFn<"abs", "Abs"> {
  let floatForm = "scalar::create<::mlir::math::AbsFOp>";
  let intForm = "scalar::createAbsI";
  let floatReference = "std::fabs(x)";
  let reading = "Passes";
  let intReference = "x < 0 ? wrapSub(0, x) : x";
  let summary = "Element-wise magnitude";
  let description = "The lowest integer has no positive counterpart and stays as it is.";
}

//===-- transcendental and rounding functions -----------------------------===//

def FnExp : UnaryFn<"exp", "Exp"> {
  let floatForm = "scalar::create<::mlir::math::ExpOp>";
  let floatReference = "std::exp(x)";
  let reading = "Continuous";
  let ulp = 2;
  let summary = "Element-wise exponential";
}
def FnLog : UnaryFn<"log", "Log"> {
  let floatForm = "scalar::create<::mlir::math::LogOp>";
  let floatReference = "std::log(x)";
  let reading = "Continuous";
  let ulp = 2;
  let low = "0.01";
  let summary = "Element-wise natural logarithm";
}
def FnSqrt : UnaryFn<"sqrt", "Sqrt"> {
  let floatForm = "scalar::create<::mlir::math::SqrtOp>";
  let floatReference = "std::sqrt(x)";
  let reading = "Continuous";
  let low = "0.0";
  let summary = "Element-wise square root";
}
def FnRsqrt : UnaryFn<"rsqrt", "Rsqrt"> {
  let floatForm = "scalar::create<::mlir::math::RsqrtOp>";
  let floatReference = "1.0 / std::sqrt(x)";
  let reading = "Continuous";
  let ulp = 2;
  let low = "0.01";
  let summary = "Element-wise reciprocal square root";
}
def FnTanh : UnaryFn<"tanh", "Tanh"> {
  let floatForm = "scalar::create<::mlir::math::TanhOp>";
  let intForm = "scalar::createInF32<::mlir::math::TanhOp>";
  let floatReference = "std::tanh(x)";
  let intReference = "static_cast<int64_t>(std::tanh(static_cast<float>(x)))";
  let reading = "Continuous";
  let ulp = 2;
  let summary = "Element-wise hyperbolic tangent";
  let description = "Of integers in f32, rounded toward zero as `cast` does.";
}
def FnErf : UnaryFn<"erf", "Erf"> {
  let floatForm = "scalar::create<::mlir::math::ErfOp>";
  let floatReference = "std::erf(x)";
  let reading = "Continuous";
  let ulp = 2;
  let summary = "Element-wise error function";
}
def FnSin : UnaryFn<"sin", "Sin"> {
  let floatForm = "scalar::create<::mlir::math::SinOp>";
  let floatReference = "std::sin(x)";
  let reading = "Continuous";
  let ulp = 2;
  let summary = "Element-wise sine, x in radians";
}
def FnCos : UnaryFn<"cos", "Cos"> {
  let floatForm = "scalar::create<::mlir::math::CosOp>";
  let floatReference = "std::cos(x)";
  let reading = "Continuous";
  let ulp = 2;
  let summary = "Element-wise cosine, x in radians";
}
def FnFloor : UnaryFn<"floor", "Floor"> {
  let floatForm = "scalar::create<::mlir::math::FloorOp>";
  let floatReference = "std::floor(x)";
  let summary = "Element-wise largest integer not above x";
}
def FnCeil : UnaryFn<"ceil", "Ceil"> {
  let floatForm = "scalar::create<::mlir::math::CeilOp>";
  let floatReference = "std::ceil(x)";
  let summary = "Element-wise smallest integer not below x";
}

//===-- logic -------------------------------------------------------------===//

def FnLogicalAnd : BinaryFn<"logical_and", "LogicalAnd"> {
  let boolForm = "scalar::create<::mlir::arith::AndIOp>";
  let boolReference = "x && y";
  let summary = "Element-wise conjunction";
}
def FnLogicalOr : BinaryFn<"logical_or", "LogicalOr"> {
  let boolForm = "scalar::create<::mlir::arith::OrIOp>";
  let boolReference = "x || y";
  let summary = "Element-wise disjunction";
}
def FnLogicalNot : UnaryFn<"logical_not", "LogicalNot"> {
  let boolForm = "scalar::createNotI1";
  let boolReference = "!x";
  let summary = "Element-wise negation of a truth value";
}

include "tripy/Dialect/Common/ScalarFnsMath.td"

defvar UnaryScalarFns = [FnNeg, FnAbs, FnExp, FnLog, FnSqrt, FnRsqrt, FnTanh,
                         FnErf, FnSin, FnCos, FnFloor, FnCeil, FnLogicalNot]
                        # UnaryMathFns;
defvar BinaryScalarFns = [FnAdd, FnSub, FnMul, FnDiv, FnFloorDiv, FnMod, FnPow,
                          FnMaximum, FnMinimum, FnLogicalAnd, FnLogicalOr]
                         # BinaryMathFns;

//===-- comparisons -------------------------------------------------------===//

/// One row per comparison: trace.<mnemonic>, and a case of flatir.compare.
/// `floatPredicate` is ordered except for ne, as IEEE 754 asks.
class Comparison<string cmpMnemonic, string cmpClass, int cmpCase,
                 string cmpFloat, string cmpInt, string cmpReference,
                 string cmpSummary> {
  string mnemonic = cmpMnemonic;
  string cppName = cmpClass;
  int case = cmpCase;
  string floatPredicate = cmpFloat;
  string intPredicate = cmpInt;
  string reference = cmpReference;
  string summary = cmpSummary;
}
def CmpEq : Comparison<"eq", "Eq", 0, "OEQ", "eq", "x == y", "Element-wise x == y">;
def CmpNe : Comparison<"ne", "Ne", 1, "UNE", "ne", "x != y", "Element-wise x != y">;
def CmpLt : Comparison<"lt", "Lt", 2, "OLT", "slt", "x < y", "Element-wise x < y">;
def CmpLe : Comparison<"le", "Le", 3, "OLE", "sle", "x <= y", "Element-wise x <= y">;
def CmpGt : Comparison<"gt", "Gt", 4, "OGT", "sgt", "x > y", "Element-wise x > y">;
def CmpGe : Comparison<"ge", "Ge", 5, "OGE", "sge", "x >= y", "Element-wise x >= y">;
defvar Comparisons = [CmpEq, CmpNe, CmpLt, CmpLe, CmpGt, CmpGe];

#endif // TRIPY_DIALECT_COMMON_SCALARFNS

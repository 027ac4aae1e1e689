//===- OpBase.td - What all of Tripy's operations share ---*- tablegen -*-===//
//
// Numbered rules, examples, and the tensor type of the dialects.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_OPBASE
#define TRIPY_DIALECT_COMMON_OPBASE

include "mlir/IR/OpBase.td"

/// One numbered clause of an operation's contract. `text` is at once the
/// sentence of the reference page, the diagnostic and the entry of the list
/// that tests are checked against. `check` is a C++ expression, `got` streams
/// the values found; `$name` stands for the getter of an operand, attribute or
/// result. Rules run in order; a rule may rely on those before it.
class Rule<string ruleId, string ruleText, string ruleCheck,
           string ruleGot = ""> {
  string id = ruleId;
  string text = ruleText;
  string check = ruleCheck;
  string got = ruleGot;
}

/// What tripy-tblgen reads from an operation besides ODS.
class TripyContract {
  list<Rule> rules = [];
  /// True: results are inferred from operands and attributes, and the rules
  /// see only those. False: the rules see the results too.
  bit infers = 0;
  /// With `infers`: a C++ expression for the result type; empty when
  /// `inferResults` is written by hand.
  string inferred = "";
  /// For an operation that declares reifyResultShapes: a C++ expression for the
  /// sizes of its result, where `shape` is a ResultShape; see ResultShape.h.
  string shape = "";
}

/// Verifies the rules, and with `infers` the result types, in one error. Listed
/// before InferTypeOpInterface, which would report a second one.
def Tripy_ContractTrait : NativeOpTrait<"Contract"> {
  let cppNamespace = "::tripy";
}

/// The tensors of all dialects: see tripy::isTensorType().
def Tripy_Tensor
    : Type<CPred<"::tripy::isTensorType($_self)">,
           "ranked tensor of rank at most 8 and at most 2^40 elements of f64, "
           "f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16, i8, i4, ui8 or i1",
           "::mlir::RankedTensorType">;

#endif // TRIPY_DIALECT_COMMON_OPBASE

// Mistakes in a definition are errors at its line.

// RUN: not tripy-tblgen -gen-contracts %include %s -DUNKNOWN 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tripy-tblgen -gen-contracts %include %s -DRESULT 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not tripy-tblgen -gen-rule-list %include %s -DNUMBER 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tripy-tblgen -gen-op-docs %include %s -DEMPTY 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tripy-tblgen -gen-contracts %include %s -DINFERRED 2>&1 | FileCheck %s --check-prefix=INFERRED

include "tripy/Dialect/Common/OpBase.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::tripy::toy";
}
class Toy_Op<list<Rule> opRules> : Op<Toy_Dialect, "op">, TripyContract {
  let arguments = (ins Tripy_Tensor:$input);
  let results = (outs Tripy_Tensor:$result);
  let rules = opRules;
}

#ifdef UNKNOWN
// UNKNOWN: contracts-errors.td:[[#@LINE + 1]]:5: error: a rule of 'toy.op' names an operand, attribute or property, or a result: found '$inptu'
def Toy_Unknown : Toy_Op<[Rule<"C1", "text", "rankOf($inptu) == 1">]>;
#endif

#ifdef RESULT
// RESULT: contracts-errors.td:[[#@LINE + 1]]:5: error: a rule of 'toy.op' names an operand, attribute or property: found '$result'
def Toy_Result : Toy_Op<[Rule<"C1", "text", "rankOf($result) == 1">]> {
  let infers = 1;
}
#endif

#ifdef NUMBER
// NUMBER: contracts-errors.td:[[#@LINE + 1]]:5: error: rules of 'toy.op' are numbered C1, C2, ...: expected C2, found C3
def Toy_Number : Toy_Op<[Rule<"C1", "text", "true">, Rule<"C3", "text", "true">]>;
#endif

#ifdef EMPTY
// EMPTY: contracts-errors.td:[[#@LINE + 1]]:5: error: rule C1 of 'toy.op' has a text and a check: one is empty
def Toy_Empty : Toy_Op<[Rule<"C1", "text", "">]>;
#endif

#ifdef INFERRED
// INFERRED: contracts-errors.td:[[#@LINE + 1]]:5: error: 'inferred' is for operations that infer their results: 'toy.op' does not
def Toy_Inferred : Toy_Op<[]> {
  let inferred = "type";
}
#endif

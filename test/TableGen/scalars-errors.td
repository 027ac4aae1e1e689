// RUN: not tripy-tblgen -gen-scalars %include %s -DHALF 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not tripy-tblgen -gen-scalars %include %s -DNONE 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tripy-tblgen -gen-scalars %include %s -DREADING 2>&1 | FileCheck %s --check-prefix=READING
// RUN: not tripy-tblgen -gen-scalar-tests %include %s -DUNTESTED 2>&1 | FileCheck %s --check-prefix=UNTESTED

include "tripy/Dialect/Common/ScalarFns.td"

#ifdef HALF
// HALF: scalars-errors.td:[[#@LINE + 1]]:5: error: 'intForm' and 'intReference' are given together: one is empty
def FnHalf : UnaryFn<"half", "Half"> {
  let intForm = "scalar::createHalf";
}
#endif

#ifdef NONE
// NONE: scalars-errors.td:[[#@LINE + 1]]:5: error: a scalar function has a form for at least one class of element types
def FnNone : UnaryFn<"none", "None">;
#endif

#ifdef READING
// READING: scalars-errors.td:[[#@LINE + 1]]:5: error: 'reading' is said of a 'floatForm' that is one operation
def FnTwo : UnaryFn<"two", "Two"> {
  let floatForm = "scalar::createTwo";
  let floatReference = "2 * x";
  let reading = "Continuous";
}
#endif

#ifdef UNTESTED
def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::tripy::toy";
}
// UNTESTED: scalars-errors.td:[[#@LINE + 1]]:5: error: -gen-scalar-tests has no test of rule C1 of 'toy.exp'
def Toy_ExpOp : Op<Toy_Dialect, "exp">, TripyContract {
  let rules = [Rule<"C1", "some new rule", "true">];
}
#endif

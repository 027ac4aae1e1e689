// RUN: not tripy-tblgen -gen-cpp-decls %include %s 2>&1 | FileCheck %s

include "mlir/Interfaces/InferTypeOpInterface.td"
include "tripy/Dialect/Common/OpBase.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::tripy::toy";
}
// CHECK: attribute 'place' of 'toy.odd' is a 'LocationAttr', which has no form in C++
def Toy_OddOp : Op<Toy_Dialect, "odd">, TripyContract {
  let summary = "Odd";
  let arguments = (ins Tripy_Tensor:$input, LocationAttr:$place);
  let results = (outs Tripy_Tensor:$result);
}

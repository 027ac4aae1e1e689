//===- TripyBase.td - The tripy dialect -------------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRIPY_TRIPYBASE
#define TRIPY_DIALECT_TRIPY_TRIPYBASE

include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"

def Tripy_Dialect : Dialect {
  let name = "tripy";
  let cppNamespace = "::tripy";
  let summary = "Attributes shared by all levels, and plugins";
  let description = [{
    Argument attributes of a program's function:

    - `tripy.name = "x"`: the argument's name in the executable; the default is
      that of its value in the text, else `arg0`, `arg1`, ... (of a result:
      `result0`, ...).
    - `tripy.path = "arg0.ids"`: where the argument is in what the C++ function
      that was compiled takes. Calls with a structure are checked by it.
    - `tripy.profile = #tripy.profile<min = [1, 2], opt = [2, 2], max = [4, 2]>`:
      the sizes for which the program is compiled; needed when the type has a
      dynamic dimension, or is `index`: then the argument is itself a size, and
      its profile has one entry.
    - `tripy.dims = ["batch", ""]`: names of dimensions (of an `index`: one, of
      the size). Dynamic sizes of the same name must agree at run time.
    - `tripy.parameter`: the argument is a weight, bound from a safetensors file
      (under its name) at compile time or at load time; its shape is static.

    Example:

    ```mlir
    func.func @main(%x: tensor<?x2xf32> {
        tripy.name = "x", tripy.dims = ["batch", ""],
        tripy.profile = #tripy.profile<min = [1, 2], opt = [2, 2], max = [4, 2]>
      }) -> tensor<?x2xf32>
    ```

    Attribute of a contraction in the body of a kernel (a `linalg.generic`):

    - `tripy.allow_tf32`: operands of f32 may be rounded to TF32 (10 bits of
      mantissa), as the flatir.dot that it was lowered from said.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // TRIPY_DIALECT_TRIPY_TRIPYBASE

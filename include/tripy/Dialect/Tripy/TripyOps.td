//===- TripyOps.td - The tripy dialect: shared attributes -*- tablegen -*-===//
//
// Attributes that all levels carry: shape profiles, dimension names,
// parameters, and the reason why an operation exists. No operations.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRIPY_TRIPYOPS
#define TRIPY_DIALECT_TRIPY_TRIPYOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"

def Tripy_Dialect : Dialect {
  let name = "tripy";
  let cppNamespace = "::tripy";
  let summary = "Attributes shared by all levels";
  let description = [{
    Argument attributes of a program's function:

    - `tripy.name = "x"`: the argument's name in the executable; the default is
      that of its value in the text, else `arg0`, `arg1`, ... (of a result:
      `result0`, ...).
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
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Tripy_ProfileAttr : AttrDef<Tripy_Dialect, "Profile"> {
  let mnemonic = "profile";
  let summary = "Smallest, usual and largest sizes of a tensor";
  let parameters = (ins ArrayRefParameter<"int64_t">:$min,
                        ArrayRefParameter<"int64_t">:$opt,
                        ArrayRefParameter<"int64_t">:$max);
  let assemblyFormat = [{
    `<` `min` `=` custom<Sizes>($min) `,` `opt` `=` custom<Sizes>($opt) `,`
        `max` `=` custom<Sizes>($max) `>`
  }];
  let genVerifyDecl = 1;
}

def Tripy_WhyAttr : AttrDef<Tripy_Dialect, "Why"> {
  let mnemonic = "why";
  let summary = "Why a lowering inserted an operation";
  let description = [{
    Metadata of the fused location of an inserted operation; the locations
    fused are those of the operations that it was made for.

    - `rule`: name of the transformation ("broadcast").
    - `reason`: completes "in order to ...".
    - `operand`: number of the operand concerned, or -1.

    Example:
    `loc(fused<#tripy.why<rule = "broadcast", reason = "broadcast the right operand of 'add' from (3) to (2, 3)", operand = 1>>["a.mlir":3:8])`
  }];
  let parameters = (ins StringRefParameter<"transformation">:$rule,
                        StringRefParameter<"completes 'in order to'">:$reason,
                        DefaultValuedParameter<"int64_t", "-1">:$operand);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TRIPY_DIALECT_TRIPY_TRIPYOPS

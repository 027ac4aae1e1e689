//===- TripyOps.td - The tripy dialect: shared parts ----*- tablegen -*-===//
//
// Attributes that all levels carry: shape profiles, dimension names,
// parameters, and the reason why an operation exists; and plugins.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRIPY_TRIPYOPS
#define TRIPY_DIALECT_TRIPY_TRIPYOPS

include "mlir/IR/AttrTypeBase.td"
include "tripy/Dialect/Tripy/TripyBase.td"
include "tripy/Dialect/Tripy/TripyPlugin.td"

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

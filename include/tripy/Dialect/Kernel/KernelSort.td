//===- KernelSort.td - Sorts in kernels' bodies -----------*- tablegen -*-===//
//
// Part of KernelOps.td, which includes it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_KERNEL_KERNELSORT
#define TRIPY_DIALECT_KERNEL_KERNELSORT

def Kernel_SortOp : Kernel_Op<"sort", [Pure, Kernel_Reifies]> {
  let summary = "Positions of rows' elements in sorted order, in a kernel's body";
  let description = [{
    As flatir.sort. The fusion root of its kernel, and its only result: the
    positions are sorted where they lie in memory.

    ```mlir
    %r = kernel.sort %a descending count = 2 : tensor<4x3xf32> -> tensor<4x2xi32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, UnitAttr:$descending, OptionalAttr<I64Attr>:$count);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input (`descending` $descending^)? (`count` `=` $count^)? attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

class Kernel_DigitOp<string mnemonic, dag operands>
    : Kernel_Op<mnemonic, [Pure, Kernel_Reifies, AttrSizedOperandSegments]> {
  let arguments = !con((ins Optional<AnyRankedTensor>:$input, Optional<AnyRankedTensor>:$pairs), operands);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
  string declarations = [{
    /// The tensor that has the rows' sizes: the pairs, or the input.
    ::mlir::Value getRows() { return getPairs() ? getPairs() : getInput(); }
  }];
  let extraClassDeclaration = declarations;
}

def Kernel_DigitCountsOp : Kernel_DigitOp<"digit_counts", (ins UnitAttr:$descending, I64Attr:$digit, I64Attr:$chunks)> {
  let summary = "How often each digit occurs in parts of long rows, in a kernel's body";
  let description = [{
    The first half of a pass of a radix sort. A row is along the last dimension;
    it is cut into `chunks` chunks, whose lengths are ceil(ceil(n / chunks) / 4096)
    * 4096, but for the last ones, which are shorter or empty. The result is
    (..., chunks, 256) of i32: how many of a chunk's keys have each value of the
    digit.

    A key is an unsigned integer of 32 bits, or 64 for elements of 64 bits, that
    orders the elements as flatir.sort does. `digit` is the number of 8 of its
    bits, from the lowest on. `pairs` (i64) has 32 bits of a key in its upper
    half, and in the lower one the position of its element in `input`. Those are
    the key's bits that `digit` is among, except where there is an `input`: then
    the keys are those of its elements at the pairs' positions, or of all, in
    order, where there are no pairs.

    ```mlir
    %c = kernel.digit_counts input(%a : tensor<4x?xf32>) descending digit = 0 chunks = 8 -> tensor<4x8x256xi32>
    %d = kernel.digit_counts pairs(%p : tensor<4x?xi64>) digit = 1 chunks = 8 -> tensor<4x8x256xi32>
    ```
  }];
  let assemblyFormat = [{
    (`input` `(` $input^ `:` type($input) `)`)? (`pairs` `(` $pairs^ `:` type($pairs) `)`)? (`descending` $descending^)?
    `digit` `=` $digit `chunks` `=` $chunks attr-dict `->` type($result)
  }];
  let extraClassDeclaration = declarations # [{
    static constexpr int64_t digitBits = 8, digitValues = 256;
    /// Elements whose multiples chunks are.
    static constexpr int64_t tile = 4096;
  }];
}

def Kernel_DigitScatterOp : Kernel_DigitOp<"digit_scatter", (ins AnyRankedTensor:$counts, UnitAttr:$descending, I64Attr:$digit)> {
  let summary = "Rows in the order of one digit, in a kernel's body";
  let description = [{
    The second half of a pass: orders the rows by a digit, and elements with
    equal digits as they were. `counts` is what kernel.digit_counts makes of the
    same operands. The result is (..., n): pairs, in i64, or positions alone, in
    i32.

    ```mlir
    %p = kernel.digit_scatter input(%a : tensor<4x?xf32>) counts(%c : tensor<4x8x256xi32>) descending digit = 0 -> tensor<4x?xi64>
    %r = kernel.digit_scatter pairs(%p : tensor<4x?xi64>) counts(%c : tensor<4x8x256xi32>) digit = 3 -> tensor<4x?xi32>
    ```
  }];
  let assemblyFormat = [{
    (`input` `(` $input^ `:` type($input) `)`)? (`pairs` `(` $pairs^ `:` type($pairs) `)`)?
    `counts` `(` $counts `:` type($counts) `)` (`descending` $descending^)? `digit` `=` $digit attr-dict `->` type($result)
  }];
}

#endif // TRIPY_DIALECT_KERNEL_KERNELSORT

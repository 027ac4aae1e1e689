//===- TileBase.td - The tile dialect, its types and layouts -*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TILE_TILEBASE
#define TRIPY_DIALECT_TILE_TILEBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tripy/Dialect/Common/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tripy::tile";
  let summary = "Warp-specialized kernels: rings, roles, fragments, asynchronous matrix products";
  let description = [{
    Internal: documented, but not stable for other projects. A `tile.func` implements
    the kernel of a `kernel.func`; the computation of elements (masks, prologue,
    epilogue) stays in the `kernel.func`.

    - A **fragment** is a ranked tensor in the registers of a warp group; its
      encoding, `#tile.frag`, is its layout. `arith`, `math` and `scf.for` accept
      such tensors unchanged, and their verifiers reject mixed layouts.
    - A **ring** is a circular buffer of stages in shared memory, with the barriers
      that synchronize producer and consumers: parities, expected bytes and arrivals
      follow from it.
    - The result of an asynchronous product is `!tile.pending` until it has been
      waited for.

    Everything else is upstream: index arithmetic is `arith`, loops are
    `scf.for`, the block's number is `gpu.block_id`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::gpu::GPUDialect", "::tripy::kernel::KernelDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

//===-- layouts -----------------------------------------------------------===//

def Tile_FragKind : I32EnumAttr<"FragKind", "which operand of an instruction a fragment is", [
    I32EnumAttrCase<"WgmmaD", 0, "wgmma_d">, I32EnumAttrCase<"WgmmaA", 1, "wgmma_a">]> {
  let cppNamespace = "::tripy::tile";
  let genSpecializedAttr = 0;
}

def Tile_FragAttr : AttrDef<Tile_Dialect, "Frag"> {
  let mnemonic = "frag";
  let summary = "The layout of a fragment: the encoding of its tensor";
  let description = [{
    `wgmma_d`: accumulators of `wgmma`. Thread t of the warp group has rows
    t / 32 * 16 + t % 32 / 4 (+ 8) and columns 8 j + t % 4 * 2 (+ 1). `wgmma_a`:
    a 16-bit operand A in registers, the same elements in pairs.

    `reduced = 1`: one value for each row, in the four lanes that have its
    columns. `partial`: in each lane a part of it, from that lane's columns.
  }];
  let parameters = (ins EnumParameter<Tile_FragKind>:$kind, DefaultValuedParameter<"int64_t", "-1">:$reduced,
                        DefaultValuedParameter<"bool", "false">:$partial);
  let assemblyFormat = "`<` $kind (`,` `reduced` `=` $reduced^)? (`,` `partial` `=` $partial^)? `>`";
  let genVerifyDecl = 1;
}

//===-- types -------------------------------------------------------------===//

class Tile_Type<string cppName, string typeMnemonic> : TypeDef<Tile_Dialect, cppName> {
  let mnemonic = typeMnemonic;
}

class Tile_BoxType<string cppName, string typeMnemonic> : Tile_Type<cppName, typeMnemonic> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$swizzle);
  let assemblyFormat = "`<` custom<Box>($shape, $elementType) `,` $swizzle `>`";
  let genVerifyDecl = 1;
}

def Tile_SmemType : Tile_BoxType<"Smem", "smem"> {
  let summary = "A view of shared memory: rows of elements";
  let description = [{
    Rows wider than the swizzle are divided into panels of the swizzle's width, one
    after the other: 16-byte piece i of row r of a panel is at i xor r % 8 for the
    swizzle of 128 bytes, at i xor r / 2 % 4 for 64, at i xor r / 4 % 2 for 32.
  }];
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getColumns() const { return getShape()[1]; }
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
    /// Elements of a row of a panel, and panels.
    int64_t getPanelColumns() const { return getSwizzle() / getElementBytes(); }
    int64_t getPanels() const { return getColumns() / getPanelColumns(); }
    int64_t getPanelBytes() const { return getRows() * getSwizzle(); }
    int64_t getBytes() const { return getPanels() * getPanelBytes(); }
  }];
}

def Tile_MapType : Tile_BoxType<"Map", "map"> {
  let summary = "A tensor map, which describes the boxes of a tensor that TMA copies";
  let description = "`shape`: the shape that one tile.ring_fill copies, with a TMA box for each panel.";
}

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "A circular buffer of stages in shared memory that a producer fills and consumers read";
  let description = "A stage has one view, or several that are filled and read together: the k-blocks of A and of B.";
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"::tripy::tile::SmemType">:$views);
  let assemblyFormat = "`<` $stages `,` $views `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of a ring with one view.
    SmemType getView() const { return getViews().front(); }
    int64_t getStageBytes() const {
      int64_t bytes = 0;
      for (SmemType view : getViews())
        bytes += view.getBytes();
      return bytes;
    }
  }];
}

def Tile_StagingType : Tile_Type<"Staging", "staging"> {
  let summary = "Staging buffers for results in shared memory, of `bytes` bytes for each warp group";
  let parameters = (ins "int64_t":$groups, "int64_t":$bytes);
  let assemblyFormat = "`<` $groups `,` $bytes `>`";
  let genVerifyDecl = 1;
}

def Tile_PosType : Tile_Type<"Pos", "pos"> {
  let summary = "A position in a ring: a stage and the parity of its round";
}

def Tile_OrderType : Tile_Type<"Order", "order"> {
  let summary = "An ordered barrier: warp groups pass it one after the other";
  let parameters = (ins "int64_t":$members);
  let assemblyFormat = "`<` $members `>`";
  let genVerifyDecl = 1;
}

def Tile_PendingType : Tile_Type<"Pending", "pending"> {
  let summary = "A fragment that an asynchronous instruction is still writing";
  let parameters = (ins "::mlir::RankedTensorType":$fragment);
  let assemblyFormat = "`<` $fragment `>`";
}

def Tile_Fragment : Type<CPred<"::tripy::tile::isFragment($_self)">, "tensor with a layout (#tile.frag)",
                         "::mlir::RankedTensorType">;

/// An operation of tile: numbered rules on operands, attributes and results.
class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, [Tripy_ContractTrait] # traits>, TripyContract {
  let extraClassDeclaration = [{
    /// Checks the numbered rules of `op`, one of this class; reports the first
    /// broken one.
    static ::llvm::LogicalResult
    checkRules(::mlir::Operation *op, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit);
  }];
}

#endif // TRIPY_DIALECT_TILE_TILEBASE

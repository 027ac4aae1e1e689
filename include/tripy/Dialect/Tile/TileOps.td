//===- TileOps.td - All operations of tile ----------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TILE_TILEOPS
#define TRIPY_DIALECT_TILE_TILEOPS

include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "tripy/Dialect/Tile/TileBase.td"

//===-- functions and roles -----------------------------------------------===//

def Tile_FuncOp : Tile_Op<"func", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "A warp-specialized kernel";
  let description = [{
    Its arguments are the sizes of the `kernel.func` that it implements, in
    order; `grid` is the number of its blocks as a function of them. Rings, maps
    and ordered barriers come first, then the roles: regions that warp groups
    execute concurrently. `--tile-place` sets `shared`, the bytes of shared
    memory.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$kernel, AffineMapAttr:$grid, OptionalAttr<I64Attr>:$shared);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `of` $kernel `grid` $grid (`shared` $shared^)? attr-dict-with-keyword $body";
  let rules = [
    Rule<"C1", "arguments are sizes, of type index", "takesSizes(op)">,
    Rule<"C2", "the roles are the last operations, two or more", "rolesAreLast(op)">,
    Rule<"C3", "roles have at most 8 warp groups together", "groupsOf(op) <= 8", "\"found \" << groupsOf(op)">,
    Rule<"C4", "registers of all warp groups are at most those of the launch", "registersAsked(op) <= registersGiven(op)",
         "\"found \" << registersAsked(op) << \", the launch has \" << registersGiven(op)">];
}

def Tile_RoleOp : Tile_Op<"role", [HasParent<"FuncOp">, SingleBlock, NoTerminator]> {
  let summary = "The code of some warp groups of a block";
  let description = [{
    The region's argument is the index of the warp group in its role. Each thread
    has `registers` registers (setmaxnreg). `one_thread`: only one thread of the
    role executes the region, the others exit.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$groups, I64Attr:$registers, UnitAttr:$one_thread);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `groups` $groups `registers` $registers (`one_thread` $one_thread^)? attr-dict-with-keyword $body";
  let rules = [
    Rule<"C1", "a role has 1 to 8 warp groups", "asSigned($groups) >= 1 && asSigned($groups) <= 8", "\"found \" << asSigned($groups)">,
    Rule<"C2", "registers are 24 to 256, a multiple of 8", "asSigned($registers) >= 24 && asSigned($registers) <= 256 && asSigned($registers) % 8 == 0",
         "\"found \" << asSigned($registers)">,
    Rule<"C3", "the region has one argument, of type index", "hasGroupArgument(op)">,
    Rule<"C4", "fragments and positions are not used across roles", "usesOwnState(op)">];
}

def Tile_AwaitPredecessorsOp : Tile_Op<"await_predecessors", [HasParent<"FuncOp">]> {
  let summary = "Waits for the kernels before this one, then allows the next one to start";
  let assemblyFormat = "attr-dict";
}

//===-- shared memory and copies ------------------------------------------===//

def Tile_TensorMap : Attr<CPred<"::llvm::isa<::tripy::kernel::TensorMapAttr>($_self)">, "tensor map (#kernel.tensor_map)"> {
  let storageType = "::tripy::kernel::TensorMapAttr";
  let returnType = "::tripy::kernel::TensorMapAttr";
  let convertFromStorage = "$_self";
}

def Tile_MapOp : Tile_Op<"map", [Pure, HasParent<"FuncOp">]> {
  let summary = "A tensor map";
  let arguments = (ins Tile_TensorMap:$map);
  let results = (outs Tile_MapType:$result);
  let assemblyFormat = "$map attr-dict `:` type($result)";
  let rules = [
    Rule<"C1", "a TMA box is one panel: as many bytes as the swizzle, as many rows as the type, 1 in other dimensions",
         "isPanelBox($map, $result.getType())">,
    Rule<"C2", "map and type have one swizzle", "$map.getSwizzle() == $result.getType().getSwizzle()",
         "\"found \" << $map.getSwizzle()">];
}

def Tile_RingOp : Tile_Op<"ring", [HasParent<"FuncOp">]> {
  let summary = "A ring of stages in shared memory";
  let description = [{
    Two mbarriers per stage: full, with the producer's arrival and its number of
    expected bytes; empty, with one arrival for each of `readers` warps.
    `--tile-place` sets the byte offsets of the stages and the barriers.
  }];
  let arguments = (ins I64Attr:$readers, OptionalAttr<I64Attr>:$at, OptionalAttr<I64Attr>:$barriers);
  let results = (outs Tile_RingType:$result);
  let assemblyFormat = "`readers` $readers (`at` $at^)? (`barriers` $barriers^)? attr-dict `:` type($result)";
  let rules = [
    Rule<"C1", "a ring has 1 to 32 readers", "asSigned($readers) >= 1 && asSigned($readers) <= 32", "\"found \" << asSigned($readers)">,
    Rule<"C2", "stages begin at multiples of 1024 bytes, and are such multiples", "isAtPattern($at, $result.getType())">];
}

def Tile_RingStartOp : Tile_Op<"ring_start", [Pure]> {
  let summary = "The first position of a ring";
  let arguments = (ins Tile_RingType:$ring);
  let results = (outs Tile_PosType:$result);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

def Tile_RingNextOp : Tile_Op<"ring_next", [Pure]> {
  let summary = "The next position";
  let arguments = (ins Tile_RingType:$ring, Tile_PosType:$pos);
  let results = (outs Tile_PosType:$result);
  let assemblyFormat = "$ring `[` $pos `]` attr-dict `:` type($ring)";
}

def Tile_RingSkipOp : Tile_Op<"ring_skip", [Pure]> {
  let summary = "The position that is `count` stages further";
  let arguments = (ins Tile_RingType:$ring, Tile_PosType:$pos, Index:$count);
  let results = (outs Tile_PosType:$result);
  let assemblyFormat = "$ring `[` $pos `]` `by` $count attr-dict `:` type($ring)";
}

def Tile_RingNoneOp : Tile_Op<"ring_none", [Pure]> {
  let summary = "No position: the initial value of a loop that releases the previous stage";
  let arguments = (ins Tile_RingType:$ring);
  let results = (outs Tile_PosType:$result);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

def Tile_RingFillOp : Tile_Op<"ring_fill", [AttrSizedOperandSegments]> {
  let summary = "Fills a stage with TMA";
  let description = [{
    Waits until the stage is empty, sets the number of expected bytes, and starts the copies of the boxes at the coordinates of
    each map, outermost first. Elements outside of the tensor are zero. Several maps fill one view each, in order, or
    adjacent columns of a single view. If `where` is false, nothing is copied and the stage is filled with zeros.
  }];
  let arguments = (ins Tile_RingType:$ring, Tile_PosType:$pos, Variadic<Tile_MapType>:$maps, Variadic<Index>:$coords, Optional<I1>:$where);
  let assemblyFormat = [{$ring `[` $pos `]` `from` custom<Copies>($maps, $coords) (`where` $where^)? attr-dict
                         `:` type($ring) `,` custom<Stripped>(type($maps), "::tripy::tile::MapType()")}];
  let rules = [
    Rule<"C1", "the maps bring what a stage holds", "fillViews($ring.getType(), $maps)">,
    Rule<"C2", "a coordinate for each dimension of each map", "coordinatesOf($maps) < 0 || coordinatesOf($maps) == (int64_t)$coords.size()",
         "\"found \" << $coords.size()">,
    Rule<"C3", "one thread fills stages", "isInOneThread($ring)">];
}

def Tile_RingWaitOp : Tile_Op<"ring_wait"> {
  let summary = "Waits until a stage is full";
  let arguments = (ins Tile_RingType:$ring, Tile_PosType:$pos);
  let results = (outs Variadic<Tile_SmemType>:$views);
  let assemblyFormat = "$ring `[` $pos `]` attr-dict `:` type($ring) `->` custom<Stripped>(type($views), \"::tripy::tile::SmemType()\")";
  let rules = [Rule<"C1", "the views are what a stage holds", "areViews($ring.getType(), $views)">];
}

def Tile_RingReleaseOp : Tile_Op<"ring_release"> {
  let summary = "Signals that this warp has read a stage";
  let description = "`if_any`: does nothing if there is no position.";
  let arguments = (ins Tile_RingType:$ring, Tile_PosType:$pos, UnitAttr:$if_any);
  let assemblyFormat = "$ring `[` $pos `]` (`if_any` $if_any^)? attr-dict `:` type($ring)";
}

def Tile_RowsOp : Tile_Op<"rows", [Pure]> {
  let summary = "Some rows of a view";
  let description = "As many rows as the result has, starting at `number` times that many.";
  let arguments = (ins Tile_SmemType:$view, Index:$number);
  let results = (outs Tile_SmemType:$result);
  let assemblyFormat = "$view `[` $number `]` attr-dict `:` type($view) `->` type($result)";
  let rules = [Rule<"C1", "a multiple of 8 rows, which the view's are a multiple of", "areRowsOf($result.getType(), $view.getType())",
                    "\"found \" << $result.getType()">];
}

def Tile_ColumnsOp : Tile_Op<"columns", [Pure]> {
  let summary = "Some columns of a view";
  let description = "As many columns as the result has, starting at `number` times that many.";
  let arguments = (ins Tile_SmemType:$view, Index:$number);
  let results = (outs Tile_SmemType:$result);
  let assemblyFormat = "$view `[` $number `]` attr-dict `:` type($view) `->` type($result)";
  let rules = [Rule<"C1", "whole panels, which the view's are a multiple of", "areColumnsOf($result.getType(), $view.getType())",
                    "\"found \" << $result.getType()">];
}

//===-- tiles of a persistent kernel --------------------------------------===//

def Tile_ForTilesOp : Tile_Op<"for_tiles", [SingleBlock]> {
  let summary = "Loops over the tiles of a block in a persistent kernel";
  let description = [{
    Batches of `rows` by `columns` are divided into tiles, and bands of `band`
    rows of tiles are visited column by column, for locality in the L2 cache. A
    block begins with the tile of its own number and continues in steps of the
    launch's number of blocks; of these tiles, the loop visits every `step`-th,
    starting at number `first`. The region's arguments are the tile's batch,
    first row and first column, and the loop-carried values. Ping-pong consumers
    process alternate tiles.
  }];
  let arguments = (ins Index:$batches, Index:$rows, Index:$columns, Index:$first, Variadic<AnyType>:$inits, I64Attr:$tile_rows,
                       I64Attr:$tile_columns, I64Attr:$step, I64Attr:$band);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{`of` `(` $batches `,` $rows `by` $tile_rows `,` $columns `by` $tile_columns `)` `from` $first `step` $step
                         `band` $band `carry` `(` $inits `)` attr-dict `:` functional-type($inits, $results) $body}];
  let rules = [
    Rule<"C1", "tiles, steps and bands are positive", "arePositive(op)">,
    Rule<"C2", "the region takes batch, row and column, of type index, and what is carried", "takesTile(op)">,
    Rule<"C3", "what is carried has the same types at the start, at each end and behind", "carriesTypes(op)">,
    Rule<"C4", "the blocks of the launch are a number", "isNumberOfBlocks(op)">];
}

def Tile_YieldOp : Tile_Op<"yield", [Terminator, HasParent<"ForTilesOp">]> {
  let summary = "The loop-carried values for the next tile";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

//===-- ordered barriers --------------------------------------------------===//

def Tile_OrderOp : Tile_Op<"order", [HasParent<"FuncOp">]> {
  let summary = "An ordered barrier";
  let description = "`--tile-place` sets the first of its named barriers, one for each member.";
  let arguments = (ins OptionalAttr<I64Attr>:$first);
  let results = (outs Tile_OrderType:$result);
  let assemblyFormat = "(`first` $first^)? attr-dict `:` type($result)";
}

class Tile_OrderStepOp<string mnemonic> : Tile_Op<mnemonic> {
  let arguments = (ins Tile_OrderType:$order, Index:$member);
  let assemblyFormat = "$order `[` $member `]` attr-dict `:` type($order)";
}
def Tile_OrderWaitOp : Tile_OrderStepOp<"order_wait"> {
  let summary = "Waits for the turn of a member; member 0 is first";
}
def Tile_OrderPassOp : Tile_OrderStepOp<"order_pass"> {
  let summary = "Passes the turn to the next member";
}

//===-- products ----------------------------------------------------------===//

def Tile_MmaAsyncOp : Tile_Op<"mma_async"> {
  let summary = "Starts an asynchronous matrix product";
  let description = [{
    `a` (M x K, or K x M if `a_transposed`) times the transpose of `b` (N x K), or `b` (K x N) if `transposed`, is added to
    `acc`, which may be pending, or to zero. It is one committed group of wgmma instructions.
  }];
  let arguments = (ins AnyType:$a, Tile_SmemType:$b, Optional<AnyType>:$acc, UnitAttr:$a_transposed, UnitAttr:$transposed);
  let results = (outs Tile_PendingType:$result);
  let assemblyFormat = "$a (`transposed` $a_transposed^)? `,` $b (`transposed` $transposed^)? (`plus` $acc^ `:` type($acc))? attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let rules = [
    Rule<"C1", "A is in shared memory, or a fragment of layout wgmma_a that is not transposed", "isOperandA($a, $a_transposed)", "\"found \" << $a.getType()">,
    Rule<"C2", "the sums are M x N, f32, of layout wgmma_d, M a multiple of 64, N being 8 to 256 and a multiple of 8", "isSum($result.getType().getFragment())",
         "\"found \" << $result.getType()">,
    Rule<"C3", "the operands' sizes agree with the sums'", "productsAgree($a, $a_transposed, $b, $transposed, $result.getType().getFragment())",
         "\"found \" << $a.getType() << \" and \" << $b.getType()">,
    Rule<"C4", "both operands have one type, f16 or bf16", "isProductType($a, $b)", "\"found \" << $b.getType().getElementType()">,
    Rule<"C5", "what is added to has the type of the sums", "!$acc || sumsOf($acc.getType()) == $result.getType().getFragment()">,
    Rule<"C6", "one operation waits for a product, or goes on with it", "$result.hasOneUse()">];
}

def Tile_MmaWaitOp : Tile_Op<"mma_wait"> {
  let summary = "Waits for a matrix product";
  let description = [{
    Waits until all products except the last `newer` ones of this warp group are
    complete. The registers of `holding`, which are operands of these products,
    may be reused afterwards.
  }];
  let arguments = (ins Tile_PendingType:$pending, I64Attr:$newer, Variadic<Tile_Fragment>:$holding);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$pending `newer` $newer (`holding` $holding^ `:` type($holding))? attr-dict `:` type($pending)  `->` type($result)";
  let rules = [
    Rule<"C1", "the result is the fragment that was pending", "$result.getType() == $pending.getType().getFragment()",
         "\"found \" << $result.getType()">,
    Rule<"C2", "newer is 0 to 7", "asSigned($newer) >= 0 && asSigned($newer) <= 7", "\"found \" << asSigned($newer)">,
    Rule<"C3", "it holds A where that is in registers", "holdsOperand($pending, $holding)">,
    Rule<"C4", "newer is the number of products that were started since, in this block of code, or 0 behind a loop", "countsNewer($pending, asSigned($newer))",
         "\"found \" << asSigned($newer)">];
}

def Tile_MmaRetireOp : Tile_Op<"mma_retire"> {
  let summary = "Waits until products have read their operands in shared memory";
  let description = "All except the last `newer` ones of this warp group; the accumulators stay pending.";
  let arguments = (ins I64Attr:$newer);
  let assemblyFormat = "`newer` $newer attr-dict";
  let rules = [Rule<"C1", "newer is 0 to 7", "asSigned($newer) >= 0 && asSigned($newer) <= 7", "\"found \" << asSigned($newer)">];
}

def Tile_ZeroOp : Tile_Op<"zero", [Pure]> {
  let summary = "Accumulators that are zero";
  let results = (outs Tile_PendingType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_HoldOp : Tile_Op<"hold", [AllTypesMatch<["input", "result"]>]> {
  let summary = "The same values, computed before this point";
  let description = "Later operations, such as a wait, are executed after the computation of the operand.";
  let arguments = (ins Tile_Fragment:$input);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

//===-- fragments ---------------------------------------------------------===//

def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "how values of a row are combined", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Add", 1, "add">]> {
  let cppNamespace = "::tripy::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind">;

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "Combines the values of each row";
  let description = "If the result is partial, only within each lane's columns; if the operand is partial, across lanes.";
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Fragment:$input);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `->` type($result)";
  let rules = [Rule<"C1", "the result is the rows of the operand, which has columns or is partial", "isReduced($input, $result)",
                    "\"found \" << $result.getType()">];
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "One value for all columns of a row";
  let arguments = (ins Tile_Fragment:$input);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let rules = [Rule<"C1", "the operand is the rows of the result, and not partial", "isRowOf($input, $result)",
                    "\"found \" << $input.getType()">];
}

def Tile_RelabelOp : Tile_Op<"relabel", [Pure]> {
  let summary = "The same registers under another layout";
  let arguments = (ins Tile_Fragment:$input);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let rules = [Rule<"C1", "from wgmma_d to wgmma_a, of 16-bit elements, or rows from whole to partial", "isRelabelling($input, $result)",
                    "\"found \" << $input.getType() << \" to \" << $result.getType()">];
}

include "tripy/Dialect/Tile/TileElements.td"

#endif // TRIPY_DIALECT_TILE_TILEOPS

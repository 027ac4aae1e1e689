//===- TileElements.td - What elements mean, and results --*- tablegen -*-===//
//
// Part of TileOps.td, which includes it.
//
//===----------------------------------------------------------------------===//

//===-- what elements mean ------------------------------------------------===//

def Tile_ScoreOp : Tile_Op<"score", [Pure, AttrSizedOperandSegments, AllTypesMatch<["input", "result"]>]> {
  let summary = "Scores of attention, from the product of queries and keys";
  let description = [{
    Applies the scale, the bias and the mask of the kernel's `kernel.attention` to the
    queries and keys that start at `at`: the indices of batch, head, query and key, the
    last of which is even. `unscaled`: only hides masked elements, without scaling the
    others. `within`: keys from this one on are hidden. `seen`: the causal mask and
    windows hide no key.
  }];
  let arguments = (ins Tile_Fragment:$input, Variadic<Index>:$at, Optional<Index>:$within, UnitAttr:$unscaled, UnitAttr:$seen);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$input `at` `(` $at `)` (`within` $within^)? (`unscaled` $unscaled^)? (`seen` $seen^)? attr-dict `:` type($result)";
  let rules = [
    Rule<"C1", "scores are f32, of layout wgmma_d", "isSum($result.getType())",
         "\"found \" << $result.getType()">];
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "Stores the kernel's results";
  let description = [{
    Computes the epilogue after the kernel's `kernel.attention` and stores it. `input`
    has the rows of attention's result that start at `at`: the indices of batch, head
    and query. Rows beyond the end are not stored.
  }];
  let arguments = (ins Tile_Fragment:$input, Variadic<Index>:$at);
  let assemblyFormat = "$input `at` `(` $at `)` attr-dict `:` type($input)";
  let rules = [Rule<"C1", "the fragment has layout wgmma_d, f32", "isSum($input.getType())", "\"found \" << $input.getType()">];
}

//===-- results of contractions -------------------------------------------===//

def Tile_StagingOp : Tile_Op<"staging", [HasParent<"FuncOp">]> {
  let summary = "Staging buffers for results in shared memory";
  let description = [{
    TMA store buffers, or rows of accumulators that threads read again. `--tile-place`
    sets their offset, and the first of their named barriers, one per warp group.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$at, OptionalAttr<I64Attr>:$barrier);
  let results = (outs Tile_StagingType:$result);
  let assemblyFormat = "(`at` $at^)? (`barrier` $barrier^)? attr-dict `:` type($result)";
}

class Tile_StoreSumsOp<string mnemonic> : Tile_Op<mnemonic, [HasParent<"ForTilesOp">]> {
  let description = [{
    Computes the epilogue after the kernel's contractions and stores it. `sums` are
    the accumulators of the tile at a batch, row and column; the columns of several
    contractions are adjacent. `cooperative`: each warp group of the role has 64 of the rows.
  }];
}
def Tile_StoreBoxesOp : Tile_StoreSumsOp<"store_boxes"> {
  let summary = "Stores a tile of the kernel's results with TMA";
  let arguments = (ins Tile_Fragment:$sums, Index:$batch, Index:$row, Index:$column, Tile_StagingType:$staging,
                       Variadic<Tile_MapType>:$maps, UnitAttr:$cooperative);
  let assemblyFormat = [{$sums `at` `(` $batch `,` $row `,` $column `)` (`cooperative` $cooperative^)? `through` $staging
                         `to` $maps attr-dict `:` type($sums) `,` type($staging) `,` type($maps)}];
  let rules = [
    Rule<"C1", "the fragment has layout wgmma_d, f32", "isSum($sums.getType())", "\"found \" << $sums.getType()">,
    Rule<"C2", "boxes have 64 rows and one swizzle", "areResultBoxes($maps)">,
    Rule<"C3", "staging has room for 16384 bytes of boxes", "$staging.getType().getBytes() >= 16384", "\"found \" << $staging.getType().getBytes()">,
    Rule<"C4", "fragment and tile have one size", "isTileOf(op, $sums.getType(), $cooperative)">];
}
def Tile_StoreRowsOp : Tile_StoreSumsOp<"store_rows"> {
  let summary = "Stores a tile of the kernel's results by threads";
  let arguments = (ins Tile_Fragment:$sums, Index:$batch, Index:$row, Index:$column, Tile_StagingType:$staging, UnitAttr:$cooperative);
  let assemblyFormat = [{$sums `at` `(` $batch `,` $row `,` $column `)` (`cooperative` $cooperative^)? `through` $staging attr-dict
                         `:` type($sums) `,` type($staging)}];
  let rules = [
    Rule<"C1", "the fragment has layout wgmma_d, f32", "isSum($sums.getType())", "\"found \" << $sums.getType()">,
    Rule<"C2", "staging has room for 64 rows of 68 sums", "$staging.getType().getBytes() >= 64 * 68 * 4",
         "\"found \" << $staging.getType().getBytes()">,
    Rule<"C3", "fragment and tile have one size", "isTileOf(op, $sums.getType(), $cooperative)">];
}

def Tile_StoreWaitOp : Tile_Op<"store_wait"> {
  let summary = "Waits until TMA stores are complete";
  let assemblyFormat = "attr-dict";
}

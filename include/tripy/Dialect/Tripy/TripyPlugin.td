//===- TripyPlugin.td - Kernels that users bring ----------*- tablegen -*-===//
//
// A plugin is declared once, beside the functions of a program; operations of
// trace, flatir and kernel call it by its symbol. See docs/plugins.md.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRIPY_TRIPYPLUGIN
#define TRIPY_DIALECT_TRIPY_TRIPYPLUGIN

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tripy/Dialect/Common/OpBase.td"
include "tripy/Dialect/Tripy/TripyBase.td"

def Tripy_PluginSourceAttr : AttrDef<Tripy_Dialect, "PluginSource"> {
  let mnemonic = "plugin_source";
  let summary = "The code of a plugin for one kind of device";
  let description = [{
    `kind` is `ptx`, `cubin` or `mlir` for CUDA, or `c` for the CPU; `entry` is
    the kernel's name in it.

    - `ptx` and `cubin` name a `file`, relative to the file of the program, or
      have the bytes as `code`: `tripy-compile` puts them there.
    - `mlir` names a `gpu.module` of the same file, whose `gpu.func` this is.
    - `c` names the shared `library` as the caller of the program knows it.

    `block` is the number of threads in x, y and z of a CUDA kernel. `arguments`
    are what it takes, in order: `operand N` and `result N` are pointers,
    `number N` is a number of the size function as an i64, `number N as i32` as
    an i32, and `parameter NAME` a parameter. The default is all operands,
    results, numbers (as i64) and parameters.

    ```mlir
    #tripy.plugin_source<ptx "scale_f32" file = "scale.ptx" block = [256, 1, 1] arguments = ["operand 0", "result 0", "number 0 as i32", "parameter factor"]>
    ```
  }];
  let parameters = (ins StringRefParameter<"ptx, cubin, mlir or c">:$kind, "::mlir::StringAttr":$entry,
                        OptionalParameter<"::mlir::StringAttr">:$file, OptionalParameter<"::mlir::StringAttr">:$code,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$module,
                        OptionalParameter<"::mlir::StringAttr">:$library,
                        OptionalArrayRefParameter<"int64_t">:$block,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$arguments);
  let assemblyFormat = [{
    `<` custom<Keyword>($kind) $entry (`file` `=` $file^)? (`code` `=` $code^)? (`module` `=` $module^)? (`library` `=` $library^)?
    (`block` `=` `[` $block^ `]`)? (`arguments` `=` `[` $arguments^ `]`)? `>`
  }];
  let extraClassDeclaration = [{
    /// Whether this is code for the CPU; else it is for CUDA.
    bool isHost() const { return getKind() == "c"; }
  }];
}
def Tripy_PluginSources : TypedArrayAttrBase<Tripy_PluginSourceAttr, "sources of a plugin">;

class Tripy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tripy_Dialect, mnemonic, [Tripy_ContractTrait] # traits>, TripyContract {
  let extraClassDeclaration = [{
    /// Checks the numbered rules of `op`, one of this class; reports the first
    /// broken one.
    static ::llvm::LogicalResult
    checkRules(::mlir::Operation *op, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit);
  }];
}

def Tripy_PluginOp : Tripy_Op<"plugin", [Symbol, IsolatedFromAbove]> {
  let summary = "Declares a kernel that the user brings";
  let description = [{
    The function type has the element types and ranks that the kernel takes;
    sizes that it gives are required, `?` is any size. `parameters` are numbers
    that each call states: i32, i64, f32 or f64.

    The region computes sizes from those of the operands: its arguments are all
    sizes of all operands, in order. `tripy.plugin_sizes` ends it.

    A kernel reads its operands and writes every element of its results, which
    overlap nothing else; it depends on nothing but its arguments.

    ```mlir
    tripy.plugin @scale : (tensor<?x?xf32>) -> tensor<?x?xf32> parameters ["factor"] : [f32]
        sources [#tripy.plugin_source<ptx "scale_f32" file = "scale.ptx" block = [256, 1, 1]>,
                 #tripy.plugin_source<c "scale" library = "libscale.so">] {
    ^bb0(%rows: index, %columns: index):
      %one = arith.constant 1 : index
      %threads = arith.constant 256 : index
      %count = arith.muli %rows, %columns : index
      %blocks = arith.ceildivsi %count, %threads : index
      tripy.plugin_sizes results(%rows, %columns) grid(%blocks, %one, %one) numbers(%count)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$functionType,
                       OptionalAttr<StrArrayAttr>:$parameterNames, OptionalAttr<TypeArrayAttr>:$parameterTypes,
                       Tripy_PluginSources:$sources);
  let regions = (region SizedRegion<1>:$sizes);
  let assemblyFormat = [{
    $sym_name `:` $functionType (`parameters` $parameterNames^ `:` $parameterTypes)? `sources` $sources
    attr-dict-with-keyword $sizes
  }];
  let rules = [
    Rule<"C1", "operands and results are tensors of Tripy's element types but i4, and there is a result",
         "hasPluginTypes(in)", "\"found \" << $functionType">,
    Rule<"C2", "parameters have different names and are of i32, i64, f32 or f64", "hasPluginParameters(in)">,
    Rule<"C3", "the size function has an argument of type index for each dimension of each operand",
         "hasPluginDims(in)", "\"found \" << $sizes.getNumArguments() << \" arguments\"">,
    Rule<"C4", "the size function is arithmetic on sizes that ends in tripy.plugin_sizes", "isSizeFunction(in)">,
    Rule<"C5", "the size function gives a size for each dimension of each result, which agrees with the result's type",
         "hasResultSizes(in)", "\"found \" << describeSizes(in)">,
    Rule<"C6", "there is at least one source", "!$sources.empty()">,
    Rule<"C7", "a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more",
         "hasSourceForms(in)">,
    Rule<"C8", "names of entry points, files and libraries have 1 to 1024 bytes, without control characters",
         "hasSourceNames(in)">,
    Rule<"C9", "a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none",
         "hasSourceBlocks(in)">,
    Rule<"C10", "arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them",
         "hasSourceArguments(in)", "brokenArgument(in)">,
    Rule<"C11", "a plugin with a source for CUDA has a grid of three sizes, which are not negative and at most 2^31 - 1, 65535 and 65535",
         "hasPluginGrid(in)">,
    Rule<"C12", "code has the entry point of its source", "hasSourceEntries(in)", "missingEntry(in)">,
    Rule<"C13", "a source of kind mlir names a gpu.module of the program, and its kernel in it", "hasSourceModules(in)">];
  let extraClassDeclaration = [{
    /// Checks the numbered rules of `op`, one of this class; reports the first
    /// broken one.
    static ::llvm::LogicalResult
    checkRules(::mlir::Operation *op, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit);

    /// The operation that ends the size function.
    PluginSizesOp getTerminator();
    /// The type of a parameter; null if there is none of this name.
    ::mlir::Type getParameterType(::llvm::StringRef name);
    /// The names of the parameters, in order.
    ::llvm::SmallVector<::llvm::StringRef> getParameters();
  }];
}

def Tripy_PluginSizesOp : Op<Tripy_Dialect, "plugin_sizes", [Pure, Terminator, HasParent<"PluginOp">, AttrSizedOperandSegments]> {
  let summary = "What a plugin's size function gives";
  let description = [{
    `results` are all sizes of all results. For CUDA, `grid` is the number of
    blocks in x, y and z; where one is 0, nothing is launched. `shared` is the
    dynamic shared memory in bytes, which is reserved for the largest sizes of
    the profile. `numbers` are for the kernel's arguments.

    ```mlir
    tripy.plugin_sizes results(%rows, %columns) grid(%blocks, %one, %one) shared(%bytes) numbers(%count)
    ```
  }];
  let arguments = (ins Variadic<Index>:$shapes, Variadic<Index>:$grid, Optional<Index>:$shared, Variadic<Index>:$numbers);
  let assemblyFormat = [{
    `results` `(` $shapes `)` (`grid` `(` $grid^ `)`)? (`shared` `(` $shared^ `)`)? (`numbers` `(` $numbers^ `)`)? attr-dict
  }];
}

#endif // TRIPY_DIALECT_TRIPY_TRIPYPLUGIN

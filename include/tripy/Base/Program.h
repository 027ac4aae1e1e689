//===- Program.h - An executable program in memory --------------*- C++ -*-===//
//
// What a .tpx file says, as plain structs. The compiler's Target fills it, the
// runtime verifies and runs it; ExecutableFormat.h turns it into bytes and
// back. Standard library only. All cross references are indices into the
// vectors of Program.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_PROGRAM_H
#define TRIPY_BASE_PROGRAM_H

#include "tripy/Base/DType.h"
#include "tripy/Base/SizeMath.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tripy {

enum class DeviceKind : uint8_t { CPU = 1, CUDA = 2 };

/// Index of an element of one of Program's vectors.
using TableIndex = uint32_t;
inline constexpr TableIndex noIndex = 0xffffffffu;

//===-- sizes -------------------------------------------------------------===//

/// A run-time size: one dynamic dimension of an input, or (dim 0) the value of
/// one that is a size.
struct SizeSymbol {
  TableIndex input = 0;
  uint32_t dim = 0;
  /// The profile. Inputs are refused outside [min, max]; kernels are tuned for
  /// opt; buffers are sized from max. 0 <= min <= opt <= max < 2^40.
  int64_t min = 0, opt = 0, max = 0;
  /// Two symbols with the same non-empty name must have equal values.
  std::string name;
};

/// An integer expression over the size symbols; operands come first. Arithmetic
/// is on int64. What can overflow or divide by zero for an allowed size has a
/// SizeCheck that excludes it.
struct SizeExpr {
  SizeOp op = SizeOp::Constant;
  TableIndex a = 0, b = 0;
  int64_t value = 0;
};

/// A condition on sizes that only the run-time sizes can decide, checked
/// before anything is launched.
struct SizeCheck {
  CheckKind kind = CheckKind::Equal;
  TableIndex a = 0, b = 0;
  /// The rule in words, such as "the operands of 'add' agree in dimension 1";
  /// the runtime appends the values found.
  std::string message;
  /// Index into `whys`: the line that required it.
  TableIndex why = noIndex;
  /// Rows of `whys`: where each operand of the operation that required it comes
  /// from, in order; noIndex where that is not known.
  std::vector<TableIndex> operands = {};
};

//===-- interface ---------------------------------------------------------===//

enum class InputKind : uint8_t {
  Argument = 1,  ///< given at each call
  Parameter = 2, ///< bound once, from a safetensors file; static shape
  /// Given at each call: one i64 in host memory, of rank 0, which the call
  /// reads before it returns. No kernel gets its address.
  Size = 3,
};
struct InputDescription {
  std::string name;
  InputKind kind = InputKind::Argument;
  DType dtype = DType::F32;
  /// Size of each dimension; an expression that is a Constant or a Symbol of
  /// this very input and dimension. Of kind Size: one Symbol, the value.
  std::vector<TableIndex> dims;
  TableIndex why = noIndex;
  /// Where the input is in the arguments of the function that was compiled:
  /// "arg0", or "arg0.ids" within a structure. Empty where no function was.
  std::string path = {};

  /// Of the tensor that is passed.
  size_t rank() const { return kind == InputKind::Size ? 0 : dims.size(); }
};
struct OutputDescription {
  std::string name;
  DType dtype = DType::F32;
  std::vector<TableIndex> dims;
  TableIndex why = noIndex;
};

//===-- memory ------------------------------------------------------------===//

enum class BufferKind : uint8_t {
  Input = 1,    ///< inputs[index]
  Output = 2,   ///< outputs[index]
  Constant = 3, ///< bytes [offset, offset + size) of `constants`
  Arena = 4,    ///< bytes [offset, offset + size) of the execution arena
  /// The same, behind all of kind Arena: zero when a context is made, and left
  /// zero by every kernel that gets it.
  Zeroed = 5,
};
/// A place that kernels read or write. Offsets are multiples of 256 for the
/// arena and 64 for constants.
struct Buffer {
  BufferKind kind = BufferKind::Arena;
  TableIndex index = 0;
  uint64_t offset = 0, size = 0;
};

//===-- kernels -----------------------------------------------------------===//

enum class ImageKind : uint8_t {
  Cubin = 1,
  PTX = 2, ///< text, terminated by one NUL
  /// Position-independent host code: mapped as one block, read and execute.
  /// Entry points are byte offsets.
  HostCode = 3,
};
struct Image {
  ImageKind kind = ImageKind::HostCode;
  /// "sm_90a", or for host code the processor features it needs, as LLVM names
  /// them, joined by commas: "avx2,fma,f16c"; empty: any x86-64.
  std::string arch;
  /// Bytes of the image within `imageData`.
  uint64_t offset = 0, size = 0;
};

/// One entry point. A CUDA kernel is under `symbol` in the program's images of
/// each kind and architecture, in one of several that have the same; a host
/// kernel is at `entry` in the one HostCode image.
struct Kernel {
  std::string symbol;
  uint64_t entry = 0;
  /// Threads of a block (CUDA); {1,1,1} on the CPU.
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  /// Dynamic shared memory of a block (CUDA), or scratch bytes of a worker
  /// (CPU, 64-byte aligned).
  uint32_t scratchBytes = 0;
  /// Number and kinds of the parameters, as in Launch::args.
  std::vector<uint8_t> params;
  /// The plugin that this is the kernel of; empty for the program's own ones.
  std::string plugin = {};
  /// CPU: the plugin library that has this kernel, as the function `symbol` of
  /// tripy/plugin.h; empty for the program's own code. The runtime never looks
  /// for it: the caller loads it.
  std::string library = {};
};

//===-- launches ----------------------------------------------------------===//

enum class ArgKind : uint8_t {
  Buffer = 1,    ///< pointer to buffers[index]
  Size = 2,      ///< int64 value of exprs[index]
  TensorMap = 3, ///< 128-byte tensor map tensorMaps[index], by value (CUDA)
  // Of kernels that users bring:
  Size32 = 4,  ///< int32 value of exprs[index] (CUDA)
  Value32 = 5, ///< the low 32 bits of the constant exprs[index]
  Value64 = 6, ///< the 64 bits of the constant exprs[index]
};
/// Whether an argument of this kind is a number, an index into `exprs`.
constexpr bool isNumber(ArgKind kind) {
  return kind != ArgKind::Buffer && kind != ArgKind::TensorMap;
}
/// Whether a parameter of this kind has 32 bits.
constexpr bool is32Bit(ArgKind kind) {
  return kind == ArgKind::Size32 || kind == ArgKind::Value32;
}
struct Arg {
  ArgKind kind = ArgKind::Buffer;
  TableIndex index = 0;
};

/// What the kernel does to a buffer argument; `bytes` is an expression: the
/// bytes it may touch. Writing is allowed to outputs and arena only.
struct Access {
  bool reads = false, writes = false;
  TableIndex bytes = 0;
};

/// A tiled tensor map (cuTensorMapEncodeTiled). Innermost dimension first.
struct TensorMap {
  TableIndex buffer = 0;
  DType dtype = DType::F16;
  std::vector<TableIndex> dims;    ///< expressions: elements
  std::vector<TableIndex> strides; ///< expressions: bytes, of dims[1..]
  std::vector<uint32_t> box;
  uint8_t swizzle = 0; ///< 0, 32, 64 or 128 bytes
};

/// A product of matrices, which a launch computes with its kernel and which a
/// library may compute in its place: for each of `batch` matrices
///   result[m, n] = sum over k of A[m, k] * B[k, n] (+ bias[n])
/// Sums are made in f32 and rounded once, to `resultType`. All tensors are
/// dense: A is [batch, m, k], or [batch, k, m] where it is transposed; B is
/// [batch, k, n] or [batch, n, k]; the result is [batch, m, n], and the bias
/// [n] has its type. f16, bf16 and f32 operands have results of their type or
/// f32, f8E4M3FN operands f16, bf16 or f32.
struct MatrixProduct {
  /// Positions among the launch's arguments, which are buffers; no bias:
  /// noIndex.
  TableIndex a = 0, b = 0, result = 0, bias = noIndex;
  DType operandType = DType::F16, resultType = DType::F16;
  bool transposedA = false, transposedB = false;
  /// f32 operands may be rounded to TF32.
  bool allowTF32 = false;
  /// 1 to 2^31 - 1.
  int64_t batch = 1, m = 1, n = 1, k = 1;
};

/// What a term of a launch's work counts. Numbers are part of the executable
/// format.
enum class WorkKind : uint8_t {
  /// Bytes of access `access`, where they are fewer than Access::bytes.
  Touched = 1,
  /// Floating-point operations of element-wise code, reductions and scans.
  Arithmetic = 2,
  /// Two for each multiply-add of elements of `dtype`.
  Products = 3,
  /// The same of f32 that may be rounded to TF32.
  ProductsTF32 = 4,
};

/// `factor` times the product of `sizes`. Describes, and decides nothing.
struct WorkTerm {
  WorkKind kind = WorkKind::Arithmetic;
  DType dtype = DType::F32;
  TableIndex access = 0;
  uint64_t factor = 0;
  /// Expressions that are never negative.
  std::vector<TableIndex> sizes = {};
};

/// One kernel launch; launches run in order.
///
/// A CUDA kernel gets its args as kernel parameters in order. A host kernel is
///   void kernel(void *const *buffers, const int64_t *sizes, int64_t begin,
///               int64_t end, void *scratch)
/// with the Buffer args and the Size args in order; the runtime cuts the
/// grid[0] work items into ranges [begin, end) and runs them on its threads
/// (grid[1] and grid[2] are the constant 1). A function of a plugin library is
/// called once, with the Buffer args that are read only as operands, the others
/// as results, the Size args as sizes, and the Value args as the members of its
/// parameters. A grid of 0 launches nothing.
struct Launch {
  TableIndex kernel = 0;
  std::array<TableIndex, 3> grid = {0, 0, 0};
  std::vector<Arg> args;
  /// One entry for each Buffer or TensorMap argument, in order.
  std::vector<Access> accesses;
  /// Index of its row in `whys`.
  TableIndex why = noIndex;
  /// CUDA: may start before its predecessor ended (programmatic dependent
  /// launch); the kernel itself waits.
  bool overlapsPredecessor = false;
  /// CUDA: one of the program's first call, which may have several, each for
  /// other sizes: it waits for what ran before the program, and may overlap it.
  bool isOfFirstCall = false;
  /// CUDA: index of what a library may compute in the kernel's place, or
  /// noIndex. All that the launch writes is this product's result.
  TableIndex product = noIndex;
  /// What it has to do at least, besides touching what `accesses` say once; see
  /// Work.h.
  std::vector<WorkTerm> work = {};
};

//===-- provenance --------------------------------------------------------===//

/// A call on the way to a user line.
struct Frame {
  std::string file;
  uint32_t line = 0, column = 0;
  /// The function that the line is in ("main()"), or empty.
  std::string function;
  /// Index into `frames`, lower than this one's: who called that function.
  TableIndex caller = noIndex;
};
/// One user line that something comes from.
struct WhyLine {
  std::string file;
  uint32_t line = 0, column = 0;
  /// Operation as the user wrote it ("trace.linear"), and the reason of an
  /// inserted one ("broadcast the right operand of ..."), or empty.
  std::string operation, reason;
  /// As in Frame.
  std::string function = {};
  TableIndex caller = noIndex;
};
/// Why a launch, check, input or output exists.
struct WhyEntry {
  std::vector<WhyLine> lines;
};

//===-- program -----------------------------------------------------------===//

struct Program {
  DeviceKind device = DeviceKind::CPU;
  std::string name;
  std::vector<SizeSymbol> symbols;
  std::vector<SizeExpr> exprs;
  std::vector<SizeCheck> checks;
  std::vector<InputDescription> inputs;
  std::vector<OutputDescription> outputs;
  std::vector<Buffer> buffers;
  uint64_t arenaBytes = 0;
  std::vector<Kernel> kernels;
  std::vector<TensorMap> tensorMaps;
  std::vector<MatrixProduct> products;
  std::vector<Launch> launches;
  std::vector<Image> images;
  std::vector<Frame> frames;
  std::vector<WhyEntry> whys;

  /// Owned by whoever made the program (the compiler, or the mapped file).
  std::span<const uint8_t> imageData;
  std::span<const uint8_t> constants;
};

} // namespace tripy

#endif // TRIPY_BASE_PROGRAM_H

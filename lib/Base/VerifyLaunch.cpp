//===- VerifyLaunch.cpp - Rules of memory, kernels and launches -----------===//

#include "Verifier.h"
#include "tripy/Base/CheckedMath.h"

#include <algorithm>
#include <tuple>
#include <utility>

using namespace tripy;

//===-- memory ------------------------------------------------------------===//

static bool isInArena(const Buffer &buffer) {
  return buffer.kind == BufferKind::Arena || buffer.kind == BufferKind::Zeroed;
}

Status Verifier::checkBuffer(size_t number) {
  const Buffer &buffer = program.buffers[number];
  std::string what = concat("buffer ", number);
  if (buffer.kind == BufferKind::Input || buffer.kind == BufferKind::Output) {
    const std::vector<uint64_t> &bytes =
        buffer.kind == BufferKind::Input ? inputBytes : outputBytes;
    if (buffer.index >= bytes.size())
      return malformed(concat(what, ": the tensor must be one of ",
                              bytes.size(), ", but is ", buffer.index));
    if (buffer.kind == BufferKind::Input &&
        program.inputs[buffer.index].kind == InputKind::Size)
      return malformed(concat(what, ": input ", buffer.index,
                              " is a size, which kernels get by value"));
    if (buffer.offset != 0 || buffer.size != 0)
      return malformed(concat(what, ": an input or output has no offset and "
                                    "size of its own"));
    capacity.push_back(bytes[buffer.index]);
    return Status::ok();
  }
  bool arena = isInArena(buffer);
  if (!arena && buffer.kind != BufferKind::Constant)
    return malformed(concat(what, ": unknown kind ", unsigned(buffer.kind)));
  uint64_t total = arena ? program.arenaBytes : constantBytes;
  uint64_t alignment = arena ? 256 : 64;
  if (buffer.offset % alignment != 0)
    return malformed(concat(what, ": the offset must be a multiple of ",
                            alignment, ", but is ", buffer.offset));
  std::optional<uint64_t> end = checkedAdd(buffer.offset, buffer.size);
  if (!end || *end > total)
    return malformed(concat(what, ": must lie inside the ", total,
                            arena ? " bytes of the arena" : " constant bytes",
                            ", but has ", buffer.size, " at ", buffer.offset));
  capacity.push_back(buffer.size);
  return Status::ok();
}

Status Verifier::checkBuffers() {
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (Status status = checkBuffer(i); !status.isOk())
      return status;
  // What stays zero is nobody else's: a kernel may wait for it to change.
  uint64_t end = 0;
  for (const Buffer &buffer : program.buffers)
    if (buffer.kind == BufferKind::Arena)
      end = std::max(end, buffer.offset + buffer.size);
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (const Buffer &buffer = program.buffers[i];
        buffer.kind == BufferKind::Zeroed && buffer.offset < end)
      return malformed(concat("buffer ", i,
                              ": zeroed bytes must lie behind the ", end,
                              " bytes of other buffers in the arena, but are "
                              "at ",
                              buffer.offset));
  return Status::ok();
}

//===-- code --------------------------------------------------------------===//

/// "sm_90a", "compute_80".
static bool isCudaArch(std::string_view arch) {
  for (std::string_view prefix : {"sm_", "compute_"}) {
    if (!arch.starts_with(prefix))
      continue;
    std::string_view rest = arch.substr(prefix.size());
    if (!rest.empty() && (rest.back() == 'a' || rest.back() == 'f'))
      rest.remove_suffix(1);
    return (rest.size() == 2 || rest.size() == 3) &&
           std::all_of(rest.begin(), rest.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

/// Names such as "avx512-vnni" or "sse4.2", joined by commas.
static bool isFeatureList(std::string_view text) {
  bool nameEmpty = true;
  for (char c : text) {
    if (c == ',') {
      if (nameEmpty)
        return false;
      nameEmpty = true;
      continue;
    }
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
          c == '-' || c == '_'))
      return false;
    nameEmpty = false;
  }
  return text.empty() || !nameEmpty;
}

Status Verifier::checkImage(const Image &image, const std::string &what) const {
  bool host = image.kind == ImageKind::HostCode;
  if (!host && image.kind != ImageKind::Cubin && image.kind != ImageKind::PTX)
    return malformed(concat(what, ": unknown kind ", unsigned(image.kind)));
  if (host == isCuda())
    return malformed(
        concat(what, ": a program for the ",
               isCuda() ? "GPU has no host code" : "CPU has host code only"));
  if (image.arch.size() > limits.nameBytes ||
      !(host ? isFeatureList(image.arch) : isCudaArch(image.arch)))
    return malformed(concat(what, ": '", printable(image.arch),
                            host ? "' is no list of processor features"
                                 : "' is no GPU architecture like sm_90a"));
  std::optional<uint64_t> end = checkedAdd(image.offset, image.size);
  if (!end || *end > program.imageData.size() || image.size == 0)
    return malformed(concat(what, ": must have bytes inside the ",
                            program.imageData.size(),
                            " of all images, but "
                            "has ",
                            image.size, " at ", image.offset));
  if (image.kind == ImageKind::PTX) {
    auto text = program.imageData.subspan(image.offset, image.size);
    if (std::find(text.begin(), text.end(), 0) != text.end() - 1)
      return malformed(concat(what, ": PTX must end with its only zero byte"));
  }
  return Status::ok();
}

Status Verifier::checkImages() const {
  std::vector<std::pair<uint64_t, uint64_t>> intervals;
  for (size_t i = 0; i < program.images.size(); ++i) {
    const Image &image = program.images[i];
    if (Status status = checkImage(image, concat("image ", i)); !status.isOk())
      return status;
    intervals.push_back({image.offset, image.size});
  }
  std::sort(intervals.begin(), intervals.end());
  for (size_t i = 1; i < intervals.size(); ++i)
    if (intervals[i - 1].first + intervals[i - 1].second > intervals[i].first)
      return malformed(
          concat("images may not overlap, but two do at ", intervals[i].first));
  if (!isCuda() && program.images.size() > 1)
    return malformed(concat("a program for the CPU has one image, but here "
                            "are ",
                            program.images.size()));
  bool needsImage =
      std::any_of(program.kernels.begin(), program.kernels.end(),
                  [](const Kernel &kernel) { return kernel.library.empty(); });
  if (needsImage && program.images.empty())
    return malformed("a program with kernels must have an image");
  return Status::ok();
}

/// Blocks and clusters that every CUDA device since sm_90 can run; the CPU has
/// neither.
static bool isBlockValid(const Kernel &kernel, bool cuda) {
  std::array<uint32_t, 3> one = {1, 1, 1};
  if (!cuda)
    return kernel.block == one && kernel.cluster == one;
  uint64_t threads = 1, blocks = 1;
  for (int i = 0; i < 3; ++i) {
    if (kernel.block[i] == 0 || kernel.block[i] > (i == 2 ? 64u : 1024u) ||
        kernel.cluster[i] == 0 || kernel.cluster[i] > 16)
      return false;
    threads *= kernel.block[i];
    blocks *= kernel.cluster[i];
  }
  return threads <= 1024 && blocks <= 16;
}

/// The runtime finds a plugin's function by the names of library and symbol.
Status Verifier::checkLibrary(const Kernel &kernel,
                              const std::string &what) const {
  if (Status status = checkText(kernel.plugin, limits.nameBytes,
                                concat(what, ": the plugin"));
      !status.isOk())
    return status;
  if (kernel.library.empty())
    return Status::ok();
  if (isCuda() || kernel.entry != 0 || kernel.scratchBytes != 0)
    return malformed(concat(what,
                            ": a function of a plugin library is for the CPU, "
                            "and has no entry and no scratch memory, but has ",
                            kernel.entry, " and ", kernel.scratchBytes));
  return checkText(kernel.library, limits.nameBytes,
                   concat(what, ": the library"));
}

Status Verifier::checkKernel(const Kernel &kernel,
                             const std::string &what) const {
  if (!isBlockValid(kernel, isCuda()))
    return malformed(concat(
        what, ": ",
        isCuda() ? "a block has 1 to 1024 threads and a cluster 1 to 16 blocks"
                 : "block and cluster must be 1 on the CPU",
        ", but the block is ", kernel.block[0], " x ", kernel.block[1], " x ",
        kernel.block[2], " and the cluster ", kernel.cluster[0], " x ",
        kernel.cluster[1], " x ", kernel.cluster[2]));
  uint32_t scratch = isCuda() ? limits.sharedBytes : limits.hostScratchBytes;
  if (kernel.scratchBytes > scratch)
    return Status(Code::LimitExceeded,
                  concat(what, ": scratch memory may be at most ", scratch,
                         " bytes, but is ", kernel.scratchBytes));
  if (Status status = checkLibrary(kernel, what); !status.isOk())
    return status;
  bool isPlugin = !kernel.library.empty();
  if (!isCuda() && !isPlugin && kernel.entry >= program.images[0].size)
    return malformed(concat(what, ": the entry must lie inside the ",
                            program.images[0].size, " bytes of code, but is ",
                            kernel.entry));
  if (isCuda() && kernel.entry != 0)
    return malformed(concat(what,
                            ": a GPU kernel is found by name, but has "
                            "the entry ",
                            kernel.entry));
  if (kernel.params.size() > limits.arguments)
    return Status(Code::LimitExceeded,
                  concat(what, ": may have at most ", limits.arguments,
                         " parameters, but has ", kernel.params.size()));
  uint64_t bytes = 0;
  for (uint8_t param : kernel.params) {
    auto kind = ArgKind(param);
    bool isValue = kind == ArgKind::Value32 || kind == ArgKind::Value64;
    bool isCudaOnly = kind == ArgKind::TensorMap || kind == ArgKind::Size32;
    if (kind != ArgKind::Buffer && kind != ArgKind::Size &&
        !(isCudaOnly && isCuda()) && !(isValue && (isCuda() || isPlugin)))
      return malformed(
          concat(what, ": unknown kind of parameter ", unsigned(param)));
    // A tensor map is 128 bytes at a multiple of 64.
    uint64_t size = is32Bit(kind) ? 4 : 8;
    bytes = kind == ArgKind::TensorMap ? *checkedAlignUp(bytes, 64) + 128
                                       : *checkedAlignUp(bytes, size) + size;
  }
  if (isCuda() && bytes > 4096)
    return Status(Code::LimitExceeded,
                  concat(what,
                         ": parameters may have at most 4096 bytes, but "
                         "have ",
                         bytes));
  return Status::ok();
}

Status Verifier::checkKernels() const {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    if (Status status = checkKernel(program.kernels[i], concat("kernel ", i));
        !status.isOk())
      return status;
    names.push_back(program.kernels[i].symbol);
  }
  return checkNames(names, "entry point");
}

//===-- tensor maps -------------------------------------------------------===//

Status Verifier::checkTensorMap(size_t number) const {
  const TensorMap &map = program.tensorMaps[number];
  std::string what = concat("tensor map ", number);
  if (map.buffer >= program.buffers.size())
    return malformed(concat(what, ": the buffer must be one of ",
                            program.buffers.size(), ", but is ", map.buffer));
  if (!findDTypeInfo(map.dtype))
    return malformed(
        concat(what, ": unknown element type ", unsigned(map.dtype)));
  if (isPacked(map.dtype))
    return malformed(concat(what, ": elements of ", dtypeName(map.dtype),
                            " have no addresses of their own"));
  size_t rank = map.dims.size();
  if (rank < 1 || rank > 5 || map.strides.size() != rank - 1 ||
      map.box.size() != rank)
    return malformed(concat(what,
                            ": must have 1 to 5 dimensions, one stride "
                            "less and as many box sizes, but has ",
                            rank, ", ", map.strides.size(), " and ",
                            map.box.size()));
  for (uint32_t size : map.box)
    if (size < 1 || size > 256)
      return malformed(
          concat(what, ": box sizes must be 1 to 256, but one is ", size));
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    return malformed(concat(what,
                            ": the swizzle must be 0, 32, 64 or 128, "
                            "but is ",
                            unsigned(map.swizzle)));
  for (const std::vector<TableIndex> *list : {&map.dims, &map.strides})
    for (TableIndex expr : *list) {
      Interval bound;
      if (Status status = boundOf(expr, what, bound); !status.isOk())
        return status;
      if (bound.lo < 0 || bound.hi > maxDimension)
        return malformed(concat(what,
                                ": sizes and strides must be 0 to "
                                "2^40 - 1, but one may be from ",
                                bound.lo, " to ", bound.hi));
    }
  return Status::ok();
}

Status Verifier::checkTensorMaps() const {
  if (!isCuda() && !program.tensorMaps.empty())
    return malformed("a program for the CPU has no tensor maps");
  for (size_t i = 0; i < program.tensorMaps.size(); ++i)
    if (Status status = checkTensorMap(i); !status.isOk())
      return status;
  return Status::ok();
}

/// Bytes that a tensor map covers from the start of its buffer for sizes given
/// by `valueOf`; none on overflow.
template <typename ValueOf>
static std::optional<uint64_t> tensorMapExtent(const TensorMap &map,
                                               ValueOf valueOf) {
  std::optional<uint64_t> extent =
      checkedMul<uint64_t>(valueOf(map.dims[0]), dtypeSize(map.dtype));
  for (size_t i = 1; i < map.dims.size() && extent; ++i) {
    uint64_t size = valueOf(map.dims[i]);
    if (size == 0)
      return 0;
    std::optional<uint64_t> step =
        checkedMul<uint64_t>(size - 1, valueOf(map.strides[i - 1]));
    extent = step ? checkedAdd(*extent, *step) : std::nullopt;
  }
  return extent;
}

//===-- launches ----------------------------------------------------------===//

Status Verifier::checkGrid(const Launch &launch,
                           const std::string &what) const {
  for (int i = 0; i < 3; ++i) {
    Interval bound;
    if (Status status = boundOf(launch.grid[i], what, bound); !status.isOk())
      return status;
    int64_t lowest = !isCuda() && i > 0 ? 1 : 0;
    int64_t highest = isCuda() ? (i == 0 ? 0x7fffffff : 65535)
                               : (i == 0 ? int64_t(1) << 62 : 1);
    if (bound.lo < lowest || bound.hi > highest)
      return malformed(concat(what, ": grid size ", i, " must be ", lowest,
                              " to ", highest, ", but may be from ", bound.lo,
                              " to ", bound.hi));
    // A grid is made of whole clusters.
    uint32_t cluster = program.kernels[launch.kernel].cluster[i];
    if (cluster > 1 && bound.isPoint() && bound.lo % cluster != 0)
      return malformed(concat(what, ": grid size ", i,
                              " must be a multiple of "
                              "the cluster's ",
                              cluster, ", but is ", bound.lo));
  }
  return Status::ok();
}

Status Verifier::checkAccess(const Launch &launch, size_t access,
                             TableIndex buffer, const std::string &what) {
  const Access &use = launch.accesses[access];
  BufferKind kind = program.buffers[buffer].kind;
  bool inArena = isInArena(program.buffers[buffer]);
  if (use.writes && kind != BufferKind::Output && !inArena)
    return malformed(concat(what,
                            ": may write outputs and the arena only, "
                            "but writes buffer ",
                            buffer));
  if (!use.reads && !use.writes)
    return malformed(
        concat(what, ": neither reads nor writes buffer ", buffer));
  Interval bound;
  if (Status status = boundOf(use.bytes, what, bound); !status.isOk())
    return status;
  if (bound.lo < 0)
    return malformed(concat(what,
                            ": bytes touched may not be negative, but "
                            "may be ",
                            bound.lo));
  // Sizes of inputs and outputs change with the same symbols as the bytes
  // touched; ranges alone cannot compare them. checkAccesses() does.
  bool fixed = inArena || kind == BufferKind::Constant;
  if (fixed && uint64_t(bound.hi) > capacity[buffer])
    return malformed(concat(what, ": may touch at most the ", capacity[buffer],
                            " bytes of buffer ", buffer, ", but touches up to ",
                            bound.hi));
  if (use.writes && kind == BufferKind::Output)
    outputWritten[program.buffers[buffer].index] = true;
  return Status::ok();
}

/// A number of 32 bits has these bits, whatever the sizes are; a value is the
/// same for all sizes.
Status Verifier::checkNumber(const Arg &arg, const std::string &what) const {
  Interval bound = bounds[arg.index];
  if (is32Bit(arg.kind) && (bound.lo < INT32_MIN || bound.hi > INT32_MAX))
    return malformed(concat(what, " must fit 32 bits, but may be from ",
                            bound.lo, " to ", bound.hi));
  bool isValue = arg.kind == ArgKind::Value32 || arg.kind == ArgKind::Value64;
  if (isValue && program.exprs[arg.index].op != SizeOp::Constant)
    return malformed(
        concat(what, " must be a constant, but is expression ", arg.index));
  return Status::ok();
}

Status Verifier::checkArgs(const Launch &launch, const std::string &what) {
  const Kernel &kernel = program.kernels[launch.kernel];
  if (launch.args.size() != kernel.params.size())
    return malformed(concat(what, ": the kernel takes ", kernel.params.size(),
                            " arguments, but gets ", launch.args.size()));
  launchBuffers.clear();
  for (size_t i = 0; i < launch.args.size(); ++i) {
    const Arg &arg = launch.args[i];
    if (uint8_t(arg.kind) != kernel.params[i])
      return malformed(concat(what, ": argument ", i, " must be of kind ",
                              unsigned(kernel.params[i]), ", but is of ",
                              unsigned(arg.kind)));
    size_t count = arg.kind == ArgKind::Buffer ? program.buffers.size()
                   : isNumber(arg.kind)        ? program.exprs.size()
                                               : program.tensorMaps.size();
    if (arg.index >= count)
      return malformed(concat(what, ": argument ", i, " must be one of ", count,
                              ", but is ", arg.index));
    if (!isNumber(arg.kind))
      launchBuffers.push_back(argumentBuffer(program, arg));
    else if (Status status = checkNumber(arg, concat(what, ": argument ", i));
             !status.isOk())
      return status;
  }
  if (launch.accesses.size() != launchBuffers.size())
    return malformed(concat(what, ": must have an access for each of ",
                            launchBuffers.size(), " buffer arguments, but has ",
                            launch.accesses.size()));
  for (size_t i = 0; i < launchBuffers.size(); ++i)
    if (Status status = checkAccess(launch, i, launchBuffers[i], what);
        !status.isOk())
      return status;
  return Status::ok();
}

/// Kernels are compiled for arguments that do not alias: what one argument
/// writes, no other one may touch. The tensor maps of a pointer's buffer belong
/// to that argument.
Status Verifier::checkAliases(const Launch &launch,
                              const std::string &what) const {
  struct Span {
    uint64_t space, begin, end;
    bool writes;
    TableIndex buffer;
    bool isMap;
    bool operator<(const Span &other) const {
      return std::tie(space, begin) < std::tie(other.space, other.begin);
    }
  };
  std::vector<Span> spans;
  bool anyWrite = false;
  size_t i = 0;
  for (const Arg &arg : launch.args) {
    if (isNumber(arg.kind))
      continue;
    const Access &access = launch.accesses[i];
    TableIndex number = launchBuffers[i++];
    const Buffer &buffer = program.buffers[number];
    uint64_t bytes = uint64_t(bounds[access.bytes].hi);
    anyWrite |= access.writes;
    if (bytes == 0)
      continue;
    bool isMap = arg.kind == ArgKind::TensorMap;
    auto pointer = std::find_if(spans.begin(), spans.end(), [&](Span &span) {
      return isMap && !span.isMap && span.buffer == number;
    });
    if (pointer != spans.end()) {
      pointer->end = std::max(pointer->end, buffer.offset + bytes);
      pointer->writes |= access.writes;
      continue;
    }
    uint64_t space = uint64_t(buffer.kind) << 32 | buffer.index;
    if (isInArena(buffer) || buffer.kind == BufferKind::Constant)
      space = uint64_t(buffer.kind) << 32;
    spans.push_back({space, buffer.offset, buffer.offset + bytes, access.writes,
                     number, isMap});
  }
  if (!anyWrite)
    return malformed(concat(what, ": must write something"));
  std::sort(spans.begin(), spans.end());
  // The furthest end so far in this space, of any argument and of writers.
  uint64_t end = 0, writtenEnd = 0;
  for (i = 0; i < spans.size(); ++i) {
    if (i == 0 || spans[i].space != spans[i - 1].space)
      end = writtenEnd = 0;
    if (spans[i].begin < (spans[i].writes ? end : writtenEnd))
      return malformed(concat(what,
                              ": memory that one argument writes is "
                              "touched by another one, at ",
                              spans[i].begin));
    end = std::max(end, spans[i].end);
    if (spans[i].writes)
      writtenEnd = std::max(writtenEnd, spans[i].end);
  }
  return Status::ok();
}

Status Verifier::checkLaunches() {
  outputWritten.assign(program.outputs.size(), false);
  for (size_t i = 0; i < program.launches.size(); ++i) {
    const Launch &launch = program.launches[i];
    std::string what = concat("launch ", i);
    if (launch.kernel >= program.kernels.size())
      return malformed(concat(what, ": the kernel must be one of ",
                              program.kernels.size(), ", but is ",
                              launch.kernel));
    for (Status status : {checkGrid(launch, what), checkArgs(launch, what),
                          checkWhy(launch.why, what)})
      if (!status.isOk())
        return status;
    if (Status status = checkAliases(launch, what); !status.isOk())
      return status;
    if (Status status = checkLaunchProduct(launch, what); !status.isOk())
      return status;
    if (Status status = checkWork(launch, what); !status.isOk())
      return status;
  }
  for (size_t i = 0; i < program.outputs.size(); ++i)
    if (!outputWritten[i] && outputBytes[i] > 0)
      return malformed(concat("output ", i, ": must be written by a launch"));
  return Status::ok();
}

//===-- at run time -------------------------------------------------------===//

Status tripy::checkAccesses(const Program &program,
                            std::span<const int64_t> sizes) {
  auto valueOf = [&](TableIndex expr) { return uint64_t(sizes[expr]); };
  auto refuse = [](size_t launch, std::string_view what, uint64_t allowed,
                   uint64_t found) {
    return Status(Code::Malformed,
                  concat("launch ", launch, ": ", what, " at most the ",
                         allowed, " bytes, but touches ", found));
  };
  for (size_t i = 0; i < program.launches.size(); ++i) {
    const Launch &launch = program.launches[i];
    size_t access = 0;
    for (const Arg &arg : launch.args) {
      if (isNumber(arg.kind))
        continue;
      const Buffer &buffer = program.buffers[argumentBuffer(program, arg)];
      uint64_t touched = valueOf(launch.accesses[access++].bytes);
      uint64_t available = buffer.size;
      if (buffer.kind == BufferKind::Input) {
        const InputDescription &input = program.inputs[buffer.index];
        available = tensorBytes(input.dtype, input.dims, sizes);
      } else if (buffer.kind == BufferKind::Output) {
        const OutputDescription &output = program.outputs[buffer.index];
        available = tensorBytes(output.dtype, output.dims, sizes);
      }
      if (touched > available)
        return refuse(i, "may touch of a tensor", available, touched);
      if (arg.kind != ArgKind::TensorMap)
        continue;
      uint64_t extent = tensorMapExtent(program.tensorMaps[arg.index], valueOf)
                            .value_or(UINT64_MAX);
      if (extent > touched)
        return refuse(i, "a tensor map covers", touched, extent);
    }
  }
  return Status::ok();
}

//===- PlanCodec.h - The records of an executable's plan --------*- C++ -*-===//
//
// One description of each record, from which both directions follow: an
// Encoder appends to bytes, a Decoder reads checked bytes. Numbers are little
// endian; lists and texts start with a 32-bit count. Private to lib/Base.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_BASE_PLANCODEC_H
#define TRIPY_LIB_BASE_PLANCODEC_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"
#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tripy::plan {

/// The unsigned integer that holds a field of type T.
template <typename T> struct Raw {
  using type = std::make_unsigned_t<T>;
};
template <typename T>
  requires std::is_enum_v<T>
struct Raw<T> {
  using type = std::make_unsigned_t<std::underlying_type_t<T>>;
};

/// Appends records to `bytes`. Remembers the first list or text over its limit.
class Encoder {
public:
  explicit Encoder(std::vector<uint8_t> &bytes) : bytes(bytes) {}
  const Status &status() const { return failure; }

  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void field(const T &value) {
    auto raw = static_cast<typename Raw<T>::type>(value);
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes.push_back(uint8_t(uint64_t(raw) >> (8 * i)));
  }
  void field(const bool &value) { bytes.push_back(value ? 1 : 0); }

  void text(const std::string &value, uint32_t limit, const char *what) {
    count(value.size(), limit, what);
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  template <typename T, typename Each>
  void list(const std::vector<T> &values, uint32_t limit, const char *what,
            Each each) {
    count(values.size(), limit, what);
    // The descriptions take mutable records for the Decoder's sake; an Encoder
    // only reads them.
    for (const T &value : values)
      each(*this, const_cast<T &>(value));
  }

private:
  void count(size_t size, uint32_t limit, const char *what) {
    if (size > limit && failure.isOk())
      failure = Status(Code::LimitExceeded, concat("at most ", limit, " ", what,
                                                   " are allowed, but there "
                                                   "are ",
                                                   size));
    field(uint32_t(size));
  }

  std::vector<uint8_t> &bytes;
  Status failure;
};

/// Reads records from `bytes`. After the first failure everything reads as
/// zero and lists are empty. Memory grows with the bytes read, never with a
/// count alone.
class Decoder {
public:
  explicit Decoder(std::span<const uint8_t> bytes) : bytes(bytes) {}
  const Status &status() const { return failure; }
  bool atEnd() const { return position == bytes.size(); }

  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void field(T &value) {
    uint64_t raw = 0;
    if (take(sizeof(T)))
      for (size_t i = 0; i < sizeof(T); ++i)
        raw |= uint64_t(bytes[position - sizeof(T) + i]) << (8 * i);
    value = static_cast<T>(static_cast<typename Raw<T>::type>(raw));
  }
  void field(bool &value) {
    uint8_t raw = 0;
    field(raw);
    if (raw > 1)
      fail(Code::Malformed, concat("a flag must be 0 or 1, but is ", raw));
    value = raw == 1;
  }

  void text(std::string &value, uint32_t limit, const char *what) {
    uint32_t size = count(limit, what);
    if (take(size))
      value.assign(
          reinterpret_cast<const char *>(bytes.data() + position - size), size);
  }
  template <typename T, typename Each>
  void list(std::vector<T> &values, uint32_t limit, const char *what,
            Each each) {
    uint32_t size = count(limit, what);
    for (uint32_t i = 0; i < size && failure.isOk(); ++i)
      each(*this, values.emplace_back());
  }

private:
  bool take(size_t size) {
    if (!failure.isOk())
      return false;
    if (bytes.size() - position < size) {
      fail(Code::Malformed, "the plan ends inside a record");
      return false;
    }
    position += size;
    return size > 0;
  }
  uint32_t count(uint32_t limit, const char *what) {
    uint32_t size = 0;
    field(size);
    if (size > limit) {
      fail(Code::LimitExceeded, concat("at most ", limit, " ", what,
                                       " are allowed, but there are ", size));
      return 0;
    }
    return size;
  }
  void fail(Code code, std::string message) {
    if (failure.isOk())
      failure = Status(code, std::move(message));
  }

  std::span<const uint8_t> bytes;
  size_t position = 0;
  Status failure;
};

inline constexpr ProgramLimits limits = {};

/// Writes or reads one plain number of a list.
inline constexpr auto number = [](auto &codec, auto &value) {
  codec.field(value);
};

template <typename Codec> void describe(Codec &codec, SizeSymbol &record) {
  codec.field(record.input);
  codec.field(record.dim);
  codec.field(record.min);
  codec.field(record.opt);
  codec.field(record.max);
  codec.text(record.name, limits.nameBytes, "bytes of a dimension name");
}

template <typename Codec> void describe(Codec &codec, SizeExpr &record) {
  codec.field(record.op);
  codec.field(record.a);
  codec.field(record.b);
  codec.field(record.value);
}

template <typename Codec> void describe(Codec &codec, SizeCheck &record) {
  codec.field(record.kind);
  codec.field(record.a);
  codec.field(record.b);
  codec.text(record.message, limits.textBytes, "bytes of a message");
  codec.field(record.why);
  codec.list(record.operands, limits.arguments, "operands of a check", number);
}

template <typename Codec>
void describe(Codec &codec, InputDescription &record) {
  codec.text(record.name, limits.nameBytes, "bytes of an input name");
  codec.field(record.kind);
  codec.field(record.dtype);
  codec.list(record.dims, limits.rank, "dimensions of an input", number);
  codec.field(record.why);
  codec.text(record.path, limits.nameBytes, "bytes of an input's path");
}

template <typename Codec>
void describe(Codec &codec, OutputDescription &record) {
  codec.text(record.name, limits.nameBytes, "bytes of an output name");
  codec.field(record.dtype);
  codec.list(record.dims, limits.rank, "dimensions of an output", number);
  codec.field(record.why);
}

template <typename Codec> void describe(Codec &codec, Buffer &record) {
  codec.field(record.kind);
  codec.field(record.index);
  codec.field(record.offset);
  codec.field(record.size);
}

template <typename Codec> void describe(Codec &codec, Image &record) {
  codec.field(record.kind);
  codec.text(record.arch, limits.nameBytes, "bytes of an architecture");
  codec.field(record.offset);
  codec.field(record.size);
}

template <typename Codec> void describe(Codec &codec, Kernel &record) {
  codec.text(record.symbol, limits.nameBytes, "bytes of a kernel name");
  codec.field(record.entry);
  for (uint32_t &size : record.block)
    codec.field(size);
  for (uint32_t &size : record.cluster)
    codec.field(size);
  codec.field(record.scratchBytes);
  codec.list(record.params, limits.arguments, "parameters of a kernel", number);
  codec.text(record.plugin, limits.nameBytes, "bytes of a plugin's name");
  codec.text(record.library, limits.nameBytes, "bytes of a library's name");
}

template <typename Codec> void describe(Codec &codec, TensorMap &record) {
  codec.field(record.buffer);
  codec.field(record.dtype);
  codec.list(record.dims, limits.rank, "dimensions of a tensor map", number);
  codec.list(record.strides, limits.rank, "strides of a tensor map", number);
  codec.list(record.box, limits.rank, "box sizes of a tensor map", number);
  codec.field(record.swizzle);
}

template <typename Codec> void describe(Codec &codec, Arg &record) {
  codec.field(record.kind);
  codec.field(record.index);
}

template <typename Codec> void describe(Codec &codec, Access &record) {
  codec.field(record.reads);
  codec.field(record.writes);
  codec.field(record.bytes);
}

/// Any record of a list.
inline constexpr auto record = [](auto &codec, auto &value) {
  describe(codec, value);
};

template <typename Codec> void describe(Codec &codec, MatrixProduct &product) {
  for (TableIndex *position :
       {&product.a, &product.b, &product.result, &product.bias})
    codec.field(*position);
  codec.field(product.operandType);
  codec.field(product.resultType);
  for (bool *flag :
       {&product.transposedA, &product.transposedB, &product.allowTF32})
    codec.field(*flag);
  for (int64_t *size : {&product.batch, &product.m, &product.n, &product.k})
    codec.field(*size);
}

template <typename Codec> void describe(Codec &codec, WorkTerm &term) {
  codec.field(term.kind);
  codec.field(term.dtype);
  codec.field(term.access);
  codec.field(term.factor);
  codec.list(term.sizes, limits.workSizes, "sizes of a term of work", number);
}

template <typename Codec> void describe(Codec &codec, Launch &launch) {
  codec.field(launch.kernel);
  for (TableIndex &size : launch.grid)
    codec.field(size);
  codec.list(launch.args, limits.arguments, "arguments of a launch", record);
  codec.list(launch.accesses, limits.arguments, "accesses of a launch", record);
  codec.field(launch.why);
  codec.field(launch.overlapsPredecessor);
  codec.field(launch.isOfFirstCall);
  codec.field(launch.product);
  codec.list(launch.work, limits.arguments, "terms of a launch's work", record);
}

/// What frames and lines have in common.
template <typename Codec, typename Place>
void describePlace(Codec &codec, Place &place) {
  codec.text(place.file, limits.textBytes, "bytes of a file name");
  codec.field(place.line);
  codec.field(place.column);
  codec.text(place.function, limits.textBytes, "bytes of a function");
  codec.field(place.caller);
}

template <typename Codec> void describe(Codec &codec, Frame &frame) {
  describePlace(codec, frame);
}

template <typename Codec> void describe(Codec &codec, WhyLine &line) {
  describePlace(codec, line);
  codec.text(line.operation, limits.textBytes, "bytes of an operation");
  codec.text(line.reason, limits.textBytes, "bytes of a reason");
}

template <typename Codec> void describe(Codec &codec, WhyEntry &why) {
  codec.list(why.lines, limits.whyLines, "lines of a why", record);
}

/// The plan section: everything but whys, image bytes and constants.
template <typename Codec> void describe(Codec &codec, Program &program) {
  codec.field(program.device);
  codec.text(program.name, limits.nameBytes, "bytes of the program's name");
  codec.field(program.arenaBytes);
  codec.list(program.symbols, limits.symbols, "symbols", record);
  codec.list(program.exprs, limits.exprs, "size expressions", record);
  codec.list(program.checks, limits.checks, "checks", record);
  codec.list(program.inputs, limits.tensors, "inputs", record);
  codec.list(program.outputs, limits.tensors, "outputs", record);
  codec.list(program.buffers, limits.tensors, "buffers", record);
  codec.list(program.images, limits.images, "images", record);
  codec.list(program.kernels, limits.kernels, "kernels", record);
  codec.list(program.tensorMaps, limits.tensors, "tensor maps", record);
  codec.list(program.products, limits.tensors, "products", record);
  codec.list(program.launches, limits.launches, "launches", record);
}

template <typename Codec> void describeWhys(Codec &codec, Program &program) {
  codec.list(program.frames, limits.frames, "frames", record);
  codec.list(program.whys, limits.whys, "whys", record);
}

} // namespace tripy::plan

#endif // TRIPY_LIB_BASE_PLANCODEC_H

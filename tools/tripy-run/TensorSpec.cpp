//===- TensorSpec.cpp - Tensors named on the command line -----------------===//

#include "TensorSpec.h"
#include "Options.h"
#include "tripy/Base/Float.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/IO/Npy.h"
#include "tripy/Runtime/IO/SafeTensors.h"

#include <charconv>
#include <cmath>
#include <numbers>

using namespace tripy;
using namespace tripy::run;
using runtime::HostTensor;
using runtime::Shape;
using runtime::TensorView;

static Status badSpec(std::string message) {
  return Status(Code::InvalidArgument, std::move(message));
}

//===-- files -------------------------------------------------------------===//

/// Splits "path.ext:key" after the extension; the path may contain colons.
static bool splitKey(std::string_view text, std::string_view extension,
                     std::string_view &path, std::string_view &key) {
  size_t found = text.rfind(concat(extension, ":"));
  if (found != std::string_view::npos) {
    path = text.substr(0, found + extension.size());
    key = text.substr(found + extension.size() + 1);
    return true;
  }
  path = text;
  key = {};
  return text.ends_with(extension);
}

std::string run::fileOf(std::string_view spec) {
  if (!spec.starts_with("@"))
    return "";
  std::string_view path, key;
  for (std::string_view extension : {".safetensors", ".npz"})
    if (splitKey(spec.substr(1), extension, path, key))
      break;
  return std::string(path);
}

Result<HostTensor> run::readTensor(std::string_view spec, DType dtype,
                                   const TensorCheck &check) {
  std::string_view text = spec.substr(1), path, key;
  auto named = [&](Status status) -> Status {
    return std::move(status).withContext(
        concat("'", printable(path, 1024), "'"));
  };
  if (splitKey(text, ".safetensors", path, key)) {
    if (key.empty())
      return badSpec(concat("a tensor of a safetensors file must be named, as "
                            "in '@",
                            printable(path), ":key'"));
    Result<io::SafeTensors> file = io::SafeTensors::open(std::string(path));
    if (!file)
      return named(file.status());
    Result<TensorView> declared = file->describe(key);
    if (!declared)
      return named(declared.status());
    if (check)
      if (Status status = check(declared->dtype, declared->shape);
          !status.isOk())
        return status;
    Result<HostTensor> tensor = file->read(key);
    return tensor ? std::move(tensor)
                  : Result<HostTensor>(named(tensor.status()));
  }
  io::NpyOptions options;
  options.check = check;
  options.rawType = dtype;
  if (splitKey(text, ".npz", path, key)) {
    if (key.empty())
      return badSpec(concat("an array of a .npz file must be named, as in '@",
                            printable(path), ":key'"));
    Result<io::Npz> file = io::Npz::open(std::string(path));
    if (!file)
      return named(file.status());
    Result<HostTensor> tensor = file->read(key, options);
    return tensor ? std::move(tensor)
                  : Result<HostTensor>(named(tensor.status()));
  }
  if (!text.ends_with(".npy"))
    return badSpec(concat("a tensor file must be .npy, .npz:key or "
                          ".safetensors:key, but is '",
                          printable(text), "'"));
  path = text;
  Result<HostTensor> tensor = io::readNpy(std::string(text), options);
  return tensor ? std::move(tensor)
                : Result<HostTensor>(named(tensor.status()));
}

//===-- shapes and values -------------------------------------------------===//

/// Reads "2x3x" from the front of `text`; stops at the first part that is no
/// number.
static Result<Shape> takeShape(std::string_view &text) {
  Shape shape;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    size_t end = text.find('x');
    std::string_view part = text.substr(0, end);
    Result<uint64_t> size =
        parseUnsigned(part, 0, (uint64_t(1) << 40) - 1, "a size of a shape");
    if (!size)
      return size.status();
    if (shape.rank() == runtime::maxRank)
      return badSpec(
          concat("a shape may have at most ", runtime::maxRank, " sizes"));
    shape.push(int64_t(*size));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return shape;
}

/// Parses one element of a literal tensor and stores it.
static Status storeText(HostTensor &tensor, uint64_t index,
                        std::string_view text) {
  const char *begin = text.data(), *end = begin + text.size();
  DTypeClass cls = dtypeInfo(tensor.dtype()).cls;
  if (tensor.dtype() == DType::I64) {
    // Doubles do not hold every int64.
    int64_t value = 0;
    auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && stop == end) {
      tensor.as<int64_t>()[index] = value;
      return Status::ok();
    }
  } else if (cls == DTypeClass::Bool && (text == "true" || text == "false")) {
    storeFromDouble(tensor.dtype(), tensor.data(), index, text == "true");
    return Status::ok();
  } else {
    double value = 0;
    auto [stop, error] = std::from_chars(begin, end, value);
    bool good = error == std::errc() && stop == end;
    if (good && cls != DTypeClass::Float) {
      // Whole, and unchanged by the element type.
      storeFromDouble(tensor.dtype(), tensor.data(), index, value);
      good = loadAsDouble(tensor.dtype(), tensor.data(), index) == value;
    }
    if (good) {
      storeFromDouble(tensor.dtype(), tensor.data(), index, value);
      return Status::ok();
    }
  }
  return badSpec(concat("element ", index, " must be a value of type ",
                        dtypeName(tensor.dtype()), ", but is '",
                        printable(text), "'"));
}

/// "2x3xf32=1,2,3,4,5,6".
static Result<HostTensor> makeLiteral(std::string_view spec) {
  size_t equals = spec.find('=');
  std::string_view type = spec.substr(0, equals);
  std::string_view values = spec.substr(equals + 1);
  Result<Shape> shape = takeShape(type);
  if (!shape)
    return shape.status();
  std::optional<DType> dtype = findDType(type, &DTypeInfo::mlir);
  if (!dtype)
    return badSpec(
        concat("a literal tensor must look like 2x3xf32=1,2,3,4,5,6, "
               "but '",
               printable(type), "' is no element type"));
  std::optional<uint64_t> count = shape->elements();
  // Each element takes a character at least: a shape alone cannot ask for
  // memory.
  uint64_t given = values.empty() ? 0 : 1;
  for (char c : values)
    given += c == ',';
  if (!count || given != *count)
    return badSpec(concat("a tensor of shape ", shape->str(), " must have ",
                          count.value_or(UINT64_MAX), " elements, but has ",
                          given));
  Result<HostTensor> tensor = HostTensor::create(*dtype, *shape);
  if (!tensor)
    return tensor;
  for (uint64_t i = 0; i < given; ++i) {
    size_t comma = values.find(',');
    if (Status status = storeText(*tensor, i, values.substr(0, comma));
        !status.isOk())
      return status;
    values.remove_prefix(comma == std::string_view::npos ? values.size()
                                                         : comma + 1);
  }
  return tensor;
}

namespace {

/// Standard normal numbers: SplitMix64 and the Box-Muller transform, so that a
/// seed means the same numbers with every standard library.
class NormalSource {
public:
  explicit NormalSource(uint64_t seed) : state(seed) {}
  double next() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

private:
  /// In [0, 1).
  double uniform() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  uint64_t state;
};

} // namespace

/// The value of an input that is a size: "7".
static Result<HostTensor> makeSize(std::string_view spec) {
  Result<HostTensor> tensor = HostTensor::create(DType::I64, Shape());
  if (!tensor)
    return tensor;
  if (Status status = storeText(*tensor, 0, spec); !status.isOk())
    return badSpec(concat("a size must be a whole number, such as 7, but is '",
                          printable(spec), "'"));
  return tensor;
}

Result<HostTensor> run::makeTensor(std::string_view spec, const Wanted &wanted,
                                   uint64_t seed) {
  if (wanted.isSize && !spec.starts_with("@") &&
      spec.find('=') == std::string_view::npos)
    return makeSize(spec);
  if (spec.starts_with("@"))
    return readTensor(spec, wanted.dtype, wanted.check);
  if (spec.find('=') != std::string_view::npos)
    return makeLiteral(spec);
  size_t colon = spec.find(':');
  std::string_view kind = spec.substr(0, colon);
  Shape shape = wanted.shape;
  if (colon != std::string_view::npos) {
    std::string_view text = spec.substr(colon + 1);
    Result<Shape> explicitShape = takeShape(text);
    if (!explicitShape)
      return explicitShape.status();
    if (!text.empty())
      return badSpec(concat("a shape must look like 2x3, but is '",
                            printable(spec.substr(colon + 1)), "'"));
    shape = *explicitShape;
  }
  bool ramp = kind == "iota" || kind == "arange", random = kind == "random";
  if (!ramp && !random && kind != "ones" && kind != "zeros") {
    ClosestName closest(kind);
    for (std::string_view known : {"ones", "zeros", "iota", "arange", "random"})
      closest.consider(known);
    return badSpec(concat("a tensor must be @file, ones, zeros, iota, arange, "
                          "random or a literal like 2xf32=1,2, but is '",
                          printable(spec), "'", closest.suggestion()));
  }
  if (wanted.check)
    if (Status status = wanted.check(wanted.dtype, shape); !status.isOk())
      return status;
  Result<HostTensor> tensor = HostTensor::create(wanted.dtype, shape);
  if (!tensor)
    return tensor;
  NormalSource normal(seed);
  double constant = kind == "ones" ? 1 : 0;
  for (uint64_t i = 0, count = tensor->elements(); i < count; ++i)
    storeFromDouble(wanted.dtype, tensor->data(), i,
                    ramp     ? double(i)
                    : random ? normal.next()
                             : constant);
  return tensor;
}

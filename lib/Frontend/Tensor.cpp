//===- Tensor.cpp - Lazily evaluated tensors ------------------------------===//

#include "tripy/Frontend/Tensor.h"

#include "Call.h"
#include "Evaluate.h"
#include "Numbers.h"
#include "Throw.h"

#include "tripy/Frontend/Functions.h"
#include "tripy/Runtime/IO/Npy.h"
#include "tripy/Runtime/IO/TensorPrinter.h"

#include <cstring>
#include <ostream>

using namespace tripy;
using namespace tripy::frontend;

static const TypeInfo &typeOf(const Tensor &tensor, SourceLoc loc) {
  const Value &value = Call::use(tensor, loc);
  return *value.node->outputs[value.result].type;
}

//===-- creation ----------------------------------------------------------===//

static std::shared_ptr<Storage>
allocateHost(DType dtype, std::span<const int64_t> sizes, SourceLoc loc) {
  Result<runtime::Shape> shape = runtime::Shape::fromSizes(sizes);
  check(shape.status(), loc);
  return allocate(Device::cpu(), dtype, *shape, loc);
}

namespace {

/// The elements of a nested list, row by row.
class ListReader {
public:
  explicit ListReader(SourceLoc loc) : loc(loc) {}

  void read(const std::vector<detail::Literal> &items, size_t depth);
  DType dtype() const {
    for (DType type : {float32, int64, int32, boolean})
      for (const Number &number : numbers)
        if (number.dtype() == type)
          return type;
    return float32;
  }

  std::vector<Number> numbers;
  std::vector<int64_t> sizes;

private:
  [[noreturn]] void failMixed(size_t depth) const {
    fail(Code::InvalidArgument,
         "a list has numbers alone or lists alone; found both at depth " +
             std::to_string(depth),
         loc);
  }
  [[noreturn]] void failRagged(size_t depth, size_t found) const {
    fail(Code::InvalidArgument,
         "lists of one depth have one length; found " + std::to_string(found) +
             " beside " + std::to_string(sizes[depth]) + " at depth " +
             std::to_string(depth),
         loc);
  }
  SourceLoc loc;
  std::optional<size_t> leafDepth;
};

} // namespace

void ListReader::read(const std::vector<detail::Literal> &items, size_t depth) {
  if (depth == sizes.size())
    sizes.push_back(items.size());
  else if (sizes[depth] != int64_t(items.size()))
    failRagged(depth, items.size());
  for (const detail::Literal &item : items) {
    if (item.isList) {
      if (leafDepth && depth + 1 >= *leafDepth)
        failMixed(depth);
      read(item.items, depth + 1);
      continue;
    }
    if (!leafDepth)
      leafDepth = depth + 1;
    if (*leafDepth != depth + 1 || sizes.size() > depth + 1)
      failMixed(depth);
    numbers.push_back(item.number);
  }
}

Tensor::Tensor(std::initializer_list<detail::Literal> items,
               std::optional<DType> dtype, SourceLoc loc) {
  ListReader reader(loc);
  reader.read(std::vector<detail::Literal>(items), 0);
  DType type = dtype.value_or(reader.dtype());
  checkDType(type, loc);
  std::shared_ptr<Storage> storage = allocateHost(type, reader.sizes, loc);
  auto *bytes = static_cast<uint8_t *>(storage->view().data);
  for (size_t i = 0; i < reader.numbers.size(); ++i) {
    Number number = reader.numbers[i].as(type, loc);
    if (isPacked(type))
      bytes[i / 2] = packI4(bytes[i / 2], i % 2, number.toInt());
    else
      storeNumber(bytes + i * dtypeSize(type), type, number);
  }
  source = makeLeaf(std::move(storage), onDefaultDevice, loc);
}

Tensor::Tensor(Number value, SourceLoc loc)
    : source(numberTensor(value, value.dtype(), loc).source) {
  source.node->device = onDefaultDevice;
}

Tensor::Tensor(const std::vector<bool> &values, std::optional<Shape> shape,
               SourceLoc loc) {
  std::vector<uint8_t> bytes(values.begin(), values.end());
  source = fromBytes(boolean, shape ? *shape : Shape({bytes.size()}),
                     bytes.data(), bytes.size(), loc)
               .source;
}

Tensor Tensor::fromBytes(DType dtype, const Shape &shape, const void *data,
                         size_t elements, SourceLoc loc) {
  std::vector<int64_t> sizes;
  for (const Size &size : shape)
    sizes.push_back(size.value(loc));
  std::shared_ptr<Storage> storage = allocateHost(dtype, sizes, loc);
  if (*storage->view().shape.elements() != elements)
    fail(Code::InvalidArgument,
         "a tensor of shape " + shape.str() + " has " +
             std::to_string(*storage->view().shape.elements()) +
             " elements; found " + std::to_string(elements),
         loc);
  if (elements > 0)
    std::memcpy(storage->view().data, data, storage->bytes());
  return Tensor(makeLeaf(std::move(storage), onDefaultDevice, loc));
}

Tensor Tensor::fromNpy(const std::string &path, SourceLoc loc) {
  Result<runtime::HostTensor> tensor = io::readNpy(path);
  check(tensor.status(), loc);
  return Tensor(makeLeaf(std::make_shared<Storage>(std::move(*tensor)),
                         onDefaultDevice, loc));
}

void Tensor::saveNpy(const std::string &path, SourceLoc loc) const {
  std::shared_ptr<const Storage> storage =
      startEvaluation(Call::use(*this, loc), loc);
  auto copy =
      runtime::HostTensor::create(storage->dtype(), storage->view().shape);
  check(copy.status(), loc);
  storage->copyToHost(copy->data(), loc);
  check(io::writeNpy(path, copy->view()), loc);
}

//===-- what is known without a value -------------------------------------===//

DType Tensor::dtype(SourceLoc loc) const { return typeOf(*this, loc).dtype; }

int64_t Tensor::rank(SourceLoc loc) const {
  return typeOf(*this, loc).sizes.size();
}

Shape Tensor::shape(SourceLoc loc) const {
  const TypeInfo &type = typeOf(*this, loc);
  std::vector<Size> sizes;
  for (size_t dim = 0; dim < type.sizes.size(); ++dim)
    sizes.push_back(type.sizes[dim] == dynamicSize
                        ? op::dim({*this, loc}, dim, loc)
                        : Size(type.sizes[dim]));
  return sizes;
}

Device Tensor::device(SourceLoc loc) const {
  return deviceOf(*Call::use(*this, loc).node);
}

std::string Tensor::name() const {
  if (!source)
    return "";
  std::lock_guard lock(graphMutex());
  return source.node->name;
}

Tensor &Tensor::setName(std::string name) {
  if (source) {
    std::lock_guard lock(graphMutex());
    source.node->name = std::move(name);
  }
  return *this;
}

SourceLoc Tensor::loc() const {
  return source ? source.node->loc : SourceLoc();
}

//===-- values ------------------------------------------------------------===//

const Tensor &Tensor::eval(SourceLoc loc) const {
  Value value = Call::use(*this, loc);
  evaluateWithoutWaiting({&value, 1}, loc);
  return *this;
}

static void evalAll(std::span<const Tensor> tensors, SourceLoc loc) {
  std::vector<Value> values;
  for (const Tensor &tensor : tensors)
    values.push_back(Call::use(tensor, loc));
  evaluateWithoutWaiting(values, loc);
}
void tripy::eval(std::initializer_list<Tensor> tensors, SourceLoc loc) {
  evalAll({tensors.begin(), tensors.size()}, loc);
}
void tripy::eval(const std::vector<Tensor> &tensors, SourceLoc loc) {
  evalAll(tensors, loc);
}

size_t Tensor::elements(DType expected, SourceLoc loc) const {
  const TypeInfo &type = typeOf(*this, loc);
  if (type.dtype != expected && (type.dtype != int4 || expected != int8))
    fail(Code::DTypeMismatch,
         "the elements are " + std::string(dtypeName(type.dtype)) +
             ", read as " + std::string(dtypeName(expected)),
         loc, {{this->loc(), "the tensor"}});
  startEvaluation(source, loc);
  size_t count = 1;
  for (int64_t size : type.sizes)
    count *= size;
  return count;
}

void detail::failMemory(size_t elements, SourceLoc loc) {
  fail(Code::HostOutOfMemory,
       "no memory for a copy of " + std::to_string(elements) + " elements",
       loc);
}

void Tensor::copyTo(void *data, SourceLoc loc) const {
  std::shared_ptr<const Storage> storage = startEvaluation(source, loc);
  if (!isPacked(storage->dtype()))
    return storage->copyToHost(data, loc);
  std::vector<uint8_t> packed(storage->bytes());
  storage->copyToHost(packed.data(), loc);
  auto *out = static_cast<int8_t *>(data);
  for (uint64_t i = 0, n = *storage->view().shape.elements(); i < n; ++i)
    out[i] = unpackI4(packed[i / 2], i % 2);
}

template <> std::vector<bool> Tensor::toVector<bool>(SourceLoc loc) const {
  std::vector<uint8_t> bytes(elements(boolean, loc));
  copyTo(bytes.data(), loc);
  return {bytes.begin(), bytes.end()};
}

void Tensor::checkSingle(SourceLoc loc) const {
  const TypeInfo &type = typeOf(*this, loc);
  for (int64_t size : type.sizes)
    if (size != 1)
      fail(Code::InvalidArgument,
           "a tensor of one element has one value; the shape is " +
               shape(loc).str(),
           loc, {{this->loc(), "the tensor"}});
}

Number Tensor::single(SourceLoc loc) const {
  uint8_t element[8];
  std::shared_ptr<const Storage> storage = startEvaluation(source, loc);
  storage->copyToHost(element, loc);
  return loadNumber(element, storage->dtype());
}

std::string Tensor::str(SourceLoc loc) const {
  std::shared_ptr<const Storage> storage =
      startEvaluation(Call::use(*this, loc), loc);
  runtime::TensorView view = storage->view();
  auto copy = runtime::HostTensor::create(view.dtype, view.shape);
  check(copy.status(), loc);
  storage->copyToHost(copy->data(), loc);
  return io::formatTensor(copy->view(), deviceOf(*source.node).str());
}

SourceLoc detail::placeOf(std::span<const Literal> items) {
  for (const Literal &item : items)
    if (SourceLoc loc = item.isList ? placeOf(item.items) : item.place;
        loc.line > 0)
      return loc;
  return {};
}

std::ostream &tripy::operator<<(std::ostream &os,
                                const detail::Placed<Tensor> &tensor) {
  // A temporary stream comes here from the standard library.
  bool isUsers = !std::string_view(tensor.loc.file).ends_with("/ostream");
  return os << tensor.value.str(isUsers ? tensor.loc : tensor.value.loc());
}

//===-- operands ----------------------------------------------------------===//

TensorLike::TensorLike(const Size &size, SourceLoc loc) : place(loc) {
  if (size.isStatic())
    number = Number(size.value());
  else
    held = op::from_index(size, int32, loc);
  isDynamicSize = !size.isStatic();
}

Tensor TensorLike::toTensor() const {
  return number ? Tensor(*number, place) : held;
}

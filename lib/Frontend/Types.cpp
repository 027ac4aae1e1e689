//===- Types.cpp - Element types, devices and small values ----------------===//

#include "tripy/Frontend/Types.h"

#include "Numbers.h"
#include "Throw.h"

#include "tripy/Base/Float.h"
#include "tripy/Frontend/Tensor.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <ostream>

using namespace tripy;
using namespace tripy::frontend;

std::ostream &tripy::operator<<(std::ostream &os, DType dtype) {
  return os << dtypeName(dtype);
}

//===-- devices -----------------------------------------------------------===//

Device::Device(std::string_view text, SourceLoc loc)
    : gpuKind(text.starts_with("gpu")), number(0) {
  std::string_view rest = text.substr(text.size() < 3 ? text.size() : 3);
  bool isKnown = gpuKind || text.starts_with("cpu");
  if (isKnown && !rest.empty()) {
    const char *end = rest.data() + rest.size();
    auto [last, error] = std::from_chars(rest.data() + 1, end, number);
    isKnown = rest.front() == ':' && error == std::errc() && last == end &&
              number >= 0 && (gpuKind || number == 0);
  }
  if (!isKnown)
    fail(Code::InvalidArgument,
         "a device is 'cpu', 'gpu' or 'gpu:N' with N from 0; found '" +
             std::string(text) + "'",
         loc);
}

std::string Device::str() const {
  return (gpuKind ? "gpu:" : "cpu:") + std::to_string(number);
}

std::ostream &tripy::operator<<(std::ostream &os, const Device &device) {
  return os << device.str();
}

//===-- numbers -----------------------------------------------------------===//

void tripy::detail::failTooLarge(uint64_t value, SourceLoc loc) {
  fail(Code::InvalidArgument,
       "an integer is a number of int64; found " + std::to_string(value), loc);
}

int64_t tripy::detail::integerOf(const Number &number, SourceLoc loc) {
  if (const double *value = std::get_if<double>(&number.value()))
    // 2^63 is the first number of double that is none of int64_t.
    if (!(*value >= -0x1p63 && *value < 0x1p63) || *value != std::floor(*value))
      failConversion(number, loc);
  return number.toInt();
}

void tripy::detail::failConversion(const Number &number, SourceLoc loc) {
  fail(Code::InvalidArgument,
       "the value " + number.str() +
           " is none of the integral type that it is read as",
       loc);
}

double Number::toDouble() const {
  return std::visit([](auto number) { return double(number); }, held);
}
int64_t Number::toInt() const {
  return std::visit([](auto number) { return int64_t(number); }, held);
}

std::string Number::str() const {
  if (const bool *value = std::get_if<bool>(&held))
    return *value ? "true" : "false";
  if (const int64_t *value = std::get_if<int64_t>(&held))
    return std::to_string(*value);
  char text[32];
  auto end = std::to_chars(text, text + sizeof(text), std::get<double>(held));
  return std::string(text, end.ptr);
}

Number Number::as(DType dtype, SourceLoc loc) const {
  checkDType(dtype, loc);
  DTypeClass to = dtypeInfo(dtype).cls, from = dtypeInfo(type).cls;
  bool loses = (from == DTypeClass::Float && to != DTypeClass::Float) ||
               (from == DTypeClass::Int && to == DTypeClass::Bool);
  if (loses)
    fail(Code::InvalidArgument,
         "refusing to automatically cast the " + std::string(dtypeName(type)) +
             " " + str() + " to " + std::string(dtypeName(dtype)) +
             "; tripy::cast changes the element type of a tensor",
         loc);
  Number converted = *this;
  if (to == DTypeClass::Float)
    converted.held = toDouble();
  else if (to == DTypeClass::Int)
    converted.held = toInt();
  converted.type = dtype;
  uint8_t element[8] = {};
  storeNumber(element, dtype, converted);
  if (to == DTypeClass::Int && loadNumber(element, dtype).toInt() != toInt())
    fail(Code::InvalidArgument,
         "the number " + str() + " is outside of " +
             std::string(dtypeName(dtype)),
         loc);
  return converted;
}

void tripy::frontend::checkDType(DType dtype, SourceLoc loc) {
  if (!findDTypeInfo(dtype))
    fail(Code::InvalidArgument,
         "an element type is one of tripy::float32 to tripy::boolean; found "
         "the number " +
             std::to_string(int(dtype)),
         loc);
}

void tripy::frontend::storeNumber(void *element, DType dtype,
                                  const Number &number) {
  // A double does not hold every int64.
  if (dtype == DType::I64 &&
      dtypeInfo(number.dtype()).cls != DTypeClass::Float) {
    int64_t value = number.toInt();
    std::memcpy(element, &value, sizeof(value));
    return;
  }
  storeFromDouble(dtype, element, 0, number.toDouble());
}

Number tripy::frontend::loadNumber(const void *element, DType dtype) {
  if (dtype == DType::I64) {
    int64_t value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  double value = loadAsDouble(dtype, element, 0);
  switch (dtypeInfo(dtype).cls) {
  case DTypeClass::Float:
    return value;
  case DTypeClass::Int:
    return int64_t(value);
  case DTypeClass::Bool:
    return value != 0;
  }
  return value;
}

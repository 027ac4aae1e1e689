//===- ArgumentAttrs.cpp - Attributes of a program's arguments ------------===//
//
// Verification of tripy.name, tripy.path, tripy.profile, tripy.dims and
// tripy.parameter, and the functions that read them.
//
//===----------------------------------------------------------------------===//

#include "tripy/Base/Text.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tripy;

namespace {
/// An argument or a result of a function, under verification.
struct Slot {
  FunctionOpInterface function;
  unsigned index;
  bool isResult;

  InFlightDiagnostic error() const {
    FunctionOpInterface op = function;
    return op->emitOpError()
           << (isResult ? "result " : "argument ") << index << ": ";
  }
  Type type() const {
    FunctionOpInterface op = function;
    return isResult ? op.getResultTypes()[index] : op.getArgumentTypes()[index];
  }
  unsigned siblings() const {
    FunctionOpInterface op = function;
    return isResult ? op.getNumResults() : op.getNumArguments();
  }
  /// The user's name of the sibling `i`, or null.
  StringAttr nameOf(unsigned i) const {
    FunctionOpInterface op = function;
    return isResult ? op.getResultAttrOfType<StringAttr>(i, nameAttrName)
                    : op.getArgAttrOfType<StringAttr>(i, nameAttrName);
  }
  std::string effectiveName(unsigned i) const {
    return isResult ? resultName(function, i) : argumentName(function, i);
  }
};
} // namespace

//===-- reading -----------------------------------------------------------===//

std::string tripy::argumentName(FunctionOpInterface function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, nameAttrName);
  return name ? name.str() : (argumentPrefix + llvm::Twine(index)).str();
}

std::string tripy::resultName(FunctionOpInterface function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, nameAttrName);
  return name ? name.str() : (resultPrefix + llvm::Twine(index)).str();
}

ProfileAttr tripy::profileOf(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<ProfileAttr>(index, profileAttrName);
}

bool tripy::isParameter(FunctionOpInterface function, unsigned index) {
  return static_cast<bool>(function.getArgAttr(index, parameterAttrName));
}

LogicalResult tripy::verifyProfiles(FunctionOpInterface function) {
  bool complete = true;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool isDynamic = tensor ? !tensor.hasStaticShape() : type.isIndex();
    if (!isDynamic || profileOf(function, i))
      continue;
    complete = false;
    emitError(function.isExternal() ? function.getLoc()
                                    : function.getArgument(i).getLoc(),
              "argument ")
        << i << " ('" << argumentName(function, i) << "') "
        << (tensor ? "of dynamic shape" : "that is a size")
        << " needs a 'tripy.profile'; its type is " << type;
  }
  return success(complete);
}

//===-- verification ------------------------------------------------------===//

/// The tensor type of the slot; reports when it has none.
static RankedTensorType tensorTypeOf(const Slot &slot, NamedAttribute attr,
                                     StringRef other = "") {
  auto type = dyn_cast<RankedTensorType>(slot.type());
  if (!type)
    slot.error() << attr.getName() << " is for ranked tensors" << other
                 << "; found " << slot.type();
  return type;
}

/// The sizes that a profile is for: those of a tensor, or one that is itself
/// the argument. None, with an error, for other types.
static std::optional<SmallVector<int64_t>> profiledSizes(const Slot &slot,
                                                         NamedAttribute attr) {
  if (slot.type().isIndex())
    return SmallVector<int64_t>{ShapedType::kDynamic};
  RankedTensorType type = tensorTypeOf(slot, attr, " and sizes");
  if (!type)
    return std::nullopt;
  return llvm::to_vector(type.getShape());
}

/// All names, explicit and default, differ. Run once for a function: on behalf
/// of the first slot that has a name.
static LogicalResult verifyUniqueNames(const Slot &slot) {
  for (unsigned i = 0; i < slot.index; ++i)
    if (slot.nameOf(i))
      return success();
  llvm::StringSet<> names;
  for (unsigned i = 0, end = slot.siblings(); i < end; ++i)
    if (std::string name = slot.effectiveName(i); !names.insert(name).second)
      return Slot{slot.function, i, slot.isResult}.error()
             << "names are unique; '" << name << "' is used before";
  return success();
}

static LogicalResult verifyName(const Slot &slot, NamedAttribute attr) {
  auto name = dyn_cast<StringAttr>(attr.getValue());
  if (!name || !isName(std::string_view(name.getValue())))
    return slot.error() << attr.getName()
                        << " is a string of 1 to 1024 bytes of UTF-8 without "
                           "spaces, quotes, '=', '@' and ','; found "
                        << attr.getValue();
  return verifyUniqueNames(slot);
}

static LogicalResult verifyPath(const Slot &slot, NamedAttribute attr) {
  auto path = dyn_cast<StringAttr>(attr.getValue());
  if (path && !path.empty() && path.getValue().size() <= maxNameBytes &&
      isPrintable(std::string_view(path.getValue())))
    return success();
  return slot.error() << attr.getName()
                      << " is a string of 1 to 1024 bytes of UTF-8 without "
                         "control characters; found "
                      << attr.getValue();
}

static LogicalResult verifyProfile(const Slot &slot, NamedAttribute attr) {
  auto profile = dyn_cast<ProfileAttr>(attr.getValue());
  if (!profile)
    return slot.error() << attr.getName() << " is a #tripy.profile; found "
                        << attr.getValue();
  std::optional<SmallVector<int64_t>> sizes = profiledSizes(slot, attr);
  if (!sizes)
    return failure();
  if (profile.getMin().size() != sizes->size())
    return slot.error() << attr.getName() << " has one size for each dimension"
                        << (slot.type().isIndex() ? ", and one for a size" : "")
                        << "; found " << profile.getMin().size()
                        << " sizes for " << slot.type();
  for (auto [i, size] : llvm::enumerate(*sizes))
    if (!ShapedType::isDynamic(size) &&
        (profile.getMin()[i] != size || profile.getMax()[i] != size))
      return slot.error() << attr.getName()
                          << " repeats static sizes; dimension " << i << " of "
                          << slot.type() << " has " << profile.getMin()[i]
                          << ", " << profile.getOpt()[i] << ", "
                          << profile.getMax()[i];
  return success();
}

static LogicalResult verifyDims(const Slot &slot, NamedAttribute attr) {
  auto names = dyn_cast<ArrayAttr>(attr.getValue());
  if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
    return slot.error() << attr.getName() << " is an array of strings; found "
                        << attr.getValue();
  std::optional<SmallVector<int64_t>> sizes = profiledSizes(slot, attr);
  if (!sizes)
    return failure();
  if (names.size() != sizes->size())
    return slot.error() << attr.getName() << " has one name for each dimension"
                        << (slot.type().isIndex() ? ", and one for a size" : "")
                        << "; found " << names.size() << " names for "
                        << slot.type();
  for (StringAttr name : names.getAsRange<StringAttr>())
    if (!name.empty() && !isName(std::string_view(name.getValue())))
      return slot.error() << "a dimension's name is empty, or of at most 1024 "
                             "bytes of UTF-8 without spaces, quotes, '=', '@' "
                             "and ','; found "
                          << name;
  return success();
}

static LogicalResult verifyParameter(const Slot &slot, NamedAttribute attr) {
  if (!isa<UnitAttr>(attr.getValue()))
    return slot.error() << attr.getName() << " has no value; found "
                        << attr.getValue();
  RankedTensorType type = tensorTypeOf(slot, attr);
  if (type && !type.hasStaticShape())
    return slot.error() << attr.getName() << " has a static shape; found "
                        << type;
  return success(static_cast<bool>(type));
}

LogicalResult TripyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError()
           << attr.getName() << " is for arguments of functions";
  Slot slot{function, index, /*isResult=*/false};
  StringRef name = attr.getName();
  if (name == nameAttrName)
    return verifyName(slot, attr);
  if (name == pathAttrName)
    return verifyPath(slot, attr);
  if (name == profileAttrName)
    return verifyProfile(slot, attr);
  if (name == dimsAttrName)
    return verifyDims(slot, attr);
  if (name == parameterAttrName)
    return verifyParameter(slot, attr);
  return slot.error()
         << "attributes of an argument are tripy.name, tripy.path, "
            "tripy.profile, tripy.dims and tripy.parameter; found "
         << name;
}

LogicalResult TripyDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError()
           << attr.getName() << " is for results of functions";
  Slot slot{function, index, /*isResult=*/true};
  if (attr.getName() == nameAttrName)
    return verifyName(slot, attr);
  return slot.error() << "the attribute of a result is tripy.name; found "
                      << attr.getName();
}

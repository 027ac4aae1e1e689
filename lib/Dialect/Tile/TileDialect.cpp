//===- TileDialect.cpp - The tile dialect ---------------------------------===//

#include "tripy/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::tile;

#include "tripy/Dialect/Tile/TileDialect.cpp.inc"
#include "tripy/Dialect/Tile/TileEnums.cpp.inc"

/// "128x64xf16".
static ParseResult parseBox(AsmParser &parser, SmallVector<int64_t> &shape,
                            Type &elementType) {
  return failure(
      failed(parser.parseDimensionList(shape, /*allowDynamic=*/false)) ||
      failed(parser.parseType(elementType)));
}

static void printBox(AsmPrinter &printer, ArrayRef<int64_t> shape,
                     Type elementType) {
  for (int64_t size : shape)
    printer << size << "x";
  printer << elementType;
}

/// "<64x64xf16, 128>, <256x64xf16, 128>": types of one kind, without its name.
template <typename Kind>
static ParseResult parseStripped(OpAsmParser &parser,
                                 SmallVectorImpl<Type> &types, Kind) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    Kind type;
    if (parser.parseCustomTypeWithFallback(type))
      return failure();
    types.push_back(type);
    return success();
  });
}

template <typename Kind>
static void printStripped(OpAsmPrinter &printer, Operation *, TypeRange types,
                          Kind) {
  llvm::interleaveComma(types, printer, [&](Type type) {
    printer.printStrippedAttrOrType(cast<Kind>(type));
  });
}

using Unresolved = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

/// "%a[%k, %m], %b[%k, %n]": as many coordinates of each.
static ParseResult parseCopies(OpAsmParser &parser, Unresolved &maps,
                               Unresolved &coords) {
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList([&]() -> ParseResult {
        return failure(
            parser.parseOperand(maps.emplace_back()) ||
            parser.parseOperandList(coords, OpAsmParser::Delimiter::Square));
      }))
    return failure();
  if (coords.size() % maps.size() != 0)
    return parser.emitError(start, "maps have as many coordinates each");
  return success();
}

static void printCopies(OpAsmPrinter &printer, Operation *, OperandRange maps,
                        OperandRange coords) {
  size_t each = maps.empty() ? 0 : coords.size() / maps.size();
  llvm::interleaveComma(llvm::enumerate(maps), printer, [&](auto map) {
    printer << map.value() << "[";
    printer.printOperands(coords.slice(map.index() * each, each));
    printer << "]";
  });
}

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/Tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tripy/Dialect/Tile/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tripy/Dialect/Tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tripy/Dialect/Tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tripy/Dialect/Tile/TileOps.cpp.inc"
      >();
}

LogicalResult FragAttr::verify(function_ref<InFlightDiagnostic()> emit,
                               FragKind kind, int64_t reduced, bool partial) {
  if (reduced != -1 && reduced != 1)
    return emit() << "a fragment is reduced along dimension 1; found "
                  << reduced;
  if (partial && reduced == -1)
    return emit() << "a fragment that is partial is reduced";
  if (kind == FragKind::WgmmaA && reduced != -1)
    return emit() << "operands of products are not reduced";
  return success();
}

/// Rows of 16-bit elements, or of f32, a multiple of the swizzle wide.
static LogicalResult verifyBox(function_ref<InFlightDiagnostic()> emit,
                               ArrayRef<int64_t> shape, Type elementType,
                               int64_t swizzle) {
  if (!elementType.isF16() && !elementType.isBF16() && !elementType.isF32())
    return emit() << "elements are f16, bf16 or f32; found " << elementType;
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  if (!llvm::is_contained({32, 64, 128}, swizzle))
    return emit() << "a swizzle is 32, 64 or 128; found " << swizzle;
  if (shape.size() != 2 || shape[0] < 8 || shape[0] % 8 != 0 ||
      shape[0] > 256 || shape[1] < 1 || shape[1] > 256)
    return emit() << "a box is rows, 8 to 256 and a multiple of 8, by at most "
                     "256 columns";
  if (shape[1] * bytes % swizzle != 0)
    return emit() << "a row is a multiple of the swizzle; found "
                  << shape[1] * bytes << " bytes for " << swizzle;
  return success();
}

LogicalResult SmemType::verify(function_ref<InFlightDiagnostic()> emit,
                               ArrayRef<int64_t> shape, Type elementType,
                               int64_t swizzle) {
  return verifyBox(emit, shape, elementType, swizzle);
}

LogicalResult MapType::verify(function_ref<InFlightDiagnostic()> emit,
                              ArrayRef<int64_t> shape, Type elementType,
                              int64_t swizzle) {
  return verifyBox(emit, shape, elementType, swizzle);
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emit,
                               int64_t stages, ArrayRef<SmemType> views) {
  if (stages < 1 || stages > 16)
    return emit() << "a ring has 1 to 16 stages; found " << stages;
  if (views.empty() || views.size() > 4)
    return emit() << "a stage has 1 to 4 views; found " << views.size();
  return success();
}

LogicalResult StagingType::verify(function_ref<InFlightDiagnostic()> emit,
                                  int64_t groups, int64_t bytes) {
  if (groups < 1 || groups > 8)
    return emit() << "staging is for 1 to 8 warp groups; found " << groups;
  if (bytes < 1024 || bytes % 1024 != 0 || bytes > 1 << 18)
    return emit() << "staging has a multiple of 1024 bytes, at most 262144; "
                     "found "
                  << bytes;
  return success();
}

LogicalResult OrderType::verify(function_ref<InFlightDiagnostic()> emit,
                                int64_t members) {
  if (members < 2 || members > 7)
    return emit() << "an ordered barrier has 2 to 7 members; found " << members;
  return success();
}

#define GET_OP_CLASSES
#include "tripy/Dialect/Tile/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

FragAttr tile::layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<FragAttr>(tensor.getEncoding()) : FragAttr();
}

bool tile::isFragment(Type type) {
  FragAttr layout = layoutOf(type);
  if (!layout)
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  if (shape.empty())
    return false;
  // Sums of several instructions follow each other.
  bool mayBeMore = shape.size() == 2 && layout.getKind() == FragKind::WgmmaD;
  int64_t groups = mayBeMore ? 4 : 1;
  if (shape[0] <= 0 || shape[0] % groupRows != 0 ||
      shape[0] > groups * groupRows)
    return false;
  if (layout.getReduced() == 1)
    return shape.size() == 1;
  int64_t step = layout.getKind() == FragKind::WgmmaA ? 16 : 8;
  return shape.size() == 2 && shape[1] > 0 && shape[1] % step == 0 &&
         shape[1] <= 256;
}

int64_t tile::elementsPerThread(RankedTensorType fragment) {
  return layoutOf(fragment).getReduced() == 1
             ? 2
             : fragment.getNumElements() / groupThreads;
}

std::pair<int64_t, int64_t> tile::placeOf(RankedTensorType fragment,
                                          int64_t number) {
  if (layoutOf(fragment).getReduced() == 1)
    return {number * 8, 0};
  int64_t ofGroup = groupRows * fragment.getDimSize(1) / groupThreads;
  int64_t inGroup = number % ofGroup;
  return {number / ofGroup * groupRows + inGroup % 4 / 2 * 8,
          inGroup / 4 * 8 + inGroup % 2};
}

int64_t tile::bounded(uint64_t number) {
  return std::clamp<int64_t>(asSigned(number), 0, 1 << 20);
}

int64_t tile::numGroups(FuncOp function) {
  int64_t groups = 0;
  for (auto role : function.getBody().getOps<RoleOp>())
    groups += bounded(role.getGroups());
  return groups;
}

int64_t tile::registersOfLaunch(FuncOp function) {
  int64_t threads = numGroups(function) * groupThreads;
  return threads == 0 ? 0 : registersOfThread(threads);
}

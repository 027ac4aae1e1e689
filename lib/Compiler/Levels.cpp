//===- Levels.cpp - Programs that enter below the top ---------------------===//

#include "Levels.h"

#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tile/Tile.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tripy;

//===-- levels ------------------------------------------------------------===//

/// Whether code is there, all of it in LLVM's dialect.
static bool isLLVM(Operation *code) {
  Region *body = code ? &code->getRegion(0) : nullptr;
  return body && !body->empty() && !body->front().empty() &&
         llvm::all_of(body->front(), [](Operation &op) {
           return isa_and_present<LLVM::LLVMDialect>(op.getDialect());
         });
}

Level tripy::levelOf(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  Operation *code = target::codeOf(module);
  bool hasTiles = !module.getOps<tile::FuncOp>().empty();
  bool isScheduled =
      llvm::any_of(module.getOps<kernel::FuncOp>(), [](kernel::FuncOp kernel) {
        return kernel.getSchedule().has_value();
      });
  Level level = Level::Trace;
  auto atLeast = [&](Level other) { level = std::max(level, other); };
  if (function->hasAttr("kernel.outputs"))
    atLeast(Level::Plan);
  for (Operation &op : function.getBody().front())
    if (isa<kernel::LaunchOp, kernel::BufferOp>(op))
      atLeast(Level::Plan);
    else if (isa<kernel::CallOp>(op))
      atLeast(code          ? Level::Kernels
              : hasTiles    ? Level::Tiles
              : isScheduled ? Level::Schedules
                            : Level::Linalg);
    else if (isa<kernel::DispatchOp>(op))
      atLeast(Level::Dispatches);
  return level == Level::Plan && isLLVM(code) ? Level::LLVM : level;
}

LogicalResult tripy::checkLoweredProgram(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc(),
                     "a program must be straight-line code; found several "
                     "blocks");
  for (BlockArgument argument : function.getArguments())
    if (!isTensorType(argument.getType()) && !argument.getType().isIndex())
      return emitError(argument.getLoc(),
                       "arguments of a program must be tensors or sizes; "
                       "found ")
             << argument.getType();
  return success();
}

//===-- options -----------------------------------------------------------===//

/// What is no option of code generation, and counts to the end.
static constexpr std::pair<StringLiteral, std::string CompileOptions::*>
    ownOptions[] = {{"cpu", &CompileOptions::cpu},
                    {"function", &CompileOptions::function}};
static constexpr StringLiteral targetOption = "target";
static constexpr StringLiteral backendOption = "backend";

static std::string targetText(const CompileOptions &options) {
  return options.device == DeviceKind::CPU ? "cpu" : "cuda:" + options.chip;
}

static StringRef backendText(Backends backends) {
  switch (backends) {
  case Backends::Own:
    return "own";
  case Backends::Auto:
    return "auto";
  case Backends::Libraries:
    return "libraries";
  }
  llvm_unreachable("all backends are above");
}

/// Takes over the target that the program was lowered for.
static LogicalResult readTarget(ModuleOp module, StringRef text,
                                CompileOptions &options) {
  CompileOptions found;
  if (Status status = found.setTarget(std::string_view(text)); !status.isOk())
    return emitError(module.getLoc(), status.message());
  if (options.targetChosen && targetText(options) != targetText(found))
    return emitError(module.getLoc(), "a program must be compiled for the "
                                      "target that it was lowered for, '")
           << targetText(found) << "'; found '" << targetText(options) << "'";
  options.device = found.device;
  options.chip = found.chip;
  return success();
}

static LogicalResult readOption(ModuleOp module, NamedAttribute option,
                                CompileOptions &options) {
  static const CompileOptions defaults;
  StringRef name = option.getName();
  for (const SwitchOption &row : switchOptions())
    if (name == StringRef(row.name) && isa<UnitAttr>(option.getValue())) {
      options.*row.field = false;
      return success();
    }
  auto text = dyn_cast<StringAttr>(option.getValue());
  if (text && name == targetOption)
    return readTarget(module, text.getValue(), options);
  if (text && name == backendOption)
    if (std::optional<Backends> backends = parseBackends(text.getValue())) {
      if (options.backends == defaults.backends)
        options.backends = *backends;
      return success();
    }
  auto read = [&](StringRef known, auto field) {
    if (!text || name != known)
      return false;
    if (options.*field == defaults.*field)
      options.*field = text.str();
    return true;
  };
  for (auto [known, field] : ownOptions)
    if (read(known, field))
      return success();
  for (const TextOption &row : textOptions())
    if (read(row.name, row.field))
      return success();
  return emitError(module.getLoc(), "'")
         << optionsAttrName << "' must have options of tripy-compile; found "
         << name << " = " << option.getValue();
}

FailureOr<CompileOptions> tripy::readOptions(ModuleOp module,
                                             const CompileOptions &given) {
  CompileOptions options = given;
  Attribute attribute = module->getAttr(optionsAttrName);
  if (!attribute)
    return options;
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary)
    return emitError(module.getLoc(), "'")
           << optionsAttrName << "' must be a dictionary; found " << attribute;
  for (NamedAttribute option : dictionary)
    if (failed(readOption(module, option, options)))
      return failure();
  return options;
}

//===-- operations --------------------------------------------------------===//

/// What the module says of an operation: its place and those of its operands.
static void readOperation(StringRef name, ArrayAttr places,
                          target::UserOperations &operations) {
  if (places.empty())
    return;
  auto [entry, isNew] = operations.try_emplace(places[0]);
  if (!isNew)
    return;
  entry->second.name = name;
  for (Attribute place : places.getValue().drop_front())
    if (auto loc = dyn_cast<LocationAttr>(place))
      entry->second.operands.push_back(loc);
}

target::UserOperations tripy::collectOperations(func::FuncOp function) {
  target::UserOperations operations;
  auto module = function->getParentOfType<ModuleOp>();
  if (auto known = module->getAttrOfType<DictionaryAttr>(operationsAttrName)) {
    for (NamedAttribute rows : known)
      if (auto list = dyn_cast<ArrayAttr>(rows.getValue()))
        for (Attribute row : list)
          if (auto places = dyn_cast<ArrayAttr>(row))
            readOperation(rows.getName().getValue(), places, operations);
    return operations;
  }
  for (Operation &op : function.getBody().front())
    for (const UserPlace &place : userPlaces(op.getLoc())) {
      auto [entry, isNew] = operations.try_emplace(LocationAttr(place.range));
      if (!isNew)
        continue;
      entry->second.name = op.getName().getIdentifier().getValue();
      for (Value operand : op.getOperands())
        entry->second.operands.push_back(operand.getLoc());
    }
  return operations;
}

/// The operations by name, in an order that is the same each time.
static DictionaryAttr operationsAttr(MLIRContext *context,
                                     const target::UserOperations &operations) {
  using Row = std::pair<FileLineColRange, Attribute>;
  llvm::StringMap<SmallVector<Row>> lists;
  for (const auto &[place, operation] : operations)
    if (auto range = dyn_cast<FileLineColRange>(place)) {
      SmallVector<Attribute> places{range};
      for (Location operand : operation.operands)
        places.push_back(LocationAttr(operand));
      lists[operation.name].emplace_back(range,
                                         ArrayAttr::get(context, places));
    }
  SmallVector<NamedAttribute> rows;
  for (auto &[name, list] : lists) {
    auto key = [](const Row &row) {
      FileLineColRange range = row.first;
      return std::make_tuple(range.getFilename().getValue(),
                             range.getStartLine(), range.getStartColumn(),
                             range.getEndLine(), range.getEndColumn());
    };
    llvm::sort(list,
               [&](const Row &a, const Row &b) { return key(a) < key(b); });
    SmallVector<Attribute> places(llvm::make_second_range(list));
    rows.emplace_back(name, ArrayAttr::get(context, places));
  }
  return DictionaryAttr::get(context, rows);
}

void tripy::writeOptions(ModuleOp module, Level level,
                         const CompileOptions &options,
                         const target::UserOperations &operations) {
  static const CompileOptions defaults;
  Builder b(module.getContext());
  SmallVector<NamedAttribute> rows;
  auto add = [&](StringRef name, const Twine &value) {
    rows.push_back(b.getNamedAttr(name, b.getStringAttr(value)));
  };
  add(targetOption, targetText(options));
  if (options.backends != defaults.backends && level < Level::Schedules)
    add(backendOption, backendText(options.backends));
  for (auto [name, field] : ownOptions)
    if (options.*field != defaults.*field)
      add(name, options.*field);
  for (const TextOption &row : textOptions())
    if (options.*row.field != defaults.*row.field && level < row.until)
      add(row.name, options.*row.field);
  for (const SwitchOption &row : switchOptions())
    if (!(options.*row.field) && level < row.until)
      rows.push_back(b.getNamedAttr(row.name, b.getUnitAttr()));
  module->setAttr(optionsAttrName, b.getDictionaryAttr(rows));
  module->setAttr(operationsAttrName,
                  operationsAttr(module.getContext(), operations));
}

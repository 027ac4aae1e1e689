//===- LoadPlugins.cpp - Code of plugins comes from files -----------------===//

#include "tripy/Pipelines/LoadPlugins.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"
#include "tripy/Dialect/Tripy/Plugin.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tripy;

/// Where a file of `plugin` is.
static std::string pathOf(PluginOp plugin, StringRef file) {
  SmallVector<UserPlace> places = userPlaces(plugin.getLoc());
  if (llvm::sys::path::is_absolute(file) || places.empty())
    return file.str();
  SmallString<256> path(llvm::sys::path::parent_path(
      places.front().range.getFilename().getValue()));
  llvm::sys::path::append(path, file);
  return path.str().str();
}

/// Text ends where a C string would: many tools write a zero at the end of PTX.
static StringRef textOf(ArrayRef<uint8_t> bytes) {
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return text.rtrim('\0');
}

static FailureOr<PluginSourceAttr> load(PluginOp plugin,
                                        PluginSourceAttr source) {
  std::string path = pathOf(plugin, source.getFile().getValue());
  Result<std::vector<uint8_t>> bytes = readFile(path, maxPluginBytes);
  if (!bytes)
    return plugin.emitError("a file of plugin '@")
           << plugin.getSymName() << "' cannot be read: '"
           << printable(std::string_view(path), 1000)
           << "': " << bytes.status().message();
  StringRef code(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  if (source.getKind() == "ptx")
    code = textOf(*bytes);
  MLIRContext *context = plugin.getContext();
  return PluginSourceAttr::get(context, source.getKind(), source.getEntry(),
                               StringAttr(), StringAttr::get(context, code),
                               source.getModule(), source.getLibrary(),
                               source.getBlock(), source.getArguments());
}

LogicalResult tripy::loadPlugins(ModuleOp module) {
  for (auto plugin : module.getOps<PluginOp>()) {
    SmallVector<Attribute> sources(plugin.getSources().getValue());
    bool changed = false;
    for (Attribute &attribute : sources) {
      auto source = cast<PluginSourceAttr>(attribute);
      if (!source.getFile())
        continue;
      FailureOr<PluginSourceAttr> loaded = load(plugin, source);
      if (failed(loaded))
        return failure();
      attribute = *loaded;
      changed = true;
    }
    if (!changed)
      continue;
    plugin.setSourcesAttr(ArrayAttr::get(module.getContext(), sources));
    // The rules on code could not be checked before.
    if (failed(
            PluginOp::checkRules(plugin, [&] { return plugin.emitOpError(); })))
      return failure();
  }
  return success();
}

namespace {
class LoadPlugins : public PassWrapper<LoadPlugins, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoadPlugins)

  StringRef getArgument() const override { return "tripy-load-plugins"; }
  StringRef getDescription() const override {
    return "Reads the code of plugins from their files";
  }

  void runOnOperation() override {
    if (failed(loadPlugins(getOperation())))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> tripy::createLoadPluginsPass() {
  return std::make_unique<LoadPlugins>();
}

void tripy::registerLoadPluginsPass() { PassRegistration<LoadPlugins>(); }

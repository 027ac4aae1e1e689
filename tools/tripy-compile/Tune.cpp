//===- Tune.cpp - Tunes the kernels of a program --------------------------===//

#include "Tune.h"

#include "tripy/Base/Text.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::compile;

static int complain(const Status &status, int exitStatus = 1) {
  llvm::errs() << "tripy-compile: error: " << status.message() << "\n";
  return exitStatus;
}
static void warn(const std::string &message) {
  llvm::errs() << "tripy-compile: warning: " << message << "\n";
}

/// Names the tuning file and makes its folder, when it is that of the code; a
/// file that is there must be one that can be added to.
static Status prepareFile(CompileOptions &compiler) {
  if (compiler.tuningFile.empty()) {
    std::string folder = target::cacheFolder(compiler.cache);
    if (folder.empty())
      return Status(Code::InvalidArgument,
                    "no folder for the tuning file is known; --tuning-file "
                    "names one");
    if (std::error_code error = llvm::sys::fs::create_directories(
            folder, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
      return Status(Code::Io,
                    concat("cannot make the folder '", printable(folder, 1024),
                           "': ", error.message()));
    compiler.tuningFile = folder + "/tuning.txt";
  }
  // What cannot be written in the end is refused now.
  Result<codegen::TuningRecords> old =
      codegen::readTuningFile(compiler.tuningFile);
  Code code = old ? Code::Ok : old.status().code();
  if (code == Code::Truncated || code == Code::Malformed)
    warn("the tuning file is replaced: " + old.status().message());
  else if (!old && code != Code::NotFound)
    return old.status();
  return codegen::mergeIntoTuningFile(compiler.tuningFile, {});
}

/// The device's model as a record may have it.
static std::string deviceName(const runtime::Device &device) {
  std::string name = printable(device.name());
  std::replace(name.begin(), name.end(), '|', '/');
  return name.empty() ? "GPU" : StringRef(name).trim().str();
}

namespace {
/// A kernel to be tuned.
struct TunableKernel {
  kernel::FuncOp kernel;
  codegen::TileChoices choices;
  /// What a library may compute in its place, or empty.
  std::string product;
};
} // namespace

/// Kernels with a tile or a backend to choose, one for each contraction.
static std::vector<TunableKernel> findKernels(ModuleOp module,
                                              const Options &options) {
  std::vector<TunableKernel> found;
  llvm::StringSet<> known;
  for (auto kernel : module.getOps<kernel::FuncOp>()) {
    if (!canRunAlone(kernel))
      continue;
    auto choices = codegen::listTileChoices(kernel, options.compiler.chip,
                                            options.tuneCandidates);
    std::optional<std::string> product;
    if (options.compiler.backends == Backends::Auto)
      product = codegen::describeProduct(kernel);
    if (!choices && !product)
      continue;
    if (!choices)
      choices = {"", {{std::string(codegen::ownBackend), 0}}};
    if (product)
      choices->tiles.push_back({std::string(codegen::libraryBackend), 0});
    if (known.insert(choices->contraction + product.value_or("")).second)
      found.push_back({kernel, std::move(*choices), product.value_or("")});
  }
  return found;
}

/// What is known of a tuned kernel afterwards.
static codegen::TuningRecords recordsOf(const TunedKernel &kernel,
                                        const CompileOptions &compiler) {
  codegen::TuningRecords records;
  auto add = [&](const std::string &what, std::string_view choice,
                 const MeasuredTile &tile) {
    records.push_back({compiler.chip, compiler.tuningDevice,
                       codegen::tunedKernels, what, std::string(choice),
                       tile.median * 1e6});
  };
  const MeasuredTile *own = kernel.best(/*withLibrary=*/false);
  const MeasuredTile *best = kernel.best(/*withLibrary=*/true);
  if (own && !kernel.contraction.empty())
    add(kernel.contraction, own->choice.tile, *own);
  // A library that does not work here may do so elsewhere.
  bool measured = llvm::any_of(kernel.tiles, [](const MeasuredTile &tile) {
    return tile.isLibrary() && tile.problem.empty();
  });
  if (best && measured)
    add(kernel.product,
        best->isLibrary() ? codegen::libraryBackend : codegen::ownBackend,
        *best);
  return records;
}

static void printTable(const TunedKernel &kernel) {
  llvm::outs() << kernel.name << ": "
               << (kernel.contraction.empty() ? kernel.product
                                              : kernel.contraction)
               << ", " << kernel.copies << " calls, " << kernel.runs
               << " runs\n"
               << llvm::formatv("  {0,-24} {1,12} {2,10} {3,10}\n", "tile",
                                "cycles", "median us", "least us");
  for (const MeasuredTile &tile : kernel.tiles) {
    llvm::outs() << llvm::formatv("  {0,-24} {1,12:F0}", tile.choice.tile,
                                  tile.choice.cycles);
    if (tile.problem.empty())
      llvm::outs() << llvm::formatv(" {0,10:F2} {1,10:F2}", tile.median * 1e6,
                                    tile.least * 1e6);
    else
      llvm::outs() << " dropped";
    llvm::outs() << (&tile == &kernel.tiles.front() &&
                             !kernel.contraction.empty()
                         ? "  by the model"
                         : "")
                 << (&tile == kernel.best(true) ? "  fastest" : "") << "\n";
  }
  llvm::outs().flush();
}

static Status writeReport(const std::string &path, const std::string &device,
                          const std::string &chip,
                          ArrayRef<TunedKernel> kernels) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("device", device);
    json.attribute("chip", chip);
    json.attributeArray("kernels", [&] {
      for (const TunedKernel &kernel : kernels)
        json.object([&] {
          json.attribute("kernel", kernel.name);
          json.attribute("contraction", kernel.contraction);
          if (!kernel.product.empty())
            json.attribute("product", kernel.product);
          json.attribute("copies", kernel.copies);
          json.attribute("runs", kernel.runs);
          json.attributeArray("tiles", [&] {
            for (const MeasuredTile &tile : kernel.tiles)
              json.object([&] {
                json.attribute("tile", tile.choice.tile);
                json.attribute("cycles", tile.choice.cycles);
                if (!tile.problem.empty())
                  return json.attribute("problem", tile.problem);
                json.attribute("us", tile.median * 1e6);
                json.attribute("least_us", tile.least * 1e6);
                json.attribute("spread", tile.spread);
              });
          });
        });
    });
  });
  stream << "\n";
  auto bytes = reinterpret_cast<const uint8_t *>(text.data());
  return writeFile(path, {bytes, text.size()});
}

int compile::tuneProgram(ModuleOp module, Options &options) {
  CompileOptions &compiler = options.compiler;
  Result<std::shared_ptr<runtime::Device>> device =
      runtime::createCudaDevice(*options.tune);
  if (!device)
    return complain(Status(device.status()).withContext("--tune"));
  if (Status status = prepareFile(compiler); !status.isOk())
    return complain(status);
  compiler.tuningDevice = deviceName(**device);
  OwningOpRef<ModuleOp> lowered(module.clone());
  if (failed(lowerProgram(*lowered, Level::Linalg, compiler)))
    return 1;
  std::vector<TunedKernel> all;
  for (auto &[kernel, choices, product] : findKernels(*lowered, options)) {
    Result<TunedKernel> tuned = tuneKernel(kernel, choices, *device, options);
    if (!tuned)
      return complain(tuned.status());
    tuned->product = product;
    for (const MeasuredTile &tile : tuned->tiles)
      if (!tile.problem.empty())
        warn(concat("tile ", tile.choice.tile, " of ", tuned->name,
                    " is dropped: ", tile.problem));
    printTable(*tuned);
    if (!tuned->best(/*withLibrary=*/false))
      return complain(Status(Code::LaunchFailed,
                             concat("no tile of ", tuned->name, " works")));
    if (Status status = codegen::mergeIntoTuningFile(
            compiler.tuningFile, recordsOf(*tuned, compiler));
        !status.isOk())
      return complain(status);
    all.push_back(std::move(*tuned));
  }
  if (all.empty())
    llvm::outs() << "no kernel of the program has a tile to choose\n";
  else
    llvm::outs() << "the fastest tiles are in "
                 << printable(compiler.tuningFile, 1024) << "\n";
  if (!options.tuneReport.empty())
    if (Status status = writeReport(options.tuneReport, compiler.tuningDevice,
                                    compiler.chip, all);
        !status.isOk())
      return complain(status);
  return 0;
}

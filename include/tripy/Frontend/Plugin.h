//===- Plugin.h - Kernels of your own ---------------------------*- C++ -*-===//
//
//   auto scale = tripy::plugin({
//       .name = "scale",
//       .operands = {{tripy::float32, {tripy::anyPluginSize}}},
//       .results = {{tripy::float32, {tripy::anyPluginSize}}},
//       .sources = {tripy::PluginSource::cFunction("libscale.so", "scale")},
//       .sizes = [](const auto &x) { return PluginSizes{.results = {x[0]}}; },
//       .parameters = {{"factor", tripy::float32}},
//   });
//   tripy::Tensor y = scale({x}, {{"factor", 0.5}});
//
// docs/plugins.md says what a kernel must do.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_PLUGIN_H
#define TRIPY_FRONTEND_PLUGIN_H

#include "tripy/Frontend/Callable.h"
#include "tripy/Frontend/Tensor.h"

#include <map>
#include <memory>

namespace tripy {

namespace frontend {
struct PluginCode;
struct PluginDeclaration;
} // namespace frontend

/// A size of an operand or a result of a plugin that each call decides.
inline constexpr int64_t anyPluginSize = -1;

/// What a plugin takes or gives: an element type, and a size for each
/// dimension, which is required of every call, or anyPluginSize.
struct PluginTensor {
  DType dtype;
  std::vector<int64_t> shape;
};

/// A number that each call states: int32, int64, float32 or float64.
struct PluginParameter {
  std::string name;
  DType dtype;
};

/// The code of a plugin for one kind of device. `entry` is the kernel's name in
/// it, `block` the number of threads in x, y and z; those that are left out are
/// 1. `arguments` is what the kernel takes, in order: "operand 0", "result 0",
/// "number 0", "number 0 as i32", "parameter alpha"; if empty, all operands,
/// results, numbers (as int64) and parameters.
class PluginSource {
public:
  /// PTX, for CUDA.
  static PluginSource ptx(std::string text, std::string entry,
                          const Dims &block,
                          std::vector<std::string> arguments = {});
  /// The same, from a file. Errors: those of reading, at `loc`.
  static PluginSource ptxFile(const std::string &path, std::string entry,
                              const Dims &block,
                              std::vector<std::string> arguments = {},
                              SourceLoc loc = SourceLoc::current());
  /// Machine code for CUDA, from a file. Errors: those of reading, at `loc`.
  static PluginSource cubinFile(const std::string &path, std::string entry,
                                const Dims &block,
                                std::vector<std::string> arguments = {},
                                SourceLoc loc = SourceLoc::current());
  /// The text of a gpu.module of MLIR with a gpu.func, for CUDA.
  static PluginSource gpuFunction(std::string text, std::string entry,
                                  const Dims &block,
                                  std::vector<std::string> arguments = {});
  /// A function of a shared library for the CPU, as tripy/plugin.h has it.
  /// Loads the library: see loadPluginLibrary().
  static PluginSource cFunction(const std::string &library,
                                std::string function,
                                SourceLoc loc = SourceLoc::current());

private:
  friend class Plugin;
  explicit PluginSource(frontend::PluginCode code);
  std::shared_ptr<const frontend::PluginCode> code;
};

/// What a plugin's size function gives: a shape for each result and, for CUDA,
/// the number of blocks in x, y and z, of which those that are left out are 1.
struct PluginSizes {
  std::vector<Shape> results;
  std::vector<Size> grid = {};
  /// Dynamic shared memory in bytes.
  std::optional<Size> shared = {};
  /// Other numbers that the kernel takes.
  std::vector<Size> numbers = {};
};

/// What a plugin takes and gives, and where its code is.
struct PluginDescription {
  /// For messages and reports.
  std::string name;
  std::vector<PluginTensor> operands, results;
  /// Of those for a program's target, the first one that fits is taken.
  std::vector<PluginSource> sources;
  /// Called once, with the shapes of the operands: numbers where the operands
  /// have them, else sizes that the run knows. It may calculate with them, not
  /// ask for their values.
  Callable<PluginSizes(const std::vector<Shape> &operands)> sizes;
  std::vector<PluginParameter> parameters = {};
};

/// A kernel of the user's as a function of tensors. Copies are the same kernel;
/// threads may call it at the same time.
class Plugin {
public:
  using Parameters = std::map<std::string, Number>;
  using Operands = std::vector<TensorLike>;

  /// Errors: InvalidArgument for what breaks a rule of docs/plugins.md, and
  /// what the size function throws.
  explicit Plugin(const PluginDescription &description,
                  SourceLoc loc = SourceLoc::current());

  /// The only result. Errors: those of call(), and InvalidArgument where there
  /// are several.
  Tensor operator()(const Operands &operands, const Parameters &parameters = {},
                    SourceLoc loc = SourceLoc::current()) const;
  /// All results. Nothing runs before one of them is needed. Errors:
  /// InvalidArgument for operands and parameters that the plugin does not take.
  std::vector<Tensor> call(const Operands &operands,
                           const Parameters &parameters = {},
                           SourceLoc loc = SourceLoc::current()) const;

private:
  std::shared_ptr<const frontend::PluginDeclaration> declaration;
};

/// Declares a kernel that Tripy does not make. Errors: those of Plugin.
inline Plugin plugin(const PluginDescription &description,
                     SourceLoc loc = SourceLoc::current()) {
  return Plugin(description, loc);
}

/// Loads the shared library at `path`, a file and never a name to search for:
/// programs of this process that are loaded from then on may call its
/// functions. They know it by the last part of the path. It stays loaded, and
/// its initializers run: load what you trust. Errors: InvalidArgument (another
/// file of this name is loaded), NotFound, Io.
void loadPluginLibrary(const std::string &path,
                       SourceLoc loc = SourceLoc::current());

} // namespace tripy

#endif // TRIPY_FRONTEND_PLUGIN_H

//===- Plugin.h - Custom kernels --------------------------------*- C++ -*-===//
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
// docs/plugins.md has the requirements for kernels.
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

/// A size of a plugin's operand or result that may differ from call to call.
inline constexpr int64_t anyPluginSize = -1;

/// The type of a plugin's operand or result: an element type, and for each
/// dimension a size, which every call must have, or anyPluginSize.
struct PluginTensor {
  DType dtype;
  std::vector<int64_t> shape;
};

/// A scalar that each call passes: int32, int64, float32 or float64.
struct PluginParameter {
  std::string name;
  DType dtype;
};

/// The code of a plugin for one kind of device. `entry` is the kernel's name in
/// it, `block` the number of threads in x, y and z; omitted ones are 1.
/// `arguments` lists the kernel's parameters, in order: "operand 0", "result
/// 0", "number 0", "number 0 as i32", "parameter alpha"; if empty, all
/// operands, results, numbers (as int64) and parameters.
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
  /// A function of a shared library for the CPU, declared as in tripy/plugin.h.
  /// Loads the library: see loadPluginLibrary().
  static PluginSource cFunction(const std::string &library,
                                std::string function,
                                SourceLoc loc = SourceLoc::current());

private:
  friend class Plugin;
  explicit PluginSource(frontend::PluginCode code);
  std::shared_ptr<const frontend::PluginCode> code;
};

/// The result of a plugin's size function: a shape for each result and, for
/// CUDA, the number of blocks in x, y and z; omitted ones are 1.
struct PluginSizes {
  std::vector<Shape> results;
  std::vector<Size> grid = {};
  /// Dynamic shared memory in bytes.
  std::optional<Size> shared = {};
  /// Other numbers that are passed to the kernel.
  std::vector<Size> numbers = {};
};

/// The declaration of a plugin: its types and its code.
struct PluginDescription {
  /// Used in messages and reports.
  std::string name;
  std::vector<PluginTensor> operands, results;
  /// The first source that fits the program's target is used.
  std::vector<PluginSource> sources;
  /// Called once, with the shapes of the operands: numbers where the
  /// declaration gives them, else symbolic sizes. It may calculate with them,
  /// but not ask for their values.
  Callable<PluginSizes(const std::vector<Shape> &operands)> sizes;
  std::vector<PluginParameter> parameters = {};
};

/// A custom kernel as a function of tensors. Copies are the same kernel;
/// threads may call it at the same time.
class Plugin {
public:
  using Parameters = std::map<std::string, Number>;
  using Operands = std::vector<TensorLike>;

  /// Errors: InvalidArgument for violations of the rules of docs/plugins.md,
  /// and those that the size function throws.
  explicit Plugin(const PluginDescription &description,
                  SourceLoc loc = SourceLoc::current());

  /// The only result. Errors: those of call(), and InvalidArgument if there
  /// are several.
  Tensor operator()(const Operands &operands, const Parameters &parameters = {},
                    SourceLoc loc = SourceLoc::current()) const;
  /// All results, evaluated lazily. Errors: InvalidArgument for operands and
  /// parameters that do not match the declaration.
  std::vector<Tensor> call(const Operands &operands,
                           const Parameters &parameters = {},
                           SourceLoc loc = SourceLoc::current()) const;

private:
  std::shared_ptr<const frontend::PluginDeclaration> declaration;
};

/// Declares a custom kernel. Errors: those of Plugin.
inline Plugin plugin(const PluginDescription &description,
                     SourceLoc loc = SourceLoc::current()) {
  return Plugin(description, loc);
}

/// Loads the shared library at `path`, without searching for it: programs that
/// this process loads afterwards may call its functions. They identify it by
/// the last component of the path. It stays loaded, and its initializers run:
/// only load trusted files. Errors: InvalidArgument (another file of this name
/// is loaded), NotFound, Io.
void loadPluginLibrary(const std::string &path,
                       SourceLoc loc = SourceLoc::current());

} // namespace tripy

#endif // TRIPY_FRONTEND_PLUGIN_H

//===- Modules.cpp - Layers -----------------------------------------------===//

#include "tripy/Frontend/Modules.h"

#include "Throw.h"

using namespace tripy;
using namespace tripy::frontend;

/// The bias of a layer that has one.
static std::optional<Tensor> tensorOf(const std::optional<Parameter> &bias) {
  return bias ? std::optional(bias->tensor()) : std::nullopt;
}
static std::optional<Parameter> biasOf(bool hasBias, int64_t size, DType dtype,
                                       SourceLoc loc) {
  return hasBias ? std::optional(Parameter({size}, dtype, loc)) : std::nullopt;
}

/// The scale of a weight (out, in); 1 is a scale that does not make numbers
/// infinite.
static std::optional<Parameter> weightScale(int64_t in, int64_t out,
                                            const LinearLayerOptions &options,
                                            SourceLoc loc) {
  if (!options.quantDtype) {
    if (options.weightQuantDim)
      fail(Code::InvalidArgument,
           "'weightQuantDim' belongs to 'quantDtype'; found none", loc);
    return std::nullopt;
  }
  DType dtype = *options.quantDtype;
  if (dtype != int8 && dtype != float8 && dtype != float8_e5m2)
    fail(Code::InvalidArgument,
         "'quantDtype' is int8, float8 or float8_e5m2; found " +
             std::string(dtypeName(dtype)),
         loc);
  int64_t dim = options.weightQuantDim.value_or(0);
  if (dim != 0 && dim != 1)
    fail(Code::InvalidArgument,
         "'weightQuantDim' is 0 or 1; found " + std::to_string(dim), loc);
  Shape shape = !options.weightQuantDim ? Shape()
                : dim == 0              ? Shape({out})
                                        : Shape({in});
  Parameter scale(shape, options.dtype, loc);
  scale.set(ones(shape, options.dtype, loc), loc);
  return scale;
}

Linear::Linear(int64_t inFeatures, int64_t outFeatures, bool hasBias,
               DType dtype, SourceLoc loc)
    : Linear(inFeatures, outFeatures,
             LinearLayerOptions{.hasBias = hasBias, .dtype = dtype}, loc) {}
Linear::Linear(int64_t inFeatures, int64_t outFeatures,
               const LinearLayerOptions &options, SourceLoc loc)
    : options(options), weight({outFeatures, inFeatures}, options.dtype, loc),
      bias(biasOf(options.hasBias, outFeatures, options.dtype, loc)),
      weight_scale(weightScale(inFeatures, outFeatures, options, loc)) {
  if (options.quantDtype)
    input_scale.emplace(Shape(), options.dtype);
}

/// `x` as multiples of `scale` that the element type has, and back.
static Tensor rounded(const Tensor &x, const Tensor &scale, DType dtype,
                      std::optional<int64_t> dim, SourceLoc loc) {
  Tensor quantized = quantize({x, loc}, {scale, loc}, dtype, dim, loc);
  return dequantize({quantized, loc}, {scale, loc}, dim, loc);
}

Tensor Linear::forward(const Tensor &x, SourceLoc loc) const {
  if (!options.quantDtype)
    return linear({x, loc}, weight, {.bias = tensorOf(bias)}, loc);
  bool isInput = input_scale->isSet();
  if (isInput && options.weightQuantDim == 1)
    fail(Code::InvalidArgument,
         "'input_scale' is for weights with one scale, or one for each row; "
         "found 'weightQuantDim' 1",
         loc);
  Tensor input = isInput ? rounded(x, input_scale->tensor(loc),
                                   *options.quantDtype, std::nullopt, loc)
                         : x;
  Tensor weights = rounded(weight.tensor(), weight_scale->tensor(),
                           *options.quantDtype, options.weightQuantDim, loc);
  return linear({input, loc}, {weights, loc}, {.bias = tensorOf(bias)}, loc);
}

Embedding::Embedding(int64_t count, int64_t dimension, DType dtype,
                     SourceLoc loc)
    : weight({count, dimension}, dtype, loc) {}
Tensor Embedding::forward(const Tensor &indices, SourceLoc loc) const {
  return embedding(weight, {indices, loc}, loc);
}

//===-- norms -------------------------------------------------------------===//

LayerNorm::LayerNorm(Shape shape, DType dtype, double eps, SourceLoc loc)
    : weight(shape, dtype, loc), bias(shape, dtype, loc), eps(eps) {}
Tensor LayerNorm::forward(const Tensor &x, SourceLoc loc) const {
  return layer_norm({x, loc}, weight, bias, eps, loc);
}
RMSNorm::RMSNorm(Shape shape, DType dtype, double eps, SourceLoc loc)
    : weight(shape, dtype, loc), eps(eps) {}
Tensor RMSNorm::forward(const Tensor &x, SourceLoc loc) const {
  return rms_norm({x, loc}, weight, eps, loc);
}
static int64_t checkGroups(int64_t groups, int64_t channels, SourceLoc loc) {
  if (groups < 1 || channels % groups != 0)
    fail(Code::InvalidArgument,
         "groups divide the channels; found " + std::to_string(groups) +
             " groups of " + std::to_string(channels) + " channels",
         loc);
  return groups;
}

GroupNorm::GroupNorm(int64_t groups, int64_t channels, DType dtype, double eps,
                     SourceLoc loc)
    : groups(checkGroups(groups, channels, loc)),
      weight({channels}, dtype, loc), bias({channels}, dtype, loc), eps(eps) {}
Tensor GroupNorm::forward(const Tensor &x, SourceLoc loc) const {
  return group_norm({x, loc}, weight, bias, groups, eps, loc);
}
InstanceNorm::InstanceNorm(int64_t channels, DType dtype, double eps,
                           SourceLoc loc)
    : weight({channels}, dtype, loc), bias({channels}, dtype, loc), eps(eps) {}
Tensor InstanceNorm::forward(const Tensor &x, SourceLoc loc) const {
  return instance_norm({x, loc}, weight, bias, eps, loc);
}
BatchNorm::BatchNorm(int64_t features, DType dtype, double eps, SourceLoc loc)
    : weight({features}, dtype, loc), bias({features}, dtype, loc),
      running_mean({features}, dtype, loc), running_var({features}, dtype, loc),
      eps(eps) {}
Tensor BatchNorm::forward(const Tensor &x, SourceLoc loc) const {
  return batch_norm({x, loc}, running_mean, running_var, weight, bias, eps,
                    loc);
}

//===-- convolutions ------------------------------------------------------===//

/// (first, second / groups, window...). Both numbers are of channels.
static Shape weightShape(int64_t first, int64_t second, int64_t groups,
                         const Dims &window, SourceLoc loc) {
  checkGroups(groups, second, loc);
  checkGroups(groups, first, loc);
  size_t rank = window.numbers().size();
  if (rank < 1 || rank > 3)
    fail(Code::InvalidArgument,
         "the window of a convolution has 1 to 3 sizes; found " +
             std::to_string(rank),
         loc);
  std::vector<int64_t> sizes = {first, second / groups};
  sizes.insert(sizes.end(), window.numbers().begin(), window.numbers().end());
  return sizes;
}

/// The options of a call, which both functions name alike.
template <typename Options, typename Bias>
static Options callOptions(const ConvOptions &options, const Bias &bias) {
  return {.bias = tensorOf(bias),
          .stride = options.stride,
          .dilation = options.dilation,
          .low = options.low,
          .high = options.high,
          .groups = options.groups};
}

Conv::Conv(int64_t inChannels, int64_t outChannels, const Dims &window,
           const ConvOptions &options, SourceLoc loc)
    : options(options),
      weight(weightShape(outChannels, inChannels, options.groups, window, loc),
             options.dtype, loc),
      bias(biasOf(options.hasBias, outChannels, options.dtype, loc)) {}
Tensor Conv::forward(const Tensor &x, SourceLoc loc) const {
  return convolution({x, loc}, weight,
                     callOptions<ConvolutionOptions>(options, bias), loc);
}

ConvTranspose::ConvTranspose(int64_t inChannels, int64_t outChannels,
                             const Dims &window, const ConvOptions &options,
                             SourceLoc loc)
    : options(options),
      weight(weightShape(inChannels, outChannels, options.groups, window, loc),
             options.dtype, loc),
      bias(biasOf(options.hasBias, outChannels, options.dtype, loc)) {}
Tensor ConvTranspose::forward(const Tensor &x, SourceLoc loc) const {
  return conv_transpose({x, loc}, weight,
                        callOptions<ConvTransposeOptions>(options, bias), loc);
}

//===-- sequences ---------------------------------------------------------===//

Tensor Sequential::forward(Tensor x) const {
  for (const Step &step : steps)
    x = step.module ? step.module(x) : step.function(x);
  return x;
}

void Sequential::visitMembers(ModuleVisitor &visitor) {
  for (Step &step : steps)
    if (step.module)
      visitor.visit(step.name, *step.module);
  visitDerivedMembers(visitor);
}

void Sequential::append(std::string name, detail::AnyModule module,
                        Function function, SourceLoc loc) {
  if (name.empty() || name.find('.') != name.npos)
    fail(Code::InvalidArgument,
         "a step's name is not empty and has no '.'; found '" + name + "'",
         loc);
  if (!module && !function)
    fail(Code::InvalidArgument,
         "a step is a module or a function; found an empty function", loc);
  for (const Step &step : steps)
    if (step.name == name)
      fail(Code::InvalidArgument,
           "steps have names of their own; found '" + name + "' twice", loc);
  steps.push_back({std::move(name), std::move(module), std::move(function)});
}

const Module &
Sequential::operator[](const detail::Placed<std::string> &name) const {
  std::string known;
  for (const Step &step : steps) {
    if (!step.module)
      continue;
    if (step.name == name.value)
      return *step.module;
    known += (known.empty() ? "'" : ", '") + step.name + "'";
  }
  fail(Code::NotFound,
       "the modules of the sequence are " + (known.empty() ? "none" : known) +
           "; found no '" + name.value + "'",
       name.loc);
}

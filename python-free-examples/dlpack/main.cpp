// Tensors in the memory of another library, and back, without copies.
#include "buffer.h"

#include <tripy/Frontend/DLPack.h>
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

namespace {
/// A tensor of a buffer, as a library gives it away: it lives until the deleter
/// is called.
struct Lent {
  std::unique_ptr<Buffer> buffer;
  std::vector<int64_t> shape;
  DLManagedTensorVersioned managed = {};
};
} // namespace

static DLManagedTensorVersioned *lend(std::unique_ptr<Buffer> buffer,
                                      std::vector<int64_t> shape,
                                      const tp::Device &device) {
  auto *lent = new Lent{std::move(buffer), std::move(shape), {}};
  lent->managed.version = {1, 1};
  lent->managed.manager_ctx = lent;
  lent->managed.deleter = [](DLManagedTensorVersioned *self) {
    std::cout << "the buffer is let go\n";
    delete static_cast<Lent *>(self->manager_ctx);
  };
  DLTensor &tensor = lent->managed.dl_tensor;
  tensor.data = lent->buffer->data();
  tensor.device = {device.isGpu() ? kDLCUDA : kDLCPU, device.index()};
  tensor.ndim = int32_t(lent->shape.size());
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = lent->shape.data();
  return &lent->managed;
}

static void run(const tp::Device &device) {
  std::vector<float> values = {0, 1, 2, 3, 4, 5};
  auto make = [&] {
    return device.isGpu() ? makeCudaBuffer(values, device.index())
                          : makeHostBuffer(values);
  };
  std::unique_ptr<Buffer> other = make();
  {
    tp::Tensor x = tp::Tensor::fromDLPack(lend(make(), {2, 3}, device));
    std::cout << x << "\n";
    tp::Tensor y = x * 2 + 1;
    // The other way: whoever gets it reads the elements where they are.
    DLManagedTensorVersioned *given = y.toDLPack();
    std::cout << "twice, and one more:";
    for (float value : other->read(given->dl_tensor.data, values.size()))
      std::cout << " " << value;
    std::cout << "\n";
    given->deleter(given);
  }
  // What is not as Tripy has tensors is refused, and stays the caller's.
  DLManagedTensorVersioned *gaps = lend(make(), {2, 2}, device);
  std::vector<int64_t> strides = {3, 1};
  gaps->dl_tensor.strides = strides.data();
  try {
    tp::Tensor::fromDLPack(gaps);
  } catch (const tp::Error &error) {
    std::cout << error.summary() << "\n";
    gaps->deleter(gaps);
  }
}

int main(int argc, char **argv) {
  try {
    tp::Device device(argc > 1 ? argv[1] : "cpu");
    // Tripy computes where the tensors are.
    run(device);
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}

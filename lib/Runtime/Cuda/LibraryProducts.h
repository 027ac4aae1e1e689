//===- LibraryProducts.h - Products that cuBLASLt computes ------*- C++ -*-===//
//
// A program's products made ready for cuBLASLt, where it is there and has an
// algorithm. Whatever it lacks, the program's own kernels compute. Private to
// Runtime/Cuda.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_LIBRARYPRODUCTS_H
#define TRIPY_RUNTIME_CUDA_LIBRARYPRODUCTS_H

#include "tripy/Base/Program.h"
#include "tripy/Runtime/Cuda/CublasLtApi.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tripy::cuda {

/// Alignments in bytes of A, B, result and bias that every launch of a product
/// has: powers of two.
struct ProductAlignments {
  uint32_t a = 256, b = 256, result = 256, bias = 256;
};

/// One product with the algorithm that computes it. Shared by threads.
class LibraryProduct {
public:
  LibraryProduct(const CublasLtApi &api, const MatrixProduct &product)
      : api(api), product(product) {}
  ~LibraryProduct();
  LibraryProduct(const LibraryProduct &) = delete;
  LibraryProduct &operator=(const LibraryProduct &) = delete;

  /// Everything that can fail in making it. Call once. Unsupported when the
  /// library has no algorithm, or a call of it fails.
  Status create(lt::Handle handle, const ProductAlignments &alignments);
  uint64_t workspaceBytes() const { return algorithm.workspaceBytes; }
  /// The library's objects are not destroyed.
  void abandon() noexcept {
    desc = nullptr;
    layoutA = layoutB = layoutResult = nullptr;
  }

  /// Enqueues the product. Pointers are device addresses; `bias` is null where
  /// the product has none. `workspace` has workspaceBytes(). LaunchFailed when
  /// the library refuses.
  Status enqueue(lt::Handle handle, const void *a, const void *b,
                 const void *bias, void *result, void *workspace,
                 StreamHandle stream);

private:
  Status check(lt::Result result, std::string_view call,
               Code code = Code::Unsupported) const;
  Status createDesc(const ProductAlignments &alignments);
  Status createLayouts();
  Status createLayout(lt::Layout &layout, DType type, int64_t rows,
                      int64_t columns);
  Status findAlgorithm(lt::Handle handle, const ProductAlignments &alignments);
  Status setPreferences(lt::Preference preference,
                        const ProductAlignments &alignments);

  const CublasLtApi &api;
  const MatrixProduct &product;
  lt::Desc desc = nullptr;
  /// cuBLASLt's A is our B: it computes the transposed result.
  lt::Layout layoutA = nullptr, layoutB = nullptr, layoutResult = nullptr;
  lt::HeuristicResult algorithm = {};
  /// The bias is an attribute of `desc`: locked while that is set and used.
  std::mutex mutex;
};

/// All products of a program.
class LibraryProducts {
public:
  /// Workspace that an algorithm may have: what NVIDIA recommends for Hopper.
  static constexpr uint64_t maxWorkspaceBytes = 32 << 20;

  /// `api` is null where the library is missing, for the reason `missing`.
  /// Needs a current context, as does the destructor. `program` outlives this.
  LibraryProducts(const CublasLtApi *api, std::string missing,
                  const Program &program);

  /// What computes launch `launch` in its kernel's place, or null.
  LibraryProduct *of(TableIndex launch) const;
  /// In a child of the process that made this, where the library does not work:
  /// its objects are not destroyed.
  void abandon() noexcept;
  /// From now on `launch` is computed by its kernel, for the reason `why`.
  void refuse(TableIndex launch, std::string why);
  /// How a launch with a product is computed: "cuBLASLt 13.1.0" or "own kernel:
  /// cuBLASLt was not found: ...".
  std::string describe(TableIndex launch) const;
  /// Workspace for one launch at a time.
  uint64_t workspaceBytes() const { return workspace; }
  lt::Handle handle() const { return library.handle; }

private:
  void make(TableIndex number, const ProductAlignments &alignments);
  /// One entry for each of Program::products.
  std::vector<ProductAlignments> alignments() const;

  const CublasLtApi *api;
  const Program &program;
  /// The library's handle, destroyed after all products.
  struct Library {
    const CublasLtApi *api;
    lt::Handle handle = nullptr;
    ~Library() {
      if (handle)
        api->destroy(handle);
    }
  } library;
  uint64_t workspace = 0;
  struct Entry {
    std::unique_ptr<LibraryProduct> ready;
    /// Why the kernel computes it; empty while the library does.
    std::string why;
  };
  /// One for each of Program::products.
  std::vector<Entry> entries;
  /// Guards `why`.
  mutable std::mutex mutex;
};

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_LIBRARYPRODUCTS_H

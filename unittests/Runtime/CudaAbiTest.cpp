//===- CudaAbiTest.cpp - Our declarations against NVIDIA's ----------------===//
//
// Where the CUDA headers are installed, compares the driver types that the
// runtime declares itself with the originals.
//
//===----------------------------------------------------------------------===//

#include "tripy/Runtime/Cuda/DriverApi.h"

#include "tripy/Runtime/Cuda/CublasLtApi.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cstddef>
#include <cuda.h>

using namespace tripy::cuda;

TEST(CudaAbi, LayoutsAgree) {
  EXPECT_EQ(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(LaunchConfig, attributeCount),
            offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(LaunchAttribute, value),
            offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(KernelNodeParams), sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
  EXPECT_EQ(offsetof(KernelNodeParams, params),
            offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams));
  EXPECT_EQ(offsetof(KernelNodeParams, context),
            offsetof(CUDA_KERNEL_NODE_PARAMS_v2, ctx));
  EXPECT_EQ(sizeof(GraphEdgeData), sizeof(CUgraphEdgeData));
  EXPECT_EQ(offsetof(GraphEdgeData, type), offsetof(CUgraphEdgeData, type));
  EXPECT_EQ(sizeof(TensorMapValue), sizeof(CUtensorMap));
  EXPECT_GE(alignof(TensorMapValue), alignof(CUtensorMap));
}

TEST(CudaAbi, NumbersAgree) {
  auto same = [](auto ours, auto theirs) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs));
  };
  same(DriverResult::StubLibrary, CUDA_ERROR_STUB_LIBRARY);
  same(DriverResult::JitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
  same(DriverResult::LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  same(DriverResult::SystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  same(DriverResult::LaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
  same(DeviceAttribute::MaxSharedPerBlockOptin,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  same(DeviceAttribute::ComputeMinor,
       CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  same(DeviceAttribute::ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  same(DeviceAttribute::ClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  same(DeviceAttribute::MemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  same(DeviceAttribute::GlobalMemoryBusWidth,
       CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  same(FunctionAttribute::MaxDynamicSharedBytes,
       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  same(FunctionAttribute::NonPortableClusterAllowed,
       CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  same(LaunchAttributeId::ClusterDimension,
       CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  same(LaunchAttributeId::ProgrammaticStreamSerialization,
       CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  same(JitOption::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  same(JitOption::ErrorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  same(streamNonBlocking, CU_STREAM_NON_BLOCKING);
  same(eventDisableTiming, CU_EVENT_DISABLE_TIMING);
  same(captureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
}
#endif

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

using namespace tripy::cuda;

TEST(CublasLtAbi, LayoutsAgree) {
  EXPECT_EQ(sizeof(lt::Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(lt::HeuristicResult),
            sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_EQ(offsetof(lt::HeuristicResult, workspaceBytes),
            offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
  EXPECT_EQ(offsetof(lt::HeuristicResult, state),
            offsetof(cublasLtMatmulHeuristicResult_t, state));
}

TEST(CublasLtAbi, NumbersAgree) {
  auto same = [](auto ours, auto theirs) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs));
  };
  same(lt::Result::AllocFailed, CUBLAS_STATUS_ALLOC_FAILED);
  same(lt::Result::InvalidValue, CUBLAS_STATUS_INVALID_VALUE);
  same(lt::Result::ExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
  same(lt::Result::NotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
  same(lt::DataType::F32, CUDA_R_32F);
  same(lt::DataType::F16, CUDA_R_16F);
  same(lt::DataType::BF16, CUDA_R_16BF);
  same(lt::DataType::F8E4M3, CUDA_R_8F_E4M3);
  same(lt::ComputeType::F32, CUBLAS_COMPUTE_32F);
  same(lt::ComputeType::FastTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
  same(lt::Operation::None, CUBLAS_OP_N);
  same(lt::Operation::Transpose, CUBLAS_OP_T);
  same(lt::Epilogue::Bias, CUBLASLT_EPILOGUE_BIAS);
  same(lt::DescAttribute::TransA, CUBLASLT_MATMUL_DESC_TRANSA);
  same(lt::DescAttribute::TransB, CUBLASLT_MATMUL_DESC_TRANSB);
  same(lt::DescAttribute::Epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  same(lt::DescAttribute::BiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  same(lt::LayoutAttribute::BatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  same(lt::LayoutAttribute::StridedBatchOffset,
       CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  using Preference = lt::PreferenceAttribute;
  same(Preference::MaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  same(Preference::ReductionSchemeMask,
       CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  same(Preference::MinAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  same(Preference::MinAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  same(Preference::MinAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  same(Preference::MinAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  same(lt::reduceInComputeType, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
}
#endif

//===- CudaAbiTest.cpp - Our declarations against NVIDIA's ----------------===//
//
// Where the CUDA headers are installed, compares the driver types that the
// runtime declares itself with the originals.
//
//===----------------------------------------------------------------------===//

#include "tripy/Runtime/Cuda/DriverApi.h"

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
}
#endif

#!/usr/bin/env bash
# Runs all GPU tests and benchmarks of this bundle. Needs an x86-64 Linux, an
# NVIDIA driver and a GPU of compute capability 9.0; nothing else.
#
#   ./run.sh [--only=STEP,STEP] [--skip=STEP,STEP]
#
# Steps: unit examples plugins ops cpu ptx models libraries python accuracy large shapes one-value smith sanitize bench harness tune.
# "python", "accuracy", "large", "shapes", "smith", "harness" run when python3 with numpy (and torch) is there, "sanitize"
# when compute-sanitizer and python3 are, "libraries" when cuBLASLt is, "tune" when --only names
# it. Prints PASS and FAIL lines and closes with "N passed, N failed"; exits 1 when something
# failed. Measurements go to $OUT, or ./results.
#
# shapes: SHAPES programs of each kind (200), each shape REPEAT times (100), at most SHAPES_SECONDS
# (240) in all. smith: SMITH programs (20000) of SMITH_SEED (2), at most SMITH_SECONDS (540). sanitize: each of SANITIZE_TOOLS ("memcheck racecheck") takes at most
# SANITIZE_SECONDS (240); SANITIZER is the tool's path, SANITIZE_ARGUMENTS are more of its options,
# such as --force-blocking-launches, SANITIZE_COMPILE the compiler's, such as --no-overlap.
set -u
here=$(cd "$(dirname "$0")" && pwd)
results=${OUT:-$here/results}
mkdir -p "$results"
only= skip=
for argument in "$@"; do
  case $argument in
    --only=*) only=,${argument#*=}, ;;
    --skip=*) skip=,${argument#*=}, ;;
    *) echo "usage: run.sh [--only=STEP,...] [--skip=STEP,...]" >&2; exit 2 ;;
  esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xJf "$here/bundle.tar.xz" -C "$work" || exit 2
cd "$work" || exit 2
export PATH=$work/bin:$PATH
# Where a fresh machine keeps CUDA's assembler.
[ -d /usr/local/cuda ] && export TRIPY_CUDA_HOME=${TRIPY_CUDA_HOME:-/usr/local/cuda}
passed=0 failed=0 log=$results/log.txt
: >"$log"
cores=$(nproc)
[ "$cores" -gt 24 ] && cores=24
jobs=$cores
[ "$jobs" -gt 12 ] && jobs=12

wants() {
  case $only in "" | *,$1,*) ;; *) return 1 ;; esac
  case $skip in *,$1,*) return 1 ;; esac
  echo "== $1 ($SECONDS s)"
}
verdict() { # STATUS NAME [detail]
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1)); echo "PASS $2"
  else
    failed=$((failed + 1)); echo "FAIL $2${3:+: $3}"
  fi
}
# check NAME SECONDS COMMAND...: one test; its output is shown when it fails.
check() {
  local name=$1 limit=$2 output status
  shift 2
  output=$(timeout "$limit" "$@" 2>&1); status=$?
  printf '%s\n%s\n' "### $name: $*" "$output" >>"$log"
  [ $status -eq 124 ] && output="no answer after $limit s"
  verdict $status "$name" "$(tail -n 3 <<<"$output" | cut -c1-600)"
}
# reports SECONDS COMMAND...: a script whose lines PASS and FAIL are verdicts.
reports() {
  local limit=$1 before=$failed line status=1
  shift
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $line in
      "PASS "*) verdict 0 "${line#PASS }" ;;
      "FAIL "*) verdict 1 "${line#FAIL }" ;;
      "exit code "*) status=${line#exit code } ;;
      "") ;;
      *) printf '%s\n' "$line" ;;
    esac
  done < <(timeout "$limit" "$@" 2>&1; printf '\nexit code %d\n' $?)
  [ "$status" -eq 0 ] || [ "$failed" -gt "$before" ] || verdict 1 "$2" "exit code $status"
}
# collect FOLDER: verdicts of tests that ran side by side; each left NAME.rc, NAME.out.
collect() {
  local file name
  for file in "$1"/*.rc; do
    name=$(basename "$file" .rc)
    { echo "### $name"; cat "$1/$name.out"; } >>"$log"
    verdict "$(cat "$file")" "$2 $name" "$(tail -n 3 "$1/$name.out" | cut -c1-600)"
  done
}
# side_by_side FOLDER SECONDS COMMAND: COMMAND FOLDER/NAME for each sub-folder.
side_by_side() {
  mkdir -p "$work/verdicts-$4"
  ls "$1" | xargs -P "$jobs" -I@ sh -c \
    'timeout '"$2"' '"$3"' "$1/@" >"$2/@.out" 2>&1; echo $? >"$2/@.rc"' sh "$1" "$work/verdicts-$4"
  collect "$work/verdicts-$4" "$4"
}

nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader >"$results/gpu.txt" 2>/dev/null ||
  echo "nvidia-smi is not there" >"$results/gpu.txt"
echo "bundle of $(cat commit.txt) on $(cat "$results/gpu.txt")"

if wants unit; then
  for name in $(RuntimeTests --gtest_list_tests --gtest_filter='CudaHardware*' | grep '^  ' | grep -v DISABLED); do
    check "unit CudaHardware.$name" 20 sh -c \
      "RuntimeTests --gtest_filter=CudaHardware.$name | tee /dev/stderr | grep -q 'PASSED.* 1 test'"
  done
fi
example() { # FOLDER DEVICE [LIST]
  while IFS='|' read -r file arguments expected; do
    [ -f "$1/$file.tpx" ] || continue
    output=$(timeout 20 tripy-run "$1/$file.tpx" --device="$2" $arguments 2>&1 | tr -d '\n ')
    expected=$(tr -d ' ' <<<"${expected//LOC/${2/cuda/gpu}}")
    [ "$output" = "${expected/cpu/cpu:0}" ]; verdict $? "example $file $arguments on $2 ($1)" "$output"
  done <"${3:-examples.txt}"
}
wants examples && example examples-cuda cuda:0
wants plugins && example plugins-cuda cuda:0 plugins.txt
wants cpu && example examples-cpu cpu && side_by_side ops-cpu 60 conformance-replay cpu
wants ptx && example examples-ptx cuda:0
wants ops && side_by_side ops-cuda 60 conformance-replay op
if wants models; then
  for name in geglu mlp; do
    for rows in 512 509 1; do
      inputs=$(sed "s/ROWS/$rows/g" models/$name.inputs)
      timeout 60 tripy-run models/$name-cpu.tpx $inputs --output y=@y.npy >>"$log" 2>&1
      check "model $name, $rows rows, CUDA against CPU" 60 \
        tripy-run models/$name-cuda.tpx --device=cuda:0 $inputs --expect y=@y.npy --rtol 1e-4 --atol 1e-4
    done
  done
fi
if wants libraries; then
  # Where the system's loader, the CUDA toolkit or Python's packages have it.
  library=${TRIPY_CUBLASLT:-$(ls /usr/local/cuda/lib64/libcublasLt.so.1[23] /usr/local/cuda/lib/libcublasLt.so.1[23] \
    $(python3 -c 'import site; print(*(f"{s}/nvidia/*/lib/libcublasLt.so.1[23]" for s in site.getsitepackages()))' \
    2>/dev/null) 2>/dev/null | tail -n 1)}
  inputs=$(sed 's/.*/--input &=random/' libraries/inputs.txt)
  outputs=$(sed 's/.*/--output &=@&.npy/' libraries/outputs.txt)
  expected=$(sed 's/.*/--expect &=@&.npy/' libraries/outputs.txt)
  timeout 60 tripy-run libraries/cpu.tpx $inputs $outputs >>"$log" 2>&1
  for backend in "$library" none; do
    [ -n "$backend" ] && export TRIPY_CUBLASLT=$backend || unset TRIPY_CUBLASLT
    check "libraries, results with TRIPY_CUBLASLT=$backend, CUDA against CPU" 60 \
      tripy-run libraries/cuda.tpx --device=cuda:0 $inputs $expected --rtol 1e-2 --atol 2e-2
    tripy-run libraries/cuda.tpx --device=cuda:0 $inputs --benchmark=200 | tail -n 1
  done
  unset TRIPY_CUBLASLT
fi
# Programs for the sanitizer that the folders ops-* lack: kernels of every kind, tiles that the
# model would not pick, and an older GPU's. FOLDER OPTIONS...
forms() {
  mkdir -p "forms/$1"
  check "programs for the sanitizer: $1" 100 python3 test/Models/random_shapes.py --bin bin --emit "forms/$1" \
    --target cuda:sm_90a --jobs "$cores" --options="${SANITIZE_COMPILE:-}" "${@:2}"
}
if wants sanitize; then
  sanitizer=${SANITIZER:-$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)}
  if [ -z "$sanitizer" ] || ! command -v python3 >/dev/null; then
    echo "compute-sanitizer or python3 is not there: skipped"
  else
    if python3 -c 'import numpy' 2>/dev/null; then
      forms kinds --count "${SANITIZE_COUNT:-8}" --elements 20000 --products 2000000
      forms copies --emitters gemm-aligned --count "${SANITIZE_TILES:-70}" --elements 300000 --products 20000000 --tiles "$(cat tiles.txt)"
      forms tiles --emitters gemm-tensor,gemm-gated,gemm-computed --count $((${SANITIZE_TILES:-70} / 3)) --elements 60000 \
        --products 6000000 --tiles "$(cat tiles.txt)"
      forms older --emitters gemm-tensor,gemm-gated,attention --target cuda:sm_80 --count "${SANITIZE_COUNT:-8}" --elements 30000 \
        --products 3000000 --tiles "128x128 64x128 128x64 64x64 64x32"
    else
      echo "python3 has no numpy: the operations alone"
    fi
    "$sanitizer" --version 2>&1 | grep -i version
    for tool in ${SANITIZE_TOOLS:-memcheck racecheck}; do
      reports $((${SANITIZE_SECONDS:-240} + 20)) python3 sanitize.py --tool "$tool" --sanitizer "$sanitizer" --jobs "$jobs" \
        --seconds "${SANITIZE_SECONDS:-240}" --limit 150 --arguments="${SANITIZE_ARGUMENTS:-}" --log "$results/sanitize-$tool.txt" \
        --also 'RuntimeTests --gtest_filter=CudaHardware.*-*Measures*' \
        --also 'tripy-run examples-cuda/mlp.tpx --device=cuda:0' ops-cuda $(ls -d forms/* 2>/dev/null)
    done
  fi
fi
if wants bench; then
  IFS=, read -r card driver _ <"$results/gpu.txt"
  printf '{"meta": {"commit": "%s", "card": "%s", "driver": "%s", "date": "%s", "command": "run.sh"}, "rows": [\n' \
    "$(cat commit.txt)" "$card" "${driver# }" "$(date +%F)" >"$results/benchmarks.json"
  sep=
  while IFS='|' read -r file runs arguments; do
    line=$(timeout 60 tripy-run "bench-cuda/$file.tpx" --device=cuda:0 $arguments --benchmark="$runs" --json 2>&1)
    if [ "${line:0:1}" != "{" ]; then verdict 1 "bench $file" "$line"; continue; fi
    echo "$sep$line" >>"$results/benchmarks.json"; sep=,
    awk -v case="$file" -v line="$line" 'function of(key) {
      match(line, "\"" key "\": [-0-9.e+]*"); return substr(line, RSTART + length(key) + 4, RLENGTH - length(key) - 4) + 0 }
      BEGIN { rate = of("bytes") / of("replay_s") * 1e-9
        printf "%-40s host %7.2f us  replay %9.2f us  round trip %9.2f us  %8.1f GB/s  %.3f of a copy (%.0f GB/s)\n", case,
          of("host_median_s") * 1e6, of("replay_s") * 1e6, of("median_s") * 1e6, rate, rate / of("copy_gbps"), of("copy_gbps") }'
    verdict 0 "bench $file"
  done <bench.txt
  echo ']}' >>"$results/benchmarks.json"
fi
if wants python; then
  if python3 -c 'import numpy' 2>/dev/null; then
    for model in geglu mlp; do
      for dtype in f32 f16 bf16; do
        echo "$model $dtype"
      done
    done | xargs -P 3 -L1 sh -c 'timeout 150 python3 test/Models/run_models.py --bin bin --target cuda:sm_90a \
      --device cuda:0 --models $0 --dtypes $1 >"models-$0-$1.out" 2>&1; echo $? >"models-$0-$1.rc"'
    collect . python
    check networks 500 python3 test/Models/networks.py --bin bin --target cuda:sm_90a --device cuda:0 --dtypes f32,f16,bf16
    if python3 -c 'import torch' 2>/dev/null; then
      for device in cuda:0 cpu; do
        check "networks against PyTorch on $device" 500 python3 test/Models/networks.py --bin bin --reference torch \
          --target "${device/cuda:0/cuda:sm_90a}" --device $device
      done
    fi
  else
    echo "python3 with numpy is not there: skipped"
  fi
fi
if wants shapes; then
  if python3 -c 'import numpy' 2>/dev/null; then
    reports $((${SHAPES_SECONDS:-240} + 60)) python3 test/Models/random_shapes.py --bin bin --device cuda:0 \
      --count "${SHAPES:-200}" --repeat "${REPEAT:-100}" --jobs "$cores" --seconds "${SHAPES_SECONDS:-240}" --timeout 60
  else
    echo "python3 with numpy is not there: skipped"
  fi
fi
if wants one-value; then
  if python3 -c 'import numpy' 2>/dev/null; then
    check one-value 300 python3 test/Models/one_value.py --bin bin --target cuda:sm_90a --device cuda:0 \
      --count "${ONE_VALUE:-600}"
  else
    echo "python3 with numpy is not there: skipped"
  fi
fi
if wants smith; then
  if python3 -c 'import numpy' 2>/dev/null; then
    reports $((${SMITH_SECONDS:-540} + 60)) python3 test/Smith/main.py --bin bin --device cuda:0 --count "${SMITH:-20000}" \
      --seed "${SMITH_SEED:-2}" --jobs "$cores" --seconds "${SMITH_SECONDS:-540}" --elements 3000 --products 300000 \
      --reduce 6 --reduce-seconds 30 --keep "$results/smith"
  else
    echo "python3 with numpy is not there: skipped"
  fi
fi
if wants large; then
  if python3 -c 'import torch' 2>/dev/null; then
    while read -r status name; do
      verdict "$([ "$status" = PASS ]; echo $?)" "$name"
    done < <(timeout 150 python3 test/Models/large_tensors.py --bin bin 2>&1 | tee -a "$log" | grep '^PASS\|^FAIL' ||
      echo "FAIL large tensors: no verdict")
  else
    echo "python3 with torch is not there: skipped"
  fi
fi
if wants accuracy; then
  if python3 -c 'import torch' 2>/dev/null; then
    reports 200 python3 test/Models/accuracy.py --bin bin --card "$(cut -d, -f1 "$results/gpu.txt")"
  else
    echo "python3 with torch is not there: skipped"
  fi
fi
if wants harness; then
  if python3 -c 'import torch' 2>/dev/null; then
    check "bench/harness.py" "${HARNESS_SECONDS:-400}" python3 bench/harness.py --bin bin --output "$results/harness.json" \
      --chart "$results/harness.svg" --commit "$(cat commit.txt)" ${HARNESS_ARGUMENTS:-}
    tail -n 120 "$log"
  else
    echo "python3 with torch is not there: skipped"
  fi
fi
# Minutes of measurements that no test needs: only when asked for.
if [ -n "$only" ] && wants tune; then
  check "bench/tune.py" "${TUNE_LIMIT:-590}" python3 bench/tune.py --bin bin --output "$results/tune.json" \
    --tuning-file "$results/tuning.txt" --commit "$(cat commit.txt)" --seconds "${TUNE_SECONDS:-500}" ${TUNE_ARGUMENTS:-}
  tail -n 400 "$log"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

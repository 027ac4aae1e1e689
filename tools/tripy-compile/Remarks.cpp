//===- Remarks.cpp - Decisions of a compilation, printed ------------------===//

#include "Remarks.h"

#include "tripy/Base/Text.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>
#include <tuple>

using namespace mlir;
using namespace tripy;
using namespace tripy::compile;

/// Bytes of a file's name and of a remark that are printed.
static constexpr size_t maxName = 1024, maxText = 4000;

namespace {
/// What remarks of a kind are printed under, in this order.
struct Heading {
  llvm::StringLiteral category, name, text;
};
} // namespace

static constexpr Heading headings[] = {
    {"fusion", "unfused", "kernels that were not fused"},
    {"fusion", "fused", "operations that were fused"},
    {"fusion", "declined", "fusions that were declined"},
    {"gemm", "tile", "tiles of contractions"},
    {"libraries", "candidate", "contractions that a library computes"},
    {"libraries", "declined", "contractions that no library computes"},
};

struct RemarkReport::List {
  /// File, line, column and text of a remark.
  using Line = std::tuple<std::string, unsigned, unsigned, std::string>;
  struct Group {
    bool isMissed = false;
    /// How often each was reported.
    std::map<Line, unsigned> lines;
  };
  std::mutex mutex;
  /// By the number of the heading, or behind them.
  std::map<size_t, Group> groups;
};

class RemarkReport::Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  Collector(std::shared_ptr<List> list,
            std::unique_ptr<MLIRRemarkStreamerBase> file)
      : list(std::move(list)), file(std::move(file)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override;
  void finalize() override {
    if (file)
      file->finalize();
  }

private:
  std::shared_ptr<List> list;
  std::unique_ptr<MLIRRemarkStreamerBase> file;
};

void RemarkReport::Collector::streamOptimizationRemark(
    const remark::detail::Remark &remark) {
  std::lock_guard lock(list->mutex);
  if (file)
    file->streamOptimizationRemark(remark);
  size_t number = 0;
  while (number < std::size(headings) &&
         (headings[number].category != remark.getCategoryName() ||
          headings[number].name != remark.getRemarkName()))
    ++number;
  std::string text;
  for (const remark::detail::Remark::Arg &argument : remark.getArgs())
    if (argument.key == "Remark")
      text += argument.val;
  List::Line line("", 0, 0, printableLines(text, maxText));
  if (auto place = dyn_cast<FileLineColLoc>(remark.getLocation()))
    line = {printable(place.getFilename().getValue(), maxName), place.getLine(),
            place.getColumn(), std::get<3>(line)};
  List::Group &group = list->groups[number];
  group.isMissed = remark.getRemarkType() == llvm::remarks::Type::Missed;
  ++group.lines[line];
}

RemarkReport::RemarkReport() : list(std::make_shared<List>()) {}
RemarkReport::~RemarkReport() = default;

Status RemarkReport::collect(MLIRContext &context, const std::string &path) {
  std::unique_ptr<remark::detail::MLIRRemarkStreamerBase> file;
  if (!path.empty()) {
    auto opened = remark::detail::LLVMRemarkStreamer::createToFile(
        path, llvm::remarks::Format::YAML);
    if (failed(opened))
      return Status(Code::Io, concat("remarks cannot be written to '",
                                     printable(path, maxName), "'"));
    file = std::move(*opened);
  }
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*";
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(list, std::move(file)),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  return succeeded(enabled) ? Status::ok()
                            : Status(Code::Io, "remarks cannot be collected");
}

void RemarkReport::print(RemarkChoice choice) const {
  if (choice == RemarkChoice::None)
    return;
  llvm::raw_ostream &os = llvm::errs();
  bool any = false;
  for (const auto &[number, group] : list->groups) {
    if (choice == RemarkChoice::Missed && !group.isMissed)
      continue;
    any = true;
    os << (number < std::size(headings) ? headings[number].text : "others")
       << ": " << group.lines.size() << "\n";
    for (const auto &[line, count] : group.lines) {
      const auto &[file, number, column, text] = line;
      os << "  ";
      if (!file.empty())
        os << file << ":" << number << ":" << column << ": ";
      os << text;
      if (count > 1)
        os << " (" << count << " times)";
      os << "\n";
    }
  }
  if (!any)
    os << (choice == RemarkChoice::Missed ? "no kernels were left unfused\n"
                                          : "no remarks\n");
  os.flush();
}

//===- OutputFiles.cpp - Which files may be written -----------------------===//

#include "tripy/Base/OutputFiles.h"
#include "FileErrors.h"
#include "tripy/Base/File.h"

#include <algorithm>

using namespace tripy;

Status tripy::checkOutputFiles(std::span<const std::string> outputs,
                               std::span<const std::string> sources) {
  std::vector<FileIdentity> seen;
  for (const std::string &output : outputs) {
    std::optional<FileIdentity> identity = identifyFile(output);
    // Writing to a folder that is not there says so itself.
    if (!identity)
      continue;
    if (!identity->isDevice &&
        std::find(seen.begin(), seen.end(), *identity) != seen.end())
      return Status(
          Code::InvalidArgument,
          concat("two outputs are to be written to ", quotedPath(output)));
    for (const std::string &source : sources)
      if (identifyFile(source) == identity)
        return Status(Code::InvalidArgument,
                      concat("an output must be another file than those that "
                             "are read, but ",
                             quotedPath(output), " is ", quotedPath(source)));
    seen.push_back(std::move(*identity));
  }
  return Status::ok();
}

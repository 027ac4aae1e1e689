//===- FlatLinker.cpp - Objects to one position-independent block ---------===//

#include "FlatLinker.h"

#include "tripy/Base/Text.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Endian.h"

#include <cstring>
#include <optional>

using namespace tripy;
using namespace tripy::target;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
using SectionHeader = File::Elf_Shdr;
using Symbol = File::Elf_Sym;

/// A section of an object: (object, section).
using SectionId = std::pair<unsigned, unsigned>;

struct Definition {
  SectionId section;
  uint64_t value = 0;
};

class Linker {
public:
  Status read(ArrayRef<StringRef> objects);
  Result<LinkedCode> link(ArrayRef<std::string> entries);
  std::vector<std::string> undefined() const;

private:
  struct Object {
    File file;
    ArrayRef<SectionHeader> sections;
    ArrayRef<Symbol> symbols;
    StringRef names;
  };
  Status readObject(StringRef bytes);
  Status reach(SectionId id);
  void layOut(LinkedCode &code);
  Status relocate(LinkedCode &code, SectionId id);
  Status apply(LinkedCode &code, uint64_t place, uint32_t type, uint64_t target,
               int64_t addend, StringRef name);
  Result<Definition> resolve(unsigned object, uint32_t symbol) const;
  StringRef nameOf(const Object &object, const Symbol &symbol) const;
  /// The relocations of a section; none when it has no table.
  ArrayRef<File::Elf_Rela> relocationsOf(SectionId id) const;

  std::vector<Object> objects;
  llvm::StringMap<Definition> globals;
  /// Reached sections in the order of discovery, with their offsets.
  llvm::MapVector<SectionId, uint64_t> placed;
};

} // namespace

static Status malformed(llvm::Error error) {
  return Status(Code::Malformed, concat("host code is no readable object: ",
                                        llvm::toString(std::move(error))));
}

StringRef Linker::nameOf(const Object &object, const Symbol &symbol) const {
  llvm::Expected<StringRef> name = symbol.getName(object.names);
  if (name)
    return *name;
  llvm::consumeError(name.takeError());
  return "";
}

ArrayRef<File::Elf_Rela> Linker::relocationsOf(SectionId id) const {
  const Object &object = objects[id.first];
  for (const SectionHeader &section : object.sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA || section.sh_info != id.second)
      continue;
    auto relocations = object.file.relas(section);
    if (relocations)
      return *relocations;
    llvm::consumeError(relocations.takeError());
  }
  return {};
}

Status Linker::readObject(StringRef bytes) {
  llvm::Expected<File> file = File::create(bytes);
  if (!file)
    return malformed(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return malformed(sections.takeError());
  Object object{*file, *sections, {}, {}};
  for (const SectionHeader &section : object.sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    if (!symbols)
      return malformed(symbols.takeError());
    object.symbols = *symbols;
    auto names = file->getStringTableForSymtab(section);
    if (!names)
      return malformed(names.takeError());
    object.names = *names;
  }
  unsigned number = objects.size();
  for (const Symbol &symbol : object.symbols)
    if (symbol.getBinding() != llvm::ELF::STB_LOCAL &&
        symbol.st_shndx != llvm::ELF::SHN_UNDEF &&
        symbol.st_shndx < object.sections.size())
      globals.try_emplace(
          nameOf(object, symbol),
          Definition{{number, symbol.st_shndx}, symbol.st_value});
  objects.push_back(object);
  return Status::ok();
}

Status Linker::read(ArrayRef<StringRef> list) {
  for (StringRef bytes : list)
    if (Status status = readObject(bytes); !status.isOk())
      return status;
  return Status::ok();
}

Result<Definition> Linker::resolve(unsigned object, uint32_t symbol) const {
  if (symbol >= objects[object].symbols.size())
    return Status(Code::Malformed, "host code refers to no symbol");
  const Symbol &wanted = objects[object].symbols[symbol];
  if (wanted.st_shndx != llvm::ELF::SHN_UNDEF &&
      wanted.st_shndx < objects[object].sections.size())
    return Definition{{object, wanted.st_shndx}, wanted.st_value};
  StringRef name = nameOf(objects[object], wanted);
  auto found = globals.find(name);
  if (found == globals.end())
    return Status(Code::Unsupported,
                  concat("host code may not call a library, but needs '",
                         printable(std::string_view(name)), "'"));
  return found->second;
}

Status Linker::reach(SectionId first) {
  llvm::SmallVector<SectionId> pending = {first};
  while (!pending.empty()) {
    SectionId id = pending.pop_back_val();
    const SectionHeader &section = objects[id.first].sections[id.second];
    if (!placed.insert({id, 0}).second)
      continue;
    if (!(section.sh_flags & llvm::ELF::SHF_ALLOC) ||
        section.sh_flags & llvm::ELF::SHF_WRITE ||
        section.sh_type != llvm::ELF::SHT_PROGBITS)
      return Status(Code::Unsupported,
                    "host code may not have writable or uninitialised data");
    for (const File::Elf_Rela &relocation : relocationsOf(id)) {
      Result<Definition> target =
          resolve(id.first, relocation.getSymbol(/*isMips64EL=*/false));
      if (!target)
        return target.status();
      pending.push_back(target->section);
    }
  }
  return Status::ok();
}

void Linker::layOut(LinkedCode &code) {
  uint64_t size = 0;
  for (bool executable : {true, false})
    for (auto &[id, offset] : placed) {
      const SectionHeader &section = objects[id.first].sections[id.second];
      if (bool(section.sh_flags & llvm::ELF::SHF_EXECINSTR) != executable)
        continue;
      uint64_t alignment = std::max<uint64_t>(section.sh_addralign, 1);
      offset = llvm::alignTo(size, alignment);
      size = offset + section.sh_size;
    }
  // int3 between functions.
  code.bytes.assign(size, 0xcc);
  for (auto &[id, offset] : placed) {
    const Object &object = objects[id.first];
    auto contents = object.file.getSectionContents(object.sections[id.second]);
    if (!contents) {
      llvm::consumeError(contents.takeError());
      continue;
    }
    llvm::copy(*contents, code.bytes.begin() + offset);
  }
}

/// mov x@GOTPCREL(%rip), %reg -> lea x(%rip), %reg, and an indirect call -> a
/// direct one with a prefix to fill the place.
static bool relaxGot(uint8_t *instruction) {
  if (instruction[0] == 0x8b) {
    instruction[0] = 0x8d;
    return true;
  }
  if (instruction[0] == 0xff && instruction[1] == 0x15) {
    instruction[0] = 0x67;
    instruction[1] = 0xe8;
    return true;
  }
  return false;
}

Status Linker::apply(LinkedCode &code, uint64_t place, uint32_t type,
                     uint64_t target, int64_t addend, StringRef name) {
  uint64_t width = type == llvm::ELF::R_X86_64_PC64 ? 8 : 4;
  if (place + width > code.bytes.size())
    return Status(Code::Malformed, "host code relocates beyond its end");
  uint8_t *at = code.bytes.data() + place;
  int64_t value = int64_t(target) + addend - int64_t(place);
  switch (type) {
  case llvm::ELF::R_X86_64_GOTPCRELX:
  case llvm::ELF::R_X86_64_REX_GOTPCRELX:
    if (place < 2 || !relaxGot(at - 2))
      break;
    [[fallthrough]];
  case llvm::ELF::R_X86_64_PC32:
  case llvm::ELF::R_X86_64_PLT32:
    if (value != int32_t(value))
      return Status(Code::LimitExceeded, "host code exceeds 2 GiB");
    llvm::support::endian::write32le(at, uint32_t(value));
    return Status::ok();
  case llvm::ELF::R_X86_64_PC64:
    llvm::support::endian::write64le(at, uint64_t(value));
    return Status::ok();
  default:
    break;
  }
  return Status(Code::Unsupported,
                concat("host code must be position-independent, but needs a "
                       "relocation of kind ",
                       type, " to '", printable(std::string_view(name)), "'"));
}

Status Linker::relocate(LinkedCode &code, SectionId id) {
  for (const File::Elf_Rela &relocation : relocationsOf(id)) {
    uint32_t symbol = relocation.getSymbol(/*isMips64EL=*/false);
    Result<Definition> target = resolve(id.first, symbol);
    if (!target)
      return target.status();
    uint64_t place = placed[id] + relocation.r_offset;
    Status status =
        apply(code, place, relocation.getType(/*isMips64EL=*/false),
              placed[target->section] + target->value, relocation.r_addend,
              nameOf(objects[id.first], objects[id.first].symbols[symbol]));
    if (!status.isOk())
      return status;
  }
  return Status::ok();
}

Result<LinkedCode> Linker::link(ArrayRef<std::string> entries) {
  LinkedCode code;
  for (const std::string &entry : entries) {
    auto found = globals.find(entry);
    if (found == globals.end())
      return Status(Code::Malformed,
                    concat("host code has no kernel '", printable(entry), "'"));
    if (Status status = reach(found->second.section); !status.isOk())
      return status;
  }
  layOut(code);
  for (const auto &[id, offset] : placed)
    if (Status status = relocate(code, id); !status.isOk())
      return status;
  for (const std::string &entry : entries) {
    const Definition &definition = globals[entry];
    code.entries.push_back(placed[definition.section] + definition.value);
  }
  return code;
}

std::vector<std::string> Linker::undefined() const {
  std::vector<std::string> names;
  for (const Object &object : objects)
    for (const Symbol &symbol : object.symbols) {
      StringRef name = nameOf(object, symbol);
      if (symbol.st_shndx == llvm::ELF::SHN_UNDEF && !name.empty() &&
          !globals.contains(name) && !llvm::is_contained(names, name))
        names.push_back(name.str());
    }
  return names;
}

Result<LinkedCode> target::linkFlat(ArrayRef<StringRef> objects,
                                    ArrayRef<std::string> entries) {
  Linker linker;
  if (Status status = linker.read(objects); !status.isOk())
    return status;
  return linker.link(entries);
}

Result<std::vector<std::string>>
target::undefinedSymbols(ArrayRef<StringRef> objects) {
  Linker linker;
  if (Status status = linker.read(objects); !status.isOk())
    return status;
  return linker.undefined();
}

//===- Parser.cpp - Modules, variables and kernel headers -------*- C++ -*-===//
#include "Parser.h"

#include <bit>
#include <cstring>

namespace tripy::emulator {

uint32_t fundamentalBytes(std::string_view type) {
  static const std::map<std::string_view, uint32_t> table = {
      {".b8", 1},  {".u8", 1},    {".s8", 1},   {".b16", 2}, {".u16", 2},
      {".s16", 2}, {".f16", 2},   {".bf16", 2}, {".b32", 4}, {".u32", 4},
      {".s32", 4}, {".f32", 4},   {".b64", 8},  {".u64", 8}, {".s64", 8},
      {".f64", 8}, {".b128", 16}, {".f16x2", 4}};
  auto found = table.find(type);
  return found == table.end() ? 0 : found->second;
}

bool Parser::fail(std::string_view what, Code code) {
  if (error.isOk())
    error = Status(code, concat("PTX line ", token.line, ": ", what));
  return false;
}

bool Parser::expect(char c) {
  if (!token.is(c))
    return fail(concat("expected '", c, "', found '",
                       printable(token.text.empty() ? "end" : token.text),
                       "'"));
  advance();
  return true;
}

bool Parser::take(char c) {
  if (!token.is(c))
    return false;
  advance();
  return true;
}

bool Parser::integer(int64_t &value) {
  bool negative = take('-');
  if (token.kind != TokenKind::Integer)
    return fail(
        concat("expected a number, found '", printable(token.text), "'"));
  value = negative ? -token.value : token.value;
  advance();
  return true;
}

bool Parser::skipStatement() {
  while (token.kind != TokenKind::End && !token.is(';'))
    advance();
  return expect(';');
}

bool Parser::skipBraces() {
  while (token.kind != TokenKind::End && !token.is('{'))
    advance();
  while (token.kind != TokenKind::End && !token.is('}'))
    advance();
  return expect('}');
}

Result<std::unique_ptr<Module>> Parser::run() {
  while (token.kind != TokenKind::End)
    if (!directive())
      return error;
  if (module->targetName.empty())
    return Status(Code::Malformed, "PTX without a .target");
  return std::move(module);
}

bool Parser::directive() {
  std::string name(token.text);
  if (name == ".file" || name == ".loc") {
    lexer.skipLine();
    advance();
    return true;
  }
  bool external = false;
  while (token.is(".visible") || token.is(".extern") || token.is(".weak") ||
         token.is(".common")) {
    external |= token.is(".extern");
    advance();
  }
  name = token.text;
  if (token.kind != TokenKind::Name)
    return fail(concat("expected a directive, found '", printable(name), "'"));
  advance();
  if (name == ".version" || name == ".address_size") {
    advance();
    return true;
  }
  if (name == ".target") {
    module->targetName = token.text;
    advance();
    while (take(','))
      advance();
    return true;
  }
  if (name == ".section")
    return skipBraces();
  if (name == ".pragma" || (name == ".func" && external))
    return skipStatement();
  if (name == ".entry")
    return entry();
  if (name == ".global" || name == ".const" || name == ".shared")
    return variable(name == ".shared"   ? Space::Shared
                    : name == ".global" ? Space::Global
                                        : Space::Const,
                    external);
  return fail(concat("unknown directive '", printable(name), "'"),
              Code::Unsupported);
}

/// `[.align n] .type name [count]...`
bool Parser::declaration(Declaration &result) {
  int64_t value = 0;
  while (token.kind == TokenKind::Name && token.text[0] == '.') {
    if (token.is(".align")) {
      advance();
      if (!integer(value))
        return false;
      if (value <= 0 || !std::has_single_bit(uint64_t(value)))
        return fail("an alignment is a power of two");
      result.alignment = value;
      continue;
    }
    result.elementBytes = fundamentalBytes(token.text);
    if (!result.elementBytes)
      return fail(concat("unknown type '", printable(token.text), "'"),
                  Code::Unsupported);
    result.isFloat = token.text[1] == 'f';
    advance();
  }
  if (token.kind != TokenKind::Name || !result.elementBytes)
    return fail("expected a type and a name");
  result.name = token.text;
  advance();
  while (take('[')) {
    if (take(']')) {
      result.unsized = true;
      continue;
    }
    if (!integer(value) || !expect(']'))
      return false;
    if (value < 0 || value > (int64_t(1) << 40))
      return fail("the size of a variable is out of range");
    result.elements *= value;
  }
  if (!result.alignment)
    result.alignment = result.elementBytes;
  return true;
}

bool Parser::initializer(const Declaration &type, std::vector<uint8_t> &bytes) {
  if (take('{')) {
    while (!token.is('}'))
      if (!initializer(type, bytes) || (!token.is('}') && !expect(',')))
        return false;
    return expect('}');
  }
  bool negative = take('-');
  uint64_t bits = token.value;
  if (token.kind == TokenKind::Float64 && type.elementBytes == 4)
    bits = std::bit_cast<uint32_t>(
        static_cast<float>(std::bit_cast<double>(bits)));
  else if (token.kind != TokenKind::Integer &&
           token.kind != TokenKind::Float32 && token.kind != TokenKind::Float64)
    return fail("only numbers may initialise a variable", Code::Unsupported);
  if (negative && token.kind != TokenKind::Integer)
    bits ^= uint64_t(1) << (8 * type.elementBytes - 1);
  else if (negative)
    bits = -bits;
  advance();
  auto *raw = reinterpret_cast<const uint8_t *>(&bits);
  bytes.insert(bytes.end(), raw, raw + type.elementBytes);
  return true;
}

/// Gives a variable its memory.
bool Parser::place(Declaration &type, Space space, bool external,
                   Symbol &symbol) {
  symbol.space = space;
  symbol.bytes = type.elements * type.elementBytes;
  symbol.alignment = type.alignment;
  if (space == Space::Shared || space == Space::Local) {
    symbol.dynamicShared = type.unsized;
    symbol.unplaced = true;
    if (type.unsized && (!external || space == Space::Local))
      return fail("only an .extern .shared variable may have no size");
    return true;
  }
  std::vector<uint8_t> bytes;
  if (take('=') && !initializer(type, bytes))
    return false;
  if (type.unsized)
    symbol.bytes = bytes.size();
  if (bytes.size() > symbol.bytes || symbol.bytes == 0)
    return fail("the initial value does not fit the variable");
  Result<uint64_t> address = module->memory.allocate(
      symbol.bytes, concat("variable '", type.name, "'"));
  if (!address)
    return fail(address.status().message(), address.status().code());
  symbol.value = *address;
  // What has no initial value is zero.
  auto *data = reinterpret_cast<uint8_t *>(*address);
  std::memset(data, 0, symbol.bytes);
  if (!bytes.empty())
    std::memcpy(data, bytes.data(), bytes.size());
  module->variables.push_back({type.name, *address, symbol.bytes});
  return true;
}

bool Parser::variable(Space space, bool external) {
  do {
    Declaration type;
    Symbol symbol;
    if (!declaration(type) || !place(type, space, external, symbol))
      return false;
    auto &symbols = scopes.empty() ? global.symbols : scopes.back().symbols;
    symbols[type.name] = symbol;
  } while (take(','));
  return expect(';');
}

bool Parser::entry() {
  kernel = KernelText();
  kernel.function.name = token.text;
  if (token.kind != TokenKind::Name)
    return fail("expected the name of a kernel");
  advance();
  scopes.clear();
  scopes.emplace_back();
  kernel.parents.push_back(0);
  if (!parameters())
    return false;
  while (!token.is('{'))
    if (!kernelDirective())
      return false;
  advance();
  if (!body())
    return false;
  scopes.clear();
  Status decoded = decodeKernel(kernel);
  if (!decoded.isOk()) {
    error = std::move(decoded);
    return false;
  }
  module->kernels.push_back(std::move(kernel.function));
  return true;
}

bool Parser::parameters() {
  if (!take('('))
    return true;
  while (!token.is(')'))
    if (!parameter() || (!token.is(')') && !expect(',')))
      return false;
  return expect(')');
}

bool Parser::parameter() {
  if (!token.is(".param"))
    return fail("expected .param");
  advance();
  Declaration type;
  int64_t value = 0;
  uint32_t alignment = 0;
  // Attributes of the pointee say nothing about .param space.
  while (token.kind == TokenKind::Name && token.text[0] == '.') {
    if (token.is(".ptr")) {
      advance();
      while (token.is(".global") || token.is(".shared") || token.is(".const") ||
             token.is(".local"))
        advance();
      if (token.is(".align")) {
        advance();
        if (!integer(value))
          return false;
      }
    } else if (token.is(".align")) {
      advance();
      if (!integer(value))
        return false;
      alignment = value;
    } else {
      type.elementBytes = fundamentalBytes(token.text);
      if (!type.elementBytes)
        return fail(concat("unknown type '", printable(token.text), "'"));
      advance();
    }
  }
  if (!type.elementBytes)
    return fail("a parameter without a type");
  if (!declaration(type))
    return false;
  alignment = std::max(alignment, type.elementBytes);
  Function &function = kernel.function;
  uint32_t offset =
      (function.parameterBytes + alignment - 1) / alignment * alignment;
  uint32_t bytes = type.elements * type.elementBytes;
  function.parameters.push_back({type.name, offset, bytes, alignment});
  function.parameterBytes = offset + bytes;
  Symbol symbol{Space::Param, offset, bytes, alignment};
  scopes[0].symbols[type.name] = symbol;
  return true;
}

bool Parser::sizes(std::array<uint32_t, 3> &result) {
  result = {1, 1, 1};
  for (uint32_t &size : result) {
    int64_t value = 0;
    if (!integer(value))
      return false;
    size = value;
    if (!take(','))
      break;
  }
  return true;
}

bool Parser::kernelDirective() {
  std::string name(token.text);
  std::array<uint32_t, 3> list;
  Function &function = kernel.function;
  advance();
  if (name == ".maxntid" || name == ".reqntid") {
    if (!sizes(list))
      return false;
    function.maxThreads = list[0] * list[1] * list[2];
    if (name == ".reqntid")
      function.requiredBlock = list;
    return true;
  }
  if (name == ".reqnctapercluster")
    return sizes(function.requiredCluster);
  if (name == ".explicitcluster") {
    function.explicitCluster = true;
    return true;
  }
  if (name == ".minnctapersm" || name == ".maxnreg" ||
      name == ".maxclusterrank" || name == ".maxnctapersm")
    return sizes(list);
  if (name == ".pragma")
    return skipStatement();
  return fail(concat("unknown directive '", printable(name), "' of a kernel"),
              Code::Unsupported);
}

Result<std::unique_ptr<Module>> Module::parse(std::string_view ptx,
                                              Memory &memory) {
  return Parser(ptx, memory).run();
}

Module::~Module() {
  for (const Variable &variable : variables)
    (void)memory.free(variable.address);
}

const Function *Module::find(std::string_view name) const {
  for (const Function &function : kernels)
    if (function.name == name)
      return &function;
  return nullptr;
}

const Variable *Module::findVariable(std::string_view name) const {
  for (const Variable &variable : variables)
    if (variable.name == name)
      return &variable;
  return nullptr;
}

} // namespace tripy::emulator

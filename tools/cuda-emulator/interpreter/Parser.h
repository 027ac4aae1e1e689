//===- Parser.h - Reads a PTX module ----------------------------*- C++ -*-===//
//
// Recursive descent over the tokens. Every function returns false once an
// error is recorded; the first error wins.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_PARSER_H
#define TRIPY_LIB_EMULATOR_PARSER_H

#include "Lexer.h"
#include "Ptx.h"

#include "tripy/Base/Text.h"

namespace tripy::emulator {

class Parser {
public:
  Parser(std::string_view text, Memory &memory)
      : lexer(text), module(new Module(memory)) {
    advance();
  }
  Result<std::unique_ptr<Module>> run();

private:
  /// A variable in memory or a parameter.
  struct Symbol {
    Space space = Space::Generic;
    uint64_t value = 0; // address in its space
    uint64_t bytes = 0;
    uint32_t alignment = 1;
    bool dynamicShared = false;
    /// A module-level .shared variable: gets its place in the kernels that
    /// use it.
    bool unplaced = false;
  };
  struct Scope {
    std::map<std::string, Register, std::less<>> registers;
    /// "%r" of ".reg .b32 %r<8>": count, the first register.
    std::map<std::string, std::pair<uint32_t, Register>, std::less<>> ranges;
    std::map<std::string, Symbol, std::less<>> symbols;
    uint32_t number = 0;
  };
  /// Type and shape of a declared variable.
  struct Declaration {
    uint32_t elementBytes = 0, alignment = 0;
    std::string name;
    uint64_t elements = 1;
    bool unsized = false, isFloat = false;
  };

  // Tokens.
  void advance() { token = lexer.next(); }
  bool fail(std::string_view what, Code code = Code::Malformed);
  bool expect(char c);
  bool take(char c);
  bool integer(int64_t &value);

  // The module (Parser.cpp).
  bool directive();
  bool skipStatement();
  bool skipBraces();
  bool declaration(Declaration &result);
  bool variable(Space space, bool external);
  bool initializer(const Declaration &type, std::vector<uint8_t> &bytes);
  bool place(Declaration &type, Space space, bool external, Symbol &symbol);
  bool entry();
  bool parameters();
  bool parameter();
  bool kernelDirective();
  bool sizes(std::array<uint32_t, 3> &sizes);

  // A body (ParserBody.cpp).
  bool body();
  bool bodyItem();
  bool pragma();
  bool registers();
  bool registerNames(uint8_t bytes);
  bool nameOrStatement();
  bool statement(Statement &result);
  bool operand(Operand &result);
  bool memoryOperand(Operand &result);
  bool vectorOperand(Operand &result);
  bool number(Operand &result);
  bool named(Operand &result);
  bool findRegister(std::string_view name, Register &reg) const;
  bool findSymbol(std::string_view name, Operand &result);
  Register newRegister(uint8_t bytes, uint32_t count = 1);

  Lexer lexer;
  Token token;
  Status error;
  std::unique_ptr<Module> module;
  Scope global;
  std::vector<Scope> scopes;
  KernelText kernel;
  /// The label in front of the statement.
  std::string latestLabel;
  /// Statement::usedBytes of the next one.
  uint64_t usedBytes = ~uint64_t(0);
};

/// Bytes of one element of a fundamental type (".f32": 4); 0 when unknown.
uint32_t fundamentalBytes(std::string_view type);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_PARSER_H

"""Mutations of MLIR text, for utils/fuzz-text.py.

Those of single tokens and bytes try the parser. Those that know how MLIR
prints (a line for each operation, `key = value` for attributes, types behind a
colon) get past it: operands change places or become other values of the same
type, attributes take values that they have elsewhere or extreme ones, sizes and
element types change wherever they are, operations go, come twice or move.
"""

import random
import re

TOKEN = re.compile(r"[A-Za-z_][\w.$-]*|%[\w#]+|-?\d+(?:\.\d+(?:e[-+]?\d+)?)?|"
                   r"[!#@^][\w.]+|->|\s+|.", re.S)
OPERATION = r"\b(?:linalg|tensor|arith|math|trace|flatir|kernel)\.\w+"
NUMBERS = ["-1", "0", "1", "2", "7", "255", "2147483647", "2147483648",
           "4294967296", "1099511627776", "9223372036854775807",
           "-9223372036854775808"]
ELEMENTS = ["f32", "f16", "bf16", "i1", "i32", "i64"]
TYPES = ELEMENTS + ["index", "f64", "i8", "i4", "i7", "f4E2M1FN", "f8E4M3FN",
                    "f80", "complex<f32>", "tuple<>", "none", "tensor<*xf32>",
                    "tensor<?xf32>", "tensor<0xf32>", "vector<2xf32>",
                    'tensor<2xf32, "x">', "memref<2xf32>"]
SIZES = ["?", "0", "1", "2", "3", "1024", "1048576", "1099511627776"]
# What an attribute is, where it is written as one: up to the end of its entry.
ATTRIBUTE = re.compile(r"([A-Za-z_][\w.]*) = ((?:[^,\[\]{}()<>\n]|"
                       r"\[[^\[\]\n]*\]|\([^()\n]*\)|<[^<>\n]*>)+?)"
                       r"(?=,| loc\(|[\]}>)]| \{|$| :)", re.M)
VALUE_LIST = re.compile(r"\(([^()\n]*%[^()\n]*)\)|\[([^\[\]\n]*%[^\[\]\n]*)\]")
DEFINITION = re.compile(r"^\s*(%[\w]+) = .*?: ([^:=\n]+?)(?: loc\(.*)?$")
ARGUMENT = re.compile(r"(%\w+): ([\w<>!?.]+)")
# The module of a plugin's code, and all code in a text that has one.
PLUGIN_MODULE = re.compile(r"^  gpu\.module @(?!device_code)", re.M)
ALL_CODE = re.compile(r"^  gpu\.module @(?!device_code).*?^  \}|^  (?:gpu\.module|module|builtin\.module) @\w+_code\b.*?^  \}",
                    re.M | re.S)
# Where the code of kernels begins, which consists of MLIR's dialects.
CODE = re.compile(r"^  (?:gpu\.module|module|builtin\.module) @\w+_code\b",
                  re.M)


class Mutator:
    """Draws mutated texts; the same for the same seed and texts."""

    def __init__(self, seed, texts, structured=False):
        self.random = random.Random(seed)
        self.texts = texts
        self.operations = sorted({
            name for text in texts for name in
            re.findall(OPERATION, text)})
        self.pool = [token for text in texts for token in TOKEN.findall(text)
                     if not token.isspace()]
        self.known = {}
        for text in texts:
            for key, value in ATTRIBUTE.findall(text):
                self.known.setdefault(key, set()).add(value)
        self.known = {key: sorted(values)
                      for key, values in self.known.items()}
        self.kinds = [self.everywhere, self.everywhere, self.one_token]
        if structured:
            self.kinds += [self.attribute, self.attribute, self.attribute,
                           self.operands, self.operands, self.operands,
                           self.other_value, self.other_value,
                           self.operation, self.operation, self.number,
                           self.number, self.some_bytes]
            if any("_schedule<" in text for text in texts):
                self.kinds += [self.schedule] * len(self.kinds)

    def everywhere(self, text):
        """One size, element type or number becomes another wherever it is."""
        pattern, values = self.random.choice([
            (r"(?<=[<x])(?:\d+|\?)(?=x)", SIZES),
            (r"(?<![\w.])(?:b?f16|f32|i1|i32|i64)\b|"
             r"(?<=[\dx?]x)(?:b?f16|f32|i1|i32|i64)\b", ELEMENTS),
            (OPERATION, self.operations),
            (r"(?<=[\[ ])-?\d+(?=[,\] ])", NUMBERS)])
        present = re.findall(pattern, text)
        if not present:
            return text
        old, new = self.random.choice(present), self.random.choice(values)
        return re.sub(pattern, lambda match: new if match.group() == old
                      else match.group(), text)

    def one_token(self, text):
        tokens = TOKEN.findall(text)
        place = self.random.randrange(len(tokens))
        other = self.random.randrange(len(tokens))
        match self.random.randrange(6):
            case 0:
                del tokens[place]
            case 1:
                tokens.insert(place, self.random.choice(self.pool))
            case 2:
                tokens[place] = self.random.choice(self.pool)
            case 3:
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case 4:
                end = place + self.random.randrange(1, 12)
                tokens[place:place] = tokens[place:end]
            case _:
                self.replace_kind(tokens)
        return "".join(tokens)

    def replace_kind(self, tokens):
        """A number becomes an extreme one, or a type another."""
        values = self.random.choice([NUMBERS, TYPES])
        kind = r"-?\d+" if values is NUMBERS else "|".join(ELEMENTS)
        places = [i for i, token in enumerate(tokens)
                  if re.fullmatch(kind, token)]
        if places:
            tokens[self.random.choice(places)] = self.random.choice(values)

    def replaced(self, text, matches, new):
        """`text` with one of the matches replaced by what `new` makes of it."""
        matches = list(matches)
        if not matches:
            return text
        match = self.random.choice(matches)
        return text[:match.start()] + new(match) + text[match.end():]

    def number(self, text):
        """A number becomes an extreme one or one that is near."""
        near = self.random.choice([-1, 1])
        return self.replaced(
            text, re.finditer(r"(?<![\w.#%@\"])-?\d+(?![\w.])", text),
            lambda match: self.random.choice(
                NUMBERS + [str(int(match.group()) + near)] * 4))

    def schedule(self, text):
        """A number of a schedule becomes one that another schedule may have."""
        values = ["1", "2", "3", "4", "6", "8", "16", "32", "48", "64", "96", "128", "192", "256", "512", "1024",
                  *self.random.sample(NUMBERS, 3)]
        for _ in range(self.random.randrange(1, 4)):
            text = self.replaced(text, re.finditer(r"(?<= |\[)\d+(?=[^#<>]*from = \w+>)", text),
                                 lambda match: self.random.choice(values))
        return text

    def attribute(self, text):
        """An attribute gets another value, comes twice or goes."""
        def new(match):
            key, value = match.groups()
            kind = self.random.randrange(8)
            if kind == 0:
                return ""
            if kind == 1:
                return f"{match.group()}, {match.group()}"
            if kind < 4 and re.search(r"-?\d+", value):
                return f"{key} = " + self.replaced(
                    value, re.finditer(r"-?\d+", value),
                    lambda _: self.random.choice(NUMBERS))
            values = self.known.get(key)
            if kind == 4 or not values:
                values = self.known[self.random.choice(list(self.known))]
            return f"{key} = {self.random.choice(values)}"
        return self.replaced(text, ATTRIBUTE.finditer(text), new)

    def operands(self, text):
        """Values in brackets change places, come twice or go."""
        def new(match):
            values = match.group()[1:-1].split(", ")
            place = self.random.randrange(len(values))
            other = self.random.randrange(len(values))
            match self.random.randrange(4):
                case 0:
                    del values[place]
                case 1:
                    values.insert(place, values[other])
                case 2:
                    values[place] = values[other]
                case _:
                    values[place], values[other] = values[other], values[place]
            return match.group()[0] + ", ".join(values) + match.group()[-1]
        return self.replaced(text, VALUE_LIST.finditer(text), new)

    def other_value(self, text):
        """A use becomes that of another value of the same type."""
        types = {}
        for line in text.split("\n"):
            for name, kind in [*DEFINITION.findall(line),
                               *ARGUMENT.findall(line)]:
                types.setdefault(name, kind)
        groups = {}
        for name, kind in types.items():
            groups.setdefault(kind, []).append(name)
        names = [name for group in groups.values() if len(group) > 1
                 for name in group]
        if not names:
            return text
        name = self.random.choice(names)
        return self.replaced(
            text, re.finditer(rf"{name}(?![\w#:])(?! =)", text),
            lambda _: self.random.choice(groups[types[name]]))

    def operation(self, text):
        """An operation goes, comes twice, or changes places."""
        lines = text.split("\n")
        places = [i for i, line in enumerate(lines)
                  if line.startswith("  ") and not line.strip().startswith("}")]
        if not places:
            return text
        place, other = self.random.choice(places), self.random.choice(places)
        match self.random.randrange(4):
            case 0:
                del lines[place]
            case 1:
                # Under another name, so that it is valid.
                again = re.sub(r"^(\s*%\w+)", r"\1_again", lines[place])
                again = re.sub(r"(kernel\.func @\w+)", r"\1_again", again)
                lines.insert(place + 1, again)
            case 2:
                lines.insert(other, lines.pop(place))
            case _:
                lines[place], lines[other] = lines[other], lines[place]
        return "\n".join(lines)

    def some_bytes(self, text):
        """A few characters go, or become others."""
        place = self.random.randrange(len(text))
        end = place + self.random.randrange(3)
        new = "".join(self.random.choice('\0\x7f\n"%#@!<>(){}[]:,=-0x9~é')
                      for _ in range(self.random.randrange(1, 4)))
        return text[:place] + new + text[end:]

    def mutate(self, text):
        for _ in range(self.random.choice([1, 1, 1, 2, 4])):
            text = self.random.choice(self.kinds)(text)
            if not text:
                break
        return text

    def next(self):
        return self.mutate(self.random.choice(self.texts))

    def next_part(self, in_code):
        """A text that is mutated within the code of its kernels, or outside."""
        while True:
            text = self.random.choice(self.texts)
            code = CODE.search(text)
            if not in_code and PLUGIN_MODULE.search(text):
                # What is between the code of plugins and of kernels.
                parts = ALL_CODE.split(text)
                codes = [match.group() for match in ALL_CODE.finditer(text)] + [""]
                chosen = self.random.choices(range(len(parts)), [len(part) for part in parts])[0]
                parts[chosen] = self.mutate(parts[chosen])
                return "".join(part + inside for part, inside in zip(parts, codes))
            if not code:
                if in_code:
                    continue
                return self.mutate(text)
            end = text.find("\n  }", code.start())
            before, inside = text[:code.start()], text[code.start():end]
            if in_code:
                inside = self.mutate(inside)
            else:
                before = self.mutate(before)
            return before + inside + text[end:]

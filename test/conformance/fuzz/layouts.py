"""Rule files laid out in odd ways, to be formatted: comments, blocks, quotes, names, merge keys.

    python3 layouts.py SEED COUNT FOLDER > cases

writes COUNT files into FOLDER, and the cases of formatting them for ../oracle/record.py.
"""

import json
import os
import random
import sys

SCALARS = [
    *["1", "1.5", "0x1F", "1_000", "1e3", "+1", "0o7", ".5", ".inf", "-1.0", "1.", "~", "null", "true", "yes", "2024-01-01"],
    *["'q'", "''", '""', "'1'", "'yes'", "'it''s'", '"d\\tq"', '"uni é\\u00e9"', "'#x'", "'{x}'", '"{x}"', "'   lead'", "'trail '"],
    *["'back\\slash'", '"\\\\ \\x41 \\e"', "'multi\n\n      line'", '"a\\\n      b"', "'" + "long quoted " * 12 + "'"],
    *["plain text", "x#y", "é漢字 text", "12:30", "http://x.y/z?a=b&c#d", "long " + "word " * 30 + "end"],
    *["{}", "[]", "[1, 'a', b]", "{a: 1, 'b': [x]}"],
]
BRACES = [
    *["[1, # c\n@ 2]", "[\n@ # above\n@ 1,\n@ 2 # c\n@ ]", "[[1], [{a: b}],\n\n@ []]", "[1,\n\n@ # c\n@ 2,\n@ ]", "[a: 1, {b: 2}]", "[ # c\n@ ]"],
    *["{a: 1, # c\n@ b: 2}", "{\n@ # above\n@ a: 1,\n@ b: # c\n@ 2,\n@ }", "{a: {b: [1, # c\n@ 2]}}", "{a, b: 1}", "{ # c\n@ a: [x] }"],
]
"""Collections over several lines; `@` is the indentation."""
FOLDED = ["plain text\n@ on two lines", "one\n\n@ two", "'q\n@ r'", '"s\n\n@ t"']
TAGGED = ["!!str 5", "!!int 7", "!t x", "!t 'y'", "!t"]
TEXTS = ["text one", "  more indented", "# not comment", "x: y", "word " * 25, "", "é", "tab\there"]
ENTITY = ["id", "inherits", "cores", "mem", "gpus", "env", "params", "context", "scheduling", "rules", "rank", "abstract", "zz"]
RULE = ["if", "id", "execute", "fail", "cores", "params"]
INNER = ["require", "accept", "z1", "b/c", "A"]


class Layout:
    """One file."""

    def __init__(self, chance, has_names, is_odd):
        self.chance, self.has_names, self.is_odd = chance, has_names, is_odd
        self.mappings, self.scalars, self.lists, self.made = [], [], [], 0

    def often(self, percent):
        return self.chance.random() * 100 < percent

    def name(self, known):
        self.made += 1
        known.append(f"n{self.made}")
        return f"&n{self.made}"

    def behind(self):
        return self.chance.choice([""] * 12 + ["  # c", "   # é c", " #"])

    def between(self, indent):
        usual = [[" " * indent + "# own line"], [""], ["", "# far left"], ["", ""]]
        odd = [["  "], ["", "   ", ""], [" " * (indent + 3) + "# further in", ""], ["# a", "", "  # b", "", ""]] if self.is_odd else []
        return self.chance.choice([[]] * 14 + usual + odd)

    def key(self, key):
        return self.chance.choice([key] * 4 + [f"'{key}'", f'"{key}"'])

    def block(self, indent):
        lines = [self.chance.choice(TEXTS) for _ in range(self.chance.randrange(1, 4))]
        if lines[0] == "" or lines[0].startswith(" "):
            lines[0] = "start"
        body = "\n".join(" " * (indent + 2) + line if line else "" for line in lines)
        head = self.chance.choice(["", "", " # head", "  #  head"]) if self.is_odd else ""
        return self.chance.choice("|>") + self.chance.choice(["", "-", "+"]) + head + "\n" + body + "\n" * self.chance.choice([0, 0, 1, 2])

    def odd(self, indent):
        """A value below its key or dash, in braces over several lines, or with tags."""
        pad = " " * (indent + 2)
        value = self.chance.choice(BRACES + FOLDED + SCALARS).replace("@", pad)
        if self.has_names and self.often(20):
            value = self.chance.choice(["!t ", f"{self.name([])} ", f"{self.name([])} !t ", f"!t {self.name([])}\n{pad}"]) + value
        behind = "" if "\n\n" in value else self.behind()
        if self.often(40):
            return self.behind() + "\n" + "\n".join([*self.between(indent + 2), pad + value]) + behind
        return " " + value + behind

    def value(self, indent, depth=0):
        if self.is_odd and self.often(12):
            return self.odd(indent)
        if self.often(10):
            return " " + self.block(indent)
        if depth < 2 and self.often(4):
            return self.mapping(indent, INNER, depth + 1)
        if depth < 2 and self.often(4):
            return self.sequence(indent)
        if self.has_names and self.scalars + self.lists and self.often(4):
            return f" *{self.chance.choice(self.scalars + self.lists)}" + self.behind()
        scalar = self.chance.choice(SCALARS + (TAGGED if self.has_names else []))
        if self.has_names and scalar[0] not in "!{[" and self.often(5):
            scalar = f"{self.name(self.scalars)} {scalar}"
        return f" {scalar}" + ("" if "\n" in scalar else self.behind())

    def sequence(self, indent):
        inner = indent + self.chance.choice([0, 2])
        lines = []
        for _ in range(self.chance.randrange(1, 4)):
            lines += [*self.between(inner), " " * inner + "-" + self.item(inner)]
        known = self.lists if self.has_names and self.is_odd and self.often(20) else None
        named = "" if known is None else f" {self.name(known)}"
        return named + self.behind() + "\n" + "\n".join(lines)

    def item(self, indent):
        if not self.is_odd or self.often(70):
            return self.value(indent, 3)
        if self.often(30):
            return f" - {self.chance.choice(SCALARS)}" + self.behind() + "\n" + " " * (indent + 2) + "-" + self.value(indent + 2, 3)
        if self.often(30):
            return self.behind()
        first, _, rest = self.mapping(indent, INNER, 2).partition("\n")
        if first or not rest.startswith(" " * (indent + 2)) or rest.lstrip()[:1] in "#":
            return first + "\n" + rest
        return " " + rest.lstrip()

    def mapping(self, indent, keys, depth=0):
        known = list(self.mappings)
        if known and self.often(12):
            return f" *{self.chance.choice(known)}" + (self.behind() if self.is_odd else "")
        named = f" {self.name([])}" if self.has_names and self.often(15) else ""
        lines = []
        if known and self.often(18):
            one = f"*{self.chance.choice(known)}"
            lines.append(" " * (indent + 2) + "<<: " + self.chance.choice([one, f"[{one}]"]))
        for key in self.chance.sample(keys, self.chance.randrange(1, len(keys) + 1)):
            pad = " " * (indent + 2)
            head = f"? {key}" + self.behind() + f"\n{pad}:" if self.is_odd and self.often(2) else self.key(key) + ":"
            lines += [*self.between(indent + 2), pad + head + self.child(key, indent + 2, depth)]
        if named:
            self.mappings.append(named[2:])
        return named + self.behind() + "\n" + "\n".join(lines)

    def child(self, key, indent, depth):
        if key in ("env", "params", "context", "scheduling") and self.often(75):
            return self.mapping(indent, INNER, depth + 1)
        if key == "rules" and self.often(80):
            return self.behind() + "\n" + "\n".join(self.rule(indent) for _ in range(self.chance.randrange(1, 3)))
        return self.value(indent, depth)

    def rule(self, indent):
        rule = self.mapping(indent, RULE, 2)
        first, _, rest = rule.lstrip("\n").partition("\n")
        if rule.startswith("\n") and first.strip() and not first.lstrip().startswith("#"):
            return " " * indent + "- " + first.lstrip() + ("\n" + rest if rest else "")
        return " " * indent + "-" + rule

    def text(self):
        lines = ["# head comment"] if self.often(30) else []
        lines += ["---"] if self.often(8) else []
        for section in self.chance.sample(["global", "tools", "users", "roles", "destinations", "x-extra"], self.chance.randrange(1, 6)):
            if section == "global":
                lines.append("global:" + self.mapping(0, ["default_inherits", "context", "other"], 1))
            elif section == "x-extra":
                lines.append("x-extra:" + self.value(0))
            else:
                lines.append(section + ":" + self.behind())
                for key in self.chance.sample(["default", "bwa", "a/b/c", "toolshed/x/.*", "Z", "_u"], self.chance.randrange(1, 4)):
                    lines += [*self.between(2), "  " + self.key(key) + ":" + self.mapping(2, ENTITY)]
        text = "\n".join(lines) + self.chance.choice(["\n", "\n", "\n", "", "\n\n", "\n# end\n"])
        return text.replace("\n", "\r\n") if self.often(3) else text


seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
os.makedirs(folder, exist_ok=True)
for number in range(count):
    chance = random.Random(f"{seed}-{number}")
    name = f"layout-{seed}-{number}.yml"
    with open(os.path.join(folder, name), "w", newline="") as file:
        file.write(Layout(chance, has_names=number % 3 == 0, is_odd=number % 4 > 1).text())
    print(json.dumps({"id": f"format/{name}", "kind": "cli", "argv": ["tpv", "format", name]}))

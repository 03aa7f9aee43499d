"""YAML that nobody wrote, and what ruamel.yaml reads of it as TPV has it read.

    $TPV_PYTHON yaml_texts.py SEED COUNT > texts.jsonl

Each line is {text, value} or {text, error}: values name their kinds, as in `read-yaml.ts`, which compares.
"""

import datetime
import json
import random
import sys
import warnings

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedOrderedMap, CommentedSet, TaggedScalar

warnings.simplefilter("ignore")

PIECES = (
    "a b key x1 0 1 -1 +1 1.5 1. .5 1e3 1E+3 0x1F 0o17 017 08 0b11 1_000 1__0 _1 1_ -0 -0.0 +.5 .5e3 .5e+3 1.5e3 1e-7 1e400 "
    "yes no on off y n true True TRUE tRue false null Null ~ NULL .inf -.inf +.inf .INF .nan .NaN -.nan = << "
    "2024-01-01 2024-1-1 2024-02-30 2024-01-01T10:00:00 2024-01-01T10:00:00Z 2001-12-14t21:59:43.10-05:00 24:00:00 1:30 "
    "12345678901234567890 0xFFFFFFFFFFFFFFFFFF 100000000000000000000.0 1,000 a,b a#b a: :a a:b - -a ? ?a ! !a !!str !!int & &a * *a "
    "% %a @ @a ` `a | |a > >a { } [ ] , # #a '' \"\" '''' 'it''s' 'a' \"a\" \"\\n\" \"\\x41\" \"\\u00e9\" \"\\U0001F600\" \"\\/\" \"\\q\" "
    "\"\\ \" 'a b' \"a b\" é 漢 \u00a0 \U0001F600 --- ... a--- --- --a"
).split(" ")
SPACES = [" "] * 12 + ["", "  ", "\t", " \t", "\n", "\n ", "\n  ", "\n\n", " # c\n", "\r\n"]
TAGS = ["!!str ", "!!int ", "!!float ", "!!bool ", "!!null ", "!!map ", "!!seq ", "!!timestamp ", "! ", "!x ", "!!binary ", "!!set ",
        "!!omap ", "!!pairs ", "!<tag:yaml.org,2002:str> ", "!!python/none ", "!e!x ", "&a ", "&b ", "&a !!str ", "!!str &a "]


class Writer:
    def __init__(self, rnd):
        self.rnd = rnd
        self.wild = rnd.random() < 0.3

    def chance(self, percent):
        return self.rnd.random() * 100 < percent

    def piece(self):
        return self.rnd.choice(PIECES)

    def words(self):
        count = self.rnd.choice([1, 1, 1, 1, 2, 2, 3, 5])
        return "".join(self.piece() + (self.rnd.choice(SPACES) if self.wild else " ") for _ in range(count)).rstrip(" ")

    def number(self):
        return "".join(self.rnd.choice("0123456789.eE+-_xob:, aF") for _ in range(self.rnd.randrange(1, 7)))

    def date(self):
        r = self.rnd
        text = f"{r.choice(['2024', '1999', '0001', '24', '0000'])}-{r.choice(['01', '1', '13', '02', '12'])}-{r.choice(['01', '1', '31', '29', '0'])}"
        if self.chance(60):
            text += r.choice(["T", "t", " ", "  ", "\t"]) + f"{r.choice(['10', '1', '25', '00'])}:{r.choice(['00', '5', '61', '59'])}:{r.choice(['00', '59', '60', '7'])}"
            text += r.choice(["", ".5", ".123456789", ".", ""]) + r.choice(["", "Z", " Z", "+1", "+01:30", "-05:00", " +1:30", "z"])
        return text

    def double(self):
        parts = ["a", " ", "b c", "\\n", "\\t", "\\\\", '\\"', "\\x41", "\\u263a", "\\0", "\\e", "\\_", "\\N", "\\L", "\\ ", "'", "#", ": ",
                 "\n  ", "\n\n  ", " \\\n  ", "\\\n  ", "\t", "é", "\\z", "\\xZZ", "\\ud83d\\ude00", "\n"]
        return '"' + "".join(self.rnd.choice(parts) for _ in range(self.rnd.randrange(7))) + '"'

    def single(self):
        parts = ["a", " ", "b c", "''", "\\n", "#", ": ", "\n  ", "\n\n  ", "\t", '"', "\n", " \n "]
        return "'" + "".join(self.rnd.choice(parts) for _ in range(self.rnd.randrange(7))) + "'"

    def block(self, indent):
        r = self.rnd
        head = r.choice("|>") + r.choice(["", "", "-", "+", "2", "2-", "-2", "+2", "1", "4+", "0", "--"]) + r.choice(["", "", " # c", " ", "#c", " x"] if self.wild else ["", "", " # c", " "])
        pad = " " * (indent + r.choice([2, 2, 4] + ([0, 1] if self.wild else [])))
        lines = []
        for _ in range(r.randrange(5)):
            lines.append(r.choice([pad + "text", pad + "more text here", "", "", pad + " indented", pad + "# no comment", pad + "\ttab", " ", pad + "a: b", pad + "- x", pad + "end ", pad + "   "]))
        return head + "\n" + "\n".join(lines)

    def plain_lines(self, indent):
        pad = "\n" + " " * (indent + 2)
        return pad.join(self.rnd.choice(["word", "two words", "a:b", "1", "- x", "# c", "x #c", "", "k: v", "'q'", "end "]) for _ in range(self.rnd.randrange(1, 4)))

    def properties(self):
        return self.rnd.choice(TAGS) if self.chance(4) else ""

    def scalar(self, indent, flow=False):
        roll = self.rnd.random()
        before = self.properties()
        if roll < 0.06:
            return self.rnd.choice(["*a", "*b"])
        if roll < 0.3:
            return before + self.words()
        if roll < 0.4:
            return before + self.number()
        if roll < 0.45:
            return before + self.date()
        if roll < 0.6:
            return before + self.double()
        if roll < 0.7:
            return before + self.single()
        if roll < 0.85 and not flow:
            return before + self.block(indent)
        if roll < 0.92:
            return before + self.plain_lines(indent)
        return before + self.rnd.choice(["", "text", "5", "some text"])

    def flow(self, depth=0):
        r = self.rnd
        if depth > 2 or r.random() < 0.4:
            return self.scalar(2, True)
        space = lambda: r.choice(["", " ", " ", "\n  ", "\n", " # c\n "] if self.wild else ["", " "])
        end = r.choice(["", "", "", ","])
        if r.random() < 0.5:
            return self.properties() + "[" + space() + ("," + space()).join(self.flow_item(depth) for _ in range(r.randrange(4))) + end + space() + "]"
        return self.properties() + "{" + space() + ("," + space()).join(self.flow_pair(depth) for _ in range(r.randrange(4))) + end + space() + "}"

    def flow_item(self, depth):
        return self.flow_pair(depth + 1) if self.chance(12) else self.flow(depth + 1)

    def flow_pair(self, depth):
        r = self.rnd
        key = r.choice(["a", "b", "c", "'q'", '"d"', "1", "? x", "[1, 2]", "<<"] if self.wild else ["a", "b", "c", "'q'", '"d"', "x y"])
        colon = r.choice([": ", ": ", ": ", ":", " : ", ""] if self.wild or key[0] in "'\"" else [": "])
        return key + colon + (self.flow(depth + 1) if colon else "")

    def key(self):
        r = self.rnd
        if not self.wild or self.chance(60):
            return self.properties() * self.chance(20) + r.choice(["a", "b", "c", "d", "e", "key one", "'q'", '"r"', "f.g", "h/i"])
        return r.choice(["1", "1.5", "true", "null", "~", "", "2024-01-01", "? a", "[a]", "{a: 1}", "<<", "'<<'", "a b", "=", "&k a", "*a ", "!!str k", "-a", "x#y", "a'b", '"m\n n"', "? - x\n"])

    def comment(self, indent):
        return self.rnd.choice(["# c", "#", "", " " * indent + "# c", "  # c", "\t", "   "]) + "\n"

    def node(self, indent, depth):
        """What follows `key:` or `-`, with the space or break before it."""
        r = self.rnd
        roll = r.random()
        if depth > 2 or roll < 0.5:
            return r.choice([" "] * 15 + ["  ", "\t", "", "\n" + " " * (indent + 2)]) + self.scalar(indent) + r.choice([""] * 8 + [" # c", "  ", "\t", " \t# c"]) + "\n"
        if roll < 0.62:
            return " " + self.flow() + r.choice(["", "", " # c", " x" if self.wild else ""]) + "\n"
        mark = (" " + self.properties()).rstrip(" ") + r.choice(["", "", " # c", " "]) + "\n"
        return mark + self.collection(indent + r.choice([2, 2, 2, 4, 1] + ([0] if roll < 0.7 or self.wild else [])), depth + 1)

    def collection(self, indent, depth):
        r = self.rnd
        pad = " " * indent
        made = ""
        if r.random() < 0.4:
            for _ in range(r.randrange(1, 4)):
                made += self.comment(indent) * self.chance(8) + pad + "-" + (self.compact(indent, depth) if self.chance(25) else self.node(indent, depth))
            return made
        keys = set()
        for _ in range(r.randrange(1, 4)):
            key = self.key()
            if key in keys and not self.chance(15):
                continue
            keys.add(key)
            if self.chance(6):
                made += f"{pad}<<: {r.choice(['*a', '*b', '[*a, *b]', '{a: 1, z: 2}', '[{a: 1}, {b: 2, a: 3}]', '5', '[]'])}\n"
            made += self.comment(indent) * self.chance(8) + pad + key + r.choice([":"] * 20 + [" :", ""] if self.wild else [":"]) + self.node(indent, depth)
        return made

    def compact(self, indent, depth):
        gap = self.rnd.choice([1, 1, 1, 3])
        return " " * gap + self.collection(indent + 1 + gap, depth + 1).lstrip(" ")

    def document(self):
        r = self.rnd
        roll = r.random()
        if roll < 0.3:
            text = "k: " + self.scalar(0) + "\n"
        elif roll < 0.36:
            text = self.scalar(-2)
        else:
            first = "base: &a {a: 1, b: {c: 2}}\nmore: &b\n  b: 5\n  y: 6\n" if self.chance(25) else ""
            text = first + self.collection(0, 0)
        if self.chance(5):
            text = r.choice(["---\n", "--- ", "--- # c\n", "%YAML 1.2\n---\n", "%YAML 1.1\n---\n", "%TAG !e! tag:example.org:\n---\n", "%FOO x\n---\n", "\ufeff", "# c\n", "...\n", "---\n---\n", "--- !!map\n", "%YAML 1.2\n", "%YAML 1.3\n---\n", "%YAML 2.0\n---\n"]) + text
        if self.chance(4):
            text = text + r.choice(["...\n", "---\n", "---\nb: 1\n", "...\n# c\n", "\n\n", "--- ", "\x00", "  ", "\t", "...\nb: 1\n", "]", "- x\n", "x\n", " y: 1\n"])
        if self.chance(3):
            text = text.replace("\n", "\r\n")
        if self.chance(1):
            text = text.replace("\n", "\r")
        if self.chance(6):
            text = self.mutated(text)
        return text

    def mutated(self, text):
        at = self.rnd.randrange(len(text) + 1)
        return text[:at] + self.rnd.choice(["", " ", "\t", "\n", "'", '"', ":", ": ", "- ", "#", " #", "[", "]", "{", "}", ",", "&a ", "*a", "!", "|", ">", "\x01", "\ud800"[:0]]) + text[at + self.rnd.randrange(2):]


def told(value, depth=0):
    """A value with its kind, for JSON."""
    if depth > 30:
        raise RecursionError("a value holds itself")
    if isinstance(value, TaggedScalar):
        return ["tagged", str(value.value)]
    if value is None or isinstance(value, bool) or type(value).__name__ == "ScalarBoolean":
        return ["null"] if value is None else ["bool", bool(value)]
    if isinstance(value, int):
        return ["int", format(value, "d")]
    if isinstance(value, float):
        return ["float", "nan" if value != value else repr(float(value))]
    if isinstance(value, str):
        return ["string", str(value)]
    if isinstance(value, (datetime.date, datetime.datetime)):
        return ["date", str(value)]
    if isinstance(value, CommentedOrderedMap):
        return ["omap", [[told(key, depth + 1), told(item, depth + 1)] for key, item in value.items()]]
    if isinstance(value, dict):
        return ["map", [[told(key, depth + 1), told(item, depth + 1)] for key, item in value.items()]]
    if isinstance(value, CommentedSet):
        return ["set", [told(key, depth + 1) for key in value]]
    if isinstance(value, (list, tuple)):
        return ["seq", [told(item, depth + 1) for item in value]]
    return [type(value).__name__, str(value)]


def answer(text):
    try:
        return {"text": text, "value": told(YAML(typ="rt").load(text))}
    except RecursionError:
        raise
    except Exception as error:
        return {"text": text, "error": type(error).__name__, "message": str(error).split("\n")[0]}


if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        made = Writer(random.Random(f"{seed}/{number}")).document()
        try:
            print(json.dumps(answer(made)))
        except RecursionError:
            pass

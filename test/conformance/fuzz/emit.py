"""Writes values as YAML in a style that is drawn: blocks or braces, all kinds of quotes and block scalars, comments."""

import re

PLAIN = re.compile(r"^[A-Za-z_./][A-Za-z0-9_./ *+()-]*\Z")
RESERVED = re.compile(r"^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan|~)$", re.I)


class Raw(str):
    """Text that goes into the file as it is."""


def double(text):
    made = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{made}"'


def single(text):
    return "'" + text.replace("'", "''") + "'"


def scalar(value, rnd, indent, flow, key=False):
    if isinstance(value, Raw):
        return str(value)
    if value is None:
        return rnd.choice(["null", "~"]) if flow or key else rnd.choice(["null", "", "~"])
    if isinstance(value, bool):
        return rnd.choice(["true", "True"] if value else ["false", "False"])
    if isinstance(value, (int, float)):
        return repr(value)
    if not flow and not key and value and rnd.random() < (0.7 if "\n" in value else 0.08):
        block = block_scalar(value, rnd, indent)
        if block is not None:
            return block
    is_plain = PLAIN.match(value) and not RESERVED.match(value) and not value.endswith(" ") and not re.match(r"^\.\d", value)
    if is_plain and rnd.random() < 0.7:
        return value
    return double(value) if "\n" in value or "\t" in value or rnd.random() < 0.5 else single(value)


def block_scalar(value, rnd, indent):
    if value.startswith((" ", "\n")) or "\t" in value or not value.strip():
        return None
    body, breaks = value.rstrip("\n"), len(value) - len(value.rstrip("\n"))
    folded = "\n" not in body and rnd.random() < 0.4
    chomp = "-" if breaks == 0 else "" if breaks == 1 else "+"
    pad = " " * (indent + rnd.choice([2, 4]))
    lines = [pad + line if line else "" for line in body.split("\n")]
    return (">" if folded else "|") + chomp + "\n" + "\n".join(lines) + "\n" * (breaks - 1 if breaks > 1 else 0)


def flow_text(value, rnd):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k, rnd, 0, True, True)}: {flow_text(v, rnd)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow_text(item, rnd) for item in value) + "]"
    text = scalar(value, rnd, 0, True)
    return single(text) if isinstance(value, Raw) and re.search(r"[,\[\]{}]|^=$", text) else text


def lines_of(value, rnd, indent):
    """The lines of a collection in blocks; the first has no text before it."""
    pad = " " * indent
    made = []
    if isinstance(value, dict):
        for key, item in value.items():
            if rnd.random() < 0.02:
                made.append(rnd.choice([pad + "# a comment", pad + "#", ""]))
            made.extend(entry(f"{pad}{scalar(key, rnd, indent, False, True)}:", item, rnd, indent))
        return made
    for item in value:
        if isinstance(item, dict) and item and rnd.random() < 0.85:
            inner = lines_of(item, rnd, indent + 2)
            inner[0] = f"{pad}- {inner[0].lstrip()}" if not inner[0].lstrip().startswith("#") and inner[0].strip() else f"{pad}-\n{inner[0]}"
            made.extend(inner)
        else:
            made.extend(entry(f"{pad}-", item, rnd, indent))
    return made


def entry(head, item, rnd, indent):
    if isinstance(item, (dict, list)):
        if not item or rnd.random() < 0.12:
            return [f"{head} {flow_text(item, rnd)}"]
        step = 2 if isinstance(item, dict) or rnd.random() < 0.6 or head.endswith("-") else 0
        return [head + rnd.choice(["", "", "", "  # note"])] + lines_of(item, rnd, indent + step)
    text = scalar(item, rnd, indent, False)
    tail = rnd.choice(["", "", "", "", "", " # c"]) if "\n" not in text and text and not text.startswith(("|", ">")) else ""
    return [f"{head} {text}{tail}".rstrip()]


def emit(value, rnd):
    if not value:
        return "{}\n"
    return "\n".join(lines_of(value, rnd, 0)) + "\n"

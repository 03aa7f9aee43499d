"""Write REFERENCE.md: what the package exports, from its docstrings.

python scripts/reference.py            writes the file
python scripts/reference.py --check    fails when the file is not what would be written
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, is_typeddict

HERE = Path(__file__).resolve().parent
# The one of this tree, not an installed one.
sys.path.insert(0, str(HERE.parent))
import execution_planner

PAGE = HERE.parent / "REFERENCE.md"
HEAD = """# Reference of execution_planner

Made from the docstrings by clients/python/scripts/reference.py. [What it is, and a first conversation](README.md)
"""
# Sections of the page, with what belongs to them; the first one that fits has it.
SECTIONS = ("Planners", "Tasks and other functions", "What they return", "Exceptions",
            "With await", "Documents")  # fmt: skip
HEADINGS = ("Args", "Returns", "Raises", "Yields", "Attributes")


def main() -> int:
    """Write or compare; the exit code."""
    made = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(made, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == made:
        return 0
    print("REFERENCE.md is not of these docstrings; run scripts/reference.py", file=sys.stderr)
    return 1


def page() -> str:
    """The text of the page."""
    exported = {name: getattr(execution_planner, name) for name in execution_planner.__all__}
    parts = [HEAD]
    for section in SECTIONS:
        found = {name: it for name, it in exported.items() if section_of(name, it) == section}
        if found:
            parts += [
                f"## {section}\n",
                *(part for name in found for part in told(name, found[name])),
            ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip("\n") + "\n"


def section_of(name: str, it: Any) -> str | None:
    """The section of an exported name; None for plain values."""
    if is_typeddict(it):
        return "Documents"
    if inspect.isclass(it) and issubclass(it, BaseException):
        return "Exceptions"
    if inspect.isclass(it):
        if name.startswith("Async"):
            return "With await"
        return "Planners" if name.startswith("Planner") else "What they return"
    return "Tasks and other functions" if callable(it) else None


def told(name: str, it: Any) -> Iterator[str]:
    """The paragraphs of one name."""
    yield f"### {name}\n"
    if is_typeddict(it):
        yield f"Keys: {', '.join(f'`{key}`' for key in it.__annotations__)}\n"
        return
    if not inspect.isclass(it):
        yield from described(f"{name}{signature(it)}", it)
        return
    made = it.__init__ if "__init__" in vars(it) else None
    own = f"{name}{signature(made, bound=True)}" if made and is_made(it) else f"class {name}"
    yield from described(own, it)
    if properties := [pair for pair in members(it) if isinstance(pair[1], property)]:
        yield "Properties:\n"
        yield "\n".join(property_text(*pair) for pair in properties) + "\n"
    methods = [pair for pair in members(it) if not isinstance(pair[1], property)]
    if name.startswith("Async"):
        # Their words are those of the class without await.
        yield "Methods:\n"
        yield "\n".join(f"- `{member}`" for member, _ in methods) + "\n"
        return
    for member, value in methods:
        yield f"#### {name}.{member}\n"
        yield from described(f"{member}{signature(value, bound=True)}", value)


def property_text(name: str, value: property) -> str:
    """A property as an item of a list."""
    returned = annotation(value.fget.__annotations__.get("return", "")) if value.fget else ""
    typed = f"`{returned}`. " if returned else ""
    return f"- `{name}`: {typed}{one_line(inspect.getdoc(value) or '')}"


def is_made(it: type) -> bool:
    """Do people make such objects, so that the arguments are theirs?"""
    return it.__name__.removeprefix("Async").startswith("Planner") and not issubclass(
        it, BaseException
    )


def members(it: type) -> list[tuple[str, Any]]:
    """Public properties and methods of the class, properties first, each as it was written."""
    found: dict[str, Any] = {}
    for base in it.__mro__:
        if base.__module__.startswith("execution_planner"):
            found = {**found, **{k: v for k, v in vars(base).items() if k not in found}}
    public = [(name, value) for name, value in found.items() if not name.startswith("_")]
    properties = [(name, value) for name, value in public if isinstance(value, property)]
    methods = [(name, value) for name, value in public if inspect.isfunction(value)]
    return properties + methods


def described(text: str, it: Any) -> Iterator[str]:
    """A signature with its docstring."""
    yield f"```python signature\n{text}\n```\n"
    doc = inspect.getdoc(it) if vars(it).get("__doc__") or not inspect.isclass(it) else None
    if doc:
        yield markdown(doc) + "\n"


def signature(function: Any, *, bound: bool = False) -> str:
    """`(a: int, *, b: str = "x") -> bool`, one line for each parameter where it is long."""
    read = inspect.signature(function)
    parameters = list(read.parameters.values())[1 if bound else 0 :]
    texts: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred(texts):
            texts.append("*")
        texts.append(parameter_text(parameter))
    returned = annotation(read.return_annotation)
    arrow = "" if returned in ("", "None") else f" -> {returned}"
    line = f"({', '.join(texts)}){arrow}"
    return line if len(line) <= 80 else "(\n    " + ",\n    ".join(texts) + f",\n){arrow}"


def starred(texts: list[str]) -> bool:
    """Is there a star before the parameters that have to be named?"""
    return any(text.startswith("*") for text in texts)


def parameter_text(parameter: inspect.Parameter) -> str:
    """One parameter with its type and what it is when nobody gives it."""
    several = parameter.kind is parameter.VAR_POSITIONAL
    stars = "*" if several else "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    typed = annotation(parameter.annotation)
    text = f"{stars}{parameter.name}{': ' + typed if typed else ''}"
    if parameter.default is parameter.empty:
        return text
    default = repr(parameter.default)
    return text + (" = " if typed else "=") + ("..." if default.startswith("<") else default)


def annotation(written: Any) -> str:
    """The type as it is written in the source."""
    if written is inspect.Parameter.empty:
        return ""
    return written if isinstance(written, str) else getattr(written, "__name__", str(written))


def markdown(doc: str) -> str:
    """Google's headings as lists."""
    lines: list[str] = []
    heading = None
    for line in doc.splitlines():
        word = line.strip().removesuffix(":")
        if line == f"{word}:" and word in HEADINGS:
            heading = word
            lines += [f"{word}:", ""]
        elif heading and re.match(r"    \*{0,2}\w+( \(.*\))?: ", line):
            name, _, text = line.strip().partition(": ")
            lines.append(f"- `{name}`: {text}")
        elif heading and line.startswith("    "):
            lines.append(line.strip() if not line.startswith("        ") else "  " + line.strip())
        else:
            heading = heading if not line else None
            lines.append(line)
    return "\n".join(lines)


def one_line(doc: str) -> str:
    """A docstring as one line of a list."""
    return " ".join(doc.split())


if __name__ == "__main__":
    sys.exit(main())

"""Write execution_planner/documents.py: the documents of the contract as types.

python scripts/documents.py            writes the file
python scripts/documents.py --check    fails when the file is not what would be written
"""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
CONTRACT = HERE.parents[2] / "api" / "openapi.yaml"
PACKAGE = HERE.parent / "execution_planner"

# What the client reads or sends, by file; each file also has whatever those refer to, unless an
# earlier one has it.
FILES = {
    "documents_asks": ("Ask", "Answer", "OfferList", "OfferUpdate", "AskList", "AskRecord",
                       "Problem"),
    "documents_jobs": ("UwsJob", "UwsJobList", "OfferEvent", "JobEvent", "BookEvent"),
    "documents_site": ("Calendar", "Me", "Site", "EnvironmentList", "Environment"),
    "documents_overview": ("Overview", "Drain", "DrainWanted", "Audit"),
}  # fmt: skip

# Names of objects in objects that would read badly.
NAMES = {"UwsJobListJobs": "ListedJob", "UwsJobResults": "JobResult",
         "UwsJobParameters": "JobParameter", "UwsJobJobInfo": "JobInfo",
         "UwsJobJobInfoSession": "JobSession", "ProblemI": "ProblemPlace"}  # fmt: skip

MADE = "made by scripts/documents.py from api/openapi.yaml."
PLAIN = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}


def main() -> int:
    """Write or compare; the exit code."""
    schemas = yaml.safe_load(CONTRACT.read_text("utf-8"))["components"]["schemas"]
    made = {PACKAGE / f"{name}.py": text for name, text in modules(schemas).items()}
    if "--check" not in sys.argv[1:]:
        for path, text in made.items():
            path.write_text(text, "utf-8")
        return 0
    old = [path.name for path, text in made.items() if path.read_text("utf-8") != text]
    if old:
        print(f"not of this contract: {', '.join(old)}; run scripts/documents.py", file=sys.stderr)
    return 1 if old else 0


def modules(schemas: dict[str, Any]) -> dict[str, str]:
    """The text of each module."""
    writer = Writer(schemas)
    homes: dict[str, str] = {}
    made = {}
    for module, roots in FILES.items():
        for root in roots:
            if root in schemas:
                writer.reference(root)
        new = [name for name in writer.written if name not in homes]
        made[module] = module_text({name: writer.written[name] for name in new}, homes)
        homes.update(dict.fromkeys(new, module))
    made["documents"] = exports(homes)
    return made


def module_text(definitions: dict[str, str], homes: dict[str, str]) -> str:
    """A module of definitions, with the imports that these need."""
    body = "".join(f"\n\n{text}\n" for text in definitions.values())
    words = set(re.findall(r"\w+", body))
    typing = [name for name in ("Any", "Literal", "TypeAlias", "TypedDict") if name in words]
    lines = [f'"""Documents of the service as types: {MADE}"""', "",
             "from __future__ import annotations", "",
             f"from typing import {', '.join(['TYPE_CHECKING', *typing])}", "",
             *imports({name: home for name, home in homes.items() if name in words}),
             "if TYPE_CHECKING:",
             "    # Python 3.10 has it not, and it is not needed when it runs.",
             "    from typing_extensions import NotRequired", ""]  # fmt: skip
    return "\n".join(lines) + body


def exports(homes: dict[str, str]) -> str:
    """The module that has all names."""
    head = [
        f'"""All documents of the service as types: {MADE}',
        "",
        "A newer service may send more keys than these; the client keeps them.",
        '"""',
        "",
    ]
    found = sorted((home, name) for name, home in homes.items())
    return "\n".join([*head, *(f"from .{home} import {n} as {n}" for home, n in found), ""])


def imports(homes: dict[str, str]) -> list[str]:
    """Import statements of these names."""
    lines: list[str] = []
    for home in sorted(set(homes.values())):
        names = sorted(name for name, of_name in homes.items() if of_name == home)
        lines += [f"from .{home} import (", *(f"    {name}," for name in names), ")"]
    return [*lines, ""] if lines else []


class Writer:
    """Collects definitions, each below those that it needs."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self.schemas = schemas
        self.written: dict[str, str] = {}
        self.begun: set[str] = set()

    def reference(self, name: str) -> str:
        """The expression for a schema of the contract; objects and unions get a definition."""
        schema = self.schemas[name]
        if any(key in schema for key in ("properties", "oneOf", "enum")):
            self.define(name, schema)
            return name
        return self.expression(schema, name)

    def define(self, name: str, schema: dict[str, Any]) -> None:
        """Add the definition of an object or a union, once."""
        if name in self.begun:
            return
        self.begun.add(name)
        if "oneOf" in schema:
            members = " | ".join(self.expression(part, name) for part in schema["oneOf"])
            self.written[name] = f'{name}: TypeAlias = "{members}"'
            return
        if "enum" in schema:
            self.written[name] = f"{name}: TypeAlias = {literal(schema['enum'])}"
            return
        required = set(schema.get("required", ()))
        fields = {}
        for key, value in schema["properties"].items():
            of_key = self.expression(value, name + camel(singular(key, value)))
            fields[key] = of_key if key in required else f"NotRequired[{of_key}]"
        self.written[name] = typed_dict(name, fields)

    def expression(self, schema: dict[str, Any], name: str) -> str:
        """The type of a value; objects in it are defined under `name`."""
        name = NAMES.get(name, name)
        if "$ref" in schema:
            return self.reference(schema["$ref"].rsplit("/", 1)[1])
        if "enum" in schema:
            text = literal(schema["enum"])
            if "\n" not in text:
                return text
            self.define(name, schema)
            return name
        parts = schema.get("anyOf") or schema.get("oneOf")
        if parts and "properties" not in schema:
            return " | ".join(dict.fromkeys(self.expression(part, name) for part in parts))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(PLAIN[one] for one in kind)
        if kind == "array":
            return f"list[{self.expression(schema['items'], name)}]"
        if "properties" in schema:
            self.define(name, schema)
            return name
        if kind == "object":
            values = schema.get("additionalProperties")
            of_values = self.expression(values, name) if isinstance(values, dict) else "Any"
            return f"dict[str, {of_values}]"
        return PLAIN[kind] if kind in PLAIN else "Any"


def typed_dict(name: str, fields: dict[str, str]) -> str:
    """A TypedDict; as a call where Python cannot write a key as a name."""
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in fields):
        body = [f"    {key}: {kind}" for key, kind in fields.items()]
        return "\n".join([f"class {name}(TypedDict):", *body])
    lines = [f'    "{key}": "{kind}",' for key, kind in fields.items()]
    return "\n".join([f'{name} = TypedDict("{name}", {{', *lines, "})"])


def literal(values: list[Any]) -> str:
    """A choice of values, on several lines where one would be too long."""
    said = [repr(value) for value in values]
    if sum(map(len, said)) < 60:
        return f"Literal[{', '.join(said)}]"
    return "\n".join(["Literal[", *(f"    {value}," for value in said), "]"])


def singular(key: str, schema: dict[str, Any]) -> str:
    """What one item of a list is called: its name in XML, where it has one."""
    item = schema.get("items", {})
    called = item.get("xml", {}).get("name", key)
    return str(called)


def camel(key: str) -> str:
    """`task-types` is `TaskTypes`."""
    return "".join(part[:1].upper() + part[1:] for part in key.split("-"))


if __name__ == "__main__":
    sys.exit(main())

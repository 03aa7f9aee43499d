"""What is on this computer and is sent with an ask: notebooks, programs, whole documents."""

from __future__ import annotations

import codecs
import copy
import json
import re
import tokenize
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://\S+", re.ASCII)
_LIKE_A_PATH = re.compile(r"[^\n]+\.(ya?ml|json|ipynb|py|txt)", re.IGNORECASE)


def is_url(value: object) -> bool:
    """Is it the text of a URL?"""
    return isinstance(value, str) and _URL.fullmatch(value.strip()) is not None


def path_of(value: str | Path) -> Path | None:
    """The file that is meant, if it is a file and not the content itself.

    Raises:
        FileNotFoundError: It can only be a path, and there is no such file.
    """
    if isinstance(value, str):
        if _LIKE_A_PATH.fullmatch(value.strip()) is None:
            return None
        value = Path(value.strip())
    path = value.expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path} here ({Path.cwd()}).")
    return path


def notebook_content(source: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """A notebook as a dictionary, from a path, its JSON, or itself.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is no notebook.
    """
    if isinstance(source, Mapping):
        content: Any = copy.deepcopy(dict(source))
        where = "the dictionary"
    else:
        path = path_of(source)
        where = str(path or "the text")
        content = _json(_text_of(path) if path else str(source), where)
        # An ask has at most 256 KiB, and running the notebook makes its outputs anew.
        for cell in _cells(content, where):
            if isinstance(cell, dict) and cell.get("cell_type") == "code":
                cell.update(outputs=[], execution_count=None)
    _cells(content, where)
    return dict(content)


def program_source(source: str | Path) -> str:
    """The text of a program, from a path or itself.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The program is empty.
    """
    path = path_of(source)
    text = _program_of(path) if path else str(source)
    if text.strip() == "":
        raise ValueError("source: the program is empty.")
    return text


def whole_document(source: str | bytes | Path) -> dict[str, Any] | bytes:
    """A document from a path or a text: a dictionary when it is JSON, otherwise its bytes.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A JSON document is no object.
    """
    if isinstance(source, bytes):
        content, where = source, "the document"
    else:
        path = path_of(source)
        content = path.read_bytes() if path else str(source).encode()
        where = str(path or "the text")
    if not content.lstrip().startswith(b"{"):
        return content
    try:
        read = json.loads(content)
    except ValueError:
        # YAML has braces, too: the service reads it.
        return content
    if not isinstance(read, dict):
        raise ValueError(f"{where} is no ask: it must be an object with a task.")
    return read


def requirements(value: object) -> list[str] | str:
    """Packages that a task needs: a list of texts, or the text of a requirements.txt.

    Args:
        value: One requirement, a list of them, the text of a requirements.txt, or its path.

    Raises:
        FileNotFoundError: There is no such file.
        TypeError: It is none of these.
    """
    if isinstance(value, (str, Path)):
        if is_url(value):
            return str(value)
        path = path_of(value)
        if path is not None:
            return _text_of(path)
        text = str(value)
        return text if "\n" in text else [text.strip()]
    if isinstance(value, (list, tuple, set, frozenset)) and all(
        isinstance(item, str) for item in value
    ):
        return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
    raise TypeError(
        f"needs: {value!r} is no list of packages. Give ['astropy>=6', 'numpy'], "
        "or the text or path of a requirements.txt."
    )


def _text_of(path: Path) -> str:
    """The text of a file; editors and shells of Windows write a byte order mark, also of UTF-16.

    Raises:
        ValueError: It is in another encoding.
    """
    content = path.read_bytes()
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not in UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _program_of(path: Path) -> str:
    """The text of a program, in the encoding that it declares, as Python itself reads it.

    Raises:
        ValueError: It is in another encoding.
    """
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        text = f"{path} is neither in UTF-8 nor in an encoding that it declares"
        raise ValueError(text) from error


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{where} is no notebook: {error}") from error


def _cells(content: Any, where: str) -> list[Any]:
    cells = content.get("cells") if isinstance(content, Mapping) else None
    if not isinstance(cells, list):
        raise ValueError(f"{where} is no notebook: it has no list of cells (nbformat 4).")
    return cells

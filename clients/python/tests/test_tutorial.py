"""The notebook from which an astronomer starts, run by Jupyter's kernel with the real service.

TUTORIAL=write pytest tests/test_tutorial.py       keeps the outputs of this run in the notebook
"""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from real_service import REPOSITORY, RealService, real_service, why_not

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

TUTORIAL = REPOSITORY / "docs" / "examples" / "ask-and-plot.ipynb"

# What differs from run to run.
CHANGING = (
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<id>"),
    (r"https?://[\w.]+:\d+", "<planner>"),
    (r"\b\w{3} \d{1,2} \w{3}( \d{4})? \d\d:\d\d \w+", "<time>"),
    (r"\b4:\d\d\b", "<left>"),
    (r"Python 3\.\d+\.\d+", "Python <version>"),
)  # fmt: skip


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    """The service as `npm start` begins it."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with real_service(tmp_path_factory.mktemp("demonstration"), SITE_FILE="") as running:
        yield running


@pytest.fixture(scope="module")
def written() -> Any:
    """The notebook as it is in the repository."""
    return nbformat.read(TUTORIAL, as_version=4)


@pytest.fixture(scope="module")
def executed(
    written: Any, service: RealService, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """The notebook after all its cells ran."""
    notebook = copy.deepcopy(written)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    folder = tmp_path_factory.mktemp("home")
    changed = {"PLANNER_URL": service.url, "HOME": str(folder), "TZ": "UTC",
               "XDG_CONFIG_HOME": str(folder), "MPLCONFIGDIR": str(folder),
               "PYTHONPATH": str(Path(__file__).resolve().parents[1])}  # fmt: skip
    client.execute(cwd=str(folder), env={**os.environ, **changed})
    if os.environ.get("TUTORIAL") == "write":
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, TUTORIAL)
    return notebook


class Page(HTMLParser):
    """HTML as its elements with their attributes, and its texts."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append(f"<{tag}{''.join(f' {key}={value!r}' for key, value in attrs)}>")

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.parts.append(settled(data))


def settled(text: str) -> str:
    for pattern, word in CHANGING:
        text = re.sub(pattern, word, text)
    return "\n".join(re.sub(r"  +", "  ", line).rstrip() for line in text.splitlines())


def parts(html: str) -> list[str]:
    page = Page()
    page.feed(html)
    return page.parts


def shown(cell: Any, kind: str) -> list[str]:
    """The outputs of a cell of a media type, or what it printed, the parts of it joined."""
    if kind == "stdout":
        printed = [output.text for output in cell.outputs if output.output_type == "stream"]
        return ["".join(printed)] if printed else []
    return [output.data[kind] for output in cell.outputs if kind in output.get("data", {})]


def pairs(executed: Any, written: Any, kind: str) -> list[tuple[list[str], list[str]]]:
    cells = zip(executed.cells, written.cells, strict=True)
    return [(shown(new, kind), shown(old, kind)) for new, old in cells if new.cell_type == "code"]


def test_every_cell_shows_the_tables_that_the_notebook_promises(
    executed: Any, written: Any
) -> None:
    compared = 0
    for new, old in pairs(executed, written, "text/html"):
        assert [parts(html) for html in new] == [parts(html) for html in old]
        compared += sum("<table" in html for html in new)
    assert compared == 4


def test_texts_and_prints_are_those_of_the_notebook(executed: Any, written: Any) -> None:
    compared = 0
    for kind in ("text/plain", "stdout"):
        for new, old in pairs(executed, written, kind):
            assert list(map(settled, new)) == list(map(settled, old))
            compared += len(new)
    assert compared >= 6


def test_the_offers_are_a_table_with_a_line_for_each(executed: Any) -> None:
    [html] = next(shown(cell, "text/html") for cell in executed.cells
                  if cell.source.rstrip().endswith("\noffers"))  # fmt: skip
    found = parts(html)
    assert found.count("<tbody>") == 1
    rows = "".join(found[found.index("<tbody>") :]).count("</tr>")
    headers = [found[n + 1] for n, part in enumerate(found) if part.startswith("<th ")]
    assert headers[1:] == [
        "destination",
        "start",
        "at most",
        "cores",
        "memory",
        "environment",
        "held for",
    ]
    assert rows == 2 and {"notebooks", "notebooks-large"} <= set(found)


def test_the_plot_is_a_picture(executed: Any, written: Any) -> None:
    for notebook in (executed, written):
        pictures = [data for cell in notebook.cells if cell.cell_type == "code"
                    for data in shown(cell, "image/png")]  # fmt: skip
        assert len(pictures) == 1 and len(pictures[0]) > 5000


def test_the_outputs_that_are_kept_have_no_place_of_whoever_wrote_them(written: Any) -> None:
    kept = nbformat.writes(written)
    assert not re.search(r"/(home|root|tmp|work)/", kept)

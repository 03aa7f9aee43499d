"""Results in a notebook, as tables, and in pyvo."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from typing import Any

import pytest

from execution_planner import executable
from execution_planner.showing import LARGEST, shown, table_of

URL = "https://planner.example.org/jobs/j1/results/html"
PAGE = b'<h1 onclick="x()">\'&amp;"</h1><script>parent.document.cookie</script>'


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(content: bytes | None, kind: str, name: str = "n") -> Any:
    return Elements(shown(content, kind, name, URL)._repr_html_()).found


def test_a_page_is_in_a_sandbox_that_cannot_reach_the_notebook() -> None:
    ((tag, attributes),) = elements(PAGE, "text/html; charset=utf-8")
    assert tag == "iframe" and attributes["srcdoc"] == PAGE.decode()
    assert "allow-same-origin" not in (attributes["sandbox"] or "")
    assert attributes["sandbox"] == "allow-scripts allow-popups"


@pytest.mark.parametrize("kind", ["image/png", "image/svg+xml"])
def test_a_picture_is_an_image_that_runs_no_script(kind: str) -> None:
    ((tag, attributes),) = elements(b"\x89PNG", kind)
    assert tag == "img" and attributes["src"] == f"data:{kind};base64,iVBORw=="


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/x-ipynb+json"])
def test_text_is_text(kind: str) -> None:
    assert [tag for tag, _ in elements(PAGE, kind)] == ["pre"]
    assert repr(shown(PAGE, kind, "n", URL)) == PAGE.decode()


@pytest.mark.parametrize("content", [b"\0\1", None])
def test_everything_else_is_a_link(content: bytes | None) -> None:
    name = "<script>x</script>"
    assert elements(content, "application/octet-stream", name) == [("a", {"href": URL})]


def test_a_name_or_type_that_is_html_stays_text() -> None:
    kind = 'image/x" onerror="x()'
    assert [set(attributes) for _, attributes in elements(b"x", kind, '"><b>')] == [{"alt", "src"}]


@pytest.mark.parametrize("name", ["table.fits", "no-ending"])
@pytest.mark.parametrize("form", ["votable", "fits", "ascii.csv", "ascii.ecsv", "ascii.basic"])
def test_tables_of_astronomers_are_read(form: str, name: str) -> None:
    Table = pytest.importorskip("astropy.table").Table  # noqa: N806
    kinds = {
        "votable": "application/x-votable+xml",
        "fits": "application/fits",
        "ascii.csv": "text/csv",
        "ascii.ecsv": "text/plain",
        "ascii.basic": "text/plain",
    }
    table = Table({"ra": [1.5, 2.5], "name": ["a", "b"]})
    content: Any = io.BytesIO() if form in ("votable", "fits") else io.StringIO()
    table.write(content, format=form)
    data = content.getvalue()
    read = table_of(data if isinstance(data, bytes) else data.encode(), kinds[form], name)
    assert list(read["ra"]) == [1.5, 2.5]
    if form in ("votable", "fits"):
        assert list(table_of(data, "application/octet-stream", name)["ra"]) == [1.5, 2.5]


def test_without_astropy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    def missing(name: str, *_: Any) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match=r"\[vo\]"):
        table_of(b"", "text/csv", "x")


def test_a_job_writes_fits_and_a_table_and_both_are_opened(planner: Any) -> None:
    fits = pytest.importorskip("astropy.io.fits")
    image = io.BytesIO()
    fits.PrimaryHDU([[1, 2], [3, 4]]).writeto(image)
    words = "".join(f"\\{byte:03o}" for byte in image.getvalue().rstrip(b"\0"))
    script = f"printf '{words}'; head -c 2848 /dev/zero; printf 'ra dec\\n1 2\\n' >&2"
    job = planner.ask(executable("sh", "-c", script)).first.accept().wait(60)
    assert job.results["stdout"].to_fits()[0].data.sum() == 10
    assert list(job.results["stderr"].to_table()["ra"]) == [1]


def test_pyvo_reads_a_job(planner: Any) -> None:
    pytest.importorskip("pyvo")
    job = planner.ask(executable("true"), name="for pyvo").first.accept().wait(60)
    read = job.to_pyvo()
    assert (read.jobid, read.phase, read.runid) == (job.id, "COMPLETED", "for pyvo")
    assert {result.id_ for result in read.results} == set(job.results)


def test_what_is_large_is_linked_and_not_read(planner: Any) -> None:
    script = f"head -c {LARGEST + 1} /dev/zero"
    job = planner.ask(executable("sh", "-c", script)).first.accept().wait(60)
    before = len(planner_seen(planner))
    assert "<a href" in job.results["stdout"].show()._repr_html_()
    assert len(planner_seen(planner)) == before


def planner_seen(planner: Any) -> list[str]:
    seen: list[str] = getattr(planner, "inner", planner)._service._transport.seen
    return seen

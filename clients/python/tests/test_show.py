"""What people see: aligned text, and HTML in which nothing that a service says is interpreted."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from typing import Any

from execution_planner.environments import Environments
from execution_planner.show import (
    environments_table,
    jobs_table,
    nearest_text,
    offers_table,
    reasons_table,
    reasons_text,
)  # fmt: skip
from execution_planner.tables import Link, Table, plain, table_html, table_text, width

NOON = datetime(2026, 8, 10, 12, tzinfo=timezone.utc)
UTC = timezone.utc


@dataclass
class Shown:
    document: dict[str, Any]
    seconds_left: float = 296.0


@dataclass
class ShownJob:
    id: str = "01a20463-aa91"
    url: str = "https://planner.example/jobs/01a20463-aa91"
    name: str | None = None
    phase: str = "EXECUTING"
    destination: str | None = "programs"
    offered_start: datetime | None = NOON
    start: datetime | None = None
    end: datetime | None = None


@dataclass
class Page(HTMLParser):
    """The elements and texts of HTML."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str | None]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page(html: str) -> Page:
    made = Page()
    made.feed(html)
    return made


def offer(destination: str = "programs", seconds: float = 296.0, **more: Any) -> Shown:
    machine = more.pop("machine", {"min-cores": 1, "max-cores": 2, "max-memory": "4Gb"})
    machines = machine if isinstance(machine, list) else [machine]
    document = {
        "status": "OFFERED", "destination": destination,
        "time": {"start": "2026-08-10T12:00:00Z", "duration": "PT10M"},
        "request": {"task": {"type": "t"}, "resources": {"compute": machines}}, **more,
    }  # fmt: skip
    return Shown(document, seconds)


def lines(table: Table) -> list[str]:
    return table.text().splitlines()


def test_offers_are_an_aligned_table() -> None:
    table = offers_table([offer(), offer("programs-long", 59)], zone=UTC)
    year = "" if datetime.now(UTC).year == 2026 else " 2026"
    assert lines(table) == [
        f"   destination    start               {' ' * len(year)}"
        "  at most  cores  memory  held for",
        f"0  programs       Mon 10 Aug{year} 12:00 UTC  10 min       2   4 GiB      4:56",
        f"1  programs-long  Mon 10 Aug{year} 12:00 UTC  10 min       2   4 GiB      0:59",
    ]
    assert offers_table([offer()], first=1).rows[0][0] == "1"


def test_columns_that_no_offer_fills_are_left_out() -> None:
    usual = offers_table([offer()]).headers
    assert usual == ("", "destination", "start", "at most", "cores", "memory", "held for")
    rich = offers_table([
        offer(environment="2026", python="3.12.4"),
        offer(costs=[{"type": "https://a.example/credits", "min": 1.5, "max": 3}],
              machine={"gpu": {"type": "uri:g/a100", "count": 2}}),
    ])  # fmt: skip
    assert set(rich.headers) - set(usual) == {"GPUs", "environment", "costs"}
    cells = [dict(zip(rich.headers, row, strict=True)) for row in rich.rows]
    assert cells[0]["environment"] == "2026, Python 3.12.4"
    assert (cells[1]["costs"], cells[1]["GPUs"]) == ("1.5 to 3 credits", "2 a100")


def test_an_offer_that_is_not_held_has_a_state_instead_of_seconds() -> None:
    assert offers_table([offer(status="PROPOSED")]).headers[-1] == "memory"
    table = offers_table([offer(), offer(status="ACCEPTED")])
    assert [row[-2:] for row in table.rows] == [("4:56", ""), ("", "ACCEPTED")]


def test_several_machines_are_told_one_by_one() -> None:
    table = offers_table([offer(machine=[
        {"min-cores": 1, "min-memory": "1Gb"}, {"replicas": 3, "max-cores": 2, "max-memory": 0.5},
    ])])  # fmt: skip
    cells = dict(zip(table.headers, table.rows[0], strict=True))
    assert (cells["cores"], cells["memory"]) == ("1 + 3 × 2", "1 GiB + 3 × 512 MiB")


def test_offers_of_several_planners_have_their_planner() -> None:
    table = offers_table([offer()], planners=["a.example"], notes=["b.example is away"])
    assert table.headers[:2] == ("", "planner")
    assert lines(table)[-1] == "b.example is away"


def test_no_offers_are_a_word() -> None:
    assert offers_table([]).text() == "no offers"
    assert page(offers_table([]).html()).texts == ["no offers"]


def test_jobs_are_a_table_with_links() -> None:
    done = ShownJob(name="deep", start=NOON, end=NOON + timedelta(seconds=90), phase="COMPLETED")
    table = jobs_table([done, ShownJob()], zone=UTC)
    assert [row[1:4] for row in table.rows] == [
        ("deep", "COMPLETED", "programs"),
        ("", "EXECUTING", "programs"),
    ]
    assert [row[-1] for row in table.rows] == ["1 min 30 s", ""]
    assert ("href", done.url) in page(table.html()).attributes
    assert "name" not in jobs_table([ShownJob()]).headers
    assert jobs_table([done], ids={done.id: "01a2"}).rows[0][0] == Link("01a2", done.url)


def test_environments_are_a_table() -> None:
    packages = [{"name": f"p{n}", "version": str(n)} for n in range(8)]
    table = environments_table([{"environment": "2026", "state": "ready", "python": "3.12.4",
                                 "packages": packages, "destinations": ["a", "b"]}])  # fmt: skip
    assert table.rows == (("2026", "ready", "3.12.4",
                           "p0 0, p1 1, p2 2, p3 3, p4 4, p5 5, and 2 more", "a, b"),)  # fmt: skip


def test_a_notebook_shows_environments_as_a_table() -> None:
    found = Environments([{"environment": "2026", "packages": [], "destinations": ["a"]}])
    assert repr(found) == environments_table(found).text() and "2026" in found._repr_html_()
    assert found[0]["environment"] == "2026"


def test_reasons_with_the_same_words_share_a_line() -> None:
    reasons: list[dict[str, Any]] = [
        {"path": "cores", "text": "a: too many cores", "destinations": ["a"], "code": "x"},
        {"path": "cores", "text": "b: too many cores", "destinations": ["b"], "code": "x"},
        {"path": "time", "text": "closed", "code": "y"},
    ]
    assert reasons_text(reasons, more=2).splitlines() == [
        "  cores: too many cores [a, b]", "  time: closed", "  and 2 more, in the explanation",
    ]  # fmt: skip
    nearest = {"destination": "a", "changes": [{"path": "cores", "text": "cores: 8 instead of 64"}]}
    assert nearest_text(nearest) == "a would say YES with cores: 8 instead of 64"
    table = reasons_table(reasons, nearest=nearest)
    assert table.headers == ("The planner says NO",)
    assert lines(table)[-1] == nearest_text(nearest)


EVIL = "<script>alert(1)</script>\"' onerror=x"


def test_what_a_service_says_is_never_html() -> None:
    job = ShownJob(id=EVIL, url='javascript:alert(1)"', name=EVIL, phase=EVIL, destination=EVIL)
    made = [
        offers_table([offer(EVIL, environment=EVIL, status=EVIL, time={"start": EVIL,
                     "duration": EVIL}, costs=[{"type": EVIL, "min": 1, "max": 1}],
                     machine={"max-memory": EVIL, "gpu": {"type": EVIL}})],
                     planners=[EVIL], notes=[EVIL]),
        jobs_table([job], planners=[EVIL]),
        environments_table([{"environment": EVIL, "packages": [{"name": EVIL, "version": EVIL}]}]),
        reasons_table([{"path": EVIL, "text": EVIL, "destinations": [EVIL]}],
                      nearest={"destination": EVIL, "changes": [{"text": EVIL}]}),
    ]  # fmt: skip
    for table in made:
        read = page(table.html())
        assert set(read.tags) <= {"div", "table", "thead", "tbody", "tr", "th", "td"}
        assert {name for name, _ in read.attributes} <= {"style", "scope"}
        assert "<script>alert(1)" in "".join(read.texts)


def test_values_of_other_kinds_are_shown_and_raise_nothing() -> None:
    odd = offer(costs=[{"min": [1], "type": 3}], time=None,
                machine={"max-cores": {"a": 1}, "max-memory": [2], "gpu": {"type": 7}})  # fmt: skip
    cells = dict(zip(*(lambda t: (t.headers, t.rows[0]))(offers_table([odd])), strict=True))
    assert (cells["cores"], cells["memory"], cells["GPUs"]) == ("{'a': 1}", "[2]", "1 7")
    assert cells["costs"] == "[1] to ? 3"


def test_a_link_of_the_web_is_one_and_its_quotes_stay_in_it() -> None:
    html = table_html(["a"], [[Link("x", 'https://a.example/"><b>')]])
    assert ("href", 'https://a.example/"><b>') in page(html).attributes
    assert "b" not in page(html).tags


def test_a_service_cannot_steer_the_terminal() -> None:
    text = table_text(["a"], [["\x1b[2J\x1b]0;title\x07two\nlines\u202egnp.exe\x9b"]])
    assert text.splitlines() == ["a", "�[2J�]0;title�two lines�gnp.exe�"]
    assert plain("Grüße 星 👩\u200d🚀") == "Grüße 星 👩\u200d🚀"


def test_wide_letters_are_aligned() -> None:
    assert width("星 e\u0301") == 4
    assert table_text(["name", "n"], [["星", "1"], ["abcd", "2"]]).splitlines() == [
        "name  n",
        "星    1",
        "abcd  2",
    ]


def test_html_has_the_same_texts_as_the_table() -> None:
    table = offers_table([offer(), offer("programs-long")])
    cells = [text for row in (table.headers, *table.rows) for text in map(str, row) if text]
    assert page(table.html()).texts == cells
    assert table.html() == table._repr_html_() and table.text() == repr(table)

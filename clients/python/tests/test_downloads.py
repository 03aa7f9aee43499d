"""Results arrive whole or not at all, and go on where they broke off."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from broken_server import Broken, Got, answer, broken_server

from execution_planner import PlannerError, ResultBroken
from execution_planner.digests import Digest, stated
from execution_planner.downloading import Began
from execution_planner.parts import PartFile

DATA = bytes(range(256)) * 2000
CHANGED = "Mon, 10 Aug 2026 10:00:00 GMT"


class Files:
    """A service with one result, whose answers break off after some bytes.

    Attributes:
        breaks: After how many bytes each answer breaks off.
    """

    def __init__(self, data: bytes = DATA, breaks: tuple[int, ...] = (), **headers: str) -> None:
        self.data = data
        self.breaks = list(breaks)
        self.headers = {"Last_Modified": CHANGED, **headers}
        self.listed = len(data)
        self.ranges: list[tuple[str | None, str | None]] = []

    def __call__(self, got: Got, connection: socket.socket) -> bytes | None:
        if not got.target.endswith("/results/plot"):
            result = {"id": "plot", "href": "", "size": self.listed, "mimeType": "image/png"}
            return answer({"jobId": "j1", "phase": "COMPLETED", "results": [result]})
        assert got.headers["accept-encoding"] == "identity"
        wanted, fresh = got.headers.get("range"), got.headers.get("if-range")
        if got.method == "HEAD":
            return answer(b"", **self.headers)
        self.ranges.append((wanted, fresh))
        tag = self.headers.get("ETag") or self.headers.get("Last_Modified")
        if wanted is None or fresh != tag:
            whole = answer(self.data, Content_Type="image/png", **self.headers)
        else:
            at = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if at >= len(self.data):
                return answer(b"", "416 x", Content_Range=f"bytes */{len(self.data)}")
            place = f"bytes {at}-{len(self.data) - 1}/{len(self.data)}"
            whole = answer(self.data[at:], "206 Partial", Content_Range=place, **self.headers)
        if not self.breaks:
            return whole
        head = whole.index(b"\r\n\r\n") + 4
        connection.sendall(whole[: head + self.breaks.pop(0)])
        raise Broken


def result_of(opened: Callable[..., Any], url: str) -> Any:
    return opened(url).job("j1").results["plot"]


def test_a_result_is_written_beside_and_named_when_it_is_whole(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    with broken_server(Files()) as server:
        file = result_of(opened, server.url).save(tmp_path / "my.png")
    assert file.read_bytes() == DATA and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("etag", [{}, {"ETag": '"v1"'}])
def test_a_download_that_breaks_off_goes_on(
    etag: dict[str, str], opened: Callable[..., Any], tmp_path: Path
) -> None:
    files = Files(breaks=(100_000, 0, 1, 200_000), **etag)
    with broken_server(files) as server:
        file = result_of(opened, server.url).save(tmp_path / "plot")
    assert file.read_bytes() == DATA and len(files.ranges) == 5
    assert files.ranges[0] == (None, None)
    fresh = etag.get("ETag", CHANGED)
    assert all(given == fresh and wanted for wanted, given in files.ranges[1:])
    # A reset may take bytes with it that were sent already.
    starts = [int(str(wanted)[6:-1]) for wanted, _ in files.ranges[1:]]
    assert starts == sorted(starts) and starts[-1] > 0


def test_reading_into_memory_goes_on_too(opened: Callable[..., Any]) -> None:
    with broken_server(Files(breaks=(100_000, 50_000))) as server:
        assert result_of(opened, server.url).read() == DATA
    with broken_server(Files(breaks=(100_000, 50_000))) as server:
        assert result_of(opened, server.url).open().read() == DATA


def test_without_a_tag_it_begins_anew(opened: Callable[..., Any], tmp_path: Path) -> None:
    files = Files(breaks=(100_000,), Last_Modified="", ETag='W/"weak"')
    files.headers.pop("Last_Modified")
    with broken_server(files) as server:
        assert result_of(opened, server.url).save(tmp_path / "plot").read_bytes() == DATA
    assert files.ranges == [(None, None), (None, None)]


def test_without_a_tag_it_does_not_begin_anew_for_ever(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    files = Files(breaks=(1000,) * 100)
    files.headers.clear()
    with broken_server(files) as server, pytest.raises(ResultBroken, match="broke off 6") as told:
        result_of(opened, server.url).save(tmp_path)
    assert told.value.code == "result-cut" and len(files.ranges) == 7
    assert list(tmp_path.iterdir()) == []


def test_two_that_save_one_result_at_a_time_do_not_mix_it(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    target = tmp_path / "plot"
    with broken_server(Files()) as server:
        url = f"{server.url}/jobs/j1/results/plot"
        first = PartFile(target, url)
        with first:
            first.take(Began(0, CHANGED))
            first.take(DATA[:1000])
            # Another process, as far as locks know.
            assert result_of(opened, server.url).save(target).read_bytes() == DATA
            assert (tmp_path / "plot.part").exists() and (tmp_path / "plot.part.json").exists()
            first.take(DATA[1000:])
        assert first.finish().read_bytes() == DATA
    assert list(tmp_path.iterdir()) == [target]


def test_the_part_of_a_second_that_ends_is_not_left_behind(tmp_path: Path) -> None:
    target = tmp_path / "plot"
    with PartFile(target, "u") as first:
        first.take(Began(0, CHANGED))
        with pytest.raises(KeyboardInterrupt), PartFile(target, "u") as second:
            second.take(Began(0, CHANGED))
            second.take(b"x")
            raise KeyboardInterrupt
        assert sorted(one.name for one in tmp_path.iterdir()) == ["plot.part", "plot.part.json"]


def test_a_file_that_changed_meanwhile_is_not_mixed(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    files = Files(breaks=(100_000,))
    other = DATA[::-1]

    def handle(got: Got, connection: socket.socket) -> bytes | None:
        if got.target.endswith("/plot") and len(files.ranges) == 1:
            files.data, files.headers["Last_Modified"] = other, "Tue, 11 Aug 2026 10:00:00 GMT"
        return files(got, connection)

    with broken_server(handle) as server:
        assert result_of(opened, server.url).save(tmp_path / "plot").read_bytes() == other


def test_a_later_call_goes_on_where_an_earlier_program_ended(
    opened: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from execution_planner import patience

    files = Files(breaks=(100_000,))
    with broken_server(files) as server:
        result = result_of(opened, server.url)
        monkeypatch.setattr(patience, "PATIENCE", -1.0)
        with pytest.raises(PlannerError):
            result.save(tmp_path / "plot")
        assert not (tmp_path / "plot").exists()
        had = (tmp_path / "plot.part").stat().st_size
        assert 0 < had <= 100_000
        assert result.save(tmp_path / "plot").read_bytes() == DATA
    assert files.ranges[1] == (f"bytes={had}-", CHANGED)
    assert [path.name for path in tmp_path.iterdir() if "plot" in path.name] == ["plot"]


def test_a_part_that_is_whole_already_gets_its_name(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    with broken_server(Files()) as server:
        result = result_of(opened, server.url)
        (tmp_path / "plot.part").write_bytes(DATA)
        (tmp_path / "plot.part.json").write_text(json.dumps({"url": result.url, "etag": CHANGED}))
        assert result.save(tmp_path / "plot").read_bytes() == DATA


def test_a_part_that_is_whole_but_wrong_does_not_get_its_name(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    with broken_server(Files(Repr_Digest=f"sha-256=:{sha256(DATA)}:")) as server:
        result = result_of(opened, server.url)
        (tmp_path / "plot.part").write_bytes(DATA[::-1])
        (tmp_path / "plot.part.json").write_text(json.dumps({"url": result.url, "etag": CHANGED}))
        with pytest.raises(ResultBroken, match="sha-256"):
            result.save(tmp_path / "plot")
        assert not list(tmp_path.glob("plot*"))
        assert result.save(tmp_path / "plot").read_bytes() == DATA


def test_the_part_of_another_result_is_not_gone_on_with(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    files = Files()
    with broken_server(files) as server:
        result = result_of(opened, server.url)
        (tmp_path / "plot.part").write_bytes(b"other")
        note = {"url": f"{result.url}-other", "etag": CHANGED}
        (tmp_path / "plot.part.json").write_text(json.dumps(note))
        assert result.save(tmp_path / "plot").read_bytes() == DATA
    assert files.ranges == [(None, None)]


def test_a_result_of_another_size_than_the_job_says_is_an_error(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    files = Files()
    files.listed = len(DATA) + 1
    with broken_server(files) as server:
        with pytest.raises(ResultBroken, match=f"{len(DATA)} bytes instead of {len(DATA) + 1}"):
            result_of(opened, server.url).save(tmp_path / "plot")
    assert not list(tmp_path.glob("plot*"))


def sha256(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


@pytest.mark.parametrize("breaks", [(), (100_000,)])
@pytest.mark.parametrize(
    "header", [{"Repr_Digest": f"sha-256=:{sha256(DATA)}:"}, {"Digest": f"SHA-256={sha256(DATA)}"}]
)
def test_a_stated_checksum_is_compared(
    header: dict[str, str], breaks: tuple[int, ...], opened: Callable[..., Any], tmp_path: Path
) -> None:
    with broken_server(Files(breaks=breaks, **header)) as server:
        assert result_of(opened, server.url).save(tmp_path / "plot").read_bytes() == DATA
    with broken_server(Files(DATA[::-1], breaks=breaks, **header)) as server:
        with pytest.raises(ResultBroken, match="sha-256"):
            result_of(opened, server.url).save(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_checksums_are_read_as_they_are_written() -> None:
    ours = {"sha-256": hashlib.sha256(b"x").digest()}
    value = sha256(b"x")
    assert stated({"repr-digest": f"md5=:abc:, sha-256=:{value}:"}) == ours
    assert stated({"content-digest": f"sha-256=:{value}:"}) == ours
    assert stated({"content-digest": f"sha-256=:{value}:"}, whole=True) == {}
    assert stated({"digest": "sha-256=no base64!"}) == {} == stated({})
    digest = Digest()
    digest.expect(ours, 0)
    digest.update(b"x")
    assert list(digest.differing(ours)) == []
    assert list(digest.differing({"sha-256": b"y"})) == ["sha-256"]


@pytest.mark.parametrize("right", [True, False])
def test_a_part_of_an_earlier_program_is_in_the_checksum(
    right: bool, opened: Callable[..., Any], tmp_path: Path
) -> None:
    header = {"Repr_Digest": f"sha-256=:{sha256(DATA)}:"}
    with broken_server(Files(**header)) as server:
        result = result_of(opened, server.url)
        had = DATA[:1000] if right else b"\1" + DATA[1:1000]
        (tmp_path / "plot.part").write_bytes(had)
        (tmp_path / "plot.part.json").write_text(json.dumps({"url": result.url, "etag": CHANGED}))
        if right:
            assert result.save(tmp_path / "plot").read_bytes() == DATA
        else:
            with pytest.raises(ResultBroken, match="sha-256"):
                result.save(tmp_path / "plot")
            # Nothing wrong is left to go on with.
            assert result.save(tmp_path / "plot").read_bytes() == DATA


def test_what_nobody_states_is_not_added_up() -> None:
    digest = Digest()
    digest.expect((), 0)
    digest.update(DATA)
    assert list(digest.differing({"sha-256": b"x"})) == []
    digest.expect(["sha-512"], 5)
    assert list(digest.differing({"sha-512": b"x"})) == []


def test_an_answer_at_another_place_is_not_mixed_in(opened: Callable[..., Any]) -> None:
    files = Files(breaks=(100_000,))

    def handle(got: Got, connection: socket.socket) -> bytes | None:
        if "range" in got.headers:
            return answer(DATA[7:], "206 x", Content_Range=f"bytes 7-{len(DATA) - 1}/{len(DATA)}")
        return files(got, connection)

    with broken_server(handle) as server:
        with pytest.raises(PlannerError, match="another byte"):
            result_of(opened, server.url).read()


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\x", ".bashrc"])
def test_the_name_of_a_result_does_not_leave_the_folder(
    name: str, opened: Callable[..., Any], tmp_path: Path
) -> None:
    def handle(got: Got, _: socket.socket) -> bytes:
        if "/results/" in got.target:
            return answer(b"x", Content_Type="text/plain")
        result = {"id": name, "href": "", "size": 1, "mimeType": "text/plain"}
        return answer({"jobId": "j1", "phase": "COMPLETED", "results": [result]})

    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    with broken_server(handle) as server:
        (file,) = opened(server.url).job("j1").results.save(folder)
        assert opened(server.url).job("j1").results[name].save(folder) == file
    assert file.parent == folder and not file.name.startswith(".")


def test_a_device_or_a_pipe_is_not_replaced(opened: Callable[..., Any], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with broken_server(Files()) as server, pytest.raises(FileExistsError, match="no file.*pipe"):
        result_of(opened, server.url).save(tmp_path / "pipe")
    assert [(file.name, file.is_fifo()) for file in tmp_path.iterdir()] == [("pipe", True)]


def test_results_whose_files_would_have_one_name_are_all_saved(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    names = [".data", "..data", "data", ".data-2", ".a.csv", "a.csv"]

    def handle(got: Got, _: socket.socket) -> bytes:
        if "/results/" in got.target:
            return answer(got.target.rpartition("/")[2].encode(), Content_Type="text/plain")
        results = [{"id": name, "href": "", "size": len(name)} for name in names]
        return answer({"jobId": "j1", "phase": "COMPLETED", "results": results})

    with broken_server(handle) as server:
        files = opened(server.url).job("j1").results.save(tmp_path)
    assert [file.read_text() for file in files] == names
    assert [file.name for file in files][2::3] == ["data", "a.csv"]


@pytest.mark.parametrize("is_gone_on_with", [True, False])
def test_links_in_the_place_of_a_part_are_not_written_through(
    is_gone_on_with: bool, opened: Callable[..., Any], tmp_path: Path
) -> None:
    mine, notes = tmp_path / "mine", tmp_path / "notes"
    mine.write_bytes(b"mine")
    with broken_server(Files()) as server:
        result = result_of(opened, server.url)
        url = result.url if is_gone_on_with else ""
        notes.write_text(said := json.dumps({"url": url, "etag": CHANGED}))
        (tmp_path / "plot.part").symlink_to(mine)
        (tmp_path / "plot.part.json").symlink_to(notes)
        file = result.save(tmp_path / "plot")
    assert (mine.read_bytes(), notes.read_text()) == (b"mine", said)
    assert not file.is_symlink() and file.read_bytes() == DATA


def test_a_result_that_is_gone_is_told(opened: Callable[..., Any], tmp_path: Path) -> None:
    def handle(got: Got, connection: socket.socket) -> bytes | None:
        if "/results/" in got.target:
            return answer(b"result-unknown: Gone.", "404 x", Content_Type="text/plain")
        return Files()(got, connection)

    with broken_server(handle) as server:
        with pytest.raises(PlannerError, match="Gone"):
            result_of(opened, server.url).save(tmp_path / "plot")


class LargeFiles(Files):
    """Tells the checksum of its large result to HEAD alone, as the service does."""

    def __init__(self, told: bytes) -> None:
        super().__init__(b"x" * (16 * 2**20 + 1), (1_000_000,))
        self.told = told

    def __call__(self, got: Got, connection: socket.socket) -> bytes | None:
        if got.method != "HEAD":
            return super().__call__(got, connection)
        assert got.headers["want-repr-digest"] == "sha-256=1"
        return answer(b"", Repr_Digest=f"sha-256=:{sha256(self.told)}:")


def test_a_large_result_that_broke_off_is_compared_with_the_checksum_of_head(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    files = LargeFiles(b"x" * (16 * 2**20 + 1))
    with broken_server(files) as server:
        file = result_of(opened, server.url).save(tmp_path / "large")
    assert file.read_bytes() == files.data and len(files.ranges) == 2
    with broken_server(LargeFiles(b"other")) as server, pytest.raises(ResultBroken):
        result_of(opened, server.url).save(tmp_path / "other")
    assert not (tmp_path / "other").exists()

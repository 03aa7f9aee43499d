"""What people give becomes the document that the service reads."""

from __future__ import annotations

import copy
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import yaml

from execution_planner import tasks, words
from execution_planner.machines import EPHEMERAL
from execution_planner.tasks import (
    container,
    document,
    executable,
    helm_chart,
    notebook,
    python_program,
    task,
)  # fmt: skip

HELLO = python_program("print('hello')")
CELL = {"cell_type": "code", "source": "1", "metadata": {}, "execution_count": 3,
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "x" * 1000}]}  # fmt: skip
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]}


class Quantity:
    """As much of astropy's Quantity as is used: a value that knows its factors."""

    def __init__(self, **values: float) -> None:
        self.values = values

    def to_value(self, unit: str) -> float:
        if unit not in self.values:
            raise ValueError(f"{unit!r} and this are not convertible")
        return self.values[unit]


def ask(given: Any = HELLO, **more: Any) -> dict[str, Any]:
    made = document(given, **more)
    assert not isinstance(made, bytes)
    json.dumps(made, allow_nan=False)
    return dict(made)


def machine(**more: Any) -> dict[str, Any]:
    (only,) = ask(**more)["resources"]["compute"]
    return dict(only)


def test_a_task_alone_is_a_whole_ask() -> None:
    assert ask() == {"task": {"type": tasks.PYTHON_PROGRAM, "spec": {"source": "print('hello')"}}}


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfprint('\xc3\xa9')\r\n",
        b"# coding: latin-1\r\nprint('\xe9')\r\n",
        b"\nprint('\xc3\xa9')\n",
    ],
)
def test_a_program_is_read_as_python_reads_it(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "hello.py"
    path.write_bytes(content)
    source = python_program(path)["spec"]["source"]
    assert source.splitlines()[-1] == "print('é')" and "\r" not in source
    assert not source.startswith("\ufeff")


def test_files_as_editors_and_shells_of_windows_write_them_are_read(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_bytes("numpy\r\nastropy>=6\r\n".encode(encoding))
        assert ask(needs=path)["task"]["spec"]["requirements"] == "numpy\nastropy>=6\n"
        path.with_suffix(".ipynb").write_bytes(json.dumps(NOTEBOOK).encode(encoding))
        assert notebook(path.with_suffix(".ipynb"))["spec"]["content"]["nbformat"] == 4


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "hello.py"
    path.write_bytes(b"print('\xe9')")
    with pytest.raises(ValueError, match=r"hello\.py is neither in UTF-8 nor in an encoding"):
        python_program(path)
    path.with_suffix(".txt").write_bytes(b"caf\xe9")
    with pytest.raises(ValueError, match=r"hello\.txt is not in UTF-8"):
        ask(needs=path.with_suffix(".txt"))


def test_files_are_sent_and_urls_are_not_read(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print(1)\n")
    assert python_program(program)["spec"] == {"source": "print(1)\n"}
    assert python_program(str(program))["spec"] == {"source": "print(1)\n"}
    assert python_program("https://a.example/p.py")["spec"] == {"program": "https://a.example/p.py"}
    assert notebook("file:///n.ipynb")["spec"] == {"notebook": "file:///n.ipynb"}


def test_a_notebook_goes_without_its_outputs_and_the_file_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(NOTEBOOK))
    sent = notebook(path)["spec"]["content"]["cells"][0]
    assert (sent["outputs"], sent["execution_count"]) == ([], None)
    assert json.loads(path.read_text()) == NOTEBOOK
    assert notebook(json.dumps(NOTEBOOK))["spec"]["content"]["cells"][0]["outputs"] == []
    assert notebook(NOTEBOOK)["spec"]["content"] == NOTEBOOK


def test_parameters_and_arguments_become_what_json_has() -> None:
    class Array:
        def tolist(self) -> list[float]:
            return [1.5, 2.5]

    spec = notebook("https://a.example/n.ipynb", parameters={"band": ("g", "r"), "z": Array()})
    assert spec["spec"]["parameters"] == {"band": ["g", "r"], "z": [1.5, 2.5]}
    assert python_program("p", arguments=[1, 2.5, Path("a")])["spec"]["arguments"] == [
        "1",
        "2.5",
        "a",
    ]
    with pytest.raises(ValueError, match=r"z: nan cannot be sent as JSON"):
        notebook("https://a.example/n.ipynb", parameters={"z": float("nan")})
    with pytest.raises(TypeError, match=r"arguments: 'a b' is one text. Give a list"):
        python_program("print(1)", arguments="a b")


def test_the_other_types() -> None:
    assert executable("sort", "-n", Path("a.txt"), environment={"N": 3}) == {
        "type": tasks.EXECUTABLE,
        "spec": {"command": ["sort", "-n", "a.txt"], "environment": {"N": "3"}},
    }
    assert container("ivoa/example:1.0", "run", "-x", repo="ghcr.io", arch="amd64")["spec"] == {
        "image": "ivoa/example:1.0", "repo": "ghcr.io", "arch": "amd64", "command": ["run", "-x"],
    }  # fmt: skip
    assert helm_chart("https://a.example/c.tgz", values={"n": (1, 2)})["spec"] == {
        "chart": "https://a.example/c.tgz", "values": {"n": [1, 2]},
    }  # fmt: skip
    assert task("python-program", source="1")["type"] == tasks.PYTHON_PROGRAM
    assert task("uri:mine", a=(1,)) == {"type": "uri:mine", "spec": {"a": [1]}}


def test_a_command_in_one_text_is_refused_with_both_ways_out() -> None:
    with pytest.raises(ValueError, match=r"one by one, or executable\('sh', '-c', 'sort a.txt'\)"):
        executable("sort a.txt")


def test_numbers_are_at_least_and_pairs_are_bounds() -> None:
    assert machine(cores=2) == {"min-cores": 2}
    assert machine(cores=(2, 8.5)) == {"min-cores": 2, "max-cores": 8.5}
    assert machine(cores=(None, 8)) == {"max-cores": 8}
    assert machine(memory="512MiB") == {"min-memory": "512MiB"}
    assert machine(memory=(4, "16GiB")) == {"min-memory": 4, "max-memory": "16GiB"}


def test_quantities_are_converted_and_rounded_so_that_they_still_hold() -> None:
    four_gb, eight_gib = Quantity(byte=4e9), Quantity(byte=8 * 2**30)
    assert machine(memory=(four_gb, eight_gib)) == {"min-memory": "3815MiB", "max-memory": 8}
    assert machine(memory=(None, four_gb)) == {"max-memory": "3814MiB"}
    assert machine(cores=Quantity(**{"": 3.0})) == {"min-cores": 3}
    assert ask(duration=Quantity(s=5400.0))["time"] == {"duration": "PT1H30M"}
    with pytest.raises(ValueError, match="memory: .* has another unit"):
        machine(memory=Quantity(s=1.0))


def test_gpus_are_a_number_a_type_or_both() -> None:
    assert machine(gpu=2, gpu_types=["uri:a"])["gpu"] == {"type": "uri:a", "count": 2}
    assert machine(gpu="uri:a")["gpu"] == {"type": "uri:a"}
    assert machine(gpu=[{"type": "uri:a", "count": 4}])["gpu"] == {"type": "uri:a", "count": 4}
    with pytest.raises(ValueError, match="names no type.*one of uri:a, uri:b"):
        machine(gpu=1, gpu_types=["uri:a", "uri:b"])
    with pytest.raises(ValueError, match="has 2 kinds"):
        machine(gpu=["uri:a", "uri:b"])
    assert [words.needs_gpu_types(g) for g in (None, 1, [2], {"count": 1}, "a", {"type": "a"})] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]


def test_storage_is_a_directory_of_its_name() -> None:
    resources = ask(storage="2GiB")["resources"]
    assert resources == {
        "compute": [{"volumes": [{"name": "scratch", "path": "scratch"}]}],
        "storage": [{"name": "scratch", "type": EPHEMERAL, "size": "2GiB"}],
    }
    data = {"name": "data", "type": "uri:url", "location": "https://a.example/d", "path": "in",
            "mode": "r"}  # fmt: skip
    resources = ask(storage=[1, data])["resources"]
    assert resources["compute"][0]["volumes"][1] == {"name": "data", "path": "in", "mode": "r"}
    assert resources["storage"][1] == {"name": "data", "type": "uri:url",
                                       "location": "https://a.example/d"}  # fmt: skip


def test_needs_and_environment_are_in_the_spec(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("astropy>=6\n# the table\nnumpy\n")
    spec = ask(needs=["astropy>=6"], environment="2026")["task"]["spec"]
    assert (spec["requirements"], spec["environment"]) == (["astropy>=6"], "2026")
    assert ask(needs="numpy")["task"]["spec"]["requirements"] == ["numpy"]
    assert ask(needs=file)["task"]["spec"]["requirements"] == file.read_text()
    with pytest.raises(ValueError, match="needs: a task of type executable brings its packages"):
        ask(executable("true"), needs=["numpy"])
    assert "requirements" not in HELLO["spec"]


def test_words_change_a_whole_document_and_not_the_one_that_was_given() -> None:
    whole = {
        "request": {
            "task": dict(HELLO),
            "time": "2026-08-10T10:00Z",
            "extra": 1,
            "resources": {"compute": [{"min-cores": 1, "max-cores": 4, "arch": "arm64"}]},
        }
    }
    before = copy.deepcopy(whole)
    changed = ask(whole, cores=8, duration=timedelta(hours=2), name="deep")
    assert whole == before
    assert changed["resources"]["compute"] == [{"min-cores": 8, "arch": "arm64"}]
    assert changed["time"] == {"start": "2026-08-10T10:00Z", "duration": "PT2H"}
    assert (changed["name"], changed["extra"]) == ("deep", 1)


def test_what_words_would_leave_unclear_is_refused() -> None:
    two = {"task": dict(HELLO), "resources": {"compute": [{}, {}]}, "time": ["a", "b"]}
    with pytest.raises(ValueError, match="cores: the document has 2 machines"):
        ask(two, cores=1)
    with pytest.raises(ValueError, match="start: the document has 2 alternative times"):
        ask(two, start="2026-08-10T10:00Z")
    with pytest.raises(ValueError, match="time: it is the whole time, so give duration in it"):
        ask(time="2026-08-10T10:00Z", duration="PT1H")
    with pytest.raises(ValueError, match="the document has no task, but resources"):
        ask({"resources": {}})
    with pytest.raises(TypeError, match="task: 7 is no task"):
        ask(7)


def test_a_whole_time_may_have_values_of_python() -> None:
    noon = datetime(2026, 8, 10, 12, tzinfo=timezone.utc)
    assert ask(time=[{"start": noon, "duration": timedelta(hours=1)}, noon])["time"] == [
        {"start": "2026-08-10T12:00:00Z", "duration": "PT1H"}, "2026-08-10T12:00:00Z",
    ]  # fmt: skip


def test_yaml_is_sent_as_it_is_and_words_beside_it_are_an_error(tmp_path: Path) -> None:
    text = yaml.safe_dump({"task": HELLO})
    path = tmp_path / "task.yaml"
    path.write_text(text)
    assert document(text) == document(path) == document(str(path)) == text.encode()
    with pytest.raises(ValueError, match=r"cores, name: words cannot change a YAML document"):
        document(path, cores=2, name="x")


def test_json_is_read_so_words_change_it(tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    path.write_text(json.dumps({"task": HELLO}))
    assert ask(path, cores=2)["resources"] == {"compute": [{"min-cores": 2}]}
    assert ask(json.dumps(HELLO))["task"] == HELLO


def test_the_path_of_a_program_or_a_notebook_is_a_task(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("print(1)")
    (tmp_path / "n.ipynb").write_text(json.dumps(NOTEBOOK))
    assert ask(tmp_path / "p.py")["task"] == python_program("print(1)")
    assert ask(str(tmp_path / "n.ipynb"))["task"]["type"] == tasks.NOTEBOOK


@pytest.mark.parametrize("name", ["absent.py", "absent.ipynb", "absent.yaml"])
def test_a_file_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(FileNotFoundError, match=f"There is no file {name}"):
        document(name)


@pytest.mark.parametrize("words, error, text", [
    ({"cores": "two"}, TypeError, "cores: 'two' is no number"),
    ({"cores": True}, TypeError, "cores: True is no number"),
    ({"cores": float("inf")}, ValueError, "cores: inf is not finite"),
    ({"cores": (8, 2)}, ValueError, "cores: in .8, 2. the first is larger"),
    ({"cores": (1, 2, 3)}, ValueError, "cores: .1, 2, 3. is no pair"),
    ({"memory": "4 apples"}, ValueError, "memory: '4 apples' is no size. Write '4GiB'"),
    ({"memory": ("8GiB", "512MiB")}, ValueError, "memory: in .* the first is larger"),
    ({"gpu": 0}, ValueError, "gpu: 0 is no whole number above 0"),
    ({"storage": {"size": 1}}, ValueError, "storage: .* has no name"),
    ({"needs": 3}, TypeError, "needs: 3 is no list of packages"),
    ({"duration": 3600}, TypeError, "duration: 3600 is no duration. Give timedelta"),
    ({"start": datetime(2026, 8, 10)}, ValueError, "start: 2026-08-10 00:00:00 has no time zone"),
])  # fmt: skip
def test_an_error_names_the_word_the_value_and_what_would_be_right(
    words: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        document(HELLO, **words)


def test_astropy_itself_is_understood() -> None:
    units = pytest.importorskip("astropy.units")
    time = pytest.importorskip("astropy.time")
    made = ask(
        cores=(2 * units.one, 8),
        memory=(4 * units.GB, 8 * units.Gibyte),
        duration=1.5 * units.hour,
        start=(time.Time("2026-08-10T12:00:00", scale="utc"), 30 * units.minute),
        storage=2048 * units.Mibyte,
    )
    [item] = made["resources"]["compute"]
    assert (item["min-cores"], item["max-cores"]) == (2, 8)
    assert (item["min-memory"], item["max-memory"]) == ("3815MiB", 8)
    assert made["resources"]["storage"][0]["size"] == 2
    assert made["time"] == {"start": "2026-08-10T12:00:00Z/PT30M", "duration": "PT1H30M"}
    with pytest.raises(ValueError, match="duration: .* is no duration: .*not convertible"):
        ask(duration=2 * units.m)

"""Sizes as the service and people write them."""

from __future__ import annotations

import pytest

from execution_planner.amounts import bytes_words, gibibytes, number_words, size_words


@pytest.mark.parametrize("text, amount", [
    ("16Gb", 16), ("16GiB", 16), ("16g", 16), ("512MiB", 0.5), ("512Mi", 0.5), ("1.5 TB", 1536),
    (4, 4), ("4", 4), ("1073741824b", 1), ("1048576k", 1), (".5G", 0.5),
])  # fmt: skip
def test_units_are_binary_as_in_the_service(text: str | float, amount: float) -> None:
    assert gibibytes(text) == amount


@pytest.mark.parametrize("text", ["", "GiB", "4 apples", "4GiBs", "1e3", "4Gx", "four"])
def test_what_is_no_size_is_none(text: str) -> None:
    assert gibibytes(text) is None


def test_sizes_in_words() -> None:
    said = {"2Gb": "2 GiB", "0.25Gb": "256 MiB", "3000MiB": "2.93 GiB", "2048Gb": "2 TiB", "?": "?"}
    assert {text: size_words(text) for text in said} == said


def test_files_in_words() -> None:
    assert [bytes_words(n) for n in (0, 999, 5350, 12_400_000, 3e9, 5e12)] == [
        "0 B",
        "999 B",
        "5.3 kB",
        "12 MB",
        "3.0 GB",
        "5.0 TB",
    ]


def test_numbers_without_needless_zeros() -> None:
    assert [number_words(n) for n in (2, 0.5, 10, 1.2345, 100.0)] == [
        "2",
        "0.5",
        "10",
        "1.234",
        "100",
    ]

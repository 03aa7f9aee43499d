"""The types of documents are those of the contract, and the documents of the client fit them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import execution_planner.documents as documents
from execution_planner import documents_asks, documents_jobs, documents_overview, documents_site

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "documents.py"
CONTRACT = SCRIPT.parents[3] / "api" / "openapi.yaml"
here = pytest.mark.skipif(not CONTRACT.exists(), reason="the contract is not beside this package")


@here
def test_the_types_are_those_that_the_contract_makes() -> None:
    made = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


@here
def test_an_old_file_is_noticed(tmp_path: Path) -> None:
    copy = tmp_path / "clients" / "python"
    (copy / "scripts").mkdir(parents=True)
    (copy / "execution_planner").mkdir()
    (tmp_path / "api").mkdir()
    (copy / "scripts" / "documents.py").write_text(SCRIPT.read_text())
    contract = CONTRACT.read_text()
    (tmp_path / "api" / "openapi.yaml").write_text(contract)
    run = [sys.executable, str(copy / "scripts" / "documents.py")]
    subprocess.run(run, check=True)
    assert subprocess.run([*run, "--check"]).returncode == 0
    newer = contract.replace("    Change:\n", "    Change:\n      # a\n", 1).replace(
        "path: { type: string }", "path: { type: string }\n        more: { type: integer }", 1
    )
    (tmp_path / "api" / "openapi.yaml").write_text(newer)
    made = subprocess.run([*run, "--check"], capture_output=True, text=True)
    assert made.returncode == 1 and "not of this contract: documents_asks.py" in made.stderr


@here
def test_every_key_of_a_schema_is_a_key_of_its_type() -> None:
    schemas: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())["components"]["schemas"]
    compared = 0
    for name, schema in schemas.items():
        made = getattr(documents, name, None)
        if made is None or "properties" not in schema:
            continue
        assert set(made.__annotations__) == set(schema["properties"]), name
        compared += 1
    assert compared > 30


def test_each_type_is_exported_from_one_place() -> None:
    parts = (documents_asks, documents_jobs, documents_site, documents_overview)
    for name in ("Ask", "Offer", "UwsJob", "Calendar", "Overview", "Problem", "Me", "Site"):
        own = getattr(documents, name)
        assert any(getattr(part, name, None) is own for part in parts)

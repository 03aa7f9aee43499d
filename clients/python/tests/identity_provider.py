"""A real OpenID Connect provider as a process, and a person with a browser there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import httpx
import pytest

from execution_planner.login import Device

REPOSITORY = Path(__file__).resolve().parents[3]
NODE = REPOSITORY / "node_modules" / ".bin" / "node"


@dataclass
class IdentityProvider:
    url: str
    audience: str
    client_id: str

    def device(self) -> Device:
        return Device("Test", self.url, self.client_id, ("openid", "email"), self.audience)


@contextmanager
def identity_provider(**environment: str) -> Iterator[IdentityProvider]:
    if not NODE.exists():
        pytest.skip(f"the provider's packages are not here: no {NODE}")
    process = subprocess.Popen(
        [str(NODE), str(Path(__file__).parent / "identity" / "provider.mjs")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        said = json.loads(process.stdout.readline())
        yield IdentityProvider(said["url"], said["audience"], said["clientId"])
    finally:
        process.stdin.close()
        process.wait(timeout=30)


def allow(url: str, person: str = "ada", *, refuse: bool = False) -> str:
    """What a person does in a browser: follows the pages and sends their forms.

    Returns:
        The text of the last page.
    """
    with httpx.Client(follow_redirects=True, timeout=30, verify=False) as browser:
        page = browser.get(url)
        for _ in range(6):
            form = re.search(r'<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>', page.text, re.DOTALL)
            if form is None:
                break
            fields = _fields(form.group(2))
            if "login" in form.group(2):
                fields |= {"login": person, "password": "any"}
            if refuse and "xsrf" in fields:
                fields = {**fields, "abort": "yes"}
                fields.pop("confirm", None)
            elif "xsrf" in fields:
                fields["confirm"] = "yes"
            page = browser.post(str(page.url.join(unescape(form.group(1)))), data=fields)
        return page.text


def _fields(form: str) -> dict[str, str]:
    found = {}
    for tag in re.findall(r"<input[^>]*>", form):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if "name" in attributes:
            found[attributes["name"]] = unescape(attributes.get("value", ""))
    return found

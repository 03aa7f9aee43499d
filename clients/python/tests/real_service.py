"""The real service, started from this repository for tests."""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from identity_provider import IdentityProvider

REPOSITORY = Path(__file__).resolve().parents[3]
NODE = REPOSITORY / "node_modules" / ".bin" / "node"
START = REPOSITORY / "src" / "cli" / "planner.mjs"

ADA = "token-of-ada"
OPERATOR = "token-of-the-operator"
MANY = 2000
"""Jobs that a client may have at a time, so that tests do not refuse each other."""

PYTHON = shutil.which("python3", path="/usr/bin:/bin:/usr/local/bin") or sys.executable
"""Of the system, since the accounts of jobs cannot read somebody's home."""

# Programs run in the Python of the system: the service's own one takes 5 s of a core for each.
SITE = f"""
name: Site of the client's tests
environments: {{ system: {{ python: {PYTHON} }} }}
rules: [rules.yml]
offers: {{ lifetime: PT5M, duration: PT15M }}
quotas:
- {{ for: anonymous, jobs: {MANY}, holds: {MANY} }}
- {{ for: user, jobs: {MANY}, holds: {MANY} }}
fetch: {{ file-roots: ["{REPOSITORY}/docs/examples"] }}
identity:
  anonymous: true
  administrators: [operators]
  tokens:
  - {{ sha256: {hashlib.sha256(ADA.encode()).hexdigest()}, user: ada@example.org, roles: [survey] }}
  - {{ sha256: {hashlib.sha256(OPERATOR.encode()).hexdigest()}, user: op, roles: [operators] }}
destinations:
  programs:
    runner: process
    task-types: [executable, python-program]
    environments: [system]
    cores: {MANY}
    memory: 4TiB
    scratch: 100TiB
    process: {{ isolation: none }}
  programs-long:
    runner: process
    task-types: [executable, python-program]
    environments: [system]
    cores: {MANY}
    memory: 4TiB
    scratch: 100TiB
    process: {{ isolation: none }}
  notebooks:
    runner: notebook
    task-types: [jupyter-notebook]
    cores: 64
    memory: 256GiB
    scratch: 10TiB
    notebook: {{ isolation: none }}
"""

RULES = """
global: { default_inherits: default }
tools:
  default: { abstract: true, cores: 1, mem: cores * 1 }
  executable/.*: {}
  python-program/.*: {}
  jupyter-notebook/.*: {}
destinations:
  programs: { runner: process, max_accepted_cores: 16, max_accepted_mem: 64 }
  programs-long: { runner: process, max_accepted_cores: 16, max_accepted_mem: 64 }
  notebooks: { runner: notebook, max_accepted_cores: 8, max_accepted_mem: 64 }
"""


def second_site(provider: IdentityProvider) -> tuple[str, str]:
    """The documents of a site with small machines, where programs sign in and nobody is anonymous.

    Its programs are for two cores at most, and its notebooks use the Python of the system.
    """
    issuer = (
        f"  oidc: [{{ issuer: '{provider.url}', name: Test IAM, audience: '{provider.audience}', "
        f"device-client-id: {provider.client_id}, scopes: [openid, email] }}]\n"
    )
    types = "    task-types: [jupyter-notebook]\n"
    site = SITE.replace("  anonymous: true\n", f"  anonymous: false\n{issuer}")
    site = site.replace(types, f"{types}    environments: [system]\n")
    return site, RULES.replace("max_accepted_cores: 16", "max_accepted_cores: 2")


@dataclass(frozen=True)
class RealService:
    """A service that runs.

    Attributes:
        url: Its URL.
        token: The token of a user.
        operator: The token of an administrator.
        process: Its process.
    """

    url: str
    token: str
    operator: str
    process: subprocess.Popen[str]


def why_not() -> str | None:
    """Why the service cannot be started here, or None."""
    missing = [str(path) for path in (NODE, START) if not path.exists()]
    return f"the service is not here: no {', '.join(missing)}" if missing else None


@contextmanager
def real_service(
    folder: Path, *, site: str = SITE, rules: str = RULES, **environment: str
) -> Iterator[RealService]:
    """Starts a service with its own embedded database, and stops it afterwards.

    Services of one folder have the same data, which is removed when the tests have ended.
    """
    (folder / "site.yml").write_text(site, "utf-8")
    (folder / "rules.yml").write_text(rules, "utf-8")
    kept = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "PUBLIC_URL")}
    process = subprocess.Popen(
        [str(NODE), "--no-warnings", str(START), "serve"],
        env={
            **kept,
            "HOST": "127.0.0.1",
            "PORT": "0",
            "DATA_DIR": str(data_of(folder)),
            "SITE_FILE": str(folder / "site.yml"),
            "LOG_LEVEL": "error",
            "LOG_FORMAT": "json",
            **environment,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield RealService(_url_of(process), ADA, OPERATOR, process)
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


_DATA: dict[Path, Path] = {}


def data_of(folder: Path) -> Path:
    """A folder that all accounts can enter, unlike pytest's: as root, jobs have their own.

    Otherwise the service would keep its data below /var/tmp, and nobody would remove it.
    """
    if folder not in _DATA:
        data = Path(tempfile.mkdtemp(prefix="planner-python-"))
        data.chmod(0o755)
        atexit.register(shutil.rmtree, data, ignore_errors=True)
        _DATA[folder] = data
    return _DATA[folder]


def _url_of(process: subprocess.Popen[str]) -> str:
    """The URL, which the service says when it is ready. Its later words are read and dropped."""
    lines: Queue[str | None] = Queue()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    said = ""
    while (line := lines.get(timeout=180)) is not None:
        said += line
        found = re.search(r"The console: (\S+)/", line)
        if found is not None:
            return found[1]
    raise RuntimeError(f"The service did not start:\n{said}")

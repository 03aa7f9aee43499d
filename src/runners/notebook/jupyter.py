"""Executes one notebook with the machine's own Jupyter: `jupyter.py <notebook> <directory for the results>`.

Started by src/runners/notebook/jupyter.ts, as the job's user and under the job's limits. Exit status: 0 when every cell
ran, 1 when one did not (failure.json says why). The executed notebook is there in both cases.
"""

import asyncio
import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

# A running notebook is saved after every cell, so that a stopped job has its last state, unless that would take more than
# a twentieth of the time.
SAVING_SHARE = 20
# Longest text of one stream in one cell that is kept in the notebook; all of it is in the job's stdout and stderr.
LONGEST_STREAM = 1_000_000
# The kernel has been seen once to need a minute before it answered, and to be quick the next time.
STARTS = 2
START_SECONDS = 60
# The address of a socket has 107 bytes; "/k-5" is added to it.
LONGEST_FOLDER = 90

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_SCRIPT = re.compile(r"<script\b[^>]*>.*?</script\s*>", re.DOTALL | re.IGNORECASE)
_POLICY = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"


def _socket_folder():
    """A folder that is the job's alone. The kernel listens there: where a job has no network, it has no port either."""
    own = tempfile.gettempdir()
    if len(os.fsencode(own)) <= LONGEST_FOLDER:
        return own
    folder = tempfile.mkdtemp(prefix="kernel-", dir="/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Client(NotebookClient):
    """Gives what cells print to the output of the job too, while they run, and keeps the beginning of it in the notebook."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._kept = {}

    def output(self, outs, msg, display_id, cell_index):
        if msg["msg_type"] == "stream":
            content = msg["content"]
            stream = sys.stderr if content["name"] == "stderr" else sys.stdout
            stream.write(content["text"])
            stream.flush()
            kept = self._kept.get((cell_index, content["name"]), 0)
            self._kept[cell_index, content["name"]] = kept + len(content["text"])
            if kept > LONGEST_STREAM:
                return None
            if kept + len(content["text"]) > LONGEST_STREAM:
                content["text"] = content["text"][:LONGEST_STREAM - kept] + "\n[the rest is in the output of the job]\n"
        return super().output(outs, msg, display_id, cell_index)


def _write(path, text):
    """So that a reader sees the old text or the new one."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)


class Saver:
    def __init__(self, notebook, path):
        self._notebook = notebook
        self._path = path
        self._at = float("-inf")
        self._took = 0.0

    def save(self):
        began = time.monotonic()
        _write(self._path, nbformat.writes(self._notebook) + "\n")
        self._at = time.monotonic()
        self._took = self._at - began

    def perhaps(self, **_hook):
        if time.monotonic() - self._at > SAVING_SHARE * self._took:
            self.save()


def _page(notebook):
    """The notebook as one page that needs nothing else and runs nothing."""
    from nbconvert.exporters import HTMLExporter

    heading = next((found[1] for cell in notebook.cells if cell.cell_type == "markdown"
                    for found in [re.search(r"^#+\s+(.+)$", cell.source, re.MULTILINE)] if found), "Notebook")
    exporter = HTMLExporter(sanitize_html=True, embed_images=True, anchor_link_text=" ")
    body, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": heading}})
    return _SCRIPT.sub("", body).replace("<head>", f"<head>{_POLICY}", 1)


def _failure(cell, count, error, log):
    """What failure.json says of a cell that did not run to its end."""
    if isinstance(error, DeadKernelError):
        return {"code": "notebook-cell-failed", "message": f"cell {count}: the kernel ended", "detail": log[-4000:]}
    lines = [line for output in cell.outputs if output.output_type == "error" for line in output.traceback]
    text = _ANSI.sub("", f"{error.ename}: {error.evalue}" if error.evalue else error.ename)
    message = f"cell {count}: {text.strip().split(chr(10))[0]}"
    return {"code": "notebook-cell-failed", "message": message, "detail": _ANSI.sub("", "\n".join(lines))}


class Run:
    """One execution of a notebook, which is changed by it."""

    def __init__(self, notebook, results):
        self._notebook = notebook
        self._saver = Saver(notebook, os.path.join(results, "notebook.ipynb"))
        self._results = results
        self._cell = None
        self._count = 0
        self._log = tempfile.TemporaryFile()

    def _begin(self, cell, **_hook):
        self._cell = cell
        self._count += 1

    async def _once(self, start):
        address = os.path.join(_socket_folder(), f"k{start}")
        manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=address)
        client = Client(self._notebook, km=manager, timeout=None, startup_timeout=START_SECONDS, record_timing=False, shutdown_kernel="immediate",
                        on_cell_execute=self._begin, on_cell_executed=self._saver.perhaps)
        # What a kernel prints reaches us as messages; it repeats all of it on the output that it was started with.
        await client.async_execute(cleanup_kc=True, cwd=os.getcwd(), stdout=subprocess.DEVNULL, stderr=self._log)

    async def _execute(self):
        for start in range(1, STARTS + 1):
            try:
                return await self._once(start)
            except RuntimeError as error:
                # Whoever never answered has run nothing.
                if self._cell is not None or start == STARTS:
                    raise

    def _kernel_log(self):
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def run(self):
        status = 0
        try:
            asyncio.run(self._execute())
        except (CellExecutionError, DeadKernelError) as error:
            if self._cell is None:
                raise
            status = 1
            failure = _failure(self._cell, self._count, error, self._kernel_log())
            _write(os.path.join(self._results, "failure.json"), json.dumps(failure))
        except RuntimeError:
            print(self._kernel_log(), file=sys.stderr)
            raise
        self._saver.save()
        _write(os.path.join(self._results, "notebook.html"), _page(self._notebook))
        return status


def main(source, results):
    return Run(nbformat.read(source, as_version=4), results).run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

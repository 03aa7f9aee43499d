"""Runs cells and programs inside Pyodide as a Jupyter kernel would. Loaded by workers/notebook.ts."""

import ast
import base64
import builtins
import importlib.util
import json
import linecache
import re
import sys
import traceback
import types

from pyodide.code import eval_code_async

# Longest text of one stream in one cell that is kept in the notebook; all of it is in the job's stdout and stderr.
LONGEST_STREAM = 1_000_000

_MAGIC = re.compile(r"^\s*(?:[%!?]|[\w, ]+=\s*[%!]|[\w.]+\?+\s*$)")
_FORMATS = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "text/latex": "_repr_latex_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
}

_outputs = []


class _Stream:
    """Standard output or error of a cell: goes to the file of the job and into the notebook."""

    encoding = "utf-8"
    errors = "replace"
    closed = False

    def __init__(self, name, file):
        self.name = name
        self._file = file
        self._kept = 0

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._file.write(text)
        room = LONGEST_STREAM - self._kept
        if room > 0:
            self._keep(text[:room] + ("\n[the rest is in the output of the job]\n" if len(text) > room else ""))
        self._kept += len(text)
        return len(text)

    def _keep(self, text):
        if _outputs and _outputs[-1].get("name") == self.name:
            _outputs[-1]["text"].append(text)
        elif text:
            _outputs.append({"output_type": "stream", "name": self.name, "text": [text]})

    def begin_cell(self):
        self._kept = 0

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        self._file.flush()

    def fileno(self):
        return self._file.fileno()

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False


def _form(form):
    """One form of a value as JSON can carry it: text, base64 of bytes, or a JSON value."""
    if isinstance(form, str):
        return form
    if isinstance(form, bytes):
        return base64.b64encode(form).decode()
    try:
        return json.loads(json.dumps(form, allow_nan=False))
    except (TypeError, ValueError):
        return repr(form)


def _bundle(value):
    """Every form in which a value can show itself, as a MIME bundle; a form that raises is left out."""
    data = {}
    whole = getattr(value, "_repr_mimebundle_", None)
    if callable(whole) and not isinstance(value, type):
        found = whole(include=None, exclude=None)
        data.update(found[0] if isinstance(found, tuple) else found or {})
    for mime, name in _FORMATS.items():
        method = None if isinstance(value, type) else getattr(value, name, None)
        if mime in data or not callable(method):
            continue
        try:
            form = method()
        except Exception:
            continue
        if form is not None:
            data[mime] = form[0] if isinstance(form, tuple) else form
    data.setdefault("text/plain", repr(value))
    return {str(mime): _form(form) for mime, form in data.items()}


def display(*values, **_options):
    """Shows values in the notebook as IPython.display.display does."""
    for value in values:
        _outputs.append({"output_type": "display_data", "data": _bundle(value), "metadata": {}})


def _shown_as(name, mime):
    """A class of IPython.display whose instances show their text as one MIME type."""

    def __init__(self, data=""):
        self.data = data

    def _repr_mimebundle_(self, **_options):
        return {mime: self.data, "text/plain": f"<IPython.core.display.{name} object>"}

    return type(name, (), {"__init__": __init__, "_repr_mimebundle_": _repr_mimebundle_})


def _install_display():
    module = types.ModuleType("IPython.display")
    module.display = builtins.display = display
    for name, mime in (("HTML", "text/html"), ("Markdown", "text/markdown"), ("Latex", "text/latex")):
        setattr(module, name, _shown_as(name, mime))
    package = types.ModuleType("IPython")
    package.display = module
    package.get_ipython = lambda: None
    sys.modules["IPython"] = package
    sys.modules["IPython.display"] = module


def _no_input(prompt=""):
    raise EOFError("input() is not available: nobody can answer a job")


def _explain_magic(error, source):
    """IPython's magics and shell lines are not Python: say so instead of 'invalid syntax'."""
    lines = source.splitlines()
    line = lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else ""
    if _MAGIC.match(line):
        error.msg = f"IPython magics and shell commands are not available here: {line.strip()}"


def _plain_traceback(error, prefix):
    """The traceback without the frames of this file."""
    tb = error.__traceback__
    while tb is not None and not tb.tb_frame.f_code.co_filename.startswith(prefix):
        tb = tb.tb_next
    return "".join(traceback.format_exception(type(error), error, tb)).rstrip("\n")


def _remember(source, filename):
    """Lets tracebacks show the lines of a source that is no file."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


def prepare():
    """Makes this interpreter a kernel; the namespace of the cells is that of __main__, as in IPython."""
    builtins.input = _no_input
    sys.stdout = _Stream("stdout", sys.__stdout__)
    sys.stderr = _Stream("stderr", sys.__stderr__)
    _install_display()


async def run_cell(source, count):
    """Runs one cell. Returns JSON: {"outputs": nbformat outputs, "error": one-line text or null}."""
    _outputs.clear()
    sys.stdout.begin_cell()
    sys.stderr.begin_cell()
    main = sys.modules["__main__"].__dict__
    name = f"<cell {count}>"
    failed = None
    try:
        try:
            ast.parse(source, name)
        except SyntaxError as error:
            _explain_magic(error, source)
            raise
        value = await eval_code_async(source, main, filename=name)
        if value is not None:
            main["_"] = value
            result = {"output_type": "execute_result", "execution_count": count, "data": _bundle(value), "metadata": {}}
            _outputs.append(result)
    except BaseException as error:
        _remember(source, name)
        text = _plain_traceback(error, "<cell ")
        ename = type(error).__name__
        evalue = error.msg if isinstance(error, SyntaxError) else str(error)
        _outputs.append({"output_type": "error", "ename": ename, "evalue": evalue, "traceback": text.split("\n")})
        failed = f"{ename}: {evalue}" if evalue else ename
    sys.stdout.flush()
    sys.stderr.flush()
    outputs = [o | {"text": "".join(o["text"])} if o["output_type"] == "stream" else o for o in _outputs]
    return json.dumps({"outputs": outputs, "error": failed})


def run_program(content, path, arguments):
    """Runs a program as __main__ and returns its exit status; each letter of its content is a byte."""
    builtins.input = _no_input
    sys.argv = [path, *arguments]
    main = sys.modules["__main__"].__dict__
    main["__file__"] = path
    try:
        # A byte order mark or a declared encoding counts, as where Python opens the file itself.
        source = importlib.util.decode_source(content.encode("latin-1"))
        _remember(source, path)
        exec(compile(source, path, "exec"), main)
        return 0
    except SystemExit as ending:
        if ending.code is None or isinstance(ending.code, int):
            return (ending.code or 0) & 0xFF
        print(ending.code, file=sys.stderr)
        return 1
    except BaseException as error:
        print(_plain_traceback(error, path), file=sys.stderr)
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()

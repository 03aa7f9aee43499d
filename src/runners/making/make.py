"""Makes a virtual environment as request.json in a folder says, with uv or pip. Python 3.8 or newer.

It starts nothing that it installs: packages may have code that Python runs whenever it starts.
"""

import compileall
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import distributions

LOG = os.path.join(tempfile.gettempdir(), "pip.log")


def main(folder):
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    target = os.path.join(folder, "venv")
    python = os.path.join(target, "bin", "python")
    venv.EnvBuilder(symlinks=True, with_pip=False).create(target)
    if request["requirements"]:
        command = installer(request, target, python)
        end = subprocess.call(command + ["--"] + request["requirements"], stdout=sys.stderr, cwd=folder)
        if end != 0:
            tell_unfetched()
            sys.exit(3)
    places = glob.glob(os.path.join(target, "lib", "python*", "site-packages"))
    for place in places:
        compileall.compile_dir(place, quiet=2, workers=1)
    found = [one for one in distributions(path=places) if one.metadata["Name"]]
    print(json.dumps([f"{one.metadata['Name']}=={one.version}" for one in found]))


def installer(request, target, python):
    """The words before the requirements."""
    os.environ["PIP_INDEX_URL"] = os.environ["UV_DEFAULT_INDEX"] = request["index"]
    builds = [] if request["builds"] else ["--only-binary", ":all:"]
    if request["uv"]:
        quiet = ["--no-config", "--no-python-downloads", "--color", "never", "--no-progress"]
        return [request["uv"], "pip", "install", "--python", python, "--link-mode", "copy"] + quiet + builds
    quiet = ["--no-color", "--progress-bar", "off", "--disable-pip-version-check", "--no-input"]
    rest = ["--retries", "1", "--timeout", "20", "--no-cache-dir", "--no-compile", "--log", LOG]
    return pip(target, python) + ["install"] + quiet + rest + builds


def pip(target, python):
    """The pip of this Python where it can install elsewhere, else one in the environment."""
    try:
        from pip import __version__ as version

        if tuple(map(int, version.split(".")[:2])) >= (22, 3):
            return [sys.executable, "-I", "-m", "pip", "--python", python]
    except (ImportError, ValueError):
        pass
    venv.EnvBuilder(symlinks=True, with_pip=True).create(target)
    return [python, "-I", "-m", "pip"]


def tell_unfetched():
    """Pip takes a page that it cannot have for one without packages, and tells its log alone."""
    if not os.path.exists(LOG):
        return
    with open(LOG, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if "Could not fetch URL " in line and "404 Client Error" not in line:
                # The rest of the line has the URL, which may be the site's own business.
                status = re.search(r"\b(\d{3}) (?:Client Error|Server Error|error responses)", line)
                why = f"it answers {status.group(1)}" if status else "no answer"
                print(f"Failed to fetch a page of the index: {why}", file=sys.stderr)
                return


main(sys.argv[1])

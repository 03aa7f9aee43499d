"""Prints what this interpreter has, as JSON; src/environments/facts.ts reads it. Python 3.6 or newer."""

import importlib.util
import json
import os
import pkgutil
import platform
import sys

try:
    from importlib.metadata import distributions
except ImportError:  # before Python 3.8
    try:
        from importlib_metadata import distributions
    except ImportError:

        def distributions():
            return ()


def packages():
    """The distributions, each as it is found first, with what they need for their extras."""
    found = {}
    for distribution in distributions():
        try:
            name = distribution.metadata["Name"]
            version = distribution.version
            requires = distribution.requires or ()
        except Exception:  # what is left of a package, or not in UTF-8
            continue
        if not name or not version:
            continue
        extras = [text for text in requires if "extra" in text.partition(";")[2]]
        found.setdefault(name.lower(), {"name": name, "version": version, "extras": extras})
    return list(found.values())


def modules():
    """Everything that can be imported at the top level. A folder without code is a package, too."""
    found = set(sys.builtin_module_names)
    found.update(sys.modules)
    found.update(module.name for module in pkgutil.iter_modules(sys.path))
    for folder in sys.path:
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        found.update(entry.name for entry in entries if entry.is_dir())
    # The built-in Python finds modules of JavaScript, such as js.
    for finder in sys.meta_path:
        found.update(getattr(finder, "jsproxies", ()))
    found.update([name for name in unlisted() if name not in found and is_found(name)])
    found.discard("__pycache__")
    return sorted(name for name in found if name.isidentifier())


def unlisted():
    """Names that may be found although no folder has them: setuptools and editable installations."""
    yield "distutils"
    for distribution in distributions():
        try:
            for name in (distribution.read_text("top_level.txt") or "").split():
                yield name
            yield distribution.metadata["Name"].replace("-", "_")
        except Exception:
            continue


def is_found(name):
    try:
        return name.isidentifier() and importlib.util.find_spec(name) is not None
    except BaseException:  # some finders build what they find
        return False


def version_of(info):
    """A version as PEP 508 writes it."""
    kind = "" if info.releaselevel == "final" else info.releaselevel[0] + str(info.serial)
    return "%d.%d.%d%s" % (info.major, info.minor, info.micro, kind)


def markers():
    """The values of the environment markers of PEP 508."""
    return {
        "os_name": os.name,
        "sys_platform": sys.platform,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_version": "%d.%d" % sys.version_info[:2],
        "python_full_version": platform.python_version(),
        "implementation_name": sys.implementation.name,
        "implementation_version": version_of(sys.implementation.version),
    }


print(
    json.dumps(
        {
            "python": "%d.%d.%d" % sys.version_info[:3],
            "markers": markers(),
            "packages": packages(),
            "modules": modules(),
            "folders": [folder for folder in sys.path if os.path.isdir(folder)],
        }
    )
)

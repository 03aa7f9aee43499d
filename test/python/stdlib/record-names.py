"""Records which public names CPython 3.11's modules have, into names.json: python3 test/python/stdlib/record-names.py"""
import builtins
import importlib
import json
import pathlib
import types

MODULES = (
    'builtins base64 binascii bisect collections collections.abc contextlib copy dataclasses datetime decimal enum fnmatch functools hashlib '
    'heapq itertools json math numbers operator random re shlex statistics string textwrap time traceback typing urllib.parse uuid '
    'zoneinfo'
).split()


def public(module):
    listed = getattr(module, '__all__', None) or [n for n in dir(module) if not n.startswith('_') and not isinstance(getattr(module, n), types.ModuleType)]
    return [name for name in listed if hasattr(module, name)]


names = {}
for name in MODULES:
    module = builtins if name == 'builtins' else importlib.import_module(name)
    names[name] = sorted(public(module))
lines = ',\n'.join(f'{json.dumps(name)}: {json.dumps(found)}' for name, found in names.items())
(pathlib.Path(__file__).parent / 'names.json').write_text('{\n' + lines + '\n}\n')

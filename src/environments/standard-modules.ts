/** Modules of each CPython 3 that is kept up, on Linux; those that Debian splits off are left out. */
export const STANDARD_MODULES: ReadonlySet<string> = new Set(
  [
    'abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile',
    'calendar cmath cmd code codecs codeop collections colorsys compileall concurrent',
    'configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses datetime',
    'dbm decimal difflib dis doctest email encodings enum errno faulthandler fcntl filecmp',
    'fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob',
    'graphlib grp gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress',
    'itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap',
    'modulefinder multiprocessing netrc ntpath numbers opcode operator optparse os pathlib',
    'pdb pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint profile',
    'pstats pty pwd py_compile pyclbr pydoc pyexpat queue quopri random re readline reprlib',
    'resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal',
    'site smtplib socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat',
    'statistics string stringprep struct subprocess symtable sys sysconfig syslog tabnanny',
    'tarfile tempfile termios textwrap threading time timeit token tokenize tomllib trace',
    'traceback tracemalloc tty types typing unicodedata unittest urllib uuid venv warnings',
    'wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo',
    '__future__',
  ]
    .join(' ')
    .split(' '),
);

import { describe, expect, test } from '@jest/globals';
import { Fuel, PyError, compile, repr } from '../../src/python/index.ts';

/** What a snippet comes to without an embedder. */
function outcome(source: string): string {
  try {
    return repr(compile(source, 'code').run(new Map(), { fuel: new Fuel(100_000) }));
  } catch (error) {
    return error instanceof PyError ? error.className : String(error);
  }
}

describe('modules that reach outside', () => {
  test.each([
    ['requests', "requests.get('http://x')", 'requests.exceptions.RequestException'],
    ['requests', "requests.Session().post('http://x', json={})", 'requests.ConnectionError'],
    ['requests', "requests.get('http://x')", 'OSError'],
    ['urllib.request', "urllib.request.urlopen('http://x')", 'OSError'],
    ['urllib.request, urllib.error', "urllib.request.urlopen('http://x')", 'urllib.error.URLError'],
    ['socket', "socket.create_connection(('x', 1))", 'socket.error'],
    ['socket', "socket.gethostbyname('x')", 'socket.gaierror'],
    ['subprocess', "subprocess.check_output(['id'])", 'OSError'],
    ['psycopg2', "psycopg2.connect(host='x')", 'psycopg2.OperationalError'],
    ['psycopg2', "psycopg2.connect(host='x')", 'psycopg2.Error'],
    [
      'sqlalchemy, sqlalchemy.exc',
      "sqlalchemy.create_engine('x')",
      'sqlalchemy.exc.SQLAlchemyError',
    ],
    ['os', "os.path.getsize('/etc/passwd')", 'OSError'],
    ['os', "os.listdir('/')", 'PermissionError'],
    ['pathlib', "pathlib.Path('/etc/passwd').read_text()", 'FileNotFoundError'],
    ['yaml', "yaml.safe_load('a: 1')", 'yaml.YAMLError'],
    ['ruamel.yaml', "ruamel.yaml.YAML(typ='safe').load('a: 1')", 'ruamel.yaml.error.YAMLError'],
  ])('import %s; %s raises what `except %s` catches', (modules, call, caught) => {
    expect(
      outcome(
        `import ${modules}\ntry:\n    ${call}\n    x = 'nothing'\nexcept ${caught}:\n    x = 'caught'\nx`,
      ),
    ).toBe("'caught'");
  });

  test.each([
    [
      "from pathlib import Path\np = Path('/a') / 'b' / '../c.tar.gz'",
      '(str(p), p.name, p.stem, p.suffix, str(p.parent), p.exists())',
      "('/a/b/../c.tar.gz', 'c.tar.gz', 'c.tar', '.gz', '/a/b/..', False)",
    ],
    [
      "from pathlib import Path\np = Path('a.txt')",
      "(p, str(p.parent), p.with_suffix('.gz'), p == Path('a.txt'), p.parts)",
      "(PosixPath('a.txt'), '.', PosixPath('a.gz'), True, ('a.txt',))",
    ],
    [
      'from urllib.parse import quote, quote_plus, urlencode, unquote',
      "(quote('a b/ü!'), quote_plus('a b/'), urlencode({'a b': 'c&d'}), unquote('%C3%BC%'))",
      "('a%20b/%C3%BC%21', 'a+b%2F', 'a+b=c%26d', 'ü%')",
    ],
    [
      'import os.path',
      "(os.path.exists('/etc'), os.path.join('a', 'b'), os.environ.get('HOME', 'none'), os.getenv('HOME'))",
      "(False, 'a/b', 'none', None)",
    ],
    [
      'import requests',
      '(issubclass(requests.ConnectTimeout, requests.ConnectionError), ' +
        'issubclass(requests.ReadTimeout, requests.Timeout), ' +
        'issubclass(requests.exceptions.JSONDecodeError, ValueError))',
      '(True, True, True)',
    ],
  ])('%s works on text alone', (setup, expression, expected) => {
    expect(outcome(`${setup}\n${expression}`)).toBe(expected);
  });
});

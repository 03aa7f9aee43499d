import { isAbsolute, posix } from 'node:path';
import type { MadeTerms } from '../../environments/environment.ts';
import { readDuration, readSize } from '../../yaml/fields.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { mebibytes, seconds } from '../../words/units.ts';

const KEYS = ['python', 'index', 'builds', 'most', 'size', 'time'] as const;

const DEFAULTS = { most: 20, size: mebibytes(20 * 1024), time: seconds(600) };

/** Reads how a site makes environments for jobs: the key `venv` of an environment. */
export function readVenv(
  reader: Reader,
  node: Node,
  what: string,
): Omit<MadeTerms, 'name' | 'kind' | 'paths'> | undefined {
  const found = reader.fields(node, what, KEYS);
  if (found === undefined) return undefined;
  const python = readPythonPath(reader, found.python, { node, what: `${what}.python` });
  const index = readIndex(reader, found.index, { node, what: `${what}.index` });
  const rest = {
    builds: reader.expectBool(found.builds, `${what}.builds`) ?? false,
    most: reader.expectInt(found.most, `${what}.most`, { min: 1, max: 10_000 }) ?? DEFAULTS.most,
    size: readSize(reader, found.size, `${what}.size`, DEFAULTS.size),
    time: readDuration(reader, found.time, `${what}.time`, DEFAULTS.time),
  };
  if (rest.size < 1) reader.problem(found.size ?? node, `${what}.size must be 1MiB or more`);
  return python === undefined || index === undefined ? undefined : { python, index, ...rest };
}

/** Reads the absolute path of an interpreter; `parent` is what lacks it. */
export function readPythonPath(
  reader: Reader,
  node: Node | undefined,
  parent: { readonly node: Node; readonly what: string },
): string | undefined {
  const { what } = parent;
  if (node === undefined)
    return reader.problem(parent.node, `${what} is missing`, 'the path of an interpreter');
  const python = reader.expectString(node, what, 'the path of a Python');
  if (python === undefined) return undefined;
  if (isAbsolute(python) && posix.normalize(python) === python) return python;
  return reader.problem(
    node,
    `${what} must be an absolute path, not '${python}'`,
    'such as /opt/astro/bin/python',
  );
}

/** What comes without encryption could be changed on its way. */
function readIndex(
  reader: Reader,
  node: Node | undefined,
  parent: { readonly node: Node; readonly what: string },
): string | undefined {
  const { what } = parent;
  const hint = 'the simple index of packages, such as https://pypi.org/simple';
  if (node === undefined) return reader.problem(parent.node, `${what} is missing`, hint);
  const text = reader.expectString(node, what, hint);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname));
  if (isSafe) return text;
  return reader.problem(
    node,
    `${what} must be an https URL, or http on this machine, not '${text}'`,
    hint,
  );
}

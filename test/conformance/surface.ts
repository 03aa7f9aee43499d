import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { list, object, table, stringShape } from '../../src/vortex/shape.ts';

const readSurface = object({
  version: stringShape,
  keys: table(list(stringShape)),
  helpers: table(list(stringShape)),
  methods: table(list(stringShape)),
  mapper: list(stringShape),
  requirements: list(stringShape),
  phases: list(stringShape),
  options: table(list(stringShape)),
});

/** The keys of a TPV version's rule files, and the names that it offers to their Python. */
export type Surface = ReturnType<typeof readSurface>;

/** The surface of the compared version, written by `oracle/surface.py`. */
export function recordedSurface(): Surface {
  return readSurface(
    JSON.parse(readFileSync(new URL('surface.json', import.meta.url), 'utf8')),
    'surface',
  );
}

/** The surface of a Python's TPV. Throws if it has none. */
export function surfaceOf(python: string): Surface {
  const { status, stdout, stderr } = spawnSync(
    python,
    [fileURLToPath(new URL('oracle/surface.py', import.meta.url))],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${python} has no TPV: ${stderr}`);
  return readSurface(JSON.parse(stdout), 'surface');
}

/** The differences of two surfaces. */
export function changesBetween(
  before: Surface,
  after: Surface,
): { readonly added: readonly string[]; readonly gone: readonly string[] } {
  const [was, is] = [wordsOf(before), wordsOf(after)];
  return {
    added: [...is].filter((word) => !was.has(word)),
    gone: [...was].filter((word) => !is.has(word)),
  };
}

/** Every word of a surface with its kind, for comparison. */
function wordsOf({
  keys,
  helpers,
  methods,
  mapper,
  requirements,
  phases,
  options,
}: Surface): ReadonlySet<string> {
  return new Set([
    ...Object.entries(keys).flatMap(([kind, names]) => named(`key of ${kind}: `, names)),
    ...Object.entries(helpers).map(
      ([name, parameters]) => `helpers.${name}(${parameters.join(', ')})`,
    ),
    ...Object.entries(methods).flatMap(([kind, names]) => named(`method of ${kind}: `, names)),
    ...named('argument of the mapper: ', mapper),
    ...named('resource requirement: ', requirements),
    ...named('phase of the trace: ', phases),
    ...Object.entries(options).flatMap(([command, words]) =>
      named(`option of tpv ${command}: `, words),
    ),
  ]);
}

function named(what: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${what}${name}`);
}

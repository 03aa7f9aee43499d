import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { PyObject } from '../../objects/object.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { payForText } from '../../text/size.ts';

/**
 * The text of a path: a str, or what `__fspath__` of a `Path` gives.
 * @throws TypeError
 */
export function pathText(v: Value | undefined, what = 'expected str, bytes or os.PathLike object') {
  if (typeof v === 'string') return v;
  const method = v instanceof PyObject ? v.cls.lookupFor(v, '__fspath__') : undefined;
  const text = method instanceof PyObject ? method.call([]) : undefined;
  if (typeof text === 'string') return text;
  const type = typeName(v ?? null);
  return raise('TypeError', `${what}, not ${what.startsWith('expected') ? type : `'${type}'`}`);
}

/** The parts between the slashes of a path. */
export function namesIn(path: string): readonly string[] {
  tick(path.length >> 2);
  return path.split('/').filter((name) => name !== '');
}

/** A path without `.`, doubled slashes and the `..` that take a name away; it looks at no file. */
export function normalPath(path: string): string {
  const root = slashesAhead(path);
  const kept: string[] = [];
  for (const name of namesIn(path)) {
    if (name === '.') continue;
    const last = kept.at(-1);
    if (name !== '..' || last === '..' || (last === undefined && root === '')) kept.push(name);
    else kept.pop();
  }
  return `${root}${kept.join('/')}` || '.';
}

/** The slashes that a path begins with: exactly two of them are kept. */
export function slashesAhead(path: string): '' | '/' | '//' {
  if (!path.startsWith('/')) return '';
  return /^\/\/(?!\/)/.test(path) ? '//' : '/';
}

/** Joins paths; an absolute one begins anew. */
export function joinedPath(paths: readonly string[]): string {
  let whole = paths[0] ?? '';
  for (const path of paths.slice(1)) {
    if (path.startsWith('/')) whole = path;
    else whole += whole === '' || whole.endsWith('/') ? path : `/${path}`;
    payForText(whole.length);
  }
  return whole;
}

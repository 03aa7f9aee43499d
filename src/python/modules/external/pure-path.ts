import { raise } from '../../errors.ts';
import { repr } from '../../text/repr.ts';
import { shellPattern } from '../../text/shell-pattern.ts';
import { namesIn, slashesAhead } from './path-text.ts';

/** The text of a `Path`: without `.`, doubled slashes and one at the end, but with every `..`. */
export function purePath(path: string): string {
  const names = namesIn(path).filter((name) => name !== '.');
  return `${slashesAhead(path)}${names.join('/')}` || '.';
}

/** The root, if any, and the names. */
export function pathParts(path: string): readonly string[] {
  const root = slashesAhead(path);
  return [...(root === '' ? [] : [root]), ...namesIn(path).filter((name) => name !== '.')];
}

export function finalName(path: string): string {
  return namesIn(path).findLast((name) => name !== '.') ?? '';
}

export function suffixOf(path: string): string {
  return /(?<=.)\.[^.]+$/s.exec(finalName(path))?.[0] ?? '';
}

export function stemOf(path: string): string {
  const name = finalName(path);
  return name.slice(0, name.length - suffixOf(path).length);
}

export function suffixesOf(path: string): readonly string[] {
  const name = finalName(path);
  const shown = name.endsWith('.') ? '' : name.replace(/^\.+/, '');
  return shown
    .split('.')
    .slice(1)
    .map((part) => `.${part}`);
}

export function parentOf(path: string): string {
  const names = namesIn(path);
  return `${slashesAhead(path)}${names.slice(0, -1).join('/')}` || '.';
}

/** A path with another name at its end. @throws ValueError */
export function changedName(path: string, name: string): string {
  if (finalName(path) === '') raise('ValueError', `PosixPath(${repr(path)}) has an empty name`);
  if (name === '' || name.includes('/') || name === '.')
    raise('ValueError', `Invalid name ${repr(name)}`);
  return purePath(`${parentOf(path)}/${name}`);
}

/** A path with another suffix, or with none. @throws ValueError */
export function changedSuffix(path: string, suffix: string): string {
  if (suffix.includes('/') || (suffix !== '' && !suffix.startsWith('.')) || suffix === '.')
    raise('ValueError', `Invalid suffix ${repr(suffix)}`);
  return changedName(path, stemOf(path) + suffix);
}

/** The way from one path to another below it; `undefined` when it is not below. */
export function relativeTo(path: string, base: string): string | undefined {
  const [ours, theirs] = [pathParts(path), pathParts(base)];
  const isBelow =
    (slashesAhead(path) === '') === (slashesAhead(base) === '') &&
    theirs.every((part, at) => part === ours[at]);
  return isBelow ? ours.slice(theirs.length).join('/') || '.' : undefined;
}

/** Whether a path ends as a pattern does; one with a root is for the whole path. */
export function matchesPattern(path: string, pattern: string): boolean {
  const [ours, wanted] = [pathParts(path), pathParts(pattern)];
  if (wanted.length === 0) raise('ValueError', 'empty pattern');
  const isWhole = slashesAhead(pattern) !== '';
  if (isWhole ? wanted.length !== ours.length : wanted.length > ours.length) return false;
  const last = ours.slice(ours.length - wanted.length);
  return wanted.every((part, at) =>
    isWhole && at === 0 ? true : shellPattern(part).test(last[at] ?? ''),
  );
}

import { eq, explain, gt, lt, satisfies } from '@renovatebot/pep440';

/**
 * Does a version meet all of some ranges (PEP 440), such as `>=6,<8`? Those before a release count.
 * Texts that are no versions, such as `unknown`, meet none.
 */
export function isAmong(version: string, ranges: string): boolean {
  return explain(version) !== null && ranges.split(',').every((range) => meets(version, range));
}

type Explained = NonNullable<ReturnType<typeof explain>>;

/**
 * `satisfies` compares releases alone for `<` and `>`, takes `1` for none of `1.0.*`, and `1+cpu` for
 * `1+gpu`.
 */
function meets(version: string, range: string): boolean {
  const [, operator = '', bound = ''] = /^\s*([<>=!~]+)\s*(\S*)\s*$/.exec(range) ?? [];
  const isPrefix = /^[=!]=$/.test(operator) && bound.endsWith('.*');
  const [own, other] = [explain(version), explain(isPrefix ? bound.slice(0, -2) : bound)];
  if (own === null || other === null) return satisfiesAny(version, range);
  const isOfSameRelease = eq(own.base_version, other.base_version);
  switch (operator) {
    case '<':
      return lt(version, bound) && !(isOfSameRelease && own.is_prerelease && !other.is_prerelease);
    case '>':
      return (
        gt(version, bound) &&
        !(isOfSameRelease && ((own.is_postrelease && !other.is_postrelease) || own.local !== null))
      );
    case '~=':
      return (
        satisfiesAny(version, `>=${bound}`) &&
        beginsWith(own, { ...other, release: other.release.slice(0, -1) })
      );
    case '==':
    case '!=':
      if (isPrefix && !other.is_prerelease && !other.is_postrelease)
        return beginsWith(own, other) === (operator === '==');
      return other.local === null
        ? satisfiesAny(version, range)
        : eq(version, bound) === (operator === '==');
    default:
      return satisfiesAny(version, range);
  }
}

function satisfiesAny(version: string, range: string): boolean {
  return satisfies(version, range, { prereleases: true });
}

/** Does the release of a version begin as another one? What it does not say is 0. */
function beginsWith(own: Explained, other: Explained): boolean {
  return (
    own.epoch === other.epoch &&
    other.release.every((number, index) => (own.release[index] ?? 0) === number)
  );
}

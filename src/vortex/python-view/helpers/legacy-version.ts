import {
  call,
  defineClass,
  nativeFunction,
  PyError,
  PyObject,
  str,
} from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import { compareVersions } from '../../version.ts';

/**
 * `galaxy.tool_util.version.parse_version`: a text that PEP 440 does not know is a LegacyVersion,
 * below every Version.
 *
 * @param parse that of `packaging.version`
 */
export function lenientParse(parse: Value): Value {
  return nativeFunction('parse_version(version)', (version = null) => {
    try {
      return call(parse, [version]);
    } catch (error) {
      const isLegacy = error instanceof PyError && error.className === 'InvalidVersion';
      if (!isLegacy || typeof version !== 'string') throw error;
      return legacyVersions.wrap(version);
    }
  });
}

const legacyVersions = defineClass<string>({
  name: 'LegacyVersion',
  module: 'galaxy.tool_util.version',
  attributes: {
    public: { get: (text) => text },
    base_version: { get: (text) => text },
    epoch: { get: () => -1 },
    is_prerelease: { get: () => false },
    is_postrelease: { get: () => false },
    is_devrelease: { get: () => false },
    ...Object.fromEntries(
      ['release', 'pre', 'post', 'dev', 'local'].map((name) => [name, { get: () => null }]),
    ),
  },
  str: (text) => text,
  repr: (text) => `<LegacyVersion('${text}')>`,
  equals: (text, other) => {
    const order = orderOfVersions(text, other);
    return order === undefined ? undefined : order === 0;
  },
  order: (text, op, other) => {
    const order = orderOfVersions(text, other);
    return order === undefined ? undefined : HOLDS[op](order);
  },
});

const HOLDS = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
};

function orderOfVersions(text: string, other: Value): number | undefined {
  const isVersion =
    other instanceof PyObject &&
    (legacyVersions.unwrap(other) !== undefined || other.cls.label === 'packaging.version.Version');
  return isVersion ? compareVersions(text, str(other)) : undefined;
}

import { parse, Range, satisfies, valid } from 'semver';
import type { Block, BlockFault, ComputeType } from './type.ts';

const LONGEST = 100;

/**
 * A Kubernetes cluster (2023 draft). A version is a minimum: `1.25.4` means `>=1.25.4`. Other texts
 * are ranges as npm writes them, `~1.25.4`, `1.25.x`, `>=1.25 <1.30`.
 */
export const kubernetes: ComputeType = {
  name: 'kubernetes',
  uri: 'https://www.purl.org/ivoa-net/compute-type/kubernetes',
  aliases: [
    'https://www.purl.org/ivoa.net/compute-types/kubernetes',
    'https://www.purl.org/ivoa.net/resource-types/kubernetes',
    'uri:kubernetes',
  ],
  everywhere: false,
  faultsOfBlock: (block) =>
    onlyVersion(
      block,
      isRange,
      'a version is text: a minimum such as "1.25.4", or a range such as "~1.25.4"',
    ),
  faultsOfAttributes: (attributes) => [
    ...(attributes['version'] === undefined ? [{ key: 'version', text: 'it is needed' }] : []),
    ...onlyVersion(
      attributes,
      (version) => valid(version) !== null,
      'a version is text with three numbers, for example "1.29.3"',
    ),
  ],
  mismatch: ({ version: asked }, { version: has }) => {
    if (typeof asked !== 'string' || typeof has !== 'string') return undefined;
    return satisfies(plain(has), wanted(asked))
      ? undefined
      : { text: 'It has another version of Kubernetes', asked, limit: has };
  },
};

function isRange(text: string): boolean {
  try {
    return text.trim() !== '' && text.length <= LONGEST && new Range(wanted(text)).raw !== '';
  } catch {
    return false;
  }
}

/**
 * The range of a text: `1.25.4`, `v1.25.4` and `1.25` are minimum versions, other texts are ranges.
 */
function wanted(text: string): string {
  return /^v?\d+(?:\.\d+){0,2}$/.test(text.trim()) ? `>=${text.trim()}` : text;
}

function onlyVersion(
  block: Block,
  isGood: (version: string) => boolean,
  hint: string,
): readonly BlockFault[] {
  const { version, ...more } = block;
  const unknown = Object.keys(more).map((key): BlockFault => ({
    key,
    text: 'it is not known; the only key is version',
  }));
  if (version === undefined) return unknown;
  return typeof version === 'string' && isGood(version)
    ? unknown
    : [...unknown, { key: 'version', text: hint }];
}

/** The version without the suffix of a distribution (`v1.29.3+k3s1`). */
function plain(version: string): string {
  const { major, minor, patch } = parse(version) ?? { major: 0, minor: 0, patch: 0 };
  return `${major}.${minor}.${patch}`;
}

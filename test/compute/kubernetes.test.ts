import { describe, expect, test } from '@jest/globals';
import { parseArchitecture } from '../../src/compute/arch.ts';
import { kubernetes } from '../../src/compute/kubernetes.ts';
import { builtInComputeTypes } from '../../src/compute/registry.ts';

function meets(asked: string, has: string): boolean {
  return kubernetes.mismatch({ version: asked }, { version: has }) === undefined;
}

describe('a version of Kubernetes', () => {
  test.each([
    ['1.25.4', '1.25.4', true],
    ['1.25.4', '1.29.3', true],
    ['1.25.4', '1.25.3', false],
    ['1.9.0', '1.25.0', true],
    ['v1.25.4', 'v1.26.0', true],
    ['1.25', '1.25.9', true],
    ['1.26', '1.25.9', false],
    ['1.25.4', 'v1.29.3+k3s1', true],
    ['~1.25.4', '1.25.9', true],
    ['~1.25.4', '1.26.0', false],
    ['1.25.x', '1.25.0', true],
    ['>=1.25 <1.30', '1.30.0', false],
    ['=1.25.4', '1.25.5', false],
  ])('%s is met by %s: %s', (asked, has, is) => expect(meets(asked, has)).toBe(is));

  test('that is malformed is a fault of the ask, and of the site file', () => {
    for (const version of ['newest', '', 1.25, 'x'.repeat(200), null])
      expect(kubernetes.faultsOfBlock({ version })).toMatchObject([{ key: 'version' }]);
    expect(kubernetes.faultsOfBlock({ nodes: 3 })).toMatchObject([{ key: 'nodes' }]);
    expect(kubernetes.faultsOfBlock({})).toEqual([]);
    for (const attributes of [{}, { version: '1.25' }, { version: '~1.25.4' }])
      expect(kubernetes.faultsOfAttributes(attributes)).toMatchObject([{ key: 'version' }]);
    expect(kubernetes.faultsOfAttributes({ version: 'v1.29.3+k3s1' })).toEqual([]);
  });

  test('matters only to an ask that names one', () =>
    expect(kubernetes.mismatch({}, { version: '1.0.0' })).toBeUndefined());
});

describe('types of compute resource', () => {
  test('have the names of every draft, and no other names', () => {
    expect(builtInComputeTypes.find('uri:generic-compute')?.name).toBe('simple-compute');
    expect(
      builtInComputeTypes.find(
        'https://www.purl.org/ivoa.net/EB/schema/types/resources/compute/simple-compute-resource-1.0',
      )?.name,
    ).toBe('simple-compute');
    expect(builtInComputeTypes.find('https://example.org/kubernetes')).toBeUndefined();
    const uris = builtInComputeTypes.all.flatMap(({ uri, aliases }) => [uri, ...aliases]);
    expect(new Set(uris).size).toBe(uris.length);
  });

  test('architectures have two names each', () => {
    expect(['amd64', 'x86_64', 'arm64', 'AArch64', 'vax'].map(parseArchitecture)).toEqual([
      'amd64',
      'amd64',
      'arm64',
      'arm64',
      undefined,
    ]);
  });
});

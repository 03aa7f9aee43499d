import { describe, expect, test } from '@jest/globals';
import { specPath } from '../../src/dialects/seed/paths.ts';
import { parseReference, pullReference } from '../../src/tasks/image.ts';
import { ociContainer } from '../../src/tasks/oci-container.ts';
import { toolName } from '../../src/tasks/registry.ts';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const policy = {
  allowHosts: [],
  fileRoots: ['/srv/images'],
  registries: ['ghcr.io', '127.0.0.1:25000', 'quay.io/astro'],
};
function taskOf(spec: unknown) {
  const parsed = ociContainer.parse(spec, policy);
  if (!parsed.ok || parsed.task.type !== 'oci-container') throw new Error(JSON.stringify(parsed));
  return parsed.task;
}
function problemsOf(spec: unknown, urls = policy): readonly string[] {
  const parsed = ociContainer.parse(spec, urls);
  return parsed.ok ? [] : parsed.problems.map(({ at, code }) => `${specPath(at)} ${code}`);
}
const image = {
  kind: 'registry',
  registry: 'ghcr.io',
  repository: 'ivoa/example',
  tag: '1.0',
  digest: undefined,
};

describe('oci-container', () => {
  test('reads arch, repo and image of the seed', () => {
    const task = taskOf({ arch: 'amd64', repo: 'ghcr.io', image: 'ivoa/example:1.0' });
    expect(task).toEqual({
      type: 'oci-container',
      image,
      architectures: ['amd64'],
      entrypoint: undefined,
      command: undefined,
      environment: {},
      network: 'none',
    });
    expect(toolName(task)).toBe('ghcr.io/ivoa/example');
  });

  test('reads the same in the words of later drafts', () => {
    expect(taskOf({ image: 'ghcr.io/ivoa/example:1.0' }).image).toEqual(image);
    expect(
      taskOf({
        repository: 'ghcr.io/ivoa',
        image: 'example',
        tag: '1.0',
        platforms: [{ architecture: 'arm64' }, {}],
      }),
    ).toMatchObject({ image, architectures: ['arm64', 'amd64'] });
    expect(
      taskOf({
        image: {
          locations: ['ghcr.io/ivoa/example:1.0'],
          digest: DIGEST,
          platform: { architecture: 'amd64', os: 'linux' },
        },
        privileged: false,
        entrypoint: '/run',
        network: { ports: [] },
      }),
    ).toMatchObject({
      image: { ...image, digest: DIGEST },
      architectures: ['amd64'],
      entrypoint: ['/run'],
      network: 'none',
    });
  });

  test('takes the first location from which the site allows images', () => {
    expect(
      taskOf({
        image: {
          locations: [
            'docker.io/ivoa/example:1.0',
            'quay.io/astro/example:1.0',
            'ghcr.io/ivoa/example:1.0',
          ],
        },
      }).image,
    ).toMatchObject({ registry: 'quay.io' });
  });

  test('takes an archive as a file: URL in a directory that the site lends', () => {
    expect(taskOf({ image: 'file:///srv/images/a.tar' }).image).toEqual({
      kind: 'archive',
      url: 'file:///srv/images/a.tar',
      digest: undefined,
    });
    expect(problemsOf({ image: 'file:///etc/shadow' })).toEqual(['task.spec.image url-forbidden']);
    expect(problemsOf({ image: 'file:///srv/images/../a.tar' })).toEqual([
      'task.spec.image url-forbidden',
    ]);
  });

  test('pulls the digest when there is one, else the tag, else latest', () => {
    expect(
      pullReference({
        kind: 'registry',
        registry: 'ghcr.io',
        repository: 'a/b',
        tag: '1',
        digest: DIGEST,
      }),
    ).toBe(`ghcr.io/a/b@${DIGEST}`);
    expect(
      pullReference({
        kind: 'registry',
        registry: 'ghcr.io',
        repository: 'a/b',
        tag: '1',
        digest: undefined,
      }),
    ).toBe('ghcr.io/a/b:1');
    expect(
      pullReference({
        kind: 'registry',
        registry: 'ghcr.io',
        repository: 'a/b',
        tag: undefined,
        digest: undefined,
      }),
    ).toBe('ghcr.io/a/b:latest');
  });

  test.each([
    'busybox',
    'library/busybox',
    'ghcr.io/UPPER',
    'ghcr.io/',
    'ghcr.io/a/../b',
    'ghcr.io/a:',
    'ghcr.io/a@sha256:12',
    'ghcr.io/a b',
    'https://ghcr.io/a',
    'ghcr.io//a',
    '-x.io/a',
  ])('%s is no reference: no registry is assumed and nothing is corrected', (text) =>
    expect(parseReference(text)).toBeUndefined(),
  );

  test.each([
    'localhost/a',
    'localhost:5000/a',
    'registry:5000/a/b:1',
    '[::1]:5000/a',
    '127.0.0.1:25000/ci/bb:1',
    `ghcr.io/a_b/c-d.e__f:1@${DIGEST}`,
  ])('%s is a reference', (text) => expect(parseReference(text)).toBeDefined());

  test('an image of another registry is refused, with the registries that the site allows', () => {
    for (const name of [
      'docker.io/library/busybox',
      'ghcr.io.evil.example/a',
      'quay.io/astronomy/a',
      'quay.io/a',
    ]) {
      expect(ociContainer.parse({ image: name }, policy)).toMatchObject({
        ok: false,
        problems: [
          { at: 'image', code: 'url-forbidden', limit: 'ghcr.io, 127.0.0.1:25000, quay.io/astro' },
        ],
      });
    }
    expect(
      ociContainer.parse({ image: 'ghcr.io/a' }, { allowHosts: [], fileRoots: [] }),
    ).toMatchObject({
      ok: false,
      problems: [{ text: expect.stringContaining('fetch.registries') }],
    });
  });

  test.each([
    ['no image', {}, 'task.spec.image task-spec-invalid'],
    [
      'rights of the machine',
      { image: 'ghcr.io/a', privileged: true },
      'task.spec.privileged task-spec-invalid',
    ],
    [
      'ports',
      { image: 'ghcr.io/a', network: { ports: [{ internal: { port: 80 } }] } },
      'task.spec.network.ports task-spec-invalid',
    ],
    [
      'another network',
      { image: 'ghcr.io/a', network: 'host' },
      'task.spec.network task-spec-invalid',
    ],
    [
      'an unknown architecture',
      { image: 'ghcr.io/a', arch: 'sparc' },
      'task.spec.arch task-spec-invalid',
    ],
    [
      'two architectures',
      { image: 'ghcr.io/a', arch: 'amd64', platforms: [{}] },
      'task.spec.arch task-spec-invalid',
    ],
    [
      'another system',
      { image: 'ghcr.io/a', platforms: [{ os: 'windows' }] },
      'task.spec.platforms[0].os task-spec-invalid',
    ],
    [
      'a command as text',
      { image: 'ghcr.io/a', command: 'ls -l' },
      'task.spec.command task-spec-invalid',
    ],
    [
      'an empty entry point',
      { image: 'ghcr.io/a', entrypoint: [] },
      'task.spec.entrypoint task-spec-invalid',
    ],
    ['a bad digest', { image: 'ghcr.io/a', digest: 'md5:1' }, 'task.spec.digest task-spec-invalid'],
    ['two tags', { image: 'ghcr.io/a:1', tag: '2' }, 'task.spec.tag task-spec-invalid'],
    [
      'both words for the repository',
      { repo: 'ghcr.io', repository: 'ghcr.io', image: 'a' },
      'task.spec.repository task-spec-invalid',
    ],
    [
      'a variable without a name',
      { image: 'ghcr.io/a', environment: { '=': '1' } },
      'task.spec.environment.= task-spec-invalid',
    ],
    [
      'an unknown key',
      { image: 'ghcr.io/a', volumes: [] },
      'task.spec.volumes task-spec-unknown-key',
    ],
    [
      'an unknown key of the image',
      { image: { locations: ['ghcr.io/a'], size: 1 } },
      'task.spec.image.size task-spec-unknown-key',
    ],
    ['no location', { image: { locations: [] } }, 'task.spec.image.locations task-spec-invalid'],
  ])('%s is refused by name', (_what, spec, problem) =>
    expect(problemsOf(spec)).toEqual([problem]),
  );
});

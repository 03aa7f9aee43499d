import { describe, expect, test } from '@jest/globals';
import { askOf, container, K, OWN, reasonsOf, T } from './requests.ts';

const executable = container;
const URL_ = 'https://example.org/a.fits';
const simple = {
  kind: `${K}/data/simple-data-resource.yaml`,
  meta: { name: 'image' },
  location: URL_,
};
const disc = { kind: `${K}/storage/simple-storage-resource.yaml`, meta: { name: 'disc' } };

function mounting(...volumes: readonly object[]) {
  return { compute: { volumes } };
}
const mounted = mounting({ path: '/data', mode: 'READONLY', resource: 'image' });

describe('the data of a request', () => {
  test.each<readonly [string, object, object]>([
    ['a URL', simple, { kind: 'http', location: URL_ }],
    [
      'a bucket',
      {
        kind: `${K}/data/S3-data-resource.yaml`,
        endpoint: 'https://s3.example.org',
        bucket: 'images',
        object: '',
      },
      { kind: 's3', endpoint: 'https://s3.example.org', bucket: 'images', what: { prefix: '' } },
    ],
    [
      'an object',
      {
        type: `${T}/resources/data/S3-data-resource-1.0`,
        endpoint: 'https://s3.example.org',
        bucket: 'images',
        object: 'a.fits',
      },
      {
        kind: 's3',
        endpoint: 'https://s3.example.org',
        bucket: 'images',
        what: { object: 'a.fits' },
      },
    ],
    [
      'a file of Rucio',
      {
        kind: `${K}/data/rucio-data-resource.yaml`,
        rucio: { endpoint: 'https://rucio.example.org', scope: 's', object: 'o', type: 'FILE' },
      },
      { kind: 'rucio', endpoint: 'https://rucio.example.org/', scope: 's', object: 'o' },
    ],
    [
      'a file of Rucio in 2024',
      {
        type: `${T}/resources/data/Rucio-data-resource-1.0`,
        endpoint: 'https://rucio.example.org',
        domain: 's',
        object: 'o',
      },
      { kind: 'rucio', endpoint: 'https://rucio.example.org/', scope: 's', object: 'o' },
    ],
    [
      'a row of ObsCore',
      {
        kind: `${K}/data/ivoa-data-resource.yaml`,
        ivoa: { ivoid: 'ivo://a/b', obscore: { obs_id: '1', access_url: URL_ } },
      },
      { kind: 'http', location: URL_ },
    ],
    [
      'a row of DataLink, which is nearer than ObsCore',
      {
        kind: `${K}/data/ivoa-data-resource.yaml`,
        ivoa: {
          obscore: {
            access_url: 'https://example.org/links',
            access_format: 'application/x-votable+xml;content=datalink',
          },
          datalink: { access_url: URL_, content_length: 10 },
        },
      },
      { kind: 'http', location: URL_ },
    ],
    [
      "the SKA's replicas: the first that can be fetched, with its checksum",
      {
        kind: `${K}/data/skao-data-resource.yaml`,
        skao: {
          namespace: 'n',
          objectname: 'o',
          objecttype: 'FILE',
          datasize: 7,
          checksum: { type: 'Adler32', value: '0000001A' },
          replicas: [
            { rsename: 'A', dataurl: 'root://example.org/a' },
            { rsename: 'B', dataurl: URL_ },
          ],
        },
      },
      {
        kind: 'http',
        location: URL_,
        expected: { bytes: 7, checksum: { algorithm: 'adler32', value: '0000001a' } },
      },
    ],
  ])('is %s', (_, item, source) => {
    const data = [{ ...item, meta: { name: 'image' } }];
    expect(askOf({ executable, data, ...mounted })).toMatchObject({
      storage: [{ kind: 'external', name: 'image', source, isWritable: false }],
      parts: [{ volumes: [{ name: 'image', path: '/data', mode: 'r' }] }],
    });
  });

  test.each<readonly [string, object, string]>([
    [
      'an identifier alone',
      { kind: `${K}/data/ivoa-data-resource.yaml`, ivoa: { ivoid: 'ivo://a/b' } },
      'data-not-fetched data[0].ivoa.ivoid',
    ],
    [
      'a document of links',
      {
        kind: `${K}/data/ivoa-data-resource.yaml`,
        ivoa: { obscore: { access_url: URL_, access_format: 'x;content=datalink' } },
      },
      'data-not-fetched data[0].ivoa.obscore.access_format',
    ],
    [
      'a row of DataLink that needs a credential',
      {
        kind: `${K}/data/ivoa-data-resource.yaml`,
        ivoa: { datalink: { access_url: URL_, link_auth: 'true' } },
      },
      'data-not-fetched data[0].ivoa.datalink.link_auth',
    ],
    [
      'a data set of Rucio',
      {
        kind: `${K}/data/rucio-data-resource.yaml`,
        rucio: { endpoint: 'https://rucio.example.org', scope: 's', object: 'o', type: 'DATASET' },
      },
      'data-not-fetched data[0].rucio.type',
    ],
    [
      'replicas that no URL reaches',
      {
        kind: `${K}/data/skao-data-resource.yaml`,
        skao: { replicas: [{ dataurl: 'root://example.org/a' }] },
      },
      'data-not-fetched data[0].skao.replicas',
    ],
    [
      'a checksum of an unknown kind',
      {
        kind: `${K}/data/skao-data-resource.yaml`,
        skao: { checksum: { type: 'crc', value: '1' }, replicas: [{ dataurl: URL_ }] },
      },
      'storage-value-invalid data[0].skao.checksum.type',
    ],
    [
      'a forbidden URL',
      { ...simple, location: 'http://127.0.0.1/' },
      'url-forbidden data[0].location',
    ],
    [
      'a forbidden URL of ObsCore',
      {
        kind: `${K}/data/ivoa-data-resource.yaml`,
        ivoa: { obscore: { access_url: 'http://127.0.0.1/' } },
      },
      'url-forbidden data[0].ivoa.obscore.access_url',
    ],
    [
      'a foreign kind',
      { kind: 'https://example.org/simple-data-resource.yaml' },
      'unknown-storage-type data[0].kind',
    ],
    [
      'storage that is not there',
      { ...simple, storage: 'x' },
      'storage-value-invalid data[0].storage',
    ],
  ])('is refused with the place of %s', (_, item, reason) => {
    const data = [{ ...item, meta: { name: 'image' } }];
    expect(reasonsOf({ executable, data, ...mounted })).toEqual([reason]);
  });

  test('is refused if no volume mounts it', () => {
    expect(reasonsOf({ executable, data: [simple] })).toEqual(['storage-not-mounted data[0]']);
  });
});

describe('the storage of a request', () => {
  test('has whole GiB, and is found by its name or its uuid', () => {
    const storage = [{ ...disc, meta: { name: 'disc', uuid: 'u-1' }, size: { min: 10, max: 20 } }];
    for (const resource of ['disc', 'u-1'])
      expect(
        askOf({ executable, storage, ...mounting({ path: '/disc', resource }) }),
      ).toMatchObject({
        storage: [{ kind: 'ephemeral', name: 'disc', size: 10_240 }],
        parts: [{ volumes: [{ name: 'disc', path: '/disc', mode: 'rw' }] }],
        namesScratch: true,
      });
  });

  test('has no more than the maximum, and a size in the words of 2024', () => {
    const at = (size: unknown) => ({ executable, storage: [{ ...disc, size }] });
    expect(askOf(at({ max: 1 })).storage).toMatchObject([{ size: 1024 }]);
    expect(askOf(at(3)).storage).toMatchObject([{ size: 3072 }]);
    expect(reasonsOf(at(0))).toEqual(['amount-not-positive storage[0].size']);
  });

  test('has a name that a folder can have, whatever people call it', () => {
    const names = ['My disc', 'My-disc', '../etc', ''];
    const storage = names.map((name) => ({ ...disc, meta: { name } }));
    const volumes = names.map((resource, n) => ({ path: `/${n}`, resource }));
    expect(
      askOf({ executable, storage, compute: { volumes } }).storage.map(({ name }) => name),
    ).toEqual(['My-disc', 'My-disc-2', 'etc', 'volume']);
  });

  test('has its data inside of it, each in a folder of its own', () => {
    const storage = [{ ...disc, size: { min: 10 } }];
    const data = [{ ...simple, storage: 'disc' }];
    const { parts } = askOf({
      executable,
      storage,
      data,
      ...mounting({ path: '/d', resource: 'disc' }),
    });
    expect(parts[0].volumes).toEqual([
      { name: 'disc', path: '/d', mode: 'rw' },
      { name: 'image', path: '/d/image', mode: 'r' },
    ]);
    const read = mounting({ path: '/d', resource: 'disc', mode: 'READONLY' });
    expect(askOf({ executable, storage, data, ...read }).parts[0].volumes).toEqual([
      { name: 'image', path: '/d/image', mode: 'r' },
    ]);
  });

  test('has room for data of known size', () => {
    const skao = { datasize: 3 * 2 ** 30, replicas: [{ dataurl: URL_ }] };
    const data = [
      { kind: `${K}/data/skao-data-resource.yaml`, meta: { name: 'image' }, skao, storage: 'disc' },
    ];
    const at = (size: object) => ({ executable, data, ...mounted, storage: [{ ...disc, size }] });
    expect(askOf(at({ min: 1 })).storage[0]).toMatchObject({ size: 3072 });
    expect(reasonsOf(at({ min: 1, max: 2 }))).toEqual([
      'storage-value-invalid storage[0].size.max',
    ]);
  });

  test.each<readonly [string, object]>([
    ['2024', { type: 'uri:persistent-storage', lifetime: { requested: { min: 'P2D' } } }],
    [
      'this service',
      { ...disc, extras: [{ kind: `${OWN}/storage/persistence-1.0`, lifetime: 'P2D' }] },
    ],
  ])('outlives the run in the words of %s', (_, words) => {
    const storage = [{ ...words, meta: { name: 'disc' }, size: { min: 1 } }];
    expect(
      askOf({ executable, storage, ...mounting({ path: '/d', resource: 'disc' }) }).storage,
    ).toMatchObject([{ kind: 'persistent', name: 'disc', size: 1024, lifetime: 172_800, item: 0 }]);
  });

  test.each<readonly [string, object, readonly string[]]>([
    [
      'a volume of nothing',
      mounting({ path: '/a', resource: 'x' }),
      ['unknown-volume compute.volumes[0].resource'],
    ],
    [
      'a mode',
      mounting({ path: '/a', resource: 'disc', mode: 'EXEC' }),
      ['volume-mode-unknown compute.volumes[0].mode'],
    ],
    [
      'data that is written',
      mounting({ path: '/a', resource: 'image', mode: 'READWRITE' }),
      ['external-read-only compute.volumes[0].mode'],
    ],
    [
      'a path',
      mounting({ path: '/a/../b', resource: 'disc' }),
      ['volume-path-invalid compute.volumes[0].path'],
    ],
    [
      'two volumes at one path',
      mounting({ path: '/a', resource: 'disc' }, { path: '/a', resource: 'other' }),
      ['duplicate-name compute.volumes[1].path'],
    ],
  ])('is refused with the place of %s', (_, words, reasons) => {
    const storage = [disc, { ...disc, meta: { name: 'other' } }];
    const data = JSON.stringify(words).includes('image') ? [simple] : [];
    expect(reasonsOf({ executable, storage, data, ...words })).toEqual(reasons);
  });
});

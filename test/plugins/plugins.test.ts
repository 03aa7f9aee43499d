import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadPlugins } from '../../src/plugins/load.ts';
import { CannotStart } from '../../src/words/cannot-start.ts';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/plugins', import.meta.url));
const TYPE = 'https://example.org/task-type/comoving-distance';
const policy = { allowHosts: [], fileRoots: [] };

async function parseExample(spec: unknown) {
  const { taskTypes } = await loadPlugins(EXAMPLES);
  return taskTypes.find(TYPE)?.parse(spec, policy);
}

describe('a task type that a plug-in adds', () => {
  test('becomes a built-in task, and keeps the words of the ask', async () => {
    expect(await parseExample({ redshift: 1 })).toMatchObject({
      ok: true,
      task: { type: 'python-program', arguments: ['1', '70', '0.3'] },
      plugin: { name: 'comoving-distance', tool: 'comoving-distance', spec: { redshift: 1 } },
    });
  });

  test('is refused by its schema with every fault and the path of each', async () => {
    expect(await parseExample({ redshift: -1, hubble: '70', dust: true })).toEqual({
      ok: false,
      problems: [
        expect.objectContaining({
          at: 'dust',
          code: 'task-spec-invalid',
          text: expect.stringMatching(/^is not a known key \(known keys: redshift, hubble, /),
        }),
        expect.objectContaining({ at: 'redshift', text: 'must be > 0' }),
        expect.objectContaining({ at: 'hubble', text: 'must be number' }),
      ],
    });
    expect(await parseExample('text')).toMatchObject({ ok: false, problems: [{ at: '' }] });
    expect(await parseExample({ redhsift: 1 })).toMatchObject({
      ok: false,
      problems: [
        { at: 'redshift', text: 'is missing' },
        { at: 'redhsift', text: "is not a known key (did you mean 'redshift'?)" },
      ],
    });
  });

  test('leaves the built-in types as they are', async () => {
    const { taskTypes } = await loadPlugins(EXAMPLES);
    expect(taskTypes.find('uri:jupyter-notebook-1.0')?.name).toBe('jupyter-notebook');
    expect((await loadPlugins(undefined)).taskTypes.find(TYPE)).toBeUndefined();
  });
});

describe('a plug-in that cannot be used stops the start and names its file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-plugins-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const install = async (name: string, code: string): Promise<void> => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'plugin.mjs'), code);
  };
  const task = (more: string): string =>
    `export default { tasks: [{ name: 'one', type: 'https://e.org/one', schema: {}, adapt: () => ({}), ${more} }] };`;

  test.each([
    ['no file', undefined, 'one/plugin.mjs'],
    ['code that throws', 'throw new Error("not today");', 'not today'],
    ['no default export', 'export const x = 1;', 'its default export must be an object'],
    [
      'an unknown kind',
      'export default { moons: [] };',
      'a plug-in has no moons; it knows tasks, compute, storage',
    ],
    [
      'a task without schema',
      'export default { tasks: [{ name: "one" }] };',
      'tasks[0] must have name, type, schema and adapt',
    ],
    [
      'a name with blanks',
      task(`name: 'One Two'`),
      "tasks[0].name must be lower-case letters, digits and dashes, not 'One Two'",
    ],
    ['a type that is no URI', task(`type: 'one'`), "tasks[0].type must be a URI, not 'one'"],
    ['a schema that is none', task(`schema: { type: 'moon' }`), 'schema is invalid'],
    [
      'a type of compute resource without attributes',
      `export default { compute: [{ name: 'one', type: 'https://e.org/one', schema: {}, check: () => undefined }] };`,
      'compute[0] must have name, type, schema, attributes and check',
    ],
    [
      'a storage type that cannot load',
      `export default { storage: [{ name: 'one', type: 'https://e.org/one', schema: {} }] };`,
      'storage[0] must have name, type, schema and load',
    ],
    [
      'the URI of built-in storage',
      "export default { storage: [{ name: 'one', type: " +
        "'https://www.purl.org/ivoa-net/storage-type/rucio', schema: {}, " +
        'load: () => undefined }] };',
      'is already the name of a storage type of the service itself',
    ],
    [
      'the name of a built-in type of compute resource',
      "export default { compute: [{ name: 'kubernetes', type: 'https://e.org/one', schema: " +
        '{}, attributes: {}, check: () => undefined }] };',
      "'kubernetes' is already the name of a compute type of the service itself",
    ],
    [
      'a schema of attributes that is none',
      "export default { compute: [{ name: 'one', type: 'https://e.org/one', schema: {}, " +
        "attributes: { type: 'moon' }, check: () => undefined }] };",
      'schema is invalid',
    ],
    [
      'the name of a built-in type',
      task(`name: 'executable'`),
      "'executable' is already the name of a task type of the service itself",
    ],
  ])('%s', async (_, code, message) => {
    if (code === undefined) await mkdir(join(folder, 'one'));
    else await install('one', code);
    const failure = await loadPlugins(folder).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(CannotStart);
    expect(String(failure)).toContain(message);
    expect(String(failure)).toContain(join(folder, 'one', 'plugin.mjs'));
  });

  test('two plug-ins with one type, and a missing folder', async () => {
    await install('one', task(''));
    await install('two', task(''));
    await expect(loadPlugins(folder)).rejects.toThrow(
      `${join(folder, 'two', 'plugin.mjs')}: 'one' is already the name of a task type of ` +
        `${join(folder, 'one', 'plugin.mjs')}`,
    );
    await expect(loadPlugins(join(folder, 'three'))).rejects.toThrow('PLUGINS_DIR');
  });

  test('what adapt throws or returns wrongly is a refusal that the client reads', async () => {
    await install(
      'one',
      task(
        "adapt: ({ how }) => { if (how === 'throw') throw new Error('only on Sundays'); " +
          'return { type: how, spec: { source: 1 } }; }',
      ),
    );
    const type = (await loadPlugins(folder)).taskTypes.find('https://e.org/one');
    expect(type?.parse({ how: 'throw' }, policy)).toMatchObject({
      problems: [{ at: '', text: 'only on Sundays' }],
    });
    expect(type?.parse({ how: 'https://e.org/one' }, policy)).toMatchObject({
      problems: [{ text: expect.stringContaining('not built in') }],
    });
    expect(type?.parse({ how: 'uri:python-program-1.0' }, policy)).toMatchObject({
      problems: [
        {
          at: '',
          text: 'as one reads it: source must be a string, not the number 1: write "1", with quotes',
        },
      ],
    });
  });
});

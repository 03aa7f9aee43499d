import { describe, expect, test } from '@jest/globals';
import type { KnownSources } from '../../src/sources/known.ts';
import { builtInTypes } from '../../src/tasks/registry.ts';
import type { TaskProblem } from '../../src/tasks/task.ts';
import { cwl } from '../../src/workflows/cwl/cwl.ts';
import { gatherKnown } from '../../src/workflows/gather.ts';

const policy = { allowHosts: [], fileRoots: [] };
const HERE = 'https://example.org/a/main.cwl';

function problemsOf(spec: object, sources?: KnownSources): readonly TaskProblem[] {
  const parsed = parse(spec, sources);
  return parsed.ok ? [] : parsed.problems;
}

function parse(spec: object, sources?: KnownSources) {
  const type = builtInTypes.all.find(({ name }) => name === 'cwl-workflow');
  if (type === undefined) throw new Error('there is no such type');
  return type.parse(spec, policy, sources);
}

/** What a server has. */
function having(texts: Readonly<Record<string, string>>): KnownSources {
  return {
    find: (url) => {
      const text = texts[url];
      return text === undefined ? undefined : { kind: 'text', text };
    },
  };
}

function steps(of: string, more = ''): string {
  return `cwlVersion: v1.2\nclass: Workflow\ninputs: []\noutputs: []\n${more}steps: ${of}\n`;
}

describe('a workflow in an ask', () => {
  test('is a mapping, or a text of several lines; one line is a URL', () => {
    const tool = { cwlVersion: 'v1.0', class: 'CommandLineTool', inputs: [], outputs: [] };
    expect(parse({ workflow: tool })).toMatchObject({
      task: { workflow: { kind: 'inline' }, inputs: {} },
    });
    expect(parse({ workflow: `${HERE}#main`, inputs: { a: 1 }, provenance: true })).toMatchObject({
      task: { workflow: { url: `${HERE}#main` }, inputs: { a: 1 }, provenance: true },
    });
    expect(problemsOf({})).toMatchObject([{ text: 'the spec needs workflow' }]);
    expect(problemsOf({ workflow: 'main.cwl' })).toMatchObject([{ code: 'url-invalid' }]);
  });

  test.each([
    [
      'steps that wait for each other',
      steps('{ a: { run: "#t", in: { x: b/o } }, b: { run: "#t", in: { x: [a/o] } } }'),
      'steps wait for each other: a → b → a',
    ],
    ['no version', 'class: Workflow\nsteps: []\n', 'the document has no cwlVersion'],
    ['an unknown version', 'cwlVersion: draft-3\nclass: Workflow\n', /cwlVersion .* not known/],
    ['no class', 'cwlVersion: v1.2\nsteps: []\n', 'the document has no class of CWL'],
    [
      'a step that runs nothing',
      steps('{ a: { run: "#none" } }'),
      'nothing is known of what the step a runs',
    ],
    ['a list', '- a\n- b\n', 'a CWL document is a mapping'],
    ['no YAML', 'cwlVersion: [\n', /cannot be read \(line \d+/],
    ['a bomb of aliases', bomb(), /cannot be read .*more than 60000 values/],
    ['a deep nest', `a:\n  ${'['.repeat(200)}`, /cannot be read .*maxDepth/],
  ])('is refused for %s', (_what, workflow, text) => {
    expect(problemsOf({ workflow })).toMatchObject([
      { at: 'workflow', code: 'workflow-invalid', text: expect.stringMatching(text) },
    ]);
  });

  const odd = { toString: 1 };
  test.each([
    ['a directive', { steps: [{ id: 'a', $import: odd }] }, 'workflow-reference', '{"toString":1}'],
    ['a version', { cwlVersion: odd }, 'workflow-invalid', '{"toString":1}'],
    ['an id', { steps: [{ id: odd, run: '#none' }] }, 'workflow-invalid', undefined],
  ])('is refused in words for %s that is a mapping', (_what, more, code, asked) => {
    const workflow = { cwlVersion: 'v1.2', class: 'Workflow', steps: [], ...more };
    const told = { at: 'workflow', code, ...(asked !== undefined && { asked }) };
    expect(problemsOf({ workflow })).toMatchObject([told]);
  });

  test('and its provenance are told in words, whatever they are', () => {
    expect(problemsOf({ workflow: HERE, provenance: odd })).toMatchObject([
      { at: 'provenance', asked: '{"toString":1}' },
    ]);
  });

  test('has at most 50 workflows inside each other', () => {
    const graph = Array.from({ length: 4500 }, (_, at) => ({
      id: at === 0 ? 'main' : `w${at}`,
      class: 'Workflow',
      steps: [{ id: 'a', run: `#w${at + 1}` }],
    }));
    expect(problemsOf({ workflow: { cwlVersion: 'v1.2', $graph: graph } })).toMatchObject([
      { code: 'workflow-invalid', text: 'too many workflows are inside each other', limit: '50' },
    ]);
  });

  test.each(['tool.cwl', 'https://example.org/tool.cwl', '../a.cwl#x'])(
    'refers to nothing outside of it: %s',
    (run) => {
      expect(problemsOf({ workflow: steps(`{ a: { run: "${run}" } }`) })).toMatchObject([
        { at: 'workflow', code: 'workflow-reference', asked: run },
      ]);
    },
  );

  test('packed documents run themselves in no circle', () => {
    const graph = (run: string): string =>
      `cwlVersion: v1.2\n$graph:\n- { id: main, class: Workflow, steps: { a: { run: "#sub" } },\n` +
      `    requirements: { SubworkflowFeatureRequirement: {} } }\n` +
      `- { id: sub, class: Workflow, steps: { b: { run: "${run}" } } }\n` +
      `- { id: tool, class: CommandLineTool }\n`;
    expect(problemsOf({ workflow: graph('#tool') })).toEqual([]);
    expect(problemsOf({ workflow: graph('#main') })).toMatchObject([
      { code: 'workflow-invalid', text: 'the workflow runs itself: main → sub → main' },
    ]);
  });
});

describe('a workflow at a URL', () => {
  const tool = 'cwlVersion: v1.2\nclass: CommandLineTool\ninputs: []\noutputs: []\n';

  test('is judged with the documents that it refers to, on its own host', () => {
    const main = steps('{ a: { run: ../b/tool.cwl, in: [] } }');
    expect(
      problemsOf(
        { workflow: HERE },
        having({ [HERE]: main, 'https://example.org/b/tool.cwl': tool }),
      ),
    ).toEqual([]);
    expect(problemsOf({ workflow: HERE }, having({}))).toEqual([]);
    expect(problemsOf({ workflow: HERE }, having({ [HERE]: main }))).toEqual([]);
  });

  test.each([
    'https://elsewhere.org/tool.cwl',
    '//elsewhere.org/tool.cwl',
    'http://example.org/tool.cwl',
    'file:///etc/passwd',
  ])('is refused for a reference to %s', (run) => {
    const main = steps(`{ a: { run: "${run}" } }`);
    expect(problemsOf({ workflow: HERE }, having({ [HERE]: main }))).toMatchObject([
      { code: 'workflow-reference', limit: 'https://example.org' },
    ]);
  });

  test.each([
    ['all steps', '{ $import: more.yml }'],
    ['a step of a list', '[{ $import: more.yml }]'],
    ['a step of a mapping', '{ a: { $import: more.yml } }'],
    ['a part of the workflow', '[]\n$mixin: more.yml'],
  ])('is refused for %s in another document, where nobody looks for cycles', (_what, of) => {
    const found = having({
      [HERE]: steps(of),
      'https://example.org/a/more.yml': '{ id: a, run: "https://elsewhere.org/t.cwl" }',
    });
    expect(problemsOf({ workflow: HERE }, found)).toMatchObject([
      {
        at: 'workflow',
        code: 'workflow-reference',
        text: expect.stringMatching(/^a workflow has its steps in itself: \$\w+ is not followed/),
        asked: 'more.yml',
      },
    ]);
  });

  test('is refused for what it includes from elsewhere, at any depth', () => {
    const include =
      `${tool}requirements:\n  InlineJavascriptRequirement:\n    ` +
      'expressionLib: [{ $include: "https://elsewhere.org/lib.js" }]\n';
    const found = having({
      [HERE]: steps('{ a: { run: t.cwl } }'),
      'https://example.org/a/t.cwl': include,
    });
    expect(problemsOf({ workflow: HERE }, found)).toMatchObject([
      { code: 'workflow-reference', asked: 'https://elsewhere.org/lib.js' },
    ]);
  });

  test('brings what belongs to a default by its name, as the interpreter looks for it', () => {
    const input = (secondaryFiles: unknown) => ({
      cwlVersion: 'v1.2',
      class: 'Workflow',
      inputs: { image: { default: { class: 'File', location: 'm/31.fits.gz' }, secondaryFiles } },
    });
    const filesOf = (secondaryFiles: unknown) => {
      const text = JSON.stringify(input(secondaryFiles));
      const gathered = gatherKnown(cwl, text, HERE, () => undefined);
      return gathered.ok ? gathered.files.map((url) => url.replace(/.*\/a\//, '')) : gathered;
    };
    expect(filesOf(undefined)).toEqual(['m/31.fits.gz']);
    expect(filesOf(['.md5', { pattern: '^.wcs?' }, '^^.hdr', '$(self.x)'])).toEqual(
      expect.arrayContaining(['m/31.fits.gz', 'm/31.fits.gz.md5', 'm/31.fits.wcs', 'm/31.hdr']),
    );
    for (const none of ['$(self.basename).md5', '/../../b/c'])
      expect(filesOf(none)).toEqual(['m/31.fits.gz']);
  });

  test('is refused for a directory without a listing, but for a default', () => {
    const lists = (listing: string): string =>
      `${tool}requirements: { InitialWorkDirRequirement: { listing: ${listing} } }\n`;
    const folder = '{ class: Directory, location: ../d }';
    expect(problemsOf({ workflow: HERE }, having({ [HERE]: lists(`[${folder}]`) }))).toMatchObject([
      {
        at: 'workflow',
        code: 'workflow-reference',
        text: 'a directory of the workflow needs a listing of its files',
        asked: '../d',
      },
    ]);
    const listed = '{ class: Directory, location: ../d, listing: [] }';
    expect(problemsOf({ workflow: HERE }, having({ [HERE]: lists(`[${listed}]`) }))).toEqual([]);
    const given = `${tool.replace('[]', `{ d: { type: Directory, default: ${folder} } }`)}`;
    expect(problemsOf({ workflow: HERE }, having({ [HERE]: given }))).toEqual([]);
  });

  test('is refused for what starts from an id on another host, as interpreters read it', () => {
    const id = 'id: "https://elsewhere.org/w.cwl"\n';
    const found = having({ [HERE]: steps('{ a: { run: t.cwl } }', id) });
    expect(problemsOf({ workflow: HERE }, found)).toMatchObject([
      { code: 'workflow-reference', asked: 'https://elsewhere.org/t.cwl' },
    ]);
    const whole = having({ [HERE]: steps('{ a: { run: { class: ExpressionTool } } }', id) });
    expect(problemsOf({ workflow: HERE }, whole)).toEqual([]);
  });

  test('leaves its host in peace where its id is an address there, and reads its copies', () => {
    const text = steps(
      '{ a: { run: b.cwl }, b: { run: "#x" } }',
      'id: https://example.org/w/a.cwl\n',
    );
    const copy = cwl.localised(text, HERE, (url) => url.replace('https:/', 'file:///task'));
    expect(JSON.parse(copy)).toMatchObject({
      steps: { a: { run: 'file:///task/example.org/w/b.cwl' }, b: { run: '#x' } },
    });
    const found = { [HERE]: steps('{ a: { run: b.cwl } }', 'id: https://example.org/w/a.cwl\n') };
    const there = { ...found, 'https://example.org/w/b.cwl': tool };
    expect(parse({ workflow: HERE }, having(there))).toMatchObject({ ok: true });
    const inStep = steps('[{ id: "https://elsewhere.org/s", run: b.cwl }]');
    expect(problemsOf({ workflow: HERE }, having({ [HERE]: inStep }))).toMatchObject([
      { code: 'workflow-reference', asked: 'https://elsewhere.org/b.cwl' },
    ]);
  });

  test.each(['https://elsewhere.org/d/', 'file:///etc'])(
    'is refused for a default at %s, though nobody may use it',
    (place) => {
      const of = (kind: string): string =>
        tool.replace(
          '[]',
          `{ d: { type: Any, default: { class: ${kind}, location: "${place}" } } }`,
        );
      for (const kind of ['File', 'Directory'])
        expect(problemsOf({ workflow: HERE }, having({ [HERE]: of(kind) }))).toMatchObject([
          { code: 'workflow-reference', asked: place, limit: 'https://example.org' },
        ]);
      expect(problemsOf({ workflow: of('Directory') })).toMatchObject([
        { code: 'workflow-reference', asked: place },
      ]);
    },
  );

  test('may have a default elsewhere where the inputs have a value in its place', () => {
    const place = 'https://elsewhere.org/d/';
    const input = `{ type: Any, default: { class: Directory, location: "${place}" } }`;
    const plain = tool.replace('[]', `{ d: ${input}, e: int }`);
    const listed = tool.replace('[]', `[{ id: d, ${input.slice(1)}]`);
    const packed = `cwlVersion: v1.2
$graph:
- { id: other, class: CommandLineTool, inputs: [] }
- { id: main, class: CommandLineTool, inputs: [{ id: "#main/d", ${input.slice(1)}] }
`;
    const given = { d: { class: 'Directory', listing: [] } };
    const refused = [{ at: 'workflow', code: 'workflow-reference', asked: place }];
    for (const text of [plain, listed, packed]) {
      const found = having({ [HERE]: text });
      expect(problemsOf({ workflow: HERE, inputs: given }, found)).toEqual([]);
      expect(problemsOf({ workflow: `${HERE}#x`, inputs: given }, found)).not.toEqual([]);
      expect(problemsOf({ workflow: text, inputs: given })).toEqual([]);
      for (const inputs of [{ d: null }, { e: 1 }, {}])
        expect(problemsOf({ workflow: HERE, inputs }, found)).toMatchObject(refused);
    }
    const step = { [HERE]: steps('{ a: { run: t.cwl } }'), 'https://example.org/a/t.cwl': plain };
    expect(problemsOf({ workflow: HERE, inputs: given }, having(step))).toMatchObject(refused);
  });

  test('is refused when its documents run each other in a circle', () => {
    const found = having({
      [HERE]: steps('{ a: { run: b.cwl } }'),
      'https://example.org/a/b.cwl': steps('{ b: { run: main.cwl } }'),
    });
    expect(problemsOf({ workflow: HERE }, found)).toMatchObject([
      { code: 'workflow-invalid', text: 'the workflow runs itself: main.cwl → b.cwl → main.cwl' },
    ]);
  });
});

describe('inputs of a workflow', () => {
  test.each([
    [{ inputs: [] }, 'inputs', 'task-spec-invalid'],
    [
      { inputs: { a: { class: 'File', location: 'http://127.0.0.1/x' } } },
      'inputs.a.location',
      'url-forbidden',
    ],
    [
      { inputs: { a: [{ class: 'File', path: '/etc/passwd' }] } },
      'inputs.a[0].path',
      'url-invalid',
    ],
    [{ inputs: { a: { class: 'File', path: '../x' } } }, 'inputs.a.path', 'url-invalid'],
    [
      { inputs: { a: { class: 'Directory', location: 'https://example.org/d/' } } },
      'inputs.a.location',
      'task-spec-invalid',
    ],
    ...['$import', '$include', '$mixin', '$base', '$schemas', '$namespaces'].map(
      (key) =>
        [
          { inputs: { a: [{ b: { [key]: 'http://10.0.0.1/x' } }] } },
          `inputs.a[0].b.${key}`,
          'task-spec-invalid',
        ] as const,
    ),
    [{ inputs: { a: 'x'.repeat(200_001) } }, 'inputs', 'task-spec-invalid'],
    [
      { inputs: { a: Array.from({ length: 201 }, () => ({ class: 'File', contents: '' })) } },
      'inputs',
      'task-spec-invalid',
    ],
    [{ provenance: 'yes' }, 'provenance', 'task-spec-invalid'],
  ])('are refused: %j', (more, at, code) => {
    expect(problemsOf({ workflow: HERE, ...more })).toMatchObject([{ at, code }]);
  });

  test('have no id that moves their files to another host, and other ids', () => {
    const star = { id: 'http://simbad.example.org/M31', ra: 10.7 };
    const $namespaces = { edam: 'http://edamontology.org/' };
    expect(problemsOf({ workflow: HERE, inputs: { star, $namespaces } })).toEqual([]);
    const inputs = { star: { ...star, image: [{ class: 'File', contents: '' }] } };
    expect(problemsOf({ workflow: HERE, inputs })).toMatchObject([
      { at: 'inputs.star.id', text: expect.stringContaining('give the key another name') },
    ]);
    for (const name of ['/task/inputs/0/a', 'file', ''])
      expect(
        problemsOf({ workflow: HERE, inputs: { $namespaces: { [name]: 'http://10.0.0.1/' } } }),
      ).toMatchObject([{ at: 'inputs.$namespaces' }]);
  });

  test('have keys of their own in other languages', () => {
    const type = builtInTypes.all.find(({ name }) => name === 'snakemake-workflow');
    const spec = { workflow: HERE, inputs: { $import: 'a', $schemas: ['b'] } };
    expect(type?.parse(spec, policy)).toMatchObject({ ok: true });
  });

  test('a NO tells what to do instead: a listing, or a volume', () => {
    const a = { class: 'Directory', location: 'https://example.org/d/' };
    expect(problemsOf({ workflow: HERE, inputs: { a } })).toMatchObject([
      {
        text: 'a directory needs a listing of its files, or the path of a volume',
        asked: 'https://example.org/d/',
      },
    ]);
    const many = Array.from({ length: 201 }, () => ({ class: 'File', contents: '' }));
    expect(problemsOf({ workflow: HERE, inputs: { many } })).toMatchObject([
      { text: 'inputs has too many files: put them in a volume', asked: 201, limit: 200 },
    ]);
  });

  test('may be literals, files of volumes and of public hosts', () => {
    const inputs = {
      id: 'NGC 224',
      a: { class: 'File', contents: 'x', basename: 'a.txt' },
      b: { class: 'File', path: 'data/stars.txt' },
      c: { class: 'File', location: 'https://example.org/c.fits' },
      d: {
        class: 'Directory',
        basename: 'd',
        listing: [{ class: 'File', location: 'https://example.org/d' }],
      },
    };
    expect(problemsOf({ workflow: HERE, inputs })).toEqual([]);
  });
});

/** Nine levels of nine aliases each. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) =>
    level === 0
      ? 'a0: &a0 x'
      : `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
  );
  return `${levels.join('\n')}\n`;
}

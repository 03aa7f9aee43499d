import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import { gatherKnown } from '../../src/workflows/gather.ts';
import { nextflow } from '../../src/workflows/nextflow/nextflow.ts';

const HERE = 'https://data.example.org/flows/main.nf';

function factsOf(text: string): unknown {
  const found = nextflow.factsOf({ url: undefined, text, others: new Map() });
  return found.ok ? found.facts : found.fault;
}

/** As the modules of nf-core have it. */
const CONTAINER = `container "\${ workflow.containerEngine == 'singularity' ?
        'https://depot.example.org/align:1.0--0' :
        'example/align:1.0--0' }"`;

describe('the reader of scripts of Nextflow', () => {
  test('finds the largest numbers of processors, memory and disc, with the process that needs them', () => {
    expect(
      factsOf(`
process project {
  cpus 4   // as many as a tile has parts
  memory '2 GB'
  disk 1.5.GB
  script:
  '''
  cpus 64
  '''
}
process add { cpus 2; memory = 3.GB
  exec: { cpus 99 }
}
workflow { project | add }
`),
    ).toEqual({
      version: undefined,
      least: [
        { resource: 'cores', amount: 4000, step: 'project' },
        { resource: 'memory', amount: 3072, step: 'add' },
        { resource: 'scratch', amount: 1536, step: 'project' },
      ],
    });
  });

  test.each([
    [`memory '6 G'`, { resource: 'memory', amount: 6144 }],
    [`memory('6GB')`, { resource: 'memory', amount: 6144 }],
    [`memory ( 6.5.gb )`, { resource: 'memory', amount: 6656 }],
    [`disk '6.GB'`, { resource: 'scratch', amount: 6144 }],
    [`disk "2t"`, { resource: 'scratch', amount: 2 * 1024 ** 2 }],
    ['cpus(3)', { resource: 'cores', amount: 3000 }],
    ['cpus = 3', { resource: 'cores', amount: 3000 }],
    [`disk '10 GB', type: 'local'`, { resource: 'scratch', amount: 10_240 }],
    [`disk(\n  375.GB, // fast\n  type: 'local-ssd')`, { resource: 'scratch', amount: 384_000 }],
    [`disk request: '5 GB', type: 'ssd'`, { resource: 'scratch', amount: 5120 }],
    ['disk = [request: 5.GB]', { resource: 'scratch', amount: 5120 }],
  ])('counts amounts in whatever way Groovy and Nextflow take them: %s', (written, need) => {
    expect(factsOf(`process a {\n  ${written}\n  'x'\n}\nworkflow { a() }\n`)).toEqual({
      version: undefined,
      least: [{ ...need, step: 'a' }],
    });
  });

  test.each([`memory '6 GiB'`, `memory '6000'`, 'memory 6.X', `cpus '3'`])(
    'takes no amount for another one: %s',
    (written) => {
      expect(factsOf(`process a {\n  ${written}\n  'x'\n}\nworkflow { a() }\n`)).toEqual({
        version: undefined,
        least: [],
      });
    },
  );

  const asked = `cpus 36\n  memory 900.GB\n  disk '2 TB', type: 'local'`;
  const [cores, memory, scratch] = [36_000, 900 * 1024, 2 * 1024 ** 2];
  test.each([
    ['resourceLimits cpus: 24, memory: 768.GB, time: 72.h', [24_000, 768 * 1024, scratch]],
    [`resourceLimits([\n    memory: '200 MB', // each\n    disk: '3 GB'\n  ])`, [cores, 200, 3072]],
    [`resourceLimits = [ memory: '8.GB',\n  time: '1.h', cpus: 2 ]`, [2000, 8192, scratch]],
    ['resourceLimits cpus: 99, disk: 9.TB', [cores, memory, scratch]],
    ['resourceLimits cpus: 1\n  resourceLimits memory: 1.GB', [cores, 1024, scratch]],
    [`resourceLimits time: '3.h'`, [cores, memory, scratch]],
    ['resourceLimits cpus: params.most, memory: 1.GB', [undefined, 1024, scratch]],
    [`resourceLimits memory: params.a ?: '1 GB', disk: '3 GB'`, [cores, undefined, 3072]],
    ['resourceLimits params.most', []],
    ['resourceLimits { [cpus: 2] }', []],
  ])(
    'cuts the amounts of a process down to its limits, as Nextflow does: %s',
    (limits, [...least]) => {
      const needs = (['cores', 'memory', 'scratch'] as const).flatMap((resource, at) =>
        least[at] === undefined ? [] : [{ resource, amount: least[at], step: 'a' }],
      );
      for (const lines of [`${asked}\n  ${limits}`, `${limits}\n  ${asked}`])
        expect(factsOf(`process a {\n  ${lines}\n  'x'\n}\nworkflow { a() }\n`)).toEqual({
          version: undefined,
          least: needs,
        });
    },
  );

  test('keeps the limits of a process from those of the same name in another script', () => {
    const others = new Map([
      ['https://data.example.org/b.nf', `process a {\n  cpus 8\n  'x'\n}\n`],
    ]);
    const text = `process a {\n  cpus 36\n  resourceLimits cpus: 2\n  'x'\n}\nworkflow { a() }\n`;
    expect(nextflow.factsOf({ url: HERE, text, others })).toMatchObject({
      facts: { least: [{ resource: 'cores', amount: 8000, step: 'a' }] },
    });
  });

  test('counts the amounts of a process whose bracket is in the next line', () => {
    const script = `process a\n{\n  cpus 4\n  script: 'x'\n}\n\nworkflow\n{\n  a()\n}\n`;
    expect(factsOf(script)).toMatchObject({ least: [{ amount: 4000, step: 'a' }] });
  });

  test.each([
    ['a text with what is computed in several lines', CONTAINER],
    ['a text within a text', 'tag "${meta ? "a}" : "b\\"${1}"} of {"'],
    ['one quote in a regular expression', String.raw`when: file =~ /\.fits"?$/`],
    ['a bracket that nothing closes in a text', 'tag "${"'],
  ])('counts the amounts of a process that stand behind %s', (_what, before) => {
    const script = `process a {\n  ${before}\n  cpus 4\n  script: 'x'\n}\nworkflow { a() }\n`;
    expect(factsOf(script)).toMatchObject({ least: [{ amount: 4000, step: 'a' }] });
  });

  test('counts only numbers, and nothing in strings, comments or outside of processes', () => {
    expect(
      factsOf(`
cpus 8
/* process a { cpus 16 } */
process b { cpus { 4 * task.attempt }
  memory params.memory
  script: "process c { cpus 32 }"
}
workflow { b() }
`),
    ).toEqual({ version: undefined, least: [] });
  });

  test('refuses a text without a workflow', () => {
    expect(factsOf('println "hello"\n')).toMatchObject({ code: 'workflow-invalid' });
  });

  test('finds what a script includes, and refuses it in the ask', () => {
    const text = `include { a; b } from './modules/more'\ninclude { c } from "../c.nf"
include { d } from './d' addParams(options: [args: '--x'])\ninclude { e } from('./e.nf')\n`;
    expect(nextflow.referencesOf(text, HERE)).toMatchObject({
      ok: true,
      references: [
        { url: 'https://data.example.org/flows/modules/more.nf', kind: 'document' },
        { url: 'https://data.example.org/c.nf', kind: 'document' },
        { url: 'https://data.example.org/flows/d.nf', kind: 'document' },
        { url: 'https://data.example.org/flows/e.nf', kind: 'document' },
      ],
    });
    expect(nextflow.referencesOf(text, undefined)).toMatchObject({
      ok: false,
      fault: { code: 'workflow-reference', asked: './modules/more' },
    });
  });

  test.each([
    ['./more', 'more.nf', 'more/main.nf'],
    ['./more/', 'more.nf', 'more/main.nf'],
    ['../parts/more.nf', '../parts/more.nf', '../parts/more.nf/main.nf'],
  ])(
    'takes what is included for a file, and for a folder where there is none: %s',
    (path, ...at) => {
      const [file = '', folder = ''] = at.map((one) => new URL(one, HERE).href);
      const included = `include { a } from '${path}'\n`;
      const found = (texts: Readonly<Record<string, string | null>>): unknown =>
        gatherKnown(nextflow, included, HERE, (url) => texts[url]);
      const whole = { ok: true, files: [], missing: [] };
      expect(found({})).toMatchObject({ missing: [file] });
      expect(found({ [file]: 'x' })).toEqual({ ...whole, documents: new Map([[file, 'x']]) });
      expect(found({ [file]: null })).toMatchObject({ missing: [folder] });
      expect(found({ [file]: null, [folder]: 'x' })).toEqual({
        ...whole,
        documents: new Map([[folder, 'x']]),
      });
      expect(found({ [file]: null, [folder]: null })).toMatchObject({ missing: [file] });
    },
  );

  test('finds the templates of processes, beside their script and beside the first one', () => {
    const text = `
process a {
  script:
  if (params.fast) { template 'fast.sh' }
  else
    template("deep/slow.py")
  // template 'none.sh'
}
process b { script: template "\${kind}.sh" }
process c { script: "template 'no.sh'" }
def d = my.template('nor.sh') + mytemplate('neither.sh')
`;
    const placed = (folder: string): readonly unknown[] =>
      ['fast.sh', 'deep/slow.py'].map((name) => ({
        url: `https://data.example.org/flows/${folder}templates/${name}`,
        kind: 'file',
      }));
    const [sub, start] = [
      new URL('sub/main.nf', HERE).href,
      { url: HERE, given: new Set<string>() },
    ];
    expect(nextflow.referencesOf(text, HERE, start)).toEqual({ ok: true, references: placed('') });
    const both = [0, 1].flatMap((at) => [placed('sub/')[at], placed('')[at]]);
    expect(nextflow.referencesOf(text, sub, start)).toEqual({ ok: true, references: both });
    expect(nextflow.referencesOf(text, undefined)).toMatchObject({
      ok: false,
      fault: { code: 'workflow-reference', asked: 'fast.sh' },
    });
  });

  test('knows the folders of the project and of the file; plug-ins and other variables are no files', () => {
    const included = [
      '${projectDir}/p',
      '$projectDir/q.nf',
      '${baseDir}/lib/r',
      '$baseDir/s',
      '${moduleDir}/t',
      '${params.parts}/u',
      './${name}',
      'plugin/nf-schema',
    ];
    const inner = included.map((path) => `include { x } from "${path}"\n`).join('');
    const texts = new Map([
      ['https://data.example.org/flows/sub/inner.nf', inner],
      ...['p', 'q', 'lib/r', 's', 'sub/t'].map(
        (path) => [`https://data.example.org/flows/${path}.nf`, ''] as const,
      ),
    ]);
    const gathered = gatherKnown(nextflow, `include { x } from './sub/inner'\n`, HERE, (url) =>
      texts.get(url),
    );
    expect(gathered).toEqual({ ok: true, documents: texts, files: [], missing: [] });
  });

  test('reads the worst text of a megabyte in no time', () => {
    for (const piece of [
      '"',
      '\\',
      "'''",
      '/*',
      '{',
      '}\n',
      'process a {',
      'cpus 1;',
      `template ''`,
      'a,\n',
      `process a {\nresourceLimits ${'memory: 1, '.repeat(99)}`,
      'disk 1, type',
    ]) {
      const text = piece.repeat(Math.floor(1_000_000 / piece.length));
      const begun = processorTime();
      nextflow.factsOf({ url: undefined, text, others: new Map() });
      nextflow.referencesOf(text, HERE);
      expect([piece, processorTime() - begun < 5000]).toEqual([piece, true]);
    }
  });

  test.each(['cpus', 'memory', 'disk'])('reads a million blanks after %s in no time', (word) => {
    const begun = processorTime();
    const line = `${word}${' '.repeat(1_000_000)}`;
    const text = `process a {\n ${line}x\n}\nprocess b {\n ${line}= 2.GB\n}\nworkflow { a() }\n`;
    const least = word === 'cpus' ? [] : [{ step: 'b' }];
    expect(factsOf(text)).toMatchObject({ least });
    expect(processorTime() - begun).toBeLessThan(10_000);
  });
});

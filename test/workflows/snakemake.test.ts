import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import { snakemake } from '../../src/workflows/snakemake/snakemake.ts';

const HERE = 'https://data.example.org/flows/mosaic/Snakefile';

function factsOf(text: string, others: Readonly<Record<string, string>> = {}): unknown {
  const beside = Object.entries(others).map(
    ([path, of]) => [new URL(path, HERE).href, of] as const,
  );
  const found = snakemake.factsOf({ url: HERE, text, others: new Map(beside) });
  return found.ok ? found.facts : found.fault;
}

function referencesOf(text: string, base: string | undefined = HERE): unknown {
  const found = snakemake.referencesOf(text, base);
  return found.ok ? found.references.map(({ url, kind }) => `${kind} ${url}`) : found.fault;
}

describe('the reader of Snakefiles', () => {
  test('finds the largest numbers of threads, memory and disc, with the rule that needs them', () => {
    expect(
      factsOf(`
rule all:
    input: "sum.fits"

rule project:
    output: "tiles/{n}.fits"
    threads: 4  # as many as a tile has parts
    resources:
        mem_mb=2000,
        disk_mb = 500
    shell: "project {wildcards.n} > {output}"

checkpoint add:
    input: expand("tiles/{n}.fits", n=range(3))
    output: "sum.fits"
    threads: 2
    resources: mem_mib=3000
    run:
        threads = 99
`),
    ).toEqual({
      version: undefined,
      least: [
        { resource: 'cores', amount: 4000, step: 'project' },
        { resource: 'memory', amount: 3000, step: 'add' },
        { resource: 'scratch', amount: 477, step: 'project' },
      ],
    });
  });

  test.each([
    ['mem="9GB"', { resource: 'memory', amount: Math.ceil(9e9 / 2 ** 20) }],
    ["mem='2.5 GiB', x='a,b'", { resource: 'memory', amount: 2560 }],
    ['disk="800 M"', { resource: 'scratch', amount: 763 }],
    ['mem_mb=9_000', { resource: 'memory', amount: 8584 }],
    ['\\\n    mem_mib=70', { resource: 'memory', amount: 70 }],
  ])('counts amounts as Snakemake writes them, too: %j', (written, need) => {
    expect(factsOf(`rule a:\n    resources: ${written}\n    shell: "x"\n`)).toEqual({
      version: undefined,
      least: [{ ...need, step: 'a' }],
    });
  });

  test.each([
    'mem_mb=lambda wc, attempt: scaled(wc, mem_mb=4000, by=attempt)',
    'tmpdir=max(1, disk_mb=5000, 2), x=3',
    'x=[1, f(2, mem_mib=70), 3]',
    'x={1: 2, 3: f(mem_mb=70, y=1)}',
    'mem_mb=lambda wc, disk_mb=900, attempt=1: 70 * attempt',
  ])('takes what is within a call or a function for no amount: %s', (written) => {
    const rule = `rule a:\n    resources: ${written}, mem_mib=9\n    shell: "x"\n`;
    expect(factsOf(rule)).toMatchObject({ least: [{ resource: 'memory', amount: 9, step: 'a' }] });
  });

  const other = {
    'other.smk': `
rule small:
    threads: 2
rule large:
    threads: 64
    resources: mem_mib=9000
include: "inner.smk"
`,
    'inner.smk': 'rule within:\n    threads: 32\n',
  };
  const module = 'module other:\n    snakefile: "other.smk"\nrule own:\n    threads: 1\n';
  const [all, memory] = [
    { resource: 'cores', amount: 64_000, step: 'o_large' },
    { resource: 'memory', amount: 9000, step: 'o_large' },
  ];
  const cores = (amount: number, step: string): unknown => ({ resource: 'cores', amount, step });
  test.each([
    ['none', '', [cores(1000, 'own')]],
    ['one', 'use rule small from other\n', [cores(2000, 'small')]],
    ['all', 'use rule * from other as o_*\n', [all, memory]],
    ['all but one', 'use rule * from other exclude large as o_*\n', [cores(32_000, 'o_within')]],
    ['two', 'use rule small, within from other as o_*\n', [cores(32_000, 'o_within')]],
    [
      'one with other threads',
      'use rule large from other as big with:\n    threads: 4\n    input: "a"\n',
      [cores(4000, 'big'), { ...memory, step: 'big' }],
    ],
    [
      'one with threads that are computed',
      'use rule large from other with:\n    threads: workflow.cores\n',
      [cores(1000, 'own'), { ...memory, step: 'large' }],
    ],
    [
      'all, and one of them with other amounts afterwards',
      `use rule * from other exclude within as o_*
use rule large from other as o_large with:
    threads: 3
    resources: mem_mib=100
`,
      [cores(3000, 'o_large'), { ...memory, amount: 100 }],
    ],
    [
      'one of the same Snakefile',
      'use rule own as again with:\n    threads: 8\n',
      [cores(8000, 'again')],
    ],
    ['one of a module that is not there', 'use rule large from none\n', [cores(1000, 'own')]],
    [
      'one of a module that a condition chooses',
      'if x:\n    module other:\n        snakefile: "inner.smk"\nuse rule large from other\n',
      [cores(1000, 'own')],
    ],
  ])('counts the rules that it takes of a module: %s', (_what, use, least) => {
    expect(factsOf(`${module}${use}`, other)).toEqual({ version: undefined, least });
  });

  test('counts what a file says where it is included, and modules of modules', () => {
    const uses = {
      ...other,
      'uses.smk': 'module other:\n    snakefile: "other.smk"\nuse rule * from other as o_*\n',
    };
    const afterwards = 'use rule large from other as o_large with:\n    threads: 3\n';
    expect(factsOf(`include: "uses.smk"\n${afterwards}`, uses)).toMatchObject({
      least: [cores(32_000, 'o_within'), memory],
    });
    const nested = 'module m:\n    snakefile: "uses.smk"\nuse rule o_small from m as a_*\n';
    expect(factsOf(nested, uses)).toMatchObject({ least: [cores(2000, 'a_o_small')] });
  });

  test('takes few rules of modules that double them, and none of one that takes its own', () => {
    const doubled = (to: string): string =>
      `module m:\n    snakefile: "${to}"\nuse rule * from m as a_*\nuse rule * from m as b_*\n`;
    const chain = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at}.smk`, doubled(`${at + 1}.smk`)]),
    );
    const ended = { ...chain, '60.smk': 'rule a:\n    threads: 2\n' };
    expect(factsOf(`rule own:\n    threads: 1\n${doubled('0.smk')}`, ended)).toMatchObject({
      least: [cores(1000, 'own')],
    });
    const self =
      'module m:\n    snakefile: "Snakefile"\nuse rule * from m\nrule a:\n    threads: 2\n';
    expect(factsOf(self)).toMatchObject({ least: [cores(2000, 'a')] });
  });

  test('counts only numbers, and nothing in strings, comments or outside of rules', () => {
    expect(
      factsOf(`
"""
rule of_thumb:
    threads: 64
"""
threads: 7
# rule c:
#     threads: 8
rule a:
    output: 'it''s "#".txt'
    threads: workflow.cores * 0.5
    resources: mem_mb=lambda wildcards: 4000, disk_mb="7", mem_mib=min(1, 2000)
    shell: """
        threads: 9
        """
`),
    ).toEqual({ version: undefined, least: [] });
  });

  test('knows the version that the Snakefile wants, and which versions have it', () => {
    expect(factsOf('min_version("7.20")\nrule a:\n    shell: "true"\n')).toMatchObject({
      version: '7.20',
    });
    for (const most of ['7.20', '7.21', '7', '8', '8.1.2'])
      expect([most, snakemake.isCovered('7.20', most)]).toEqual([most, true]);
    for (const most of ['7.19.9', '6', '7.2'])
      expect([most, snakemake.isCovered('7.20', most)]).toEqual([most, false]);
  });

  test.each([
    ['min_version( "8.1" )\n', '8.1'],
    ['snakemake.utils.min_version("8.1")\n', '8.1'],
    ['min_version("7.20")\nmin_version("8")\n', '8'],
    ['min_version("7.20")\nmin_version("7")\n', '7.20'],
    ['min_version("7.9")\ninclude: "new.smk"\n', '7.21.1'],
    ['my_min_version("8.1")\n', undefined],
  ])('knows the newest version that is wanted, however it is said: %j', (text, version) => {
    const others = { 'new.smk': 'min_version("7.21.1")\nrule b:\n    shell: "true"\n' };
    const wanted = factsOf(
      `${text}rule a:\n    shell: "true"\n`,
      text.includes('include') ? others : {},
    );
    expect(wanted).toEqual({ version, least: [] });
  });

  test('refuses a text without rules', () => {
    expect(factsOf('print("hello")\n')).toMatchObject({ code: 'workflow-invalid' });
    expect(factsOf('<html><body>404</body></html>')).toMatchObject({ code: 'workflow-invalid' });
    expect(factsOf('include: "rules.smk"\n')).toEqual({ version: undefined, least: [] });
  });

  test('finds the files beside a Snakefile, and leaves what is computed', () => {
    expect(
      referencesOf(`
include: "rules/add.smk"
include: f"rules/{name}.smk"
configfile: "config.yaml"
rule plot:
    script:
        "../scripts/plot.py"
    conda: "../envs/plot.yaml"
rule more:
    script: "scripts/{name}.py"
    conda: "an-environment"
`),
    ).toEqual([
      'document https://data.example.org/flows/mosaic/rules/add.smk',
      'file https://data.example.org/flows/scripts/plot.py',
      'file https://data.example.org/flows/envs/plot.yaml',
    ]);
  });

  test('finds the Snakefile of a module beside it', () => {
    const module = 'module other:\n    snakefile: "other/Snakefile"\nuse rule * from other\n';
    expect(referencesOf(module)).toEqual([
      'document https://data.example.org/flows/mosaic/other/Snakefile',
    ]);
  });

  test('finds the schemas of its inputs and the sources that it names, as they are written', () => {
    const text = `
validate(config, schema="../schemas/config.schema.yaml")
samples = read(config["samples"], "a").set_index(["x", "y"], drop=False)
validate(
    samples[["x"]],
    "samples.json",  # beside it
)
validate(config, SCHEMA)
validate(config, f"{name}.yaml")
validate("mine.yaml", "strict")
schema.validate(config, "none.yaml")
rule a:
    params:
        plot=workflow.source_path("scripts/plot.R")
    shell: "Rscript {params.plot}"
`;
    expect(referencesOf(text)).toEqual([
      'file https://data.example.org/flows/schemas/config.schema.yaml',
      'file https://data.example.org/flows/mosaic/samples.json',
      'file https://data.example.org/flows/mosaic/scripts/plot.R',
    ]);
    const inAsk = snakemake.referencesOf('validate(config, "a.yaml")\n', undefined);
    expect(inAsk).toMatchObject({
      ok: false,
      fault: { code: 'workflow-reference', asked: 'a.yaml' },
    });
    expect(snakemake.referencesOf('validate(table, "strict")\n', undefined)).toMatchObject({
      ok: true,
    });
  });

  const FOLDER = 'https://data.example.org/flows/mosaic/';
  const SCHEMA = 'http://schema.databio.org/pep/2.0.0.yaml';
  const remote = 'from snakemake.remote.HTTP import RemoteProvider\nHTTP = RemoteProvider()\n';
  test.each([
    ['module m:\n    snakefile: "https://elsewhere.org/S"\n', 'https://elsewhere.org/S'],
    ['module m:\n    snakefile:\n        github("o/r", path="S", tag="v1")\n', 'o/r'],
    ['include: gitlab("o/r", path="S", tag="v1")\n', 'o/r'],
    ['include: "https://data.example.org/flows/mosaic/more.smk"\n', `${FOLDER}more.smk`],
    ['rule a:\n    script: "https://data.example.org/flows/mosaic/a.py"\n', `${FOLDER}a.py`],
    ['rule a:\n    wrapper: "v1/bio/sort"\n', 'v1/bio/sort'],
    ['module m:\n    meta_wrapper: "v1/meta/bio/bwa"\n', 'v1/meta/bio/bwa'],
    ['rule a:\n    cwl:\n        "https://e.org/sort.cwl"\n', 'https://e.org/sort.cwl'],
    ['rule a:\n    conda: "https://e.org/env.yaml"\n', 'https://e.org/env.yaml'],
    ['configfile: "https://e.org/config.yaml"\n', 'https://e.org/config.yaml'],
    ['pepfile: "https://e.org/pep.yaml"\n', 'https://e.org/pep.yaml'],
    ['pepschema: "http://schema.databio.org/pep/2.0.0.yaml"\n', SCHEMA],
    ['rule a:\n    input: HTTP.remote("https://e.org/a", keep_local=True)\n', 'https://e.org/a'],
    ['rule a:\n    input:\n        FTP.remote(\n            "ftp://e.org/a")\n', 'ftp://e.org/a'],
    [`${remote}rule a:\n    input: HTTP.remote("e.org/a")\n`, 'e.org/a'],
    ['try:\n    pass\nelse:\n    rule a:\n        wrapper: "v1/x"\n', 'v1/x'],
    ['validate(config, "https://e.org/s.yaml")\nrule a:\n', 'https://e.org/s.yaml'],
    ['rule a:\n    input: storage.http("https://e.org/a")\n', 'https://e.org/a'],
  ])('refuses what Snakemake would download: %j', (text, asked) => {
    expect(referencesOf(text)).toMatchObject({ code: 'workflow-reference', asked });
  });

  test('takes no word of a string, a comment or a program for a download', () => {
    const text = `
# wrapper: "v1/x"; HTTP.remote("https://e.org/a")
wrapper: str = "v1"
meta_wrapper: str = "v1"
configfile: "config.yaml"
include: str = "https://e.org/a"
rule a:
    shell: '''
        wrapper: "v1/x"
        HTTP.remote("https://e.org/a")
        '''
rule b:
    params: url="https://e.org/a"
    run:
        wrapper: str = "v1"
        square.remote(2)
found = storage.get("db:main")
r = ray.remote(f)
print("Result: done")
x = a.remote()
print("https://e.org/a")
`;
    expect(referencesOf(text)).toEqual([]);
  });

  test('refuses a Snakefile in the ask that names a file beside it', () => {
    const found = snakemake.referencesOf('include: "rules/add.smk"\n', undefined);
    expect(found).toMatchObject({
      ok: false,
      fault: { code: 'workflow-reference', asked: 'rules/add.smk' },
    });
  });

  test('reads the worst text of a megabyte in no time', () => {
    const worst = [
      '"',
      '\\',
      "'''",
      `validate(x, ''`,
      'rule a:\n threads: 1\n',
      '\t',
      'resources: a=1,\n',
      '#\n',
      '\\\n',
      'rule a:\n resources: mem="1 GB"\n',
      '.remote ',
      'storage.',
      'use rule a from b as c_*\n',
      'module a:\n snakefile: "b"\nuse rule * from a\n',
      'use rule ',
    ];
    for (const piece of worst) {
      const text = piece.repeat(Math.floor(1_000_000 / piece.length));
      const begun = processorTime();
      snakemake.factsOf({ url: undefined, text, others: new Map() });
      snakemake.referencesOf(text, HERE);
      expect([piece, processorTime() - begun < 5000]).toEqual([piece, true]);
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import { snakemake } from '../../src/workflows/snakemake/snakemake.ts';

const HERE = 'https://data.example.org/flows/mosaic/Snakefile';

function factsOf(text: string): unknown {
  const found = snakemake.factsOf({ url: undefined, text, others: new Map() });
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
rule more:
    script: "scripts/{name}.py"
include: "https://elsewhere.example.org/more.smk"
`),
    ).toEqual([
      'document https://data.example.org/flows/mosaic/rules/add.smk',
      'file https://data.example.org/flows/scripts/plot.py',
      'document https://elsewhere.example.org/more.smk',
    ]);
  });

  test('finds the Snakefile of a module beside it', () => {
    const module = 'module other:\n    snakefile: "other/Snakefile"\nuse rule * from other\n';
    expect(referencesOf(module)).toEqual([
      'document https://data.example.org/flows/mosaic/other/Snakefile',
    ]);
  });

  const remote = 'from snakemake.remote.HTTP import RemoteProvider\nHTTP = RemoteProvider()\n';
  test.each([
    ['module m:\n    snakefile: "https://elsewhere.org/S"\n', 'https://elsewhere.org/S'],
    ['module m:\n    snakefile:\n        github("o/r", path="S", tag="v1")\n', 'o/r'],
    ['include: gitlab("o/r", path="S", tag="v1")\n', 'o/r'],
    ['rule a:\n    wrapper: "v1/bio/sort"\n', 'v1/bio/sort'],
    ['rule a:\n    input: HTTP.remote("https://e.org/a", keep_local=True)\n', 'https://e.org/a'],
    ['rule a:\n    input:\n        FTP.remote(\n            "ftp://e.org/a")\n', 'ftp://e.org/a'],
    [`${remote}rule a:\n    input: HTTP.remote("e.org/a")\n`, 'e.org/a'],
    ['try:\n    pass\nelse:\n    rule a:\n        wrapper: "v1/x"\n', 'v1/x'],
    ['rule a:\n    input: storage.http("https://e.org/a")\n', 'https://e.org/a'],
  ])('refuses what Snakemake would download: %j', (text, asked) => {
    expect(referencesOf(text)).toMatchObject({ code: 'workflow-reference', asked });
  });

  test('takes no word of a string, a comment or a program for a download', () => {
    const text = `
# wrapper: "v1/x"; HTTP.remote("https://e.org/a")
wrapper: str = "v1"
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
      'rule a:\n threads: 1\n',
      '\t',
      'resources: a=1,\n',
      '#\n',
      '.remote ',
      'storage.',
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

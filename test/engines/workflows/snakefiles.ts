/** Squares of the numbers up to `most`, and their sum by a script beside the Snakefile. */
export const SUM = `
include: "rules/square.smk"

rule all:
    input: "total.txt"
    default_target: True

rule add:
    input: expand("squares/{n}.txt", n=range(config["most"] + 1))
    output: "total.txt"
    script: "scripts/add.py"
`;

/** What the Snakefile refers to, by its path. */
export const BESIDE = {
  '/flows/sum/rules/square.smk': `
rule square:
    output: "squares/{n}.txt"
    threads: 2
    resources: mem_mb=300
    conda: "../envs/shell.yaml"
    shell: "echo $(( {wildcards.n} * {wildcards.n} )) > {output}"
`,
  '/flows/sum/envs/shell.yaml': 'dependencies: [bash]\n',
  '/flows/sum/scripts/add.py': `
numbers = [int(open(name).read()) for name in snakemake.input]
with open(snakemake.output[0], "w") as out:
    print(sum(numbers), file=out)
`,
};

export const FAILING = `
rule all:
    input: "end.txt"

rule begin:
    output: "begin.txt"
    shell: "echo begun > {output}"

rule go_on:
    input: "begin.txt"
    output: "end.txt"
    shell: "echo this cannot be >&2; exit 3"
`;

export const EMPTY_HANDED = `
rule all:
    input: "end.txt"

rule forget:
    output: "end.txt"
    shell: "true"
`;

export const CYCLE = `
rule hen:
    input: "egg"
    output: "hen"
    shell: "cp egg hen"

rule egg:
    input: "hen"
    output: "egg"
    shell: "cp hen egg"
`;

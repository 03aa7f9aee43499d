function toolOf(baseCommand: readonly string[], type: string, out: string) {
  return {
    class: 'CommandLineTool',
    baseCommand,
    inputs: { words: { type, inputBinding: { position: 1 } } },
    outputs: { out: 'stdout' },
    stdout: out,
  };
}

/** A workflow in CWL that sorts its input. */
export const IN_CWL = {
  cwlVersion: 'v1.2',
  class: 'Workflow',
  inputs: { words: 'string[]' },
  outputs: { sorted: { type: 'File', outputSource: 'sort/out' } },
  steps: {
    print: {
      run: toolOf(['printf', '%s\\n'], 'string[]', 'printed.txt'),
      in: { words: 'words' },
      out: ['out'],
    },
    sort: { run: toolOf(['sort'], 'File', 'sorted.txt'), in: { words: 'print/out' }, out: ['out'] },
  },
};

/** The same for Snakemake. */
export const IN_SNAKEMAKE = `
rule sort:
    input: "printed.txt"
    output: "sorted.txt"
    shell: "sort {input} > {output}"

rule print:
    output: "printed.txt"
    params: words=config["words"]
    shell: "printf '%s\\\\n' {params.words} > {output}"
`;

/** The same for Nextflow. */
export const IN_NEXTFLOW = `
process spell {
  input: val words
  output: path 'printed.txt'
  script: "printf '%s\\\\n' \${words.join(' ')} > printed.txt"
}

process arrange {
  publishDir '.'
  input: path printed
  output: path 'sorted.txt'
  script: "sort $printed > sorted.txt"
}

workflow { Channel.value(params.words) | spell | arrange }
`;

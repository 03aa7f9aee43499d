import type { WorkflowType } from '../../workflows/languages.ts';
import type { TaskForm } from '../task.ts';

/** How a workflow is asked for. */
export function workflowForm(type: WorkflowType): TaskForm {
  const { title, example } = OF_TYPES[type];
  return {
    title,
    schema: {
      type: 'object',
      required: ['workflow'],
      properties: {
        workflow: {
          title: 'Workflow',
          description: 'Its URL, or the document itself: a mapping, or a text of several lines',
          anyOf: [{ type: 'string', maxLength: 1_000_000 }, { type: 'object' }],
        },
        inputs: {
          type: 'object',
          title: 'Inputs',
          description: 'Values; a file is { class: File, location: URL }',
        },
        provenance: {
          type: 'boolean',
          default: false,
          title: 'Provenance',
          description: 'true: what it did and with what is a result',
        },
      },
      additionalProperties: false,
    },
    example: () => example,
  };
}

const OF_TYPES: Readonly<
  Record<WorkflowType, { readonly title: string; readonly example: object }>
> = {
  'nextflow-workflow': {
    title: 'Nextflow workflow',
    example: {
      workflow: `process square {
    publishDir '.'
    input: val n
    output: path '*.txt'
    script: "echo \\$(( $n * $n )) > square-\${n}.txt"
}

workflow { Channel.of(1..params.most) | square }
`,
      inputs: { most: 3 },
    },
  },
  'snakemake-workflow': {
    title: 'Snakemake workflow',
    example: {
      workflow: `rule all:
    input: "total.txt"

rule square:
    output: "squares/{n}.txt"
    shell: "echo $(( {wildcards.n} * {wildcards.n} )) > {output}"

rule add:
    input: expand("squares/{n}.txt", n=range(config["most"] + 1))
    output: "total.txt"
    shell: "awk '{{ sum += $1 }} END {{ print sum }}' {input} > {output}"
`,
      inputs: { most: 10 },
    },
  },
  'cwl-workflow': {
    title: 'CWL workflow',
    example: {
      workflow: {
        cwlVersion: 'v1.2',
        class: 'Workflow',
        inputs: { words: 'string[]' },
        outputs: { sorted: { type: 'File', outputSource: 'sort/sorted' } },
        steps: {
          print: {
            run: {
              class: 'CommandLineTool',
              baseCommand: ['printf', '%s\\n'],
              inputs: { words: { type: 'string[]', inputBinding: { position: 1 } } },
              outputs: { printed: 'stdout' },
              stdout: 'printed.txt',
            },
            in: { words: 'words' },
            out: ['printed'],
          },
          sort: {
            run: {
              class: 'CommandLineTool',
              baseCommand: 'sort',
              inputs: { words: { type: 'File', inputBinding: { position: 1 } } },
              outputs: { sorted: 'stdout' },
              stdout: 'sorted.txt',
            },
            in: { words: 'print/printed' },
            out: ['sorted'],
          },
        },
      },
      inputs: { words: ['Vega', 'Altair', 'Deneb'] },
    },
  },
};

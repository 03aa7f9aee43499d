/** Three steps over small texts: join, sort, cut. */
export const MOSAIC = `cwlVersion: v1.2
class: Workflow
requirements: { StepInputExpressionRequirement: {} }
inputs: { parts: 'File[]', most: int }
outputs: { mosaic: { type: File, outputSource: cut/cut } }
steps:
  join: { run: tools/join.cwl, in: { parts: parts }, out: [joined] }
  sort: { run: tools/sort.cwl, in: { file: join/joined }, out: [sorted] }
  cut: { run: ../tools/cut.cwl, in: { file: sort/sorted, most: most }, out: [cut] }
`;

/** The same workflow whose second step ends with an error. */
export const FAILING = MOSAIC.replace('tools/sort.cwl', 'tools/sort-failing.cwl');

/** The tools of these workflows, beside them and elsewhere on their host. */
export const TOOLS: Readonly<Record<string, string>> = {
  '/mosaic/tools/join.cwl': `cwlVersion: v1.2
class: CommandLineTool
baseCommand: cat
inputs: { parts: { type: 'File[]', inputBinding: { position: 1 } } }
outputs: { joined: stdout }
stdout: joined.txt
`,
  '/mosaic/tools/sort.cwl': sort('sort'),
  '/mosaic/tools/sort-failing.cwl': sort('[sort, --no-such-option]'),
  '/tools/cut.cwl': `cwlVersion: v1.2
class: CommandLineTool
baseCommand: head
inputs:
  most: { type: int, inputBinding: { position: 1, prefix: -n } }
  file: { type: File, inputBinding: { position: 2 } }
outputs: { cut: stdout }
stdout: mosaic.txt
`,
};

function sort(command: string): string {
  return `cwlVersion: v1.2
class: CommandLineTool
baseCommand: ${command}
inputs: { file: { type: File, inputBinding: { position: 1 } } }
outputs: { sorted: stdout }
stdout: sorted.txt
`;
}

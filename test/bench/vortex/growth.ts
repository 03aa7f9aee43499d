import type { JobDescription, RuleSource } from '../../../src/vortex/index.ts';

/** Destinations that take the jobs, at any size of the site. */
const WILLING = 10;

/**
 * Rules of a made-up site: ten destinations take the jobs, every second other is a pool that a job
 * must request by a tag, and the rest are too small. Its tools have keys as real ones have.
 */
export function growingSite(destinations: number, tools: number): RuleSource {
  const lines = [
    'global:',
    '  default_inherits: default',
    'tools:',
    '  default:',
    '    abstract: true',
    '    cores: 2',
    '    mem: cores * 3.8',
    '    params: { native: "--cpus {cores} --mem {round(mem * 1024)}" }',
    '    scheduling: { prefer: [general] }',
    '    rules:',
    '      - id: large',
    '        if: input_size > 10',
    '        cores: 8',
  ];
  for (let tool = 0; tool < tools; tool += 1) {
    lines.push(
      `  ${keyOf(tool)}/.*:`,
      `    mem: ${4 + (tool % 60)}`,
      '    env: { JAVA: "-Xmx{int(mem)}G" }',
    );
  }
  lines.push(
    'destinations:',
    '  default:',
    '    abstract: true',
    '    runner: slurm',
    '    env: { HOME: /scratch }',
  );
  for (let number = 0; number < destinations; number += 1) {
    lines.push(`  place_${number}:`, `    params: { partition: p${number} }`);
    if (number < WILLING)
      lines.push('    max_accepted_cores: 64', '    scheduling: { accept: [general] }');
    else if (number % 2 === 0)
      lines.push('    max_accepted_cores: 64', `    scheduling: { require: [pool_${number}] }`);
    else lines.push('    max_accepted_cores: 1', '    scheduling: { accept: [general] }');
  }
  return { name: 'growing.yml', text: `${lines.join('\n')}\n` };
}

/** A hundred jobs of that site with tools from its whole list. */
export function growingJobs(tools: number): readonly JobDescription[] {
  return Array.from({ length: 100 }, (_, index) => ({
    tool: {
      id: `${keyOf(Math.floor((index * tools) / 100))}/1.0`,
      version: '1.0',
      requirements: [],
    },
    user: { email: `user${index % 7}@example.org`, username: `user${index % 7}`, id: index % 7 },
    roles: [],
    inputs: [{ name: 'input', sizeBytes: (index % 5) * 5 * 1024 ** 3 }],
  }));
}

function keyOf(tool: number): string {
  return `toolshed.example.org/repos/owner${tool % 97}/suite_${tool}/tool_${tool}`;
}

import type { JobDescription } from '../../../src/vortex/index.ts';

const TOOLS = [
  'toolshed.g2.bx.psu.edu/repos/devteam/fastqc/fastqc/0.74+galaxy0',
  'toolshed.g2.bx.psu.edu/repos/iuc/hisat2/hisat2/2.2.1+galaxy1',
  'toolshed.g2.bx.psu.edu/repos/iuc/bwa_mem2/bwa_mem2/2.2.1+galaxy1',
  'toolshed.g2.bx.psu.edu/repos/iuc/trinity/trinity/2.15.1+galaxy1',
  'toolshed.g2.bx.psu.edu/repos/iuc/quast/quast/5.2.0+galaxy1',
  'toolshed.g2.bx.psu.edu/repos/devteam/freebayes/freebayes/1.3.6+galaxy0',
  'toolshed.g2.bx.psu.edu/repos/iuc/fastp/fastp/0.23.4+galaxy1',
  'upload1',
  'Cut1',
  'unknown_tool',
] as const;

const PEOPLE = [
  { user: null, roles: [] },
  { user: { email: 'alice@example.org', username: 'alice', id: 7 }, roles: [] },
  {
    user: { email: 'bob@example.org', username: 'bob', id: 8 },
    roles: [{ name: 'rstudio-poweruser' }],
  },
] as const;

/** GB. */
const SIZES = [0.02, 0.6, 4, 25, 120] as const;

/** The jobs that both engines map: 10 tools, 3 users, 5 sizes of input. */
export const JOBS: readonly JobDescription[] = TOOLS.flatMap((id) =>
  PEOPLE.flatMap(({ user, roles }) =>
    SIZES.map((size) => ({
      tool: { id, version: id.split('/').at(-1) ?? null, requirements: [] },
      user,
      roles,
      inputs: [{ name: 'input1', sizeBytes: Math.round(size * 1024 ** 3), extension: 'txt' }],
      id: 4242,
    })),
  ),
);

/** This many jobs, each with its own tool version, user and size. */
export function differentJobs(count: number): readonly JobDescription[] {
  return Array.from({ length: count }, (_, index) => {
    const id = TOOLS[index % TOOLS.length] ?? 'unknown_tool';
    const version = `${1 + (index % 9)}.${index}`;
    return {
      tool: {
        id: id.includes('/') ? `${id.slice(0, id.lastIndexOf('/'))}/${version}` : id,
        version,
        requirements: [],
      },
      user:
        index % 5 === 0
          ? null
          : { email: `user${index}@example.org`, username: `user${index}`, id: index },
      roles: [],
      inputs: [
        { name: 'input1', sizeBytes: (index * 7_919) % (120 * 1024 ** 3), extension: 'txt' },
      ],
      id: index,
    };
  });
}

import type { Sandbox } from '../../sandbox/sandbox.ts';
import { move } from '../../vortex/tools/diff.ts';
import { parseJob, ShapeError } from '../../vortex/index.ts';
import type { Decision, JobDescription } from '../../vortex/index.ts';
import { withRules } from './loaded.ts';
import { readSources, readSourceText } from '../terminal.ts';
import type { RulesCommand, Terminal } from '../terminal.ts';
import { Misused, readWords } from '../words.ts';

/** A recorded job and its line in the file of jobs. */
type Recorded = { readonly line: number; readonly job: JobDescription };

/**
 * `planner diff OLD NEW --jobs JOBS`: prints which recorded jobs go elsewhere under changed rules.
 * OLD and NEW are rule files, several separated by commas; JOBS has one job description per line,
 * in JSON. Random numbers and the clock are the same for both.
 * @returns 0 if all jobs stay, 1 if any moves
 */
export const diff: RulesCommand = async (words, terminal) => {
  const { values, files } = readWords(words, { jobs: { type: 'string' } } as const);
  const [before, after, ...more] = files;
  if (before === undefined || after === undefined || more.length > 0)
    throw new Misused('give the old rules and the new rules');
  if (values.jobs === undefined) throw new Misused('say which jobs with --jobs');
  const jobs = readJobs(await readSourceText(terminal, values.jobs), values.jobs);
  const [old, fresh] = await Promise.all(
    [before, after].map((list) => readSources(terminal, list.split(','))),
  );
  const now = Date.now();
  return withRules(old ?? [], terminal, (from) =>
    withRules(fresh ?? [], terminal, (to) => compare(jobs, from, to, now, terminal)),
  );
};

/** @throws Misused with the line that is not a job */
function readJobs(text: string, file: string): readonly Recorded[] {
  return text.split('\n').flatMap((content, index) => {
    if (content.trim() === '') return [];
    try {
      return [{ line: index + 1, job: parseJob(JSON.parse(content)) }];
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof ShapeError)) throw error;
      throw new Misused(`${file}:${index + 1}: not the description of a job: ${error.message}`);
    }
  });
}

async function compare(
  jobs: readonly Recorded[],
  from: Sandbox,
  to: Sandbox,
  now: number,
  { out }: Terminal,
): Promise<number> {
  let moved = 0;
  for (const { line, job } of jobs) {
    const [before, after] = await Promise.all(
      [from, to].map((sandbox) => decide(sandbox, job, now)),
    );
    const change = before === undefined || after === undefined ? undefined : move(before, after);
    if (change === undefined) continue;
    moved += 1;
    out(`${line}: ${job.tool.id}${job.user === null ? '' : ` of ${job.user.email}`}: ${change}\n`);
  }
  out(`${moved} of ${jobs.length} jobs would go elsewhere\n`);
  return moved === 0 ? 0 : 1;
}

/** The decision about a job; a rule that the sandbox stops counts as an error of the rules. */
async function decide(sandbox: Sandbox, job: JobDescription, now: number): Promise<Decision> {
  const decision = await sandbox.map(job, { seed: 1, now });
  if (decision.kind !== 'sandbox') return decision;
  return {
    kind: 'error',
    className: decision.code,
    message: decision.message,
    place: null,
    trace: [],
  };
}

import { createHash, randomInt } from 'node:crypto';
// Not by way of the engine's index: the engine runs in the child, and loading it here as well would take 0.2 s.
import { parseConsideration, parseDecision } from '../vortex/decision-parse.ts';
import { parseJob } from '../vortex/job-parse.ts';
import { ShapeError } from '../vortex/shape.ts';
import type { JobDescription, RuleSource } from '../vortex/index.ts';
import { parseLoadAnswer } from './load-answer.ts';
import type { Limits } from './messages.ts';
import { childProgram } from './program.ts';
import { Queue } from './queue.ts';
import type { Answer } from './queue.ts';
import type { Circumstances, LoadReport, Sandbox, SandboxFailure, SandboxOptions } from './sandbox.ts';

/** Open a sandbox: one child process, started now, and again whenever it dies. */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  const limits: Limits = {
    memoryMb: options.memoryMb ?? 64,
    decisionMs: options.decisionMs ?? 200,
    loadMs: options.loadMs ?? 10_000,
  };
  const queue = new Queue(childProgram(), options.jitless ?? true, limits);
  let digest: string | null = null;

  async function load(sources: readonly RuleSource[]): Promise<LoadReport> {
    const fresh = digestOf(sources);
    const request = JSON.stringify({ digest: fresh, sources });
    const answer = await queue.ask({ kind: 'load', request });
    if (answer.kind === 'sandbox') return { kind: 'failed', failure: answer, keeping: digest };
    const report = answered(answer, parseLoadAnswer);
    if ('kind' in report) return { kind: 'failed', failure: report, keeping: digest };
    if (!report.ok) return { kind: 'refused', problems: report.problems, keeping: digest };
    digest = fresh;
    queue.keep(request);
    return { kind: 'loaded', rules: report.rules, warnings: report.warnings, milliseconds: answer.milliseconds };
  }

  async function decide<T>(
    question: 'consider' | 'map',
    job: JobDescription,
    parse: (value: unknown) => T,
    circumstances?: Circumstances,
  ): Promise<T | SandboxFailure> {
    const { seed, now } = circumstances ?? { seed: randomInt(2 ** 32), now: Date.now() };
    const checked = parsed('bad-job', () => parseJob(job));
    if ('kind' in checked) return checked;
    const about = JSON.stringify({ question, seed, now });
    const answer = await queue.ask({ kind: 'decide', about, job: JSON.stringify(checked) });
    return answer.kind === 'sandbox' ? answer : answered(answer, parse);
  }

  return {
    load,
    consider: (job, circumstances) => decide('consider', job, parseConsideration, circumstances),
    map: (job, circumstances) => decide('map', job, parseDecision, circumstances),
    close: () => queue.close(),
    stats: () => ({ ...queue.stats(), digest }),
  };
}

/** SHA-256 over names and texts in order: what a decision can be replayed from. */
export function digestOf(sources: readonly RuleSource[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of sources) hash.update(JSON.stringify([name, text]));
  return hash.digest('hex');
}

function answered<T>({ answer }: Answer, parse: (value: unknown) => T): T | SandboxFailure {
  return parsed('engine-error', () => parse(JSON.parse(answer)));
}

/** What `parse` gives, or a failure of the code given when it cannot read its input. */
function parsed<T>(code: SandboxFailure['code'], parse: () => T): T | SandboxFailure {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ShapeError) && !(error instanceof SyntaxError)) throw error;
    return { kind: 'sandbox', code, message: error.message };
  }
}

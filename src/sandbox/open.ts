import { createHash, randomInt } from 'node:crypto';
// Not through the engine's index: the engine runs in the child, and loading it here too would take
// 0.2 s.
import { Admissions } from '../vortex/decide/admission.ts';
import { parseConsideration, parseDecision, parseWeighing } from '../vortex/decision-parse.ts';
import { parseJob } from '../vortex/job-parse.ts';
import { list, object, oneOf, ShapeError, tagged, stringShape } from '../vortex/shape.ts';
import type { Shape } from '../vortex/shape.ts';
import type { TranscriptLine } from '../python/transcript.ts';
import type { HttpAnswer, HttpRequest } from '../python/modules/requests/exchange.ts';
import type {
  Consideration,
  Decision,
  JobDescription,
  RuleSource,
  Weighing,
} from '../vortex/index.ts';
import { MOST_REQUESTS } from './exchange.ts';
import { httpRequest } from './http-shapes.ts';
import { parseLoadAnswer } from './load-answer.ts';
import type { SandboxLimits } from './messages.ts';
import { childProgram } from './program.ts';
import { DecisionQueue } from './queue.ts';
import type { SandboxAnswer } from './queue.ts';
import type {
  Circumstances,
  LoadReport,
  RulesInForce,
  Sandbox,
  SandboxFailure,
  SandboxOptions,
  Told,
} from './sandbox.ts';
import { openTally } from './tally.ts';

type Question<T> = {
  readonly name: 'consider' | 'map' | 'weigh';
  readonly explain: boolean;
  readonly parse: (value: unknown) => T;
};
const said: Shape<TranscriptLine> = tagged('kind', {
  printed: object({ to: oneOf('out', 'err'), text: stringShape }),
  logged: object({ level: stringShape, logger: stringShape, text: stringShape }),
});
const CONSIDER: Question<Consideration> = {
  name: 'consider',
  explain: true,
  parse: parseConsideration,
};
const WEIGH: Question<Weighing> = { name: 'weigh', explain: true, parse: parseWeighing };
const MAP: Question<Decision> = { name: 'map', explain: true, parse: parseDecision };
const MAP_UNTOLD: Question<Decision> = { ...MAP, explain: false };

/** Opens a sandbox: one child process, started now, and again whenever it dies. */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  const limits: SandboxLimits = {
    memoryMb: options.memoryMb ?? 64,
    decisionMs: options.decisionMs ?? 200,
    loadMs: options.loadMs ?? 10_000,
    spare: options.spare ?? false,
  };
  const queue = new DecisionQueue(childProgram(), options.jitless ?? true, limits);
  const tally = openTally();
  let rules: RulesInForce | undefined;
  let [countsJobs, readsCosts] = [false, false];

  async function load(sources: readonly RuleSource[]): Promise<LoadReport> {
    const fresh = digestOf(sources);
    const request = JSON.stringify({ digest: fresh, sources });
    const answer = await queue.ask({ kind: 'load', request });
    const keeping = rules?.digest ?? null;
    if (answer.kind === 'sandbox') return { kind: 'failed', failure: answer, keeping };
    const report = answered(answer, parseLoadAnswer);
    if ('kind' in report) return { kind: 'failed', failure: report, keeping };
    if (!report.ok) return { kind: 'refused', problems: report.problems, keeping };
    rules = { digest: fresh, admissions: new Admissions(report.admissions, sources) };
    ({ countsJobs, readsCosts } = report.rules);
    queue.keep(request);
    return {
      kind: 'loaded',
      rules: report.rules,
      warnings: report.warnings,
      milliseconds: answer.milliseconds,
    };
  }

  async function decide<T extends Consideration | Decision | Weighing>(
    question: Question<T>,
    job: JobDescription,
    circumstances?: Circumstances,
  ): Promise<Told<T> | SandboxFailure> {
    const decided = await ask(question, job, circumstances);
    tally.count(decided);
    return decided;
  }

  async function ask<T extends Consideration | Decision | Weighing>(
    { name, explain, parse }: Question<T>,
    job: JobDescription,
    circumstances: Circumstances = { seed: randomInt(2 ** 32), now: Date.now() },
  ): Promise<Told<T> | SandboxFailure> {
    const checked = parsed('bad-job', () => parseJob(job));
    if ('kind' in checked) return checked;
    const text = JSON.stringify(checked);
    const { seed, now, strict = false, logged = null, most = null } = circumstances;
    const known: HttpAnswer[] = [...(circumstances.answers ?? [])];
    const isBound = options.fetcher !== undefined || circumstances.answers !== undefined;
    // A run that lacks an answer ends, so nobody waits inside the isolate. With the answer it runs
    // again.
    for (;;) {
      const about = JSON.stringify({
        question: name,
        most,
        explain,
        seed,
        now,
        strict,
        logged,
        answers: isBound ? known : null,
      });
      const answer = await queue.ask({ kind: 'decide', about, job: text });
      if (answer.kind === 'sandbox') return answer;
      if (!answer.answer.startsWith('{"needs":')) {
        const decided = answered(answer, logged === null ? parse : saidWith(parse));
        return known.length === 0 || decided.kind === 'sandbox'
          ? decided
          : { ...decided, answers: known };
      }
      const wanted = answered(answer, needs);
      if ('kind' in wanted) return wanted;
      if (options.fetcher === undefined || known.length >= MOST_REQUESTS)
        return {
          kind: 'sandbox',
          code: 'engine-error',
          message: 'the rules want an answer that nobody gives',
        };
      known.push(await options.fetcher.fetch(wanted.needs));
    }
  }

  return {
    load,
    weigh: async (job, circumstances) => {
      const weighing = await decide(WEIGH, job, circumstances);
      if (weighing.kind === 'sandbox') return weighing;
      // Answers come in order: these are the rules of this answer.
      if (rules === undefined)
        return { kind: 'sandbox', code: 'no-rules', message: 'no rules are loaded' };
      return { ...weighing, rules };
    },
    consider: (job, circumstances) => decide(CONSIDER, job, circumstances),
    map: (job, circumstances, explain = true) =>
      decide(explain ? MAP : MAP_UNTOLD, job, circumstances),
    close: () => queue.close(),
    stats: () => ({
      ...queue.stats(),
      ...tally.stops(),
      digest: rules?.digest ?? null,
      countsJobs,
      readsCosts,
    }),
  };
}

/** SHA-256 over names and texts in order; it identifies the rules of a decision. */
export function digestOf(sources: readonly RuleSource[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of sources) hash.update(JSON.stringify([name, text]));
  return hash.digest('hex');
}

function answered<T>({ answer }: SandboxAnswer, parse: (value: unknown) => T): T | SandboxFailure {
  return parsed('engine-error', () => parse(JSON.parse(storable(answer))));
}

/** The result of `parse`, or a failure with the given code for unreadable input. */
function parsed<T>(code: SandboxFailure['code'], parse: () => T): T | SandboxFailure {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ShapeError) && !(error instanceof SyntaxError)) throw error;
    return { kind: 'sandbox', code, message: error.message };
  }
}

/**
 * JSON whose texts PostgreSQL and UTF-8 can hold. Rules can make NUL and lone surrogates, which
 * JSON writes as escapes; they become U+FFFD.
 */
function storable(json: string): string {
  const formed = json.toWellFormed();
  // Most answers have no such escape, and a search for two characters is much cheaper than a match
  // at every place.
  if (!formed.includes('\\u')) return formed;
  return formed.replaceAll(/\\\\|\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/g, (found) =>
    found === '\\\\' ? found : '\uFFFD',
  );
}

/** Reads an answer with the output of rules beside it. */
function saidWith<T extends object>(parse: (value: unknown) => T) {
  return (value: unknown): T & { readonly said: readonly TranscriptLine[] } => {
    const { said: lines, answer } = object({ said: list(said), answer: parse })(value, 'answer');
    return { ...answer, said: lines };
  };
}

/** The isolate's request for an answer of a web server. */
function needs(value: unknown): { readonly needs: HttpRequest } {
  return object({ needs: httpRequest })(value, 'answer');
}

import { createHash, randomInt } from 'node:crypto';
// Not through the engine's index: the engine runs in the child, and loading it here too would take
// 0.2 s.
import { Admissions } from '../vortex/decide/admission.ts';
import { parseConsideration, parseDecision, parseWeighing } from '../vortex/decision-parse.ts';
import type { HttpAnswer } from '../python/modules/requests/exchange.ts';
import type {
  Consideration,
  Decision,
  JobDescription,
  RuleSource,
  Weighing,
} from '../vortex/index.ts';
import { answered, needs, saidWith, jobText } from './answers.ts';
import { Enclosing } from './enclosure/enclosing.ts';
import { MOST_REQUESTS } from './exchange.ts';
import { parseLoadAnswer } from './load-answer.ts';
import type { DecisionRequest, SandboxLimits } from './messages.ts';
import { childProgram } from './program.ts';
import { DecisionQueue } from './queue.ts';
import { KnownAnswers, STEADY } from './remembered.ts';
import type {
  Circumstances,
  LoadReport,
  RulesInForce,
  Sandbox,
  SandboxFailure,
  SandboxOptions,
  Told,
} from './sandbox.ts';
import { causeOf, openTally } from './tally.ts';

type WeighedByRules = Told<Weighing> & { readonly rules: RulesInForce };
type Question<T> = {
  readonly name: DecisionRequest['question'];
  readonly explain: boolean;
  readonly parse: (value: unknown) => T;
};
type Answered<T> = {
  readonly kind: 'told';
  readonly answer: Told<T>;
  /** Whether another seed and another time would have the same answer. */
  readonly isSteady: boolean;
  /** of the answer as JSON */
  readonly characters: number;
  readonly rules: RulesInForce | undefined;
};
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
  const { jit = 'enclosed', isolation: wish = 'preferred' } = options;
  const { enclosing = new Enclosing({ wish }) } = options;
  const queue = new DecisionQueue(childProgram(), jit, limits, undefined, enclosing);
  const tally = openTally();
  let rules: RulesInForce | undefined;
  /** Weighings by the rules in force; a decision keeps its answer with the rules it was asked under. */
  let remembered = new KnownAnswers<WeighedByRules>();
  let given = 0;
  let [countsJobs, readsCosts] = [false, false];

  async function load(sources: readonly RuleSource[]): Promise<LoadReport> {
    const fresh = digestOf(sources);
    const request = JSON.stringify({ digest: fresh, sources });
    const answer = await queue.ask({ kind: 'load', request });
    const keeping = rules?.digest ?? null;
    if (answer.kind === 'sandbox') return { kind: 'failed', failure: answer, keeping };
    const report = answered(answer.answer, parseLoadAnswer);
    if ('kind' in report) return { kind: 'failed', failure: report, keeping };
    if (!report.ok) return { kind: 'refused', problems: report.problems, keeping };
    rules = { digest: fresh, admissions: new Admissions(report.admissions, sources) };
    ({ countsJobs, readsCosts } = report.rules);
    forget();
    queue.keep(request);
    return {
      kind: 'loaded',
      rules: report.rules,
      warnings: report.warnings,
      milliseconds: answer.milliseconds,
    };
  }

  function forget(): void {
    given += remembered.given;
    remembered = new KnownAnswers();
  }

  async function decide<T extends Consideration | Decision | Weighing>(
    question: Question<T>,
    job: JobDescription,
    circumstances = ofNow(),
  ): Promise<Told<T> | SandboxFailure> {
    const text = jobText(job);
    const decided = typeof text === 'string' ? await ask(question, text, circumstances) : text;
    return decided.kind === 'sandbox' ? decided : decided.answer;
  }

  async function weigh(
    job: JobDescription,
    circumstances = ofNow(),
  ): Promise<WeighedByRules | SandboxFailure> {
    const text = jobText(job);
    if (typeof text !== 'string') return text;
    const memory = remembered;
    const { most, answers, logged } = circumstances;
    const key = answers === undefined && logged === undefined ? `${most ?? ''} ${text}` : null;
    const known = key === null ? undefined : memory.get(key);
    if (known !== undefined) return known;
    const decided = await ask(WEIGH, text, circumstances);
    if (decided.kind === 'sandbox') return decided;
    const { rules: by } = decided;
    if (by === undefined)
      return { kind: 'sandbox', code: 'no-rules', message: 'no rules are loaded' };
    const weighing = { ...decided.answer, rules: by };
    if (key !== null && decided.isSteady && causeOf(weighing) === undefined)
      memory.keep(key, weighing, decided.characters);
    return weighing;
  }

  async function ask<T extends Consideration | Decision | Weighing>(
    question: Question<T>,
    job: string,
    circumstances: Circumstances,
  ): Promise<Answered<T> | SandboxFailure> {
    const decided = await exchange(question, job, circumstances);
    tally.count(decided.kind === 'sandbox' ? decided : decided.answer);
    return decided;
  }

  async function exchange<T extends Consideration | Decision | Weighing>(
    { name, explain, parse }: Question<T>,
    job: string,
    circumstances: Circumstances,
  ): Promise<Answered<T> | SandboxFailure> {
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
      } satisfies DecisionRequest);
      const told = await queue.ask({ kind: 'decide', about, job });
      if (told.kind === 'sandbox') return told;
      // Answers come in order: at once, before a load that was answered next, these are its rules.
      const by = rules;
      const isSteady = told.answer.startsWith(STEADY);
      const text = isSteady ? told.answer.slice(STEADY.length) : told.answer;
      if (!text.startsWith('{"needs":')) {
        const answer = answered(text, logged === null ? parse : saidWith(parse));
        if (answer.kind === 'sandbox') return answer;
        const whole = known.length === 0 ? answer : { ...answer, answers: known };
        return { kind: 'told', answer: whole, isSteady, characters: text.length, rules: by };
      }
      const wanted = answered(text, needs);
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
    weigh,
    consider: (job, circumstances) => decide(CONSIDER, job, circumstances),
    map: (job, circumstances, explain = true) =>
      decide(explain ? MAP : MAP_UNTOLD, job, circumstances),
    close: () => {
      forget();
      return queue.close();
    },
    pid: () => queue.pid(),
    stats: () => {
      const { decisions, ...child } = queue.stats();
      return {
        ...child,
        decisions: decisions + given + remembered.given,
        ...tally.stops(),
        digest: rules?.digest ?? null,
        countsJobs,
        readsCosts,
      };
    },
  };
}

/** SHA-256 over names and texts in order; it identifies the rules of a decision. */
export function digestOf(sources: readonly RuleSource[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of sources) hash.update(JSON.stringify([name, text]));
  return hash.digest('hex');
}

function ofNow(): Circumstances {
  return { seed: randomInt(2 ** 32), now: Date.now() };
}

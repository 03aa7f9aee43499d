import { requestsModules, Transcript } from '../python/index.ts';
import type { Modules } from '../python/index.ts';
import { admissionsOf, consider, loadRules, mapText, summarize, weigh } from '../vortex/index.ts';
import type { JobDescription, Rules, Surroundings } from '../vortex/index.ts';
import { list, object, oneOf, stringShape } from '../vortex/shape.ts';
import { Exchange } from './exchange.ts';
import type { DecisionRequest } from './messages.ts';
import { STEADY } from './remembered.ts';
import { seeded } from './seeded.ts';

/*
 * The program of the isolate: the engine with one configuration. Strings go into the two functions
 * and come out of them; there is no other way.
 */

const sources = object({
  digest: stringShape,
  sources: list(object({ name: stringShape, text: stringShape }, { kind: oneOf('tags') })),
});
let loaded: Rules | undefined;
let exchange = new Exchange([]);
/** `requests` for sites that allow it. Made once: it uses the exchange of the current decision. */
const bound: Modules = requestsModules((request) => exchange.send(request));

/**
 * Load a configuration. JSON `{digest, sources}` in; JSON `{ok: true, rules, admissions, warnings}`
 * or `{ok: false, problems}` out.
 */
export function load(request: string): string {
  const { digest, sources: files } = sources(JSON.parse(request), 'load');
  const result = loadRules(files, digest);
  if (!result.ok) return JSON.stringify(result);
  loaded = result.rules;
  return JSON.stringify({
    ok: true,
    rules: summarize(result.rules),
    admissions: admissionsOf(result.rules),
    warnings: result.warnings,
  });
}

/**
 * Decide about a job. `about` is a DecisionRequest, `job` a JobDescription that `parseJob` has read;
 * both are the planner's own JSON, which is not read twice. The result is JSON: a decision, after
 * STEADY if the job and the rules alone decide it, or `{"needs": request}` for a web server's answer
 * that `answers` lacks. With a level in `logged` it is `{"said": [...], "answer": decision}`.
 */
export function decide(about: string, job: string): string {
  if (loaded === undefined) throw new Error('no rules are loaded');
  const request: DecisionRequest = JSON.parse(about);
  const described: JobDescription = JSON.parse(job);
  const { question: asked, most, explain, seed, now, strict, logged, answers } = request;
  const transcript = logged === null ? undefined : new Transcript(logged);
  const random = seeded(seed);
  let isSteady = transcript === undefined;
  const surroundings: Surroundings = {
    random: () => {
      isSteady = false;
      return random();
    },
    now: () => {
      isSteady = false;
      return now;
    },
    explain,
    strict,
    ...(answers === null ? undefined : { modules: bound }),
    ...(transcript === undefined ? undefined : { transcript }),
  };
  exchange = new Exchange(answers ?? []);
  const answer = answerOf(loaded, asked, described, surroundings, most);
  if (exchange.wanted !== null) return JSON.stringify({ needs: exchange.wanted });
  if (isSteady && !exchange.isUsed) return STEADY + answer;
  return transcript === undefined
    ? answer
    : `{"said":${JSON.stringify(transcript.said)},"answer":${answer}}`;
}

function answerOf(
  rules: Rules,
  asked: 'consider' | 'map' | 'weigh',
  job: JobDescription,
  surroundings: Surroundings,
  most: number | null,
): string {
  switch (asked) {
    case 'consider':
      return JSON.stringify(consider(rules, job, surroundings));
    case 'map':
      return mapText(rules, job, surroundings);
    case 'weigh':
      return JSON.stringify(weigh(rules, job, surroundings, most));
    default:
      return asked satisfies never;
  }
}

import { consider, loadRules, map, parseJob, summarize } from '../vortex/index.ts';
import type { Rules, Surroundings } from '../vortex/index.ts';
import { list, object, oneOf, text, finite } from '../vortex/shape.ts';
import { seeded } from './seeded.ts';

/*
 * What runs inside the isolate: the engine with one configuration. Strings in, strings out; the only way in are the two
 * functions, the only way out is what they return.
 */

const sources = object({ digest: text, sources: list(object({ name: text, text })) });
const question = object({ question: oneOf('consider', 'map'), seed: finite, now: finite });

let loaded: Rules | undefined;

/**
 * Load a configuration. JSON `{digest, sources}` in; JSON `{ok: true, rules, warnings}` or `{ok: false, problems}` out.
 */
export function load(request: string): string {
  const { digest, sources: files } = sources(JSON.parse(request), 'load');
  const result = loadRules(files, digest);
  if (!result.ok) return JSON.stringify(result);
  loaded = result.rules;
  return JSON.stringify({ ok: true, rules: summarize(result.rules), warnings: result.warnings });
}

/** Decide about a job. `about` is JSON `{question, seed, now}`, `job` a JSON JobDescription; the answer is JSON. */
export function decide(about: string, job: string): string {
  if (loaded === undefined) throw new Error('no rules are loaded');
  const { question: asked, seed, now } = question(JSON.parse(about), 'question');
  const surroundings: Surroundings = { random: seeded(seed), now: () => now };
  const ask = asked === 'map' ? map : consider;
  return JSON.stringify(ask(loaded, parseJob(JSON.parse(job)), surroundings));
}

import { defineClass, PyList, PyModule } from '../../../src/python/index.ts';
import type { HostClass, Value } from '../../../src/python/index.ts';
import { seeded } from '../../../src/sandbox/seeded.ts';
import { consider, loadRules, mapText, summarize } from '../../../src/vortex/index.ts';
import type { JobDescription, Rules } from '../../../src/vortex/index.ts';

/*
 * The guest of src/sandbox/guest.ts with a `psycopg2` whose queries find nothing, like real_tpv.py
 * for the real TPV: a rule of the EU files queries a database for every job of a user.
 */

const databases: HostClass<null> = defineClass<null>({
  name: 'connection',
  methods: {
    '__enter__()': () => databases.wrap(null),
    '__exit__(a, b, c)': () => null,
    'cursor()': () => databases.wrap(null),
    'execute(query, values=)': () => null,
    'fetchall()': () => new PyList([]),
  },
});
const connect = defineClass<null>({ name: 'connect', call: () => databases.wrap(null) });
const modules = new Map<string, Value>([
  ['psycopg2', new PyModule('psycopg2', [['connect', connect.wrap(null)]])],
]);

let rules: Rules | undefined;

/** JSON `{sources}` in; the sandbox's answer to a load out. */
export function load(request: string): string {
  const { sources } = JSON.parse(request);
  const result = loadRules(sources);
  if (!result.ok) return JSON.stringify(result);
  rules = result.rules;
  return JSON.stringify({ ok: true, rules: summarize(rules), warnings: [] });
}

/** JSON `{question, seed, now, explain}` and a job in, the answer out. */
export function decide(about: string, job: string): string {
  if (rules === undefined) throw new Error('no rules are loaded');
  const { question, seed, now, explain } = JSON.parse(about);
  const surroundings = { random: seeded(seed), now: () => now, modules, explain };
  const described: JobDescription = JSON.parse(job);
  return question === 'map'
    ? mapText(rules, described, surroundings)
    : JSON.stringify(consider(rules, described, surroundings));
}

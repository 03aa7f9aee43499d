import type { Documents } from '../contract.ts';
import { clockText } from '../time.ts';
import { SITE } from '../words/site.ts';

type Overview = Documents['Overview'];
type Destination = Documents['OverviewDestination'];

/** Seconds beyond the promised start that need nobody: executors look for work every few seconds. */
const LATE = 60;

/** What an operator should look at, in sentences; empty: everything works. */
export function problemsOf(overview: Overview): readonly string[] {
  const { parts, rules, site, destinations } = overview;
  return [
    ...new Set([
      ...parts.flatMap(partProblems),
      ...(rules === undefined ? [] : ruleProblems(rules)),
      ...(site?.problems ?? []),
      ...executorProblems(overview),
      ...destinations.flatMap(destinationProblems),
      ...destinations.flatMap(resultProblems),
    ]),
  ];
}

function partProblems({ part, state, problems }: Overview['parts'][number]): readonly string[] {
  if (state === 'ok') return [];
  const words = SITE.problems;
  return [words.part(part, [words.states[state], ...problems].join(' – '))];
}

function ruleProblems({ state }: NonNullable<Overview['rules']>): readonly string[] {
  return state === 'current' ? [] : [SITE.problems[state]];
}

/** A service whose executors are elsewhere has none only while they are all gone. */
function executorProblems({ executors, destinations }: Overview): readonly string[] {
  const gone = executors.filter(({ alive, jobs }) => !alive && jobs > 0);
  const isWorkThere = destinations.some(({ queue }) => queue.waiting + queue.running > 0);
  return [
    ...(isWorkThere && !executors.some(({ alive }) => alive) ? [SITE.problems.noExecutor] : []),
    ...gone.map(({ host, jobs }) => SITE.problems.goneExecutor(host, jobs)),
  ];
}

function destinationProblems(each: Destination): readonly string[] {
  const { destination, listed, engine, queue } = each;
  const words = SITE.problems;
  const wait = queue['longest-wait'];
  return [
    ...(listed ? [] : [words.unlisted(destination)]),
    ...(engine === 'silent' ? [words.silent(destination)] : []),
    ...(queue.due > 0 && wait > LATE ? [words.late(destination, queue.due, clockText(wait))] : []),
  ];
}

function resultProblems({ results }: Destination): readonly string[] {
  if (results === undefined || results.held + results.kept < results.size) return [];
  const words = SITE.problems;
  return [words.results(results.pool === '*' ? words.wholeSite : results.pool)];
}

import type { Documents } from '../contract.ts';
import { shown } from '../time.ts';
import { EXPLANATION } from '../words/explanation.ts';

/** What the rules were given, in words: a name and a value each. */
export function seenOf(
  { job, circumstances }: Documents['ExplanationInputs'],
  zone: string,
): readonly (readonly [name: string, value: string])[] {
  const words = EXPLANATION.seen;
  const { tool, user, roles, inputs, otherJobs } = job;
  const { id, requirements } = Object(tool);
  const names = listOf(roles).map((role) => String(Object(role)['name'] ?? role));
  const now = circumstances['now'];
  return [
    [words.task, String(id ?? '')],
    ...listOf(requirements).map((each) => requirementOf(each)),
    [words.user, String(Object(user)['email'] ?? words.nobody)],
    ...(names.length === 0 ? [] : [[words.roles, names.join(', ')] as const]),
    ...(listOf(inputs).length === 0 ? [] : [[words.inputs, inputsText(listOf(inputs))] as const]),
    ...(otherJobs === undefined ? [] : [[words.otherJobs, jobsText(listOf(otherJobs))] as const]),
    ...(typeof now === 'number' ? [[words.now, shown(now, zone)] as const] : []),
  ];
}

function requirementOf(requirement: unknown): readonly [string, string] {
  const { type, value } = Object(requirement);
  const words: Readonly<Record<string, string>> = EXPLANATION.requirements;
  return [words[String(type)] ?? String(type), String(value)];
}

function inputsText(inputs: readonly unknown[]): string {
  const names = inputs.map((input) => String(Object(input)['name'] ?? ''));
  return `${inputs.length}: ${names.join(', ')}`;
}

function jobsText(totals: readonly unknown[]): string {
  const words = EXPLANATION.seen;
  if (totals.length === 0) return words.none;
  return totals
    .map((total) => `${Object(total)['jobs'] ?? 1} ${String(Object(total)['state'] ?? '')}`)
    .join(', ');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

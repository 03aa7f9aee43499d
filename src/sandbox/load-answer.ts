import type { Admission, Problem, RulesSummary } from '../vortex/index.ts';
import { bool, either, finite, list, nullable, object, text } from '../vortex/shape.ts';
import type { Shape } from '../vortex/shape.ts';

/** What the isolate says of a load. */
export type LoadAnswer =
  | { readonly ok: true; readonly rules: RulesSummary; readonly admissions: readonly Admission[]; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const limits = object({ cores: nullable(finite), mem: nullable(finite), gpus: nullable(finite) });
const tags = object({ require: list(text), prefer: list(text), accept: list(text), reject: list(text) });
const destination = object({
  id: text,
  abstract: bool,
  runner: nullable(text),
  maxAccepted: limits,
  minAccepted: limits,
  scheduling: tags,
});
const names = nullable(list(text));
const admission: Shape<Admission> = object({
  id: text,
  abstract: bool,
  max: limits,
  min: limits,
  capacity: object({ cores: text, mem: text, gpus: text }),
  tags: object({ require: names, prefer: names, accept: names, reject: names }),
});
const summary = object({
  digest: text, destinations: list(destination), pools: list(text), poolStore: nullable(object({ class: text, file: text, line: finite, column: finite })),
  tools: finite, roles: finite, users: finite, countsJobs: bool,
});
const problem: Shape<Problem> = object({ file: text, line: finite, column: finite, message: text }, { hint: text });

const loaded = object({ rules: summary, admissions: list(admission), warnings: list(problem) });
const refused = object({ problems: list(problem) });

/** The isolate's answer to a load, out of parsed JSON. Throws ShapeError. */
export function parseLoadAnswer(value: unknown): LoadAnswer {
  const answer = either(loaded, refused)(value, 'load');
  return 'rules' in answer ? { ok: true, ...answer } : { ok: false, ...answer };
}

/** Admissions out of parsed JSON. Throws ShapeError. */
export function parseAdmissions(value: unknown): readonly Admission[] {
  return list(admission)(value, 'admissions');
}

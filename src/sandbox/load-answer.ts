import type { Admission, FileProblem, RulesSummary } from '../vortex/index.ts';
import { bool, either, finite, list, nullable, object, stringShape } from '../vortex/shape.ts';
import type { Shape } from '../vortex/shape.ts';
import { shownTagsShape, tagsShape } from '../vortex/decision-parse.ts';

/** The isolate's answer to a load. */
type LoadAnswer =
  | {
      readonly ok: true;
      readonly rules: RulesSummary;
      readonly admissions: readonly Admission[];
      readonly warnings: readonly FileProblem[];
    }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

const limits = object({ cores: nullable(finite), mem: nullable(finite), gpus: nullable(finite) });
const destination = object({
  id: stringShape,
  abstract: bool,
  runner: nullable(stringShape),
  maxAccepted: limits,
  minAccepted: limits,
  scheduling: tagsShape,
});
const admission: Shape<Admission> = object({
  id: stringShape,
  abstract: bool,
  max: limits,
  min: limits,
  capacity: object({ cores: stringShape, mem: stringShape, gpus: stringShape }),
  tags: shownTagsShape,
});
const summary = object({
  digest: stringShape,
  destinations: list(destination),
  pools: list(stringShape),
  poolStore: nullable(
    object({ class: stringShape, file: stringShape, line: finite, column: finite }),
  ),
  tools: finite,
  roles: finite,
  users: finite,
  countsJobs: bool,
  readsCosts: bool,
});
const problem: Shape<FileProblem> = object(
  { file: stringShape, line: finite, column: finite, message: stringShape },
  { hint: stringShape },
);

const loaded = object({ rules: summary, admissions: list(admission), warnings: list(problem) });
const refused = object({ problems: list(problem) });

/** Reads the isolate's answer to a load from parsed JSON. Throws ShapeError. */
export function parseLoadAnswer(value: unknown): LoadAnswer {
  const answer = either(loaded, refused)(value, 'load');
  return 'rules' in answer ? { ok: true, ...answer } : { ok: false, ...answer };
}

/** Reads admissions from parsed JSON. Throws ShapeError. */
export function parseAdmissions(value: unknown): readonly Admission[] {
  return list(admission)(value, 'admissions');
}

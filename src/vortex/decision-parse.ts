import { RESOURCES } from './decision.ts';
import type {
  Clause,
  Consideration,
  Decision,
  Evaluated,
  KeptStep,
  TraceStep,
  Verdict,
  Weighing,
} from './decision.ts';
import { jsonShape } from './job-parse.ts';
import {
  bool,
  either,
  finite,
  list,
  nullable,
  object,
  oneOf,
  ShapeError,
  table,
  tagged,
  stringShape,
} from './shape.ts';
import type { Shape } from './shape.ts';

const number = nullable(finite);
const resource = object(
  { value: number, before: number, min: number, max: number },
  { unfit: jsonShape },
);
/** Scheduling tags. */
export const tagsShape = object({
  require: list(stringShape),
  prefer: list(stringShape),
  accept: list(stringShape),
  reject: list(stringShape),
});
const names = nullable(list(stringShape));
export const shownTagsShape = object({
  require: names,
  prefer: names,
  accept: names,
  reject: names,
});
const amounts = object({ cores: stringShape, mem: stringShape, gpus: stringShape });
const resourceName = oneOf(...RESOURCES);
const side = oneOf('job', 'destination');
const limit = object({ resource: resourceName, asked: finite, limit: finite });
const tag = object({ tag: stringShape, by: side });
const nothing = object({});
const destination = object({ destination: stringShape });
const entity = object({ entity: stringShape });

const clause: Shape<Clause> = tagged('code', {
  'destination-abstract': nothing,
  'above-max-accepted': limit,
  'below-min-accepted': limit,
  'required-tag-missing': tag,
  'tag-rejected': tag,
  'not-ranked': nothing,
});

const verdicts = {
  fail: object({ message: stringShape }),
  wait: object({ message: nullable(stringShape) }),
  error: object({ className: stringShape, message: stringShape, place: nullable(stringShape) }),
};
const verdict: Shape<Verdict> = tagged('kind', verdicts);

const steps = {
  'tool-matched': object({ tool: stringShape, entity: stringShape }),
  'role-matched': entity,
  'no-role': nothing,
  'user-matched': object({ user: stringShape, entity: stringShape }),
  'user-unmatched': object({ user: stringShape }),
  'no-user': nothing,
  combined: object({ parts: list(stringShape), amounts, scheduling: shownTagsShape }),
  rule: object({
    rule: stringShape,
    condition: stringShape,
    matched: nullable(object({ amounts, scheduling: shownTagsShape })),
  }),
  resources: object({ amounts }),
  'destination-matched': object({ destination: stringShape, capacity: amounts }),
  'destination-refused': object({
    destination: stringShape,
    clauses: list(clause),
    amounts,
    job: shownTagsShape,
    scheduling: shownTagsShape,
  }),
  ranked: object({ position: finite, destination: stringShape, score: finite }),
  evaluating: destination,
  'destination-stopped': object({ destination: stringShape, verdict, tryNext: bool }),
  chosen: object({
    destination: stringShape,
    runner: stringShape,
    amounts,
    params: stringShape,
    env: stringShape,
  }),
  'pool-governs': object({
    pool: stringShape,
    kind: oneOf('normal', 'oversize'),
    request: amounts,
    budget: amounts,
    oversize: nullable(object({ most: stringShape, ceiling: amounts })),
  }),
  'pool-refused': object({ pool: stringShape, message: stringShape }),
  'no-pools': nothing,
  'pools-admitted': object({ pools: list(stringShape) }),
  'pools-deferred': object({ pools: list(stringShape) }),
  'all-deferred': nothing,
  'nothing-left': entity,
};
const step: Shape<TraceStep> = tagged('step', steps);
const trace = list(step);
const soughtFields = {
  asked: object({ cores: number, mem: number, gpus: number }),
  amounts,
  tags: shownTagsShape,
};
const keptStep: Shape<KeptStep> = tagged('step', { ...steps, matching: object(soughtFields) });
const keptTrace = list(keptStep);

const resources = object({ cores: resource, mem: resource, gpus: resource });
const evaluatedFields = object({
  destination: stringShape,
  name: stringShape,
  runner: nullable(stringShape),
  rank: finite,
  score: finite,
  resources,
  env: list(table(stringShape)),
  params: table(jsonShape),
  resubmit: list(table(jsonShape)),
  tags: list(stringShape),
  scheduling: tagsShape,
  context: table(jsonShape),
});
const evaluated: Shape<Evaluated> = tagged('kind', { evaluated: evaluatedFields });

const clauses: Shape<readonly [Clause, ...Clause[]]> = (value, path) => {
  const [first, ...rest] = list(clause)(value, path);
  if (first === undefined) throw new ShapeError(path, 'a list that is not empty');
  return [first, ...rest];
};

const refusals = {
  refused: object({ destination: stringShape, clauses }),
  stopped: object({ destination: stringShape, rank: finite, score: finite, verdict }),
};
const candidate = tagged('kind', { evaluated: evaluatedFields, ...refusals });
const weighed = tagged('kind', {
  evaluated: object({ destination: stringShape, rank: finite, score: finite, resources }),
  ...refusals,
});

const judged = nullable(
  object({
    claims: list(
      object({
        pool: stringShape,
        kind: oneOf('normal', 'oversize'),
        request: object({ cores: finite, mem: finite, gpus: finite }),
        budget: object({ cores: number, mem: number, gpus: number }),
        mostOversize: finite,
        reserve: bool,
      }),
    ),
    excess: nullable(object({ pool: stringShape, limits: list(limit), message: stringShape })),
  }),
);

const demand = object({
  id: stringShape,
  resources: object({ cores: number, mem: number, gpus: number }),
  scheduling: tagsShape,
});

const consideration: Shape<Consideration> = tagged('kind', {
  considered: object({ demand, candidates: list(candidate), pools: judged, trace }),
  stopped: object({ verdict, trace }),
});

const weighing: Shape<Weighing> = tagged('kind', {
  considered: object({
    candidates: list(weighed),
    isWhole: bool,
    sought: nullable(object(soughtFields)),
    pools: judged,
    trace: keptTrace,
  }),
  stopped: object({ verdict, trace: keptTrace }),
});

const decision: Shape<Decision> = either(
  tagged('kind', { destination: object({ chosen: evaluated, trace }) }),
  tagged('kind', {
    fail: object({ message: stringShape, trace }),
    wait: object({ message: nullable(stringShape), trace }),
    error: object({
      className: stringShape,
      message: stringShape,
      place: nullable(stringShape),
      trace,
    }),
  }),
);

/** Reads a consideration from parsed JSON. Throws ShapeError. */
export function parseConsideration(value: unknown): Consideration {
  return consideration(value, 'consideration');
}

/** Reads a weighing from parsed JSON. Throws ShapeError. */
export function parseWeighing(value: unknown): Weighing {
  return weighing(value, 'weighing');
}

/** Reads the kept steps of a decision from parsed JSON. Throws ShapeError. */
export function parseKeptTrace(value: unknown): readonly KeptStep[] {
  return keptTrace(value, 'trace');
}

/** Reads the steps of a decision from parsed JSON. Throws ShapeError. */
export function parseTrace(value: unknown): readonly TraceStep[] {
  return trace(value, 'trace');
}

/** Reads a decision from parsed JSON. Throws ShapeError. */
export function parseDecision(value: unknown): Decision {
  return decision(value, 'decision');
}

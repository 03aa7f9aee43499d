import type { Clause, Consideration, Decision, Evaluated, KeptStep, TraceStep, Verdict, Weighing } from './decision.ts';
import { json } from './job-parse.ts';
import { bool, either, finite, list, nullable, object, oneOf, ShapeError, table, tagged, text } from './shape.ts';
import type { Shape } from './shape.ts';

const number = nullable(finite);
const resource = object({ value: number, before: number, min: number, max: number }, { unfit: json });
const tags = object({ require: list(text), prefer: list(text), accept: list(text), reject: list(text) });
const names = nullable(list(text));
const shownTags = object({ require: names, prefer: names, accept: names, reject: names });
const amounts = object({ cores: text, mem: text, gpus: text });
const resourceName = oneOf('cores', 'mem', 'gpus');
const side = oneOf('job', 'destination');
const limit = object({ resource: resourceName, asked: finite, limit: finite });
const tag = object({ tag: text, by: side });
const nothing = object({});
const destination = object({ destination: text });
const entity = object({ entity: text });

const clause: Shape<Clause> = tagged('code', {
  'destination-abstract': nothing,
  'above-max-accepted': limit,
  'below-min-accepted': limit,
  'required-tag-missing': tag,
  'tag-rejected': tag,
  'not-ranked': nothing,
});

const verdicts = {
  fail: object({ message: text }),
  wait: object({ message: nullable(text) }),
  error: object({ className: text, message: text, place: nullable(text) }),
};
const verdict: Shape<Verdict> = tagged('kind', verdicts);

const steps = {
  'tool-matched': object({ tool: text, entity: text }),
  'role-matched': entity,
  'no-role': nothing,
  'user-matched': object({ user: text, entity: text }),
  'user-unmatched': object({ user: text }),
  'no-user': nothing,
  combined: object({ parts: list(text), amounts, scheduling: shownTags }),
  rule: object({ rule: text, condition: text, matched: nullable(object({ amounts, scheduling: shownTags })) }),
  resources: object({ amounts }),
  'destination-matched': object({ destination: text, capacity: amounts }),
  'destination-refused': object({ destination: text, clauses: list(clause), amounts, job: shownTags, scheduling: shownTags }),
  ranked: object({ position: finite, destination: text, score: finite }),
  evaluating: destination,
  'destination-stopped': object({ destination: text, verdict, tryNext: bool }),
  chosen: object({ destination: text, runner: text, amounts, params: text, env: text }),
  'pool-governs': object({
    pool: text, kind: oneOf('normal', 'oversize'), request: amounts, budget: amounts,
    oversize: nullable(object({ most: text, ceiling: amounts })),
  }),
  'pool-refused': object({ pool: text, message: text }),
  'no-pools': nothing,
  'pools-admitted': object({ pools: list(text) }),
  'pools-deferred': object({ pools: list(text) }),
  'all-deferred': nothing,
  'nothing-left': entity,
};
const step: Shape<TraceStep> = tagged('step', steps);
const trace = list(step);
const soughtFields = { asked: object({ cores: number, mem: number, gpus: number }), amounts, tags: shownTags };
const keptStep: Shape<KeptStep> = tagged('step', { ...steps, matching: object(soughtFields) });
const keptTrace = list(keptStep);

const resources = object({ cores: resource, mem: resource, gpus: resource });
const evaluatedFields = object({
  destination: text,
  name: text,
  runner: nullable(text),
  rank: finite,
  score: finite,
  resources,
  env: list(table(text)),
  params: table(json),
  resubmit: list(table(json)),
  tags: list(text),
  scheduling: tags,
  context: table(json),
});
const evaluated: Shape<Evaluated> = tagged('kind', { evaluated: evaluatedFields });

const clauses: Shape<readonly [Clause, ...Clause[]]> = (value, path) => {
  const [first, ...rest] = list(clause)(value, path);
  if (first === undefined) throw new ShapeError(path, 'a list that is not empty');
  return [first, ...rest];
};

const refusals = {
  refused: object({ destination: text, clauses }),
  stopped: object({ destination: text, rank: finite, score: finite, verdict }),
};
const candidate = tagged('kind', { evaluated: evaluatedFields, ...refusals });
const weighed = tagged('kind', { evaluated: object({ destination: text, rank: finite, score: finite, resources }), ...refusals });

const judged = nullable(object({
  claims: list(object({
    pool: text, kind: oneOf('normal', 'oversize'), request: object({ cores: finite, mem: finite, gpus: finite }),
    budget: object({ cores: number, mem: number, gpus: number }), mostOversize: finite, reserve: bool,
  })),
  excess: nullable(object({ pool: text, limits: list(limit), message: text })),
}));

const demand = object({ id: text, resources: object({ cores: number, mem: number, gpus: number }), scheduling: tags });

const consideration: Shape<Consideration> = tagged('kind', {
  considered: object({ demand, candidates: list(candidate), pools: judged, trace }),
  stopped: object({ verdict, trace }),
});

const weighing: Shape<Weighing> = tagged('kind', {
  considered: object({ candidates: list(weighed), isWhole: bool, sought: nullable(object(soughtFields)), pools: judged, trace: keptTrace }),
  stopped: object({ verdict, trace: keptTrace }),
});

const decision: Shape<Decision> = either(
  tagged('kind', { destination: object({ chosen: evaluated, trace }) }),
  tagged('kind', {
    fail: object({ message: text, trace }),
    wait: object({ message: nullable(text), trace }),
    error: object({ className: text, message: text, place: nullable(text), trace }),
  }),
);

/** A consideration out of parsed JSON. Throws ShapeError. */
export function parseConsideration(value: unknown): Consideration {
  return consideration(value, 'consideration');
}

/** A weighing out of parsed JSON. Throws ShapeError. */
export function parseWeighing(value: unknown): Weighing {
  return weighing(value, 'weighing');
}

/** The kept steps of a decision out of parsed JSON. Throws ShapeError. */
export function parseKeptTrace(value: unknown): readonly KeptStep[] {
  return keptTrace(value, 'trace');
}

/** The steps of a decision out of parsed JSON. Throws ShapeError. */
export function parseTrace(value: unknown): readonly TraceStep[] {
  return trace(value, 'trace');
}

/** A decision out of parsed JSON. Throws ShapeError. */
export function parseDecision(value: unknown): Decision {
  return decision(value, 'decision');
}

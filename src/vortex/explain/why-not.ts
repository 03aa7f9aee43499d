import type { Candidate, Clause, Consideration, Verdict } from '../decision.ts';

/**
 * Why a destination does not take a job: every reason, with numbers; or its place among those that
 * do.
 */
export type WhyNot =
  | { readonly kind: 'unknown'; readonly destinations: readonly string[] }
  | { readonly kind: 'told'; readonly lines: readonly string[] };

/** Looks a destination up in the engine's answer about all of them. */
export function whyNot(consideration: Consideration, destination: string): WhyNot {
  if (consideration.kind === 'stopped') {
    return {
      kind: 'told',
      lines: [`no destination was looked at: ${verdictText(consideration.verdict)}`],
    };
  }
  const { candidates } = consideration;
  const found = candidates.find((candidate) => candidate.destination === destination);
  if (found === undefined)
    return { kind: 'unknown', destinations: candidates.map((candidate) => candidate.destination) };
  return { kind: 'told', lines: linesOf(found, candidates) };
}

/** One clause of a refusal in words. */
export function clauseText(clause: Clause): string {
  switch (clause.code) {
    case 'destination-abstract':
      return 'it is abstract: nothing is sent to it';
    case 'above-max-accepted':
      return `${clause.resource} ${clause.asked} is above max_accepted_${clause.resource} ${clause.limit}`;
    case 'below-min-accepted':
      return `${clause.resource} ${clause.asked} is below min_accepted_${clause.resource} ${clause.limit}`;
    case 'required-tag-missing':
      return clause.by === 'job'
        ? `the job requires the tag '${clause.tag}', which the destination does not have`
        : `the destination requires the tag '${clause.tag}', which the job does not have`;
    case 'tag-rejected':
      return clause.by === 'job'
        ? `the job rejects the tag '${clause.tag}', which the destination has`
        : `the destination rejects the tag '${clause.tag}', which the job has`;
    case 'not-ranked':
      return 'the rank function of the rules leaves it out';
    default:
      return clause satisfies never;
  }
}

/** How a decision without a destination ended, in words. */
export function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'fail':
      return `fails: ${verdict.message.trim()}`;
    case 'wait':
      return `is to wait${verdict.message === null ? '' : `: ${verdict.message.trim()}`}`;
    case 'error':
      return `${verdict.className}: ${verdict.message}${verdict.place === null ? '' : ` (${verdict.place})`}`;
    default:
      return verdict satisfies never;
  }
}

function linesOf(candidate: Candidate, all: readonly Candidate[]): readonly string[] {
  switch (candidate.kind) {
    case 'refused':
      return [
        `${candidate.destination} does not match:`,
        ...candidate.clauses.map((clause) => `  ${clauseText(clause)}`),
      ];
    case 'stopped':
      return [
        `${candidate.destination} matches, but when it is tried: ${verdictText(candidate.verdict)}`,
      ];
    case 'evaluated': {
      const before = all.flatMap((other) =>
        other.kind !== 'refused' && other.rank < candidate.rank ? [other] : [],
      );
      if (before.length === 0)
        return [
          `${candidate.destination} takes the job: it is the first of those that match (score ${candidate.score})`,
        ];
      const names = before
        .map(({ destination, score }) => `${destination} (score ${score})`)
        .join(', ');
      return [
        `${candidate.destination} could take the job (score ${candidate.score}); tried before it: ${names}`,
      ];
    }
    default:
      return candidate satisfies never;
  }
}

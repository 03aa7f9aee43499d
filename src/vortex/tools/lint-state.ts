import type { Entity } from '../entity/entity.ts';
import type { Finding } from './lint.ts';

/** A rule's way to pass the job to the next destination. */
const TRY_NEXT = /\bTryNextDestination(?:OrFail|OrWait)\b/;

/**
 * Python that writes to the entity: assigns or deletes a part of it, or calls a method that changes
 * one.
 */
const CHANGERS =
  'add_tag_override|append|clear|extend|insert|pop|popitem|remove|setdefault|sort|update';
const WRITES = new RegExp(
  String.raw`\b(?:entity|self)\b[^\n=<>!]*(?:[-+*/|&]?=(?!=)|\.(?:${CHANGERS})\()` +
    String.raw`|\bdel\s+(?:entity|self)\b`,
);

/**
 * T201: destinations whose rules both change the state of the mapping and may raise TryNext.... TPV
 * goes on to the next destination with the changed state; here every destination starts from the
 * same state.
 */
export function carriedState(destinations: Iterable<Entity>): readonly Finding[] {
  const all = [...destinations];
  if (all.filter(({ abstract }) => !abstract).length < 2) return [];
  return all.flatMap((destination): readonly Finding[] => {
    const { id, abstract, place, silenced } = destination;
    if (
      abstract ||
      silenced.includes('noqa') ||
      silenced.includes('T201') ||
      !mayGiveUp(destination)
    )
      return [];
    const left = leftBehind(destination);
    if (left === undefined) return [];
    const message =
      `A rule of the destination named: ${id} may raise TryNextDestination..., and ${left}: TPV carries that over to ` +
      'the destinations tried after it. Here each destination starts afresh; `dry-run --strict` shows what TPV does.';
    return [
      {
        severity: 'warning',
        code: 'T201',
        message,
        place: place ?? { file: '', line: 1, column: 1 },
      },
    ];
  });
}

function mayGiveUp({ rules }: Entity): boolean {
  return [...rules.values()].some(
    ({ rule }) => TRY_NEXT.test(rule?.execute ?? '') || TRY_NEXT.test(String(rule?.condition)),
  );
}

/** What a destination leaves behind after it was tried; undefined for nothing. */
function leftBehind(destination: Entity): string | undefined {
  const layers = [destination, ...destination.rules.values()];
  if (layers.some(({ rule }) => WRITES.test(rule?.execute ?? ''))) return 'a rule changes `entity`';
  if (layers.some(({ context }) => context !== null && context.table.size > 0))
    return 'it sets context variables';
  return undefined;
}

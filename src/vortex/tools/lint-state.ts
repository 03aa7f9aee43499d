import type { Entity } from '../entity/entity.ts';
import type { Finding } from './lint.ts';

/** What a rule's Python does when it gives the job to the next destination. */
const TRY_NEXT = /\bTryNextDestination(?:OrFail|OrWait)\b/;

/** Python that writes to the entity: assigns or deletes a part of it, or calls what changes one. */
const CHANGERS =
  'add_tag_override|append|clear|extend|insert|pop|popitem|remove|setdefault|sort|update';
const WRITES = new RegExp(
  String.raw`\b(?:entity|self)\b[^\n=<>!]*(?:[-+*/|&]?=(?!=)|\.(?:${CHANGERS})\()` +
    String.raw`|\bdel\s+(?:entity|self)\b`,
);

/**
 * T201: destinations whose rules both leave something behind in the state of the mapping and may
 * raise TryNext...: TPV goes on to the next destination with what is left, here every
 * destination starts from the same state.
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

/** What stays of a destination that was tried; undefined when nothing does. */
function leftBehind(destination: Entity): string | undefined {
  const layers = [destination, ...destination.rules.values()];
  if (layers.some(({ rule }) => WRITES.test(rule?.execute ?? ''))) return 'a rule changes `entity`';
  if (layers.some(({ context }) => context !== null && context.table.size > 0))
    return 'it sets context variables';
  return undefined;
}

import { builtinNames, namePlaces, PyDict, PyList, PySyntaxError } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { Entity } from '../entity/entity.ts';
import { suggest } from '../../yaml/index.ts';
import type { Finding } from './lint.ts';
import type { Merged } from '../file/merge-files.ts';
import { AMOUNTS } from '../entity/properties.ts';
import { isPlain } from '../file/snippets.ts';
import type { SnippetPlace, SnippetKind, Snippets } from '../file/snippets.ts';

/** Names of every snippet: those of TPV's loader, and those of a mapping. */
const BASE =
  `log logging functools ast util cast __name__ helpers input_size app tool user job job_wrapper resource_params
  workflow_invocation_uuid mapper entity self`.split(/\s+/);

/** A piece of Python of an entity: its property, and the names that its stage adds. */
type Piece = {
  readonly property: string;
  readonly kind: SnippetKind;
  readonly text: string;
  readonly stage: readonly string[];
};

/**
 * T103: names that nothing defines at the stage of their snippet: no built-in, no name of Galaxy,
 * no context variable of any entity. A context variable counts everywhere, since only a job decides
 * which entities meet.
 */
export function undefinedNames({ config, snippets }: Merged): readonly Finding[] {
  const entities = entitiesOf(config);
  const everywhere = new Set([
    ...BASE,
    ...namesOf(config.context),
    ...entities.flatMap(contextNames),
    ...builtinNames,
  ]);
  const findings = entities.flatMap((entity) => findingsOf(entity, everywhere, snippets));
  // Children have their parents' snippets too: each place is reported once.
  const seen = new Set<string>();
  return findings.filter(({ message, place }) => {
    const key = `${place.file}:${place.line}:${place.column} ${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The texts of all Python in the entities of merged files. */
export function pythonOf(config: Merged['config']): ReadonlySet<string> {
  return new Set(entitiesOf(config).flatMap((entity) => piecesOf(entity).map(({ text }) => text)));
}

function entitiesOf({ tools, roles, users, destinations }: Merged['config']): readonly Entity[] {
  return [tools, roles, users, destinations].flatMap((section) => [...section.values()]);
}

function namesOf(dict: PyDict | null): readonly string[] {
  return (dict?.keys() ?? []).map(String);
}

function contextNames(entity: Entity): readonly string[] {
  return [...namesOf(entity.context), ...[...entity.rules.values()].flatMap(contextNames)];
}

function findingsOf(
  entity: Entity,
  everywhere: ReadonlySet<string>,
  snippets: Snippets,
): readonly Finding[] {
  return piecesOf(entity).flatMap(({ property, kind, text, stage }) =>
    namesRead(snippets, kind, text)
      .filter((name) => !everywhere.has(name) && !stage.includes(name))
      .map((name): Finding => ({
        severity: 'warning',
        code: 'T103',
        message:
          `Name '${name}' is not defined where '${property}' of ${entity.kind} '${entity.id}' is evaluated` +
          meant(name, [...stage, ...everywhere]),
        place: placeOf(name, kind, text, snippets) ??
          entity.place ?? { file: '', line: 1, column: 1 },
      })),
  );
}

function piecesOf(entity: Entity, owner = entity): readonly Piece[] {
  const onDestination = owner.kind === 'destination';
  const amounts = AMOUNTS.flatMap((property, index) => {
    const text = entity.amounts[property];
    // A destination sees the amounts of the job until it sets its own.
    const stage = onDestination ? AMOUNTS : AMOUNTS.slice(0, index);
    return typeof text === 'string'
      ? [{ property, kind: 'code', text, stage } satisfies Piece]
      : [];
  });
  const rank =
    entity.rank === null
      ? []
      : [
          {
            property: 'rank',
            kind: 'code',
            text: entity.rank,
            stage: [...AMOUNTS, 'candidate_destinations'],
          } satisfies Piece,
        ];
  return [
    ...amounts,
    ...rank,
    ...strings(entity.env, 'env', AMOUNTS),
    ...strings(entity.params, 'params', [...AMOUNTS, 'env']),
    ...strings(entity.resubmit, 'resubmit', [...AMOUNTS, 'env', 'params']),
    ...destinationPieces(entity),
    ...rulePieces(entity, onDestination),
    ...[...entity.rules.values()].flatMap((rule) => piecesOf(rule, owner)),
  ];
}

/** Every string inside a value is an f-string. */
function strings(value: Value, property: string, stage: readonly string[]): readonly Piece[] {
  if (typeof value === 'string') return [{ property, kind: 'fstring', text: value, stage }];
  if (value instanceof PyList) return value.items.flatMap((item) => strings(item, property, stage));
  if (value instanceof PyDict)
    return value.pairs().flatMap(([, item]) => strings(item, property, stage));
  return [];
}

function destinationPieces({ destination }: Entity): readonly Piece[] {
  if (destination === null) return [];
  const stage = [...AMOUNTS, 'env', 'params', 'resubmit'];
  return [
    { property: 'destination_name_override', kind: 'fstring', text: destination.name, stage },
    ...strings(destination.handlerTags, 'tags', [...stage, 'dest_name']),
  ];
}

function rulePieces({ rule }: Entity, onDestination: boolean): readonly Piece[] {
  if (rule === null) return [];
  // Rules of tools, roles and users run before any amount is evaluated.
  const stage = onDestination ? AMOUNTS : [];
  const piece = (property: string, kind: SnippetKind, text: Value): readonly Piece[] =>
    typeof text === 'string' ? [{ property, kind, text, stage }] : [];
  return [
    ...piece('if', 'code', rule.condition),
    ...piece('execute', 'exec', rule.execute),
    ...piece('fail', 'fstring', rule.fail),
  ];
}

/** Text that is not Python has no names; loading reports it. */
function namesRead(snippets: Snippets, kind: SnippetKind, text: string): readonly string[] {
  if (kind === 'fstring' && isPlain(text)) return [];
  try {
    return [...snippets.get(kind, text).names];
  } catch (error) {
    if (error instanceof PySyntaxError) return [];
    throw error;
  }
}

/**
 * The name that was probably meant, as the end of a sentence. For one or two letters too many names
 * are close, and an added first letter is too common.
 */
function meant(name: string, known: readonly string[]): string {
  const alike = known.filter((one) => one.charAt(0) === name.charAt(0));
  const word = name.length > 2 ? (suggest(name, alike) ?? suggest(name, known, 1)) : undefined;
  return word === undefined ? '' : `; did you mean '${word}'?`;
}

/** The first place of a name in a text. */
function placeOf(
  name: string,
  kind: SnippetKind,
  text: string,
  snippets: Snippets,
): SnippetPlace | undefined {
  const start = snippets.placeOf(kind, text);
  const at = namePlaces(text, kind).get(name);
  if (start === undefined || at === undefined) return start;
  return { file: start.file, line: start.line + at.line - 1, column: start.column + at.column - 1 };
}

import type { LeastNeed } from '../language.ts';
import type { ScriptLine } from './script-lines.ts';

/**
 * What the processes of a script need, each request cut down to `resourceLimits` of its process.
 * Only numbers count: what is computed, or cut down to what is computed, is known when it runs.
 */
export function needsIn(lines: readonly ScriptLine[]): readonly LeastNeed[] {
  const limits = new Map<string, Limits>();
  for (const line of lines) {
    const found = limitsOf(line);
    // Of two the last one counts.
    if (found !== undefined && line.process !== undefined) limits.set(line.process, found);
  }
  return lines.flatMap((line) => needOf(line, limits));
}

type Resource = LeastNeed['resource'];

/** Millicores or MiB; `computed`: nobody knows how much. A resource that is absent has no limit. */
type Limits = ReadonlyMap<Resource, number | 'computed'>;

const RESOURCES: ReadonlyMap<string, Resource> = new Map([
  ['cpus', 'cores'],
  ['memory', 'memory'],
  ['disk', 'scratch'],
]);

const LIMITS = /^resourceLimits\b/;
/** `memory: 768.GB`, or any string on the way. */
const LIMIT = /(?<!\w)(cpus|memory|disk) ?: ?(''|[^,\])]*)|''/g;

function limitsOf({ code, strings }: ScriptLine): Limits | undefined {
  if (!LIMITS.test(code)) return undefined;
  if (!/\w ?:/.test(code)) return new Map([...RESOURCES.values()].map((one) => [one, 'computed']));
  const limits = new Map<Resource, number | 'computed'>();
  let count = 0;
  for (const [found, key, literal = ''] of code.matchAll(LIMIT)) {
    const resource = RESOURCES.get(key ?? '');
    if (resource !== undefined)
      limits.set(resource, amountOf(resource, literal.trim(), strings[count]) ?? 'computed');
    count += found.split(`''`).length - 1;
  }
  return limits;
}

function needOf(
  { code, strings, process: step }: ScriptLine,
  limits: ReadonlyMap<string, Limits>,
): readonly LeastNeed[] {
  if (step === undefined) return [];
  const [, directive = '', literal = ''] = DIRECTIVE.exec(code) ?? OF_DISK.exec(code) ?? [];
  const resource = RESOURCES.get(directive);
  if (resource === undefined) return [];
  const asked = amountOf(resource, literal, strings[0]);
  const limit = limits.get(step)?.get(resource) ?? Infinity;
  return asked === undefined || limit === 'computed'
    ? []
    : [{ resource, amount: Math.min(asked, limit), step }];
}

/** Groovy calls it with or without brackets. */
const DIRECTIVE = /^(cpus|memory|disk) ?[=(]? ?(\d[\w.]{0,20}|'') ?\)?$/;
/** `disk 375.GB, type: 'local-ssd'`, or `disk request: 375.GB, …`. */
const OF_DISK =
  /^(disk) ?[=(]? ?\[? ?(?:request ?: ?)?(\d[\w.]{0,20}|'') ?(?:, ?type ?:[^,]*|\]? ?\)?)$/;

const UNITS: Readonly<Record<string, number>> = { M: 1, G: 1024, T: 1024 ** 2, P: 1024 ** 3 };

/** @param literal a number, or the place of a text */
function amountOf(resource: Resource, literal: string, text = ''): number | undefined {
  if (resource === 'cores') return /^\d{1,6}$/.test(literal) ? Number(literal) * 1000 : undefined;
  const [, number, unit = ''] = (literal === `''` ? TEXT.exec(text) : NUMBER.exec(literal)) ?? [];
  const amount = Math.ceil(Number(number) * (UNITS[unit.charAt(0).toUpperCase()] ?? 0));
  return Number.isFinite(amount) ? amount : undefined;
}

/** `'2 GB'`, and shorter: the letter of a unit may be small before no `B`. */
const TEXT = /^(\d{1,9}(?:\.\d{0,9})?) {0,9}([MGTP]B?|[mgtp])$/;
/** `2.GB`, a property of a number. */
const NUMBER = /^(\d{1,9}(?:\.\d{1,9})?)\.([MGTP]B)$/i;

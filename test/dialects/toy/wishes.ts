import type { Ask } from '../../../src/planner/ask.ts';
import type { Understood } from '../../../src/planner/dialect.ts';
import type { Change } from '../../../src/planner/nearest/change.ts';
import type { AskPlace } from '../../../src/planner/place.ts';
import type { Refusal } from '../../../src/planner/refusal.ts';
import type { Vocabulary } from '../../../src/planner/vocabulary.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { isNonEmpty } from '../../../src/words/ids.ts';
import {
  fromCores,
  fromGibibytes,
  seconds,
  toCores,
  toGibibytes,
} from '../../../src/words/units.ts';

export type Wish = {
  readonly run: readonly unknown[];
  readonly cpu?: number;
  readonly ram?: number;
  readonly minutes?: number;
};

const KEYS = new Set(['run', 'cpu', 'ram', 'minutes']);
const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';

export function readWish(wish: Wish, { taskTypes, urls }: Vocabulary): Understood {
  const parsed = taskTypes.find(TYPE)?.parse({ command: wish.run }, urls);
  if (parsed === undefined) throw new Error('nobody knows what an executable is');
  const unknown = Object.keys(wish).filter((key) => !KEYS.has(key));
  const refusals = unknown.map((key): Refusal => ({
    code: 'unknown-key',
    place: { what: 'written', path: `/${key}` },
  }));
  for (const { code, at } of parsed.ok ? [] : parsed.problems) {
    refusals.push({ code, place: { what: 'spec', at } });
  }
  if (isNonEmpty(refusals)) return { ok: false, refusals };
  if (!parsed.ok) throw new Error('a task was not understood and nobody said why');
  return { ok: true, ask: askOf(wish, parsed.task) };
}

const WHERE: Readonly<Partial<Record<AskPlace['what'], string>>> = {
  spec: '/run',
  cores: '/cpu',
  memory: '/ram',
  duration: '/minutes',
};

export function pathOf(place: AskPlace): string {
  return place.what === 'written' ? place.path : (WHERE[place.what] ?? '/');
}

export function wishWith(wish: Wish, { what, to }: Change): Wish {
  if (to === undefined) return wish;
  if (what === 'cores') return { ...wish, cpu: toCores(to) };
  if (what === 'memory') return { ...wish, ram: toGibibytes(to) };
  return what === 'duration' ? { ...wish, minutes: to / 60 } : wish;
}

function askOf({ cpu = 1, ram = 1, minutes }: Wish, task: Task): Ask {
  const cores = { min: fromCores(cpu), max: undefined };
  const memory = { min: fromGibibytes(ram), max: undefined };
  const machine = { cores, memory, gpus: undefined };
  const other = { name: undefined, replicas: 1, platform: undefined, arch: undefined, volumes: [] };
  const length = minutes === undefined ? undefined : seconds(minutes * 60);
  const window = { start: 'now', duration: { min: length, max: length } } as const;
  const whole = {
    taskType: TYPE,
    task,
    plugin: undefined,
    storage: [],
    costs: [],
    namesScratch: false,
  };
  return { ...whole, ...machine, parts: [{ ...machine, ...other }], windows: [window] };
}

import type { components } from '../../../src/generated/api.d.ts';

type Calendar = components['schemas']['Calendar'];
type WireRow = Calendar['destinations'][number];
type WireStep = WireRow['steps'][number];

const QUARTER = 900_000;
const MINUTE = 60_000;
/** Destinations and their cores. */
const CORES = {
  notebooks: 8,
  'notebooks-large': 32,
  'notebooks-gpu': 16,
  programs: 16,
  'programs-long': 64,
  'survey-a': 48,
  'survey-b': 48,
  'student-lab': 24,
  'radio-pipeline': 128,
  'night-queue': 96,
};

/**
 * A calendar of ten destinations with this number of steps each, as the service answers it:
 * `survey-a` has maintenance from 24 to 36 hours after the beginning, `notebooks-gpu` has GPUs.
 */
export function largeCalendar(from: number, to: number, steps: number): { calendar: Calendar } {
  const begin = Math.floor(from / MINUTE) * MINUTE;
  return {
    calendar: {
      from: iso(begin),
      to: iso(to),
      destinations: Object.entries(CORES).map(([name, cores], index) =>
        destination(name, cores, { from: begin, to, steps, seed: index + 1 }),
      ),
    },
  };
}

function destination(
  name: string,
  cores: number,
  { from, to, steps, seed }: { from: number; to: number; steps: number; seed: number },
): WireRow {
  const random = randomOf(seed);
  const gpus = name.endsWith('gpu') ? [{ type: 'a100', count: 4 }] : [];
  const borders = Array.from({ length: steps }, (_, i) => from + (i * (to - from)) / steps);
  let level = 0;
  const parts = borders.map((start, index): WireStep => {
    level = Math.min(1, Math.max(0, level + (random() - 0.5) * 0.6));
    const firm = index === 0 ? 0 : Math.round(level * cores);
    const held = Math.min(cores - firm, random() < 0.1 ? Math.round(cores / 6) : 0);
    return {
      start: iso(start),
      end: iso(borders[index + 1] ?? to),
      free: amounts(cores - firm - held, gpus),
      held: amounts(held, gpus.length > 0 ? [{ type: 'a100', count: 0 }] : []),
      firm: amounts(firm, gpus.length > 0 ? [{ type: 'a100', count: 0 }] : []),
    };
  });
  return {
    destination: name,
    capacity: amounts(cores, gpus),
    steps: parts,
    maintenance:
      name === 'survey-a'
        ? [
            {
              start: iso(from + 24 * 4 * QUARTER),
              end: iso(from + 36 * 4 * QUARTER),
              reason: 'new discs',
              takes: 'all',
            },
          ]
        : [],
  };
}

function amounts(cores: number, gpus: readonly { type: string; count: number }[]) {
  return {
    cores,
    memory: 4 * cores,
    scratch: 10 * cores,
    ...(gpus.length > 0 && { gpus: [...gpus] }),
  };
}

/** The same numbers in each run. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

import type { Instant } from '../../time.ts';
import { amountOf, type Away, type Own, type Resource, type Row, type Step } from '../book.ts';

/** The part of the time that a picture shows. */
export type Span = { readonly from: Instant; readonly to: Instant };

/** Units of a picture: a fifth of a pixel on a wide screen. */
export const WIDTH = 10_000;
export const HEIGHT = 1000;

/** The layers of a row: the later ones cover the earlier ones. */
export type Layers = {
  readonly away: string;
  /** up to the sum of held and firm */
  readonly held: string;
  readonly firm: string;
  /** outlines of what is the reader's own */
  readonly own: string;
};

/** Draws a row as paths of SVG, each a profile on the bottom, but maintenance hangs from the top. */
export function layersOf(row: Row, resource: Resource, span: Span): Layers {
  const most = amountOf(row.capacity, resource);
  const { steps } = row;
  if (most === 0) return { away: '', held: '', firm: '', own: '' };
  return {
    away: row.away
      .map((each) => hanging(each, amountOf(each.takes, resource) / most, span))
      .join(''),
    held: profile(steps, span, (step) => usedOf(step, resource, most).used / most),
    firm: profile(steps, span, (step) => usedOf(step, resource, most).firm / most),
    own: row.own
      .map((each) => outline(each, amountOf(each.amount, resource) / most, span))
      .join(''),
  };
}

/**
 * The used part of a step. A merged step tells its most held and its most firm amount, which may
 * be of different times, but what is free in all of it is never used.
 */
export function usedOf(
  { free, held, firm }: Step,
  resource: Resource,
  most: number,
): { readonly used: number; readonly firm: number } {
  const limit = Math.max(0, most - amountOf(free, resource));
  const reserved = Math.min(amountOf(firm, resource), limit);
  return { firm: reserved, used: Math.min(reserved + amountOf(held, resource), limit) };
}

/** Where an instant is in a picture, from 0 to 1. */
export function placeIn({ from, to }: Span, instant: Instant): number {
  return Math.min(1, Math.max(0, (instant - from) / (to - from)));
}

/** A place in a picture as an attribute of SVG: `12.5%`. */
export function percent(place: number): string {
  return `${Math.round(place * 1e5) / 1e3}%`;
}

function profile(steps: readonly Step[], span: Span, shareOf: (step: Step) => number): string {
  const parts: string[] = [];
  let height = HEIGHT;
  for (const step of steps) {
    const next = HEIGHT - Math.round(shareOf(step) * HEIGHT);
    if (next !== height) parts.push(`H${across(span, step.start)}V${next}`);
    height = next;
  }
  if (parts.length === 0) return '';
  const [first, last] = [steps[0]?.start ?? span.from, steps.at(-1)?.end ?? span.to];
  return `M${across(span, first)} ${HEIGHT}${parts.join('')}H${across(span, last)}V${HEIGHT}Z`;
}

function hanging({ start, end }: Away, share: number, span: Span): string {
  const height = Math.round(Math.min(1, share) * HEIGHT);
  return `M${across(span, start)} 0H${across(span, end)}V${height}H${across(span, start)}Z`;
}

function outline({ start, end }: Own, share: number, span: Span): string {
  const top = HEIGHT - Math.round(Math.min(1, share) * HEIGHT);
  if (top === HEIGHT) return '';
  return `M${across(span, start)} ${HEIGHT}V${top}H${across(span, end)}V${HEIGHT}Z`;
}

function across(span: Span, instant: Instant): number {
  return Math.round(placeIn(span, instant) * WIDTH);
}

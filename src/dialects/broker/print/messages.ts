import type { Reason } from '../../../planner/reasons.ts';
import { REFUSALS } from '../../../words/catalogue.ts';
import { printInstant } from '../../../words/iso8601.ts';
import { mergedTimes } from '../../merged-times.ts';
import { amountText } from '../../reason-text.ts';
import { saidKind, type PrintedFor, type WireMessage } from './words.ts';

/** A text with names in braces, and what they stand for. */
export type MessageText = {
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
};

/** A message with its text. @param at milliseconds since 1970; undefined in a dry run */
export function printMessage(
  { base, spelling }: PrintedFor,
  level: 'INFO' | 'ERROR',
  at: number | undefined,
  { template, values }: MessageText,
): WireMessage {
  return {
    ...saidKind(spelling, `${base}/docs/errors`),
    ...(at === undefined ? {} : { time: printInstant(at) }),
    level,
    template,
    values: { ...values },
    message: rendered({ template, values }),
  };
}

/** The reasons of a NO, of limited length for any number of destinations. */
export function reasonMessages(
  reasons: readonly Reason[],
  at: number | undefined,
  to: PrintedFor,
): WireMessage[] {
  const all = mergedTimes(reasons);
  const more = all.length - MOST_MESSAGES;
  const told = all
    .slice(0, MOST_MESSAGES)
    .map((reason) => printMessage(to, 'ERROR', at, templateOf(reason)));
  return more <= 0
    ? told
    : [
        ...told,
        printMessage(to, 'INFO', at, {
          template: 'The explanation has {count} more reasons.',
          values: { count: `${more}` },
        }),
      ];
}

/** The text of a template. */
export function rendered({ template, values }: MessageText): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** An answer stays below 20 kB. */
const MOST_MESSAGES = 30;
const MOST_NAMED = 10;

/** Nothing that a client wrote is in the template itself, for it may have braces. */
function templateOf(reason: Reason): MessageText {
  const { code, path, destinations, resource, asked, needed, limit, detail, when } = reason;
  const isAlone = asked === undefined && needed === undefined;
  const others = destinations.length - MOST_NAMED;
  const values: Readonly<Record<string, string | undefined>> = {
    code,
    path,
    destinations: destinations.length === 0 ? undefined : namesOf(destinations, others),
    asked: asked && amountText(asked, resource, 'GiB'),
    needed: needed && amountText(needed, resource, 'GiB'),
    limit: limit && amountText(limit, isAlone ? resource : undefined, 'GiB'),
    detail,
    earliest: when === undefined ? undefined : printInstant(when),
  };
  const numbers = [
    asked && 'asked {asked}',
    needed && 'the task needs {needed} here',
    limit && 'limit {limit}',
    when === undefined ? undefined : 'earliest start {earliest}',
  ].filter((part) => part !== undefined);
  const template = [
    '{path}: ',
    destinations.length === 0 ? '' : '{destinations}: ',
    REFUSALS[code],
    detail === undefined ? '' : ' {detail}',
    numbers.length === 0 ? '' : ` (${numbers.join(', ')})`,
  ].join('');
  return {
    template,
    values: Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  };
}

function namesOf(destinations: readonly string[], others: number): string {
  const named = destinations.slice(0, MOST_NAMED).join(', ');
  return others > 0 ? `${named} and ${others} others` : named;
}

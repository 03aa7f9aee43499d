import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { fromChild } from './messages.ts';
import type { FromChild, ToChild } from './messages.ts';

/** Where Node finds its channel in the child. */
export const CHANNEL_AT = 3;

/** More characters than a message may have: answers are shorter than 4 million, JSON doubles some. */
const LONGEST_LINE = 20_000_000;

/**
 * The planner's end of a child's channel: lines of JSON, as Node's own. In the planner it is a plain
 * pipe, because Node's end trusts the other one: one wrong byte or one file descriptor from a child
 * that was taken over would end the planner.
 *
 * @param fault is called for what no child of ours sends
 */
export function readMessages(
  channel: Duplex,
  receive: (message: FromChild) => void,
  fault: () => void,
): void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  const read = (line: string): void => {
    try {
      receive(fromChild(JSON.parse(line), 'message'));
    } catch {
      fault();
    }
  };
  channel.on('data', (bytes: Buffer) => {
    const lines = decoder.write(bytes).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      read(parts.join('') + line);
      parts = [];
      length = 0;
    }
    parts.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) fault();
  });
  // The end of the child tells.
  channel.on('error', () => undefined);
}

/** Sends nothing to a child that has just died; its end tells. */
export function writeMessage(channel: Duplex, message: ToChild): void {
  if (channel.writable) channel.write(`${JSON.stringify(message)}\n`);
}

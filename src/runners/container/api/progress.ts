import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { isRecord, parsedJson } from '../../../words/record.ts';

/**
 * The lines that a pull or a load printed, and the error with which it ended; its status is 200
 * even then.
 */
type PullProgress = { readonly lines: readonly string[]; readonly error: string | undefined };

const MOST_LINES = 1000;

/** Reads an answer of JSON lines to its end. */
export async function progressOf(answer: IncomingMessage): Promise<PullProgress> {
  const lines: string[] = [];
  let error: string | undefined;
  for await (const line of createInterface({ input: answer })) {
    const value = parsedJson(line);
    if (!isRecord(value)) continue;
    if (typeof value['error'] === 'string') error = value['error'];
    const text = value['stream'] ?? value['status'];
    if (typeof text === 'string' && lines.length < MOST_LINES) lines.push(text);
  }
  return { lines, error };
}

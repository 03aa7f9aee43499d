/** How the data of events are written: as lines of text, or as one string of JSON. */
export type EventData = 'text' | 'json';

/**
 * Prints a stream of bytes as events. The id of an event is the offset after its last byte, from
 * which the client resumes; that of `end` is one more, so that who has only the bytes still gets it.
 */
export function openEvents(from: number, kind: EventData = 'text') {
  const decoder = new TextDecoder();
  let at = from;
  let rest: Uint8Array = new Uint8Array();
  const take = (bytes: Uint8Array): string => {
    at += bytes.length;
    return bytes.length === 0 ? '' : printEvent(at, dataOf(decoder.decode(bytes), kind));
  };
  return {
    /** @returns the event for these bytes; empty while they do not complete a character */
    data: (bytes: Uint8Array): string => {
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const whole = wholeCharacters(all);
      rest = all.slice(whole);
      return take(all.subarray(0, whole));
    },
    /** @returns the last events: the remaining bytes, and `end` with the phase of the job */
    end: (phase: string): string => {
      const last = take(rest);
      rest = new Uint8Array();
      return last + printEvent(at + 1, dataOf(phase, kind), 'end');
    },
  };
}

/** Prints a server-sent event (HTML Living Standard § 9.2). */
function printEvent(id: number, lines: readonly string[], event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}id: ${id}\n${lines
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
}

/** Every line end of a text arrives as \n; a string of JSON has them as they are. */
function dataOf(text: string, kind: EventData): readonly string[] {
  return kind === 'json' ? [JSON.stringify(text)] : text.split(/\r\n|[\r\n]/);
}

/**
 * Length of the part of UTF-8 text that ends with a whole character; invalid bytes count as
 * characters.
 */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

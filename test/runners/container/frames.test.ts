import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { frames, type OutputFrame } from '../../../src/runners/container/api/frames.ts';

function framed(stream: 1 | 2, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

async function read(pieces: readonly Buffer[]): Promise<Record<OutputFrame['stream'], string>> {
  const parts = frames();
  for (const piece of pieces) parts.write(piece);
  parts.end();
  const seen: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  for await (const value of parts) {
    const frame: OutputFrame = value;
    seen[frame.stream].push(frame.bytes);
  }
  return {
    stdout: Buffer.concat(seen.stdout).toString('hex'),
    stderr: Buffer.concat(seen.stderr).toString('hex'),
  };
}

describe("the frames of a container's output", () => {
  test('come out the same however the connection cuts them', async () => {
    const frame = fc.record({
      stream: fc.constantFrom(1 as const, 2 as const),
      bytes: fc.uint8Array({ maxLength: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { maxLength: 20 }),
        fc.array(fc.nat(1000), { maxLength: 10 }),
        async (all, cuts) => {
          const whole = Buffer.concat(all.map(({ stream, bytes }) => framed(stream, bytes)));
          const at = [
            0,
            ...cuts.map((cut) => cut % (whole.length + 1)).toSorted((one, other) => one - other),
            whole.length,
          ];
          const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
          const of = (wanted: 1 | 2): string =>
            Buffer.concat(
              all.filter(({ stream }) => stream === wanted).map(({ bytes }) => bytes),
            ).toString('hex');
          expect(await read(pieces)).toEqual({ stdout: of(1), stderr: of(2) });
        },
      ),
      { numRuns: 200 },
    );
  });
});

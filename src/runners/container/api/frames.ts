import { Transform, type TransformCallback } from 'node:stream';

/** A piece of a container's output. */
export type OutputFrame = { readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer };

const HEADER = 8;
const STDERR = 2;

/**
 * Splits a stream into frames (Docker Engine API, "Attach to a container": one byte for the stream,
 * three empty ones, four of length).
 */
export function frames(): Transform {
  let header = Buffer.alloc(0);
  let stream: OutputFrame['stream'] = 'stdout';
  let left = 0;
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
      for (let rest = chunk; rest.length > 0;) {
        if (left === 0) {
          const needed = HEADER - header.length;
          header = Buffer.concat([header, rest.subarray(0, needed)]);
          rest = rest.subarray(needed);
          if (header.length < HEADER) break;
          stream = header[0] === STDERR ? 'stderr' : 'stdout';
          left = header.readUInt32BE(4);
          header = Buffer.alloc(0);
          continue;
        }
        const bytes = rest.subarray(0, left);
        left -= bytes.length;
        rest = rest.subarray(bytes.length);
        this.push({ stream, bytes } satisfies OutputFrame);
      }
      done();
    },
  });
}

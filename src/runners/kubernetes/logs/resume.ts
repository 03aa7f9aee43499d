import type { FileHandle } from 'node:fs/promises';

/** What a copy of a log has already: its size, its beginning and its end. */
type Copied = { readonly size: number; readonly head: Buffer; readonly tail: Buffer };

const HEAD = 4096;
const TAIL = 16 * 1024;
/** By default a node begins a new log file before it reaches this size. */
const MOST_SOUGHT = 32 * 2 ** 20;

/** Reads what is needed to continue a copy. */
export async function copiedIn(file: FileHandle): Promise<Copied> {
  const { size } = await file.stat();
  const part = async (length: number, position: number): Promise<Buffer> =>
    (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
  return {
    size,
    head: await part(Math.min(size, HEAD), 0),
    tail: await part(Math.min(size, TAIL), Math.max(0, size - TAIL)),
  };
}

/**
 * The part of a log beyond its copy. The cluster sends a log from its beginning, and a long log
 * from where the node began a new file. In that case the end of the copy is searched in the log;
 * when it is not found, the whole log is new. When lines repeat for longer than 16 KiB some may
 * come twice; no line is lost that the node still has.
 */
export async function* unreadPart(
  pieces: AsyncIterator<Buffer>,
  { size, head, tail }: Copied,
): AsyncGenerator<Buffer> {
  const first = collector(pieces);
  while (first.all().length < head.length && (await first.take()));
  const isSame = first.all().subarray(0, head.length).equals(head);
  let skip = isSame ? size : await endOf(tail, first);
  for (let piece = first.all(); ;) {
    const fresh = piece.subarray(Math.min(skip, piece.length));
    skip -= piece.length - fresh.length;
    if (fresh.length > 0) yield fresh;
    const next = await pieces.next();
    if (next.done === true) return;
    piece = next.value;
  }
}

/** Joins pieces that arrive one after the other. */
function collector(pieces: AsyncIterator<Buffer>) {
  let [room, length] = [Buffer.alloc(64 * 1024), 0];
  return {
    all: (): Buffer => room.subarray(0, length),
    /** Takes one more piece. @returns false at the end */
    take: async (): Promise<boolean> => {
      const { done, value } = await pieces.next();
      if (done === true) return false;
      if (length + value.length > room.length)
        room = Buffer.concat([room, Buffer.alloc(Math.max(room.length, value.length))]);
      room.set(value, length);
      length += value.length;
      return true;
    },
  };
}

/**
 * Where the copy's end ends in the new log. When the new file is shorter than that end, the part
 * that both share.
 */
async function endOf(
  pattern: Buffer,
  { all, take }: ReturnType<typeof collector>,
): Promise<number> {
  let from = 0;
  do {
    const at = all().indexOf(pattern, from);
    if (at !== -1) return at + pattern.length;
    from = Math.max(0, all().length - pattern.length);
  } while (from < MOST_SOUGHT && (await take()));
  return overlap(pattern, all());
}

/** How many bytes at the end of one are the beginning of the other. */
function overlap(one: Buffer, other: Buffer): number {
  for (let length = Math.min(one.length, other.length); length > 0; length -= 1) {
    if (one.subarray(one.length - length).equals(other.subarray(0, length))) return length;
  }
  return 0;
}

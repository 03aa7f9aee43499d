import type { Database } from '../../db/client.ts';
import { findObjects } from '../../schedule/stores.ts';
import type { InputDescription } from '../../vortex/index.ts';
import type { Ask, AskStorage, KeptStorage } from '../ask.ts';

/** The ask with the objects of the book that it names; those of other owners are not found. */
export async function withFoundObjects(
  database: Database,
  asked: Ask,
  owner: string,
): Promise<Ask> {
  const named = asked.storage.flatMap((item) => (item.kind === 'kept' ? [item.object] : []));
  if (named.length === 0) return asked;
  const found = new Map(
    (await findObjects(database, owner, named)).map((one) => [one.object, one]),
  );
  const inBook = (item: KeptStorage): AskStorage => {
    const object = found.get(item.object);
    return object === undefined && item.otherwise !== undefined
      ? item.otherwise
      : { ...item, found: object };
  };
  return {
    ...asked,
    storage: asked.storage.map((item) => (item.kind === 'kept' ? inBook(item) : item)),
  };
}

/** The data that exists before the run, for `input_size`; external items have the client's size. */
export function inputsOf({ storage }: Ask): readonly InputDescription[] {
  return storage.flatMap((item) => {
    if (item.kind !== 'kept' && item.kind !== 'external') return [];
    const size = item.kind === 'kept' ? item.found?.size : item.size;
    return [{ name: item.name, sizeBytes: size === undefined ? null : size * 2 ** 20 }];
  });
}

/** Limits how many things of each name exist at the same time. */
type RoomByName = {
  /** @returns false, and takes nothing, when the name has no room */
  readonly enter: (name: string) => boolean;
  readonly leave: (name: string) => void;
};

export function openRoomByName(limit: number): RoomByName {
  const counts = new Map<string, number>();
  return {
    enter: (name) => {
      const count = counts.get(name) ?? 0;
      if (count >= limit) return false;
      counts.set(name, count + 1);
      return true;
    },
    leave: (name) => {
      const count = counts.get(name) ?? 0;
      if (count > 1) counts.set(name, count - 1);
      else counts.delete(name);
    },
  };
}

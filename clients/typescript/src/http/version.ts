/** The version of the contract that this client was made for; its own is the same. */
export const VERSION = '0.1.0';

/**
 * Compares the service's version with ours.
 *
 * @param service its header `API-Version`
 * @returns a sentence for the user; undefined where both understand each other
 */
export function versionWarning(service: string | null, own = VERSION): string | undefined {
  const [theirs, ours] = [partsOf(service ?? ''), partsOf(own)];
  if (theirs === undefined || ours === undefined) return undefined;
  const difference = theirs.map((part, at) => part - (ours[at] ?? 0)).find((by) => by !== 0);
  if (difference === undefined) return undefined;
  const [age, effect] =
    difference > 0
      ? ['newer', 'it may say what this client does not know']
      : ['older', 'it may not know what this client asks for'];
  return `The service has version ${service}, which is ${age} than this client (${own}): ${effect}.`;
}

/** Major and minor: others change nothing in the contract. */
function partsOf(version: string): readonly number[] | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

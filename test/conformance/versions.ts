/**
 * Our text as TPV before 3.3 would have it. Recordings that do not say their version are of 3.2,
 * which has no resource pools: neither their section and store in a dump, nor what a user may have
 * of them in the text of an entity.
 *
 * @param tpv the version that a recording says
 */
export function saidAs(tpv: string | undefined, text: string): string {
  if (tpv !== undefined) return text;
  return text
    .replaceAll(/^ *(?:resource_pool_store|max_concurrent_(?:cores|mem|gpus)|pools):.*\n/gm, '')
    .replaceAll(/,? max_concurrent_(?:cores|mem|gpus)=None/g, '');
}

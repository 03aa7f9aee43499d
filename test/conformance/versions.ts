/**
 * Our text in the form of TPV before 3.3. Recordings without a version are of 3.2, which has no
 * resource pools: neither their section and store in a dump, nor a user's limits in the text of an
 * entity.
 *
 * @param tpv version of the recording
 */
export function saidAs(tpv: string | undefined, text: string): string {
  if (tpv !== undefined) return text;
  return text
    .replaceAll(/^ *(?:resource_pool_store|max_concurrent_(?:cores|mem|gpus)|pools):.*\n/gm, '')
    .replaceAll(/,? max_concurrent_(?:cores|mem|gpus)=None/g, '');
}

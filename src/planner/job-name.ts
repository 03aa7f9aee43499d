/** Longest name of a job, UTF-16 units: that of RUNID (DALI § 4.3.6). */
const LONGEST = 64;

/** What a job may be called, in words for messages. */
export const A_JOB_NAME = `1 to ${LONGEST} characters, none of them a control character`;

/** Characters without a picture, halves of a pair, and what XML cannot hold. */
const UNFIT = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

/** Can a job be called that? */
export function isJobName(text: string): boolean {
  return text !== '' && text.length <= LONGEST && !UNFIT.test(text);
}

/** A label of any length as the name of a job; undefined for a label that says nothing. */
export function jobNameFrom(label: string): string | undefined {
  const fit = label.replaceAll(new RegExp(UNFIT, 'gu'), ' ').trim();
  if (fit.length <= LONGEST) return fit === '' ? undefined : fit;
  // The cut may leave half of a pair at the end.
  return fit.slice(0, LONGEST).replace(UNFIT, '').trim();
}

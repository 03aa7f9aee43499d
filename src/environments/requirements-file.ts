/** A line of a requirements.txt with a requirement; lines count from 1. */
export type RequirementLine = { readonly text: string; readonly line: number };

/**
 * The requirements of a requirements.txt: without comments, blank lines, and hashes, which only
 * an installation needs. Other options (`-r`, `-e`, `--index-url`) stay, and are no requirements.
 */
export function requirementLines(text: string): readonly RequirementLine[] {
  const found: RequirementLine[] = [];
  let [joined, begun] = ['', 1];
  for (const [index, written] of text.split(/\r\n?|\n/).entries()) {
    if (joined === '') begun = index + 1;
    const line = written.replace(/(^|\s)#.*$/, '');
    if (line.endsWith('\\')) {
      joined += `${line.slice(0, -1)} `;
      continue;
    }
    const whole = `${joined}${line}`.replaceAll(/\s--hash[= ]\S+/g, '').trim();
    joined = '';
    if (whole !== '') found.push({ text: whole, line: begun });
  }
  const rest = joined.replaceAll(/\s--hash[= ]\S+/g, '').trim();
  return rest === '' ? found : [...found, { text: rest, line: begun }];
}

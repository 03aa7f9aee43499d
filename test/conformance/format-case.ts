import { readFileSync } from 'node:fs';
import { plainFile } from '../../src/vortex/tools/plain-file.ts';
import { textDifference } from './difference.ts';

/**
 * Why a file is not formatted as the real TPV does it; undefined when it is. Where TPV's own
 * answer says something else than the file, or is no YAML, ours has to say what the file
 * says (docs/guides/migration.md).
 */
export function formatDifference(file: URL, output: string, expected: string): string | undefined {
  const difference = textDifference('output', output, withTags(expected));
  if (difference === undefined) return undefined;
  const said = plainFile(readFileSync(file, 'utf8'));
  const isLost = said !== undefined && plainFile(withTags(expected)) !== said;
  return isLost && plainFile(output) === said ? undefined : difference;
}

/**
 * ruamel.yaml writes the mark of its own namespace and the rest of such a
 * tag apart, which is another tag.
 */
function withTags(text: string): string {
  return text.replaceAll('!!%20', '!!');
}

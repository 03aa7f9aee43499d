import { readFileSync } from 'node:fs';
import { plainFile } from '../../src/vortex/tools/plain-file.ts';
import { textDifference } from './difference.ts';

/**
 * The difference from the real TPV's formatting, or undefined. If TPV's own result changes the
 * meaning of the file or is not YAML, ours must keep the meaning (docs/guides/migration.md).
 */
export function formatDifference(file: URL, output: string, expected: string): string | undefined {
  const difference = textDifference('output', output, withTags(expected));
  if (difference === undefined) return undefined;
  const said = plainFile(readFileSync(file, 'utf8'));
  const isLost = said !== undefined && plainFile(withTags(expected)) !== said;
  return isLost && plainFile(output) === said ? undefined : difference;
}

/**
 * ruamel.yaml separates the mark of its own namespace from the rest of such a tag, which makes
 * another tag.
 */
function withTags(text: string): string {
  return text.replaceAll('!!%20', '!!');
}

import { dumpText, dumpYaml } from '../../src/vortex/tools/dump.ts';
import { mergeFiles } from '../../src/vortex/file/merge-files.ts';
import { list, object, oneOf, stringShape } from '../../src/vortex/shape.ts';
import { textDifference } from './difference.ts';
import { sourceOf } from './folder.ts';
import type { Folder, RecordedCase } from './folder.ts';
import { saidAs } from './versions.ts';

const dumpCase = object(
  {
    configs: list(stringShape),
    format: oneOf('text', 'yaml'),
    expect: object({ output: stringShape }),
  },
  { tpv: stringShape },
);

/** Compares the dump of merged files. */
export function judgeDump({ fixtures }: Folder, { fields }: RecordedCase): string | undefined {
  const { configs, format, expect, tpv } = dumpCase(fields, 'case');
  const merged = mergeFiles(
    configs.map((config) => sourceOf(fixtures, config)),
    { keepsSpelling: true },
  );
  if (!merged.ok)
    return `the files do not load: ${merged.problems.map(({ message }) => message).join('; ')}`;
  const output = (format === 'text' ? dumpText : dumpYaml)(merged.config, configs);
  return textDifference('output', saidAs(tpv, output), expect.output);
}

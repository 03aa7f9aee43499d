import { join } from 'node:path';
import type { NonEmpty } from '../../words/ids.ts';
import { shellWord } from '../../words/safe-text.ts';
import type { Interpreter, PlacedWorkflow } from './interpreter.ts';

/** The folder of a working directory in which an interpreter records what it does. */
export const PROVENANCE = '.provenance';

/**
 * Lines of a shell that follow a run in its working directory, and make one file of its provenance.
 *
 * @param task the folder that has the documents and the inputs
 */
export function recordingLines(
  {
    recording,
    ownFolders,
    ownAnywhere = [],
  }: Pick<Interpreter, 'recording' | 'ownFolders' | 'ownAnywhere'>,
  placed: PlacedWorkflow,
  task: string,
  command: NonEmpty<string>,
): readonly string[] {
  const folder = shellWord(join(placed.work, PROVENANCE));
  const from = shellWord(task);
  const own = [
    ...[...ownFolders, PROVENANCE].map((name) => `-path ${shellWord(`./${name}`)}`),
    ...ownAnywhere.map((name) => `-name ${shellWord(name)}`),
  ];
  const usual = [
    `mkdir -p ${folder}`,
    `cp -R ${from}/workflow ${from}/inputs.json ${folder}`,
    `(cd ${from} && find inputs directories ${CHECKSUMS} 2>/dev/null) > ${folder}/inputs.sha256`,
    `find . \\( ${own.join(' -o ')} \\) -prune -o ${CHECKSUMS} 2>/dev/null > ${folder}/results.sha256`,
  ];
  return [
    ...(recording === undefined ? [] : [...usual, ...recording(placed, command)]),
    `[ ! -d ${folder} ] || { tar -czf ${shellWord(join(placed.work, 'provenance.tar.gz'))} ` +
      `-C ${folder} . && rm -rf ${folder}; }`,
  ];
}

const CHECKSUMS = '-type f -exec sha256sum {} +';

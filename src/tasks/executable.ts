import { executableForm } from './forms/executable.ts';
import { isNonEmpty, type NonEmpty } from '../words/ids.ts';
import { readEnvironment } from './environment.ts';
import {
  invalidSpec,
  readParallel,
  readSpec,
  readStrings,
  type SpecReader,
} from './spec-reader.ts';
import { isRecord } from '../words/record.ts';
import { verdict, type BuiltInType } from './task.ts';

// Well within the limits of Linux: 128 KiB for one word and 2 MiB for argv and environment
// together.
const COMMAND = { most: 1000, longest: 100_000 };
const LONGEST_TOTAL = 500_000;

/**
 * `spec: { command: [program, argument, ...], environment: { NAME: value } }`: argv, which no shell
 * reads.
 */
export const executable: BuiltInType<'executable'> = {
  name: 'executable',
  uri: 'https://www.purl.org/ivoa-net/task-type/executable',
  aliases: [
    'https://www.purl.org/ivoa.net/task-type/executable',
    'https://www.purl.org/ivoa.net/executable-types/executable',
  ],
  form: executableForm,
  parse: (spec) => {
    const reader = readSpec(spec, ['command', 'environment', 'parallel']);
    if (!isRecord(spec)) return verdict(undefined, reader.problems);
    const command = readCommand(reader);
    const environment = readEnvironment(reader);
    const parallel = readParallel(reader);
    return verdict(
      command && { type: 'executable', command, environment, ...parallel },
      reader.problems,
    );
  },
};

function readCommand(reader: SpecReader): NonEmpty<string> | undefined {
  const words = readStrings(reader, 'command', COMMAND);
  if (words === undefined) return undefined;
  const total = words.reduce((sum, word) => sum + word.length, 0);
  if (!isNonEmpty(words))
    invalidSpec(reader, 'command', 'command must have at least the program to run');
  else if (words[0] === '')
    invalidSpec(reader, 'command[0]', 'the program to run must not be empty');
  else if (total > LONGEST_TOTAL)
    invalidSpec(reader, 'command', 'command is too long in all', total, LONGEST_TOTAL);
  else return words;
  return undefined;
}

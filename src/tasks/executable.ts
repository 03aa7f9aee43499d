import { isNonEmpty, type NonEmpty } from '../words/ids.ts';
import { invalid, isRecord, readSpec, readString, readStrings, type SpecReader } from './spec-reader.ts';
import { shown, verdict, type ExecutableTask, type TaskType } from './task.ts';

// Well inside what Linux takes: 128 KiB for one word and 2 MiB for all of argv and environment together.
const COMMAND = { most: 1000, longest: 100_000 };
const LONGEST_TOTAL = 500_000;
const MOST_VARIABLES = 200;
const LONGEST_VALUE = 10_000;

const readCommand = (reader: SpecReader): NonEmpty<string> | undefined => {
  const words = readStrings(reader, 'command', COMMAND);
  if (words === undefined) return undefined;
  const total = words.reduce((sum, word) => sum + word.length, 0);
  if (!isNonEmpty(words)) invalid(reader, 'command', 'command must have at least the program to run');
  else if (words[0] === '') invalid(reader, 'command[0]', 'the program to run must not be empty');
  else if (total > LONGEST_TOTAL) invalid(reader, 'command', 'command is too long in all', total, LONGEST_TOTAL);
  else return words;
  return undefined;
};

const readVariable = (reader: SpecReader, name: string, value: unknown): void => {
  const key = `environment.${shown(name)}`;
  if (!/^[A-Za-z_]\w{0,99}$/.test(name)) {
    invalid(reader, key, 'a variable is named with letters, digits and _, at most 100 of them', shown(name));
  } else {
    readString(reader, key, value, LONGEST_VALUE);
  }
};

const readEnvironment = (reader: SpecReader): Readonly<Record<string, string>> => {
  const value = reader.fields.get('environment');
  if (value === undefined) return {};
  if (!isRecord(value)) {
    invalid(reader, 'environment', 'environment must be a mapping of names to strings');
    return {};
  }
  const entries = Object.entries(value);
  if (entries.length > MOST_VARIABLES) {
    invalid(reader, 'environment', 'environment has too many variables', entries.length, MOST_VARIABLES);
    return {};
  }
  for (const [name, text] of entries) readVariable(reader, name, text);
  return Object.fromEntries(entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
};

/** `spec: { command: [program, argument, ...], environment: { NAME: value } }`: argv as it is, no shell reads it. */
export const executable: TaskType<ExecutableTask> = {
  name: 'executable',
  uri: 'https://www.purl.org/ivoa-net/task-type/executable',
  aliases: [
    'https://www.purl.org/ivoa.net/task-type/executable',
    'https://www.purl.org/ivoa.net/executable-types/executable',
  ],
  parse: (spec) => {
    const reader = readSpec(spec, ['command', 'environment']);
    if (!isRecord(spec)) return verdict(undefined, reader.problems);
    const command = readCommand(reader);
    const environment = readEnvironment(reader);
    return verdict(command && { type: 'executable', command, environment }, reader.problems);
  },
};

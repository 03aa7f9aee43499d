import { isRecord } from '../words/record.ts';
import { invalidSpec, readString, type SpecReader } from './spec-reader.ts';
import { shown } from './task.ts';

const MOST_VARIABLES = 200;
const LONGEST_VALUE = 10_000;

/**
 * Reads `environment`: names and strings, which no shell reads. Empty if absent; problems are
 * noted.
 */
export function readEnvironment(reader: SpecReader): Readonly<Record<string, string>> {
  const value = reader.fields.get('environment');
  if (value === undefined) return {};
  if (!isRecord(value)) {
    invalidSpec(reader, 'environment', 'environment must be a mapping of names to strings');
    return {};
  }
  const entries = Object.entries(value);
  if (entries.length > MOST_VARIABLES) {
    invalidSpec(
      reader,
      'environment',
      'environment has too many variables',
      entries.length,
      MOST_VARIABLES,
    );
    return {};
  }
  for (const [name, text] of entries) readVariable(reader, name, text);
  return Object.fromEntries(
    entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
}

function readVariable(reader: SpecReader, name: string, value: unknown): void {
  const key = `environment.${shown(name)}`;
  if (!/^[A-Za-z_]\w{0,99}$/.test(name)) {
    invalidSpec(
      reader,
      key,
      'a variable is named with letters, digits and _, at most 100 of them',
      shown(name),
    );
  } else {
    readString(reader, key, value, LONGEST_VALUE);
  }
}

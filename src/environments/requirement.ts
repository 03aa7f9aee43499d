import { validRange } from '@renovatebot/pep440';
import { parseMarker, type Marker } from './marker.ts';

/** A distribution that a task needs, in the form of PEP 508: `astropy[all]>=6; python_version > "3"`. */
export type Requirement = {
  /** as the client wrote it */
  readonly text: string;
  readonly name: string;
  readonly extras: readonly string[];
  /** versions (PEP 440), such as `>=6,<8`; '' for any */
  readonly versions: string;
  /** when it is needed; undefined: always */
  readonly marker: Marker | undefined;
};

/** A requirement, or what is wrong with its text. */
export type ParsedRequirement =
  | { readonly ok: true; readonly requirement: Requirement }
  | { readonly ok: false; readonly problem: string };

/** Parses a requirement (PEP 508). */
export function parseRequirement(text: string): ParsedRequirement {
  if (text.length > LONGEST) return failed(`has more than ${LONGEST} characters`);
  if (/\s#/.test(text)) return failed('has a comment: only a requirements.txt may have one');
  const option = /\s(--[a-z][a-z-]*)/i.exec(text)?.[1];
  if (option !== undefined)
    return failed(
      `has the option ${option}: an item of a list has none, and a requirements.txt --hash alone`,
    );
  const [, name, extras = '', rest = ''] = FORM.exec(text) ?? [];
  if (name === undefined) return failed('is no requirement: write a name, such as astropy>=6');
  if (rest.startsWith('@'))
    return failed('names a URL, and what is there cannot be judged: write a name and versions');
  if (ARCHIVE.test(name)) return failed('is the name of a file: write the name of a package');
  const [before = '', ...after] = rest.split(';');
  const versions = before
    .trim()
    .replace(/^\((.*)\)$/s, '$1')
    // `packaging`, by which pip reads them, takes one comma at the end.
    .replace(/(?<=[^\s,])\s*,\s*$/, '')
    .trim();
  if (versions !== '' && !(PLAIN.test(versions) && validRange(versions)))
    return failed('has no versions in the form of PEP 440, such as >=6,<8');
  const marker = after.length === 0 ? undefined : parseMarker(after.join(';'));
  if (after.length > 0 && marker === undefined)
    return failed('has a condition that is no marker of PEP 508, such as python_version < "3.11"');
  return {
    ok: true,
    requirement: {
      text,
      name,
      extras: extras.split(',').flatMap((extra) => extra.trim() || []),
      versions,
      marker,
    },
  };
}

/** A longer one is none; parsing takes more time than its length. */
const LONGEST = 500;
/** `===` takes any text, and pip takes one with a slash for a path on the machine that runs it. */
const PLAIN = /^[\w.*+!<>=~, \t-]+$/;
/** pip takes these for files, too. */
const ARCHIVE = /\.(?:whl|zip|tar|t?gz|t?bz2?|t?xz|tlz|lzma)$/i;
const NAME = '[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?';
const FORM = new RegExp(
  `^\\s*(${NAME})\\s*(?:\\[\\s*((?:${NAME}\\s*(?:,\\s*${NAME}\\s*)*)?)\\])?\\s*((?:[(<>=!~;@].*)?)$`,
  's',
);

function failed(problem: string): ParsedRequirement {
  return { ok: false, problem };
}

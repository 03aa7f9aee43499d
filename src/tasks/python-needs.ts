import { JUPYTER_PACKAGES } from '../environments/environment.ts';
import {
  parseRequirement,
  type ParsedRequirement,
  type Requirement,
} from '../environments/requirement.ts';
import { requirementLines } from '../environments/requirements-file.ts';
import type { KnownSources } from '../sources/known.ts';
import { rememberLatest } from '../sources/latest.ts';
import { writtenText } from '../words/safe-text.ts';
import {
  invalidSpec,
  readHeldUrl,
  readString,
  readStrings,
  type SpecReader,
} from './spec-reader.ts';
import { shown, type NotebookTask, type ProgramTask, type PythonNeeds } from './task.ts';
import type { UrlPolicy } from './url-policy.ts';

/** Keys of a spec that say what a task in Python needs. */
export const NEED_KEYS = ['requirements', 'environment', 'check-imports'] as const;

/** A requirement of a task, and where it stands: a path in the spec, and a line of a text. */
export type StatedRequirement = {
  readonly requirement: Requirement;
  readonly at: string;
  readonly line: number | undefined;
};

/**
 * Reads what a task says that it needs; undefined: nothing, or something is wrong.
 * @param sources what URLs hold
 */
export function readNeeds(
  reader: SpecReader,
  policy: UrlPolicy,
  sources: KnownSources | undefined,
): PythonNeeds | undefined {
  const requirements = readRequirements(reader, policy, sources);
  const environment = reader.fields.has('environment') ? readName(reader) : undefined;
  const checked = reader.fields.get('check-imports') ?? true;
  if (typeof checked !== 'boolean')
    invalidSpec(
      reader,
      'check-imports',
      'check-imports must be true or false',
      shown(writtenText(checked)),
    );
  if (requirements === undefined && environment === undefined && checked !== false)
    return undefined;
  const needs: PythonNeeds = {
    ...(requirements !== undefined && { requirements: requirements.given }),
    ...(requirements?.url !== undefined && { requirementsUrl: requirements.url }),
    ...(environment !== undefined && { environment }),
    ...(checked === false && { checkImports: false }),
  };
  parsedOf.set(needs, requirements?.stated ?? []);
  return needs;
}

/** The requirements of a task; those that cannot be parsed were refused when it was read. */
export function requirementsOf(needs: PythonNeeds): readonly StatedRequirement[] {
  const known = parsedOf.get(needs);
  if (known !== undefined) return known;
  return statedIn(needs.requirements ?? []).flatMap(({ text, ...place }) => {
    const one = parsedOnce(text);
    return one.ok ? [{ requirement: one.requirement, ...place }] : [];
  });
}

/** What an environment that is made for a task gets: what it requires, and what executes it. */
export function madeRequirements(task: NotebookTask | ProgramTask): readonly string[] {
  const stated = requirementsOf(task.needs ?? {}).map(({ requirement: { text } }) =>
    // Not every program that makes environments takes a comma behind the last version.
    text.replace(/,\s*(?=[);]|$)/, '').trim(),
  );
  return task.type === 'jupyter-notebook' ? [...stated, ...JUPYTER_PACKAGES] : stated;
}

/** So that those of an ask are parsed once. */
const parsedOf = new WeakMap<PythonNeeds, readonly StatedRequirement[]>();

const MOST = { most: 1000, longest: 500 };
const LONGEST_TEXT = 100_000;
const NAME = /^[\w.-]{1,64}$/;

/** One line with the URL of a requirements.txt. */
const URL_FORM = /^(?:https?|file):\S*$/i;

type ReadRequirements = {
  readonly given: readonly string[] | string;
  readonly url?: string;
  readonly stated: readonly StatedRequirement[];
};

function readRequirements(
  reader: SpecReader,
  policy: UrlPolicy,
  sources: KnownSources | undefined,
): ReadRequirements | undefined {
  const given = reader.fields.get('requirements');
  if (given === undefined) return undefined;
  if (typeof given === 'string' && URL_FORM.test(given.trim()))
    return readRequirementsAt(reader, policy, sources);
  const requirements =
    typeof given === 'string'
      ? readString(reader, 'requirements', given, LONGEST_TEXT)
      : readStrings(reader, 'requirements', MOST);
  return requirements === undefined ? undefined : readStated(reader, requirements);
}

/** The requirements at a URL: nothing is promised about what nobody has read. */
function readRequirementsAt(
  reader: SpecReader,
  policy: UrlPolicy,
  sources: KnownSources | undefined,
): ReadRequirements | undefined {
  const [source, held] = readHeldUrl(reader, 'requirements', policy, sources);
  if (source?.kind !== 'url') return undefined;
  const { url } = source;
  if (held?.kind !== 'text') {
    const why = held?.why ?? 'nobody has read it';
    const asked = shown(url);
    reader.problems.push({ at: 'requirements', code: 'source-unread', text: why, asked });
    return undefined;
  }
  const text = readString(reader, 'requirements', held.text, LONGEST_TEXT);
  return text === undefined ? undefined : { ...readStated(reader, text), url };
}

function readStated(
  reader: SpecReader,
  requirements: readonly string[] | string,
): ReadRequirements {
  const stated = statedIn(requirements);
  if (stated.length > MOST.most)
    invalidSpec(
      reader,
      'requirements',
      'requirements has too many lines',
      stated.length,
      MOST.most,
    );
  const good = stated.slice(0, MOST.most).flatMap(({ text, at, line }) => {
    const one = parsedOnce(text);
    if (one.ok) return [{ requirement: one.requirement, at, line }];
    const where = line === undefined ? at : `line ${line} of requirements`;
    invalidSpec(reader, at, `${where} ${one.problem}`, shown(text));
    return [];
  });
  return { given: requirements, stated: good };
}

/** Clients name the same packages again and again. */
const parsed = rememberLatest<ParsedRequirement>(1_000_000);

function parsedOnce(text: string): ParsedRequirement {
  return parsed(text, () => parseRequirement(text));
}

function statedIn(requirements: readonly string[] | string) {
  return typeof requirements === 'string'
    ? requirementLines(requirements).map((one) => ({ ...one, at: 'requirements' }))
    : requirements.map((text, index) => ({ text, at: `requirements[${index}]`, line: undefined }));
}

function readName(reader: SpecReader): string | undefined {
  const name = readString(reader, 'environment', reader.fields.get('environment'), LONGEST_TEXT);
  if (name === undefined || NAME.test(name)) return name;
  invalidSpec(reader, 'environment', 'environment must be the name of an environment', shown(name));
  return undefined;
}

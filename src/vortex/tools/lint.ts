import { truthy } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { FileProblem } from '../../yaml/index.ts';
import { RESOURCES } from '../decision.ts';
import type { ConfigFile } from '../file/config-file.ts';
import type { Entity } from '../entity/entity.ts';
import { NOT_PYTHON, UNUSABLE_PATTERN } from '../file/file-reader.ts';
import { absentNames } from './lint-modules.ts';
import { carriedState } from './lint-state.ts';
import { mergeFiles } from '../file/merge-files.ts';
import type { Merged } from '../file/merge-files.ts';
import type { RuleSource } from '../file/rules.ts';
import { pythonOf, undefinedNames } from './lint-names.ts';
import type { SectionName } from '../file/merge.ts';
import type { SnippetPlace } from '../file/snippets.ts';

/** A finding of lint. TPV's errors have no code; warnings have one, which can silence them. */
export type Finding = {
  readonly severity: 'error' | 'warning';
  readonly code: string | null;
  readonly message: string;
  readonly place: SnippetPlace;
  /**
   * The owner in the words of messages: `rule 'r' in 'rules' of tool 'x'`. Absent where the message
   * says all.
   */
  readonly entity?: string;
  /** For text that is not Python: its line, and a caret below. */
  readonly excerpt?: string;
};

/** `unreadable`: the files cannot be loaded, because of the given problems. */
export type LintReport =
  | { readonly kind: 'unreadable'; readonly problems: readonly FileProblem[] }
  | { readonly kind: 'linted'; readonly findings: readonly Finding[] };

/**
 * The findings of TPV's lint in merged rule files, warnings first. T104: unknown keys. T103: names
 * that nothing defines where they are used (TPV runs a type checker instead). T101 and T102: tools,
 * then destinations. T201: state that TPV carries on. Then the errors, such as text that is not
 * Python. `ignored` are codes to leave out.
 */
export function lint(sources: readonly RuleSource[], ignored: ReadonlySet<string>): LintReport {
  const merged = mergeFiles(sources);
  if (!merged.ok) return { kind: 'unreadable', problems: merged.problems };
  const { config } = merged;
  const findings = [
    ...unknownKeys(config),
    ...undefinedNames(merged),
    ...missingModules(merged),
    ...brokenSnippets(merged),
    ...absentNames(merged.snippets),
    ...patternFindings(merged),
    ...[...config.tools.values()].flatMap((tool) => toolFindings(tool, config.defaultInherits)),
    ...[...config.destinations.values()].flatMap((one) =>
      destinationFindings(one, config.defaultInherits),
    ),
    ...carriedState(config.destinations.values()),
  ].filter(({ code }) => code === null || !ignored.has(code));
  const of = (severity: Finding['severity']): readonly Finding[] =>
    findings.filter((one) => one.severity === severity);
  return { kind: 'linted', findings: [...of('warning'), ...of('error')] };
}

const NOWHERE: SnippetPlace = { file: '', line: 1, column: 1 };

/** A problem of a file as an error. */
export function errorOf({
  file,
  line,
  column,
  message,
  hint,
  entity,
  property,
  excerpt,
}: FileProblem): Finding {
  const whose =
    entity === undefined || property === undefined
      ? message
      : `'${property}' of ${entity} is ${message}`;
  return {
    severity: 'error',
    code: null,
    message: hint === undefined ? whose : `${whose} (${hint})`,
    place: { file, line, column },
    ...(entity !== undefined && { entity }),
    ...(excerpt !== undefined && { excerpt }),
  };
}

function unknownKeys(config: ConfigFile): readonly Finding[] {
  const ofStore = [...(config.store?.unknown ?? [])].map(
    ([key, place]) => [`.global_config.resource_pool_store.${key}`, place] as const,
  );
  const outside = [...config.unknown, ...ofStore].map(([path, place]) => unknownKey(path, place));
  const sections = (
    ['tools', 'users', 'roles', 'destinations', 'pools'] satisfies SectionName[]
  ).flatMap((section) =>
    [...config[section]].flatMap(([id, entity]) => unknownKeysOf(`.${section}.${id}`, entity)),
  );
  return [...outside, ...sections];
}

function unknownKey(path: string, place: SnippetPlace): Finding {
  const message = `Unexpected field '${path}' - make sure the field is nested correctly or manually silence warning`;
  return { severity: 'warning', code: 'T104', message, place };
}

function unknownKeysOf(path: string, entity: Entity): readonly Finding[] {
  const tags =
    entity.kind === 'destination' || entity.kind === 'pool' ? 'tpv_dest_tags' : 'tpv_tags';
  const own = [...entity.unknown].map(([key, place]) =>
    unknownKey(`${path}.${key.replace(/^scheduling\./, `${tags}.`)}`, place),
  );
  return [
    ...own,
    ...[...entity.rules].flatMap(([id, rule]) => unknownKeysOf(`${path}.rules.${id}`, rule)),
  ];
}

function missingModules({ warnings }: Merged): readonly Finding[] {
  return warnings
    .filter(({ code }) => code === NOT_PYTHON)
    .map(({ file, line, column, message }) => ({
      severity: 'warning',
      code: NOT_PYTHON,
      message,
      place: { file, line, column },
    }));
}

/**
 * Texts of rules that are not Python and that no later file replaces. TPV's lint fails at them,
 * except in `execute`, where its type checker warns; its loader accepts them.
 */
function brokenSnippets({ broken, config }: Merged): readonly Finding[] {
  if (broken.length === 0) return [];
  const texts = pythonOf(config);
  return broken.filter(({ text }) => texts.has(text)).map(({ problem }) => errorOf(problem));
}

/**
 * TPV checks the keys of tools only; with a broken key of users or roles it fails in every
 * decision.
 */
function patternFindings({ unusable, config }: Merged): readonly Finding[] {
  return unusable
    .filter(({ code }) => code === UNUSABLE_PATTERN)
    .map(({ file, line, column, message }) => {
      const key = [...config.tools].find(
        ([, { place }]) => place?.file === file && place.line === line,
      )?.[0];
      return error(
        { file, line, column },
        key === undefined ? message : `Failed to compile regex: ${key}`,
      );
    });
}

function error(place: SnippetPlace | null, message: string): Finding {
  return { severity: 'error', code: null, message, place: place ?? NOWHERE };
}

function toolFindings(tool: Entity, defaultInherits: string | null): readonly Finding[] {
  const { cores, mem } = tool.amounts;
  const isDefault = defaultInherits === tool.id && !tool.abstract;
  const abstract = isDefault
    ? warning(
        tool,
        'T101',
        `The tool named: ${tool.id} is marked globally as the tool to inherit from by default. You may want to mark ` +
          'it as abstract if it is not an actual tool and it will be excluded from scheduling decisions.',
      )
    : [];
  if (!isSet(cores) || isSet(mem)) return abstract;
  const message =
    `The tool named: ${tool.id} sets \`cores\` but not \`mem\`. This can lead to unexpected memory usage since ` +
    'memory is typically a multiplier of cores.';
  return [...abstract, ...warning(tool, 'T102', message)];
}

/** A finding of an entity, unless a `# noqa` comment silences it. */
function warning(entity: Entity, code: string, message: string): readonly Finding[] {
  if (entity.silenced.includes('noqa') || entity.silenced.includes(code)) return [];
  return [{ severity: 'warning', code, message, place: entity.place ?? NOWHERE }];
}

/** Python's truth of an amount: 0 and '' count as not set. */
function isSet(amount: Value): boolean {
  return truthy(amount);
}

function destinationFindings(entity: Entity, defaultInherits: string | null): readonly Finding[] {
  const { id, place, abstract, destination } = entity;
  const findings: Finding[] = [];
  if ((destination?.runner ?? '') === '' && !abstract) {
    findings.push(
      error(
        place,
        `Destination '${id}' does not define the runner parameter. The runner parameter is mandatory.`,
      ),
    );
  }
  const isLegacy = RESOURCES.some(
    (name) =>
      isSet(entity.amounts[name]) && !isSet(destination?.accepted[`max_accepted_${name}`] ?? null),
  );
  if (isLegacy) {
    const message =
      `The destination named: ${id} defines the cores/mem/gpus property instead of max_accepted_cores/mem/gpus. This ` +
      "is probably an error. If you're migrating from an older version of TPV, the destination properties for " +
      'cores/mem/gpus have been superseded by the max_accepted_cores/mem/gpus property. Simply renaming them will ' +
      'give you the same functionality.';
    findings.push(error(place, message));
  }
  if (defaultInherits !== id || abstract) return findings;
  const message =
    `The destination named: ${id} is marked globally as the destination to inherit from by default. You may want to ` +
    'mark it as abstract if it is not meant to be dispatched to, and it will be excluded from scheduling decisions.';
  return [...findings, ...warning(entity, 'T101', message)];
}

import type { Resolver } from '../fetch/get.ts';
import { decodeText } from '../fetch/text.ts';
import { readPlainFile } from '../places/plain-file.ts';
import { originName, type RuleOrigin } from '../site/rule-origin.ts';
import { ConfigurationError } from '../site/load.ts';
import type { Site } from '../site/site.ts';
import type { RuleSource } from '../vortex/index.ts';
import type { FileProblem } from '../yaml/index.ts';
import { NO_COPIES, type SavedCopy, type CopyStore } from './saved-copies.ts';
import { openRemote, type FetchWhen, type RemoteRules } from './remote.ts';
import { errorText } from '../words/system-error.ts';

/** All rule files of a site in order, with their warnings; or why they cannot be read. */
export type RulesReading =
  | {
      readonly ok: true;
      readonly sources: readonly RuleSource[];
      readonly copies: readonly SavedCopy[];
      readonly troubles: readonly FileProblem[];
    }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** Reads the rule files of a site repeatedly. */
type RuleReader = {
  /** Never throws. */
  readonly read: (asking: FetchWhen) => Promise<RulesReading>;
  /** the next time to ask a URL, milliseconds since 1970; undefined: never */
  readonly nextAsk: () => number | undefined;
};

export type ReaderOptions = {
  readonly copies: CopyStore;
  /** milliseconds since 1970 */
  readonly clock: () => number;
  /** tags that destinations have besides those of the files, as they are now */
  readonly tags?: () => RuleSource | undefined;
  /** for tests */
  readonly resolver?: Resolver | undefined;
};

type Part =
  | { readonly source: RuleSource; readonly copy?: SavedCopy; readonly trouble?: FileProblem }
  | { readonly source: undefined; readonly trouble: FileProblem };

/** Opens a reader of the rule files that a site names. */
export function openRuleReader(
  { rules, ruleHosts }: Pick<Site, 'rules' | 'ruleHosts'>,
  options: ReaderOptions,
): RuleReader {
  const remotes = new Map<RuleOrigin, RemoteRules>(
    rules.flatMap((origin) =>
      origin.kind === 'url'
        ? [[origin, openRemote(origin, { hosts: ruleHosts, ...options })] as const]
        : [],
    ),
  );
  return {
    nextAsk: () => earliest([...remotes.values()].map((remote) => remote.nextAsk())),
    read: async (asking) => {
      const parts = await Promise.all(rules.map((origin) => readPart(origin, remotes, asking)));
      const unread = parts.flatMap(({ source, trouble }) =>
        source === undefined ? [trouble] : [],
      );
      if (unread.length > 0) return { ok: false, problems: unread };
      return {
        ok: true,
        sources: [...parts.map(({ source }) => source), options.tags?.()].flatMap(
          (source) => source ?? [],
        ),
        copies: parts.flatMap((part) =>
          part.source !== undefined && part.copy !== undefined ? [part.copy] : [],
        ),
        troubles: parts.flatMap(({ trouble }) => trouble ?? []),
      };
    },
  };
}

/**
 * Reads the site's rule files once; keeps no copies.
 * @throws ConfigurationError with every file that cannot be read
 */
export async function readRuleFiles(
  site: Pick<Site, 'rules' | 'ruleHosts'>,
): Promise<readonly RuleSource[]> {
  const reading = await openRuleReader(site, { copies: NO_COPIES, clock: Date.now }).read('now');
  if (!reading.ok) throw new ConfigurationError(reading.problems);
  return reading.sources;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function readPart(
  origin: RuleOrigin,
  remotes: ReadonlyMap<RuleOrigin, RemoteRules>,
  asking: FetchWhen,
): Promise<Part> {
  switch (origin.kind) {
    case 'file':
      return readLocal(origin.path);
    case 'url':
      return readRemote(remotes.get(origin), originName(origin), asking);
    case 'inline':
      return { source: { name: originName(origin), text: origin.text } };
    default:
      return origin satisfies never;
  }
}

async function readLocal(path: string): Promise<Part> {
  try {
    return { source: { name: path, text: decodeText(await readPlainFile(path)) } };
  } catch (error) {
    return {
      source: undefined,
      trouble: problemOf(path, `the file cannot be read: ${errorText(error)}`),
    };
  }
}

function problemOf(file: string, message: string): FileProblem {
  return { file, line: 1, column: 1, message };
}

async function readRemote(
  remote: RemoteRules | undefined,
  name: string,
  asking: FetchWhen,
): Promise<Part> {
  const { copy, trouble } = (await remote?.ask(asking)) ?? {
    copy: undefined,
    trouble: 'nobody asks this URL',
  };
  if (copy === undefined) return { source: undefined, trouble: problemOf(name, trouble) };
  return {
    source: { name, text: copy.text },
    copy,
    ...(trouble !== undefined && { trouble: problemOf(name, trouble) }),
  };
}

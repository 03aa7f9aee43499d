import { workflowFault, type Faulty } from '../language.ts';
import type { Directive } from './directives.ts';
import type { Line } from './lines.ts';

/**
 * What Snakemake would download of itself; undefined: nothing. Only what the text says counts:
 * nobody executes it.
 */
export function downloadIn(lines: readonly Line[], said: readonly Directive[]): Faulty | undefined {
  for (const { name, rule, code, strings } of said) {
    if (name === 'wrapper' && rule !== undefined)
      return fault(`a wrapper is downloaded: the rule ${rule} needs a script instead`, strings[0]);
    if (!FILES.has(name)) continue;
    const isUrl = name === 'snakefile' && SCHEME.test(strings[0] ?? '');
    if (isUrl || HOSTED.test(code))
      return fault(`${name} names what is downloaded: it may name a file beside it`, strings[0]);
  }
  const isImported = lines.some(({ code }) => PROVIDERS.test(code));
  for (const [index, { code, strings }] of lines.entries()) {
    if (!REMOTE.test(code)) continue;
    // The address may be in the line after the bracket.
    const after = code.endsWith('(') ? (lines[index + 1]?.strings ?? []) : [];
    const url = [...strings, ...after].find((one) => SCHEME.test(one));
    if (isImported || url !== undefined)
      return fault(
        'a remote file is downloaded by the workflow: it belongs in the inputs',
        url ?? strings[0],
      );
  }
  return undefined;
}

const FILES: ReadonlySet<string> = new Set(['include', 'snakefile', 'script', 'notebook']);
/** A file at one of the hosts that Snakemake knows. */
const HOSTED = /^(?:github|gitlab|bitbucket)\s*\(/;
const SCHEME = /^[a-z][a-z0-9+.-]{1,30}:\/\//i;
/** Those of Snakemake 7, whose addresses need no scheme. */
const PROVIDERS = /^(?:from|import) +snakemake\.remote\b/;
/** `HTTP.remote(`, and `storage(` or `storage.http(` of Snakemake 8. */
const REMOTE = /(?:\.remote|\bstorage(?:\.\w+)?)\s*\(/;

function fault(text: string, asked: string | undefined): Faulty {
  return workflowFault('workflow-reference', text, asked?.slice(0, 200));
}

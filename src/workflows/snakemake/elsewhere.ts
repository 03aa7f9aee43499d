import { workflowFault, type Faulty } from '../language.ts';
import type { CalledFile } from './calls.ts';
import type { SnakefileBlock } from './directives.ts';
import type { Line } from './lines.ts';

/**
 * What Snakemake would download of itself; undefined: nothing. Only what the text says counts:
 * nobody executes it.
 */
export function downloadIn(
  lines: readonly Line[],
  blocks: readonly SnakefileBlock[],
  called: readonly CalledFile[],
): Faulty | undefined {
  for (const { header, said } of blocks)
    for (const { name, code, strings } of said) {
      if (WRAPPERS.has(name) && header !== undefined) {
        const [what, instead] =
          header.kind === 'module' ? ['module', 'snakefile'] : ['rule', 'script'];
        const needs = `the ${what} ${header.name} needs a ${instead} instead`;
        return fault(`a wrapper is downloaded: ${needs}`, strings[0]);
      }
      const isUrl = code.startsWith(`''`) && SCHEME.test(strings[0] ?? '');
      if (FILES.has(name) && (isUrl || HOSTED.test(code))) return downloaded(name, strings[0]);
    }
  for (const { name, path } of called) if (SCHEME.test(path)) return downloaded(name, path);
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

/** Words of a rule and of a module. */
const WRAPPERS: ReadonlySet<string> = new Set(['wrapper', 'meta_wrapper']);
/** Snakemake downloads such a file wherever it is, be it on the host of the Snakefile. */
const FILES: ReadonlySet<string> = new Set([
  'include',
  'snakefile',
  'script',
  'notebook',
  'conda',
  'cwl',
  'configfile',
  'pepfile',
  'pepschema',
]);
/** A file at one of the hosts that Snakemake knows. */
const HOSTED = /^(?:github|gitlab|bitbucket)\s*\(/;
const SCHEME = /^[a-z][a-z0-9+.-]{1,30}:\/\//i;
/** Those of Snakemake 7, whose addresses need no scheme. */
const PROVIDERS = /^(?:from|import) +snakemake\.remote\b/;
/** `HTTP.remote(`, and `storage(` or `storage.http(` of Snakemake 8. */
const REMOTE = /(?:\.remote|\bstorage(?:\.\w+)?)\s*\(/;

function downloaded(name: string, asked: string | undefined): Faulty {
  return fault(`${name} names what is downloaded: it may name a file beside it`, asked);
}

function fault(text: string, asked: string | undefined): Faulty {
  return workflowFault('workflow-reference', text, asked?.slice(0, 200));
}

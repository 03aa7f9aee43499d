import {
  workflowFault,
  type LeastNeed,
  type Reference,
  type WorkflowLanguage,
} from '../language.ts';
import { largestOf } from '../largest.ts';
import { isCoveredByNumbers } from '../versions.ts';
import { piecesOf } from './pieces.ts';
import { scriptLines, type ScriptLine } from './script-lines.ts';

/** What the Java of Nextflow takes beside its steps, MiB. */
export const NEXTFLOW_MEMORY = 512;

/**
 * Nextflow, DSL 2. A script is Groovy: its text is read, and nothing of it is executed before the
 * job runs.
 */
export const nextflow: WorkflowLanguage = {
  name: 'nextflow',
  referencesOf: (text, base, start) => {
    const references: Reference[] = [];
    const first = start === undefined ? base : start.url;
    for (const path of scriptLines(piecesOf(text)).flatMap(included)) {
      const { rest, from } = withoutFolder(path, base, first);
      // Plug-ins are the interpreter's, and what else is computed is known when the workflow runs.
      if (rest.startsWith('plugin/') || rest.includes('$')) continue;
      const url = URL.parse(rest.endsWith('.nf') ? rest : `${rest}.nf`, from)?.href;
      if (url === undefined)
        return workflowFault(
          'workflow-reference',
          'the workflow is in the ask, and it includes a file beside it',
          path.slice(0, 200),
        );
      references.push({ url, kind: 'document' });
    }
    return { ok: true, references };
  },
  factsOf: ({ text, others }) => {
    const statements = [text, ...others.values()].flatMap((one) => scriptLines(piecesOf(one)));
    if (!statements.some(({ code }) => /^workflow(\s+\w+)?$/.test(code)))
      return workflowFault('workflow-invalid', 'the script has no workflow of Nextflow');
    return {
      ok: true,
      facts: { version: undefined, least: largestOf(statements.flatMap(needOf)) },
    };
  },
  // What a script includes is beside it.
  localised: (text) => text,
  memory: NEXTFLOW_MEMORY,
  isCovered: isCoveredByNumbers,
};

/** `include { align } from './modules/align'`: its last string; the braces end lines of their own. */
function included({ code, strings, process }: ScriptLine): readonly string[] {
  const [path] = strings;
  return process === undefined && path !== undefined && /^from\s*''$/.test(code) ? [path] : [];
}

/** The folder that a path begins with: that of the first document, or that of the file itself. */
function withoutFolder(path: string, base: string | undefined, first: string | undefined) {
  const [start, braced, bare] = FOLDER.exec(path) ?? [''];
  const from = (braced ?? bare ?? 'moduleDir') === 'moduleDir' ? base : first;
  return { rest: start === '' ? path : `./${path.slice(start.length)}`, from };
}

const FOLDER = /^\$(?:\{(projectDir|baseDir|moduleDir)\}|(projectDir|baseDir|moduleDir))\/+/;

const UNITS: Readonly<Record<string, number>> = { MB: 1, GB: 1024, TB: 1024 ** 2 };

/** Only numbers count: what is computed is known when the workflow runs. */
function needOf({ code, strings, process: step }: ScriptLine): readonly LeastNeed[] {
  if (step === undefined) return [];
  const cpus = /^cpus\s*=?\s*(\d{1,6})$/.exec(code)?.[1];
  if (cpus !== undefined) return [{ resource: 'cores', amount: Number(cpus) * 1000, step }];
  const [, directive, literal] = /^(memory|disk)\s*=?\s*(\d[\w.]{0,20}|'')$/.exec(code) ?? [];
  if (directive === undefined) return [];
  const written = literal === `''` ? strings[0] : literal;
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?)[ .]?([MGT]B)$/.exec(written ?? '') ?? [];
  const resource = directive === 'memory' ? 'memory' : 'scratch';
  return number === undefined
    ? []
    : [{ resource, amount: Math.ceil(Number(number) * (UNITS[unit] ?? 0)), step }];
}

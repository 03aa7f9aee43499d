import { workflowFault, type Reference, type WorkflowLanguage } from '../language.ts';
import { largestOf } from '../largest.ts';
import { isCoveredByNumbers } from '../versions.ts';
import { needsIn } from './least.ts';
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
    const lines = scriptLines(piecesOf(text));
    for (const path of lines.flatMap(included)) {
      const { rest, from } = withoutFolder(path, base, first);
      // Plug-ins are the interpreter's, and what else is computed is known when the workflow runs.
      if (rest.startsWith('plugin/') || rest.includes('$')) continue;
      const found = moduleAt(rest, from);
      if (found === undefined)
        return workflowFault(
          'workflow-reference',
          'the workflow is in the ask, and it includes a file beside it',
          path.slice(0, 200),
        );
      references.push(found);
    }
    for (const name of lines.flatMap(templatesIn)) {
      const places = templateAt(name, base, first);
      if (places.length === 0)
        return workflowFault(
          'workflow-reference',
          'the workflow is in the ask, and a process has a template beside it',
          name.slice(0, 200),
        );
      references.push(...places);
    }
    return { ok: true, references };
  },
  factsOf: ({ text, others }) => {
    const scripts = [text, ...others.values()].map((one) => scriptLines(piecesOf(one)));
    if (!scripts.flat().some(({ code }) => /^workflow(\s+\w+)?$/.test(code)))
      return workflowFault('workflow-invalid', 'the script has no workflow of Nextflow');
    return { ok: true, facts: { version: undefined, least: largestOf(scripts.flatMap(needsIn)) } };
  },
  // What a script includes is beside it.
  localised: (text) => text,
  memory: NEXTFLOW_MEMORY,
  isCovered: isCoveredByNumbers,
};

/** `include { align } from './modules/align'`: its last string; the braces end lines of their own. */
function included({ code, strings, process }: ScriptLine): readonly string[] {
  const [path] = strings;
  return process === undefined && path !== undefined && FROM.test(code) ? [path] : [];
}

/** Parameters may follow the path. */
const FROM = /^from ?(?:''|\( ?'' ?\))(?: ?(?:addParams|params) ?\(.*)?$/;

/** A module is a file, whose ending may be left out, or a folder with a main.nf. */
function moduleAt(path: string, from: string | undefined): Reference | undefined {
  const short = path.replace(/(?<!\/)\/+$/, '');
  const file = URL.parse(short.endsWith('.nf') ? short : `${short}.nf`, from)?.href;
  const folder = URL.parse(`${short}/main.nf`, from)?.href;
  if (file === undefined || folder === undefined) return undefined;
  return { url: file, kind: 'document', otherwise: folder };
}

/** Names of templates in a line, such as `template 'align.sh'`; what is computed is none. */
function templatesIn({ code, strings }: ScriptLine): readonly string[] {
  return [...code.matchAll(STRING)].flatMap(({ 1: word }, index) => {
    const name = word === undefined ? undefined : strings[index];
    return name === undefined || name.includes('$') ? [] : [name];
  });
}

/** Each string, with the word before it that makes it a template. */
const STRING = /((?<![\w.])template ?\(? ?)?''/g;

/** Where a template may be: beside the script of its process, else beside the first document. */
function templateAt(
  name: string,
  base: string | undefined,
  first: string | undefined,
): readonly Reference[] {
  const places = [base, first].flatMap((from) => URL.parse(`templates/${name}`, from)?.href ?? []);
  return [...new Set(places)].map((url) => ({ url, kind: 'file' }));
}

/** The folder that a path begins with: that of the first document, or that of the file itself. */
function withoutFolder(path: string, base: string | undefined, first: string | undefined) {
  const [start, braced, bare] = FOLDER.exec(path) ?? [''];
  const from = (braced ?? bare ?? 'moduleDir') === 'moduleDir' ? base : first;
  return { rest: start === '' ? path : `./${path.slice(start.length)}`, from };
}

const FOLDER = /^\$(?:\{(projectDir|baseDir|moduleDir)\}|(projectDir|baseDir|moduleDir))\/+/;

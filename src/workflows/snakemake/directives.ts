import type { Line } from './lines.ts';

/** What a Snakefile says at one place: `threads: 4` of a rule, or `include: "more.smk"` of none. */
export type Directive = {
  readonly name: string;
  /** all after the colon, each string as `''` */
  readonly code: string;
  readonly strings: readonly string[];
};

/** What has directives below it. */
export type Header =
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'module'; readonly name: string }
  | UseRule;

/** `use rule a, b from other exclude c as other_* with:`. */
export type UseRule = {
  readonly kind: 'use';
  /** as it shows in messages */
  readonly name: string;
  /** `*`: all */
  readonly rules: readonly string[];
  /** the module that has them; undefined: they are of the same Snakefile */
  readonly from: string | undefined;
  readonly exclude: readonly string[];
  /** their new name, with `*` for the old one */
  readonly as: string | undefined;
};

/** A rule or a module with what is said in it, or what is said outside of them. */
export type SnakefileBlock = {
  readonly header: Header | undefined;
  readonly said: readonly Directive[];
};

/** Words of Python that end with a colon have directives below them. */
const DIRECTIVE = /^(?!(?:else|try|finally)\b)([a-z_]+)\s*:(?!=)(.*)$/;

/**
 * Finds rules, modules and directives by their words and their indentation, as Snakemake does.
 *
 * @returns them in the order of the text
 */
export function blocksOf(lines: readonly Line[]): readonly SnakefileBlock[] {
  const blocks: { readonly header: Header | undefined; readonly said: Directive[] }[] = [];
  let within: number | undefined;
  let open: { name: string; indent: number; code: string[]; strings: string[] } | undefined;
  const begin = (header: Header | undefined): void => void blocks.push({ header, said: [] });
  const close = (): void => {
    if (open === undefined) return;
    const { name, code, strings } = open;
    blocks.at(-1)?.said.push({ name, code: code.join(' ').trim(), strings });
    open = undefined;
  };
  begin(undefined);
  for (const { indent, code, strings } of lines) {
    if (open !== undefined && indent > open.indent) {
      open.code.push(code);
      open.strings.push(...strings);
      continue;
    }
    close();
    if (within !== undefined && indent <= within) {
      within = undefined;
      begin(undefined);
    }
    const header = headerIn(code);
    if (header !== undefined) {
      within = indent;
      begin(header);
      continue;
    }
    const [, word, rest] = DIRECTIVE.exec(code) ?? [];
    if (word !== undefined && rest !== undefined)
      open = { name: word, indent, code: [rest], strings: [...strings] };
  }
  close();
  return blocks;
}

const RULE = /^(?:rule|checkpoint)(?:\s+(\w+))?\s*:/;
const MODULE = /^module\s+(\w+)\s*:/;
const USE = /^use\s+rule\s/;
/** The name that Snakemake shows for a rule without one is a number. */
const UNNAMED = 'without a name';

function headerIn(code: string): Header | undefined {
  const rule = RULE.exec(code);
  if (rule !== null) return { kind: 'rule', name: rule[1] ?? UNNAMED };
  const [, module] = MODULE.exec(code) ?? [];
  if (module !== undefined) return { kind: 'module', name: module };
  return USE.test(code) ? useIn(code) : undefined;
}

function useIn(code: string): UseRule {
  const [, , ...words] = code.match(/[\w*]+/g) ?? [];
  const parts = new Map<string, string[]>(
    ['rule', 'from', 'exclude', 'as', 'with'].map((part) => [part, []]),
  );
  let part = parts.get('rule');
  for (const word of words) {
    const next = parts.get(word);
    if (next === undefined) part?.push(word);
    else part = next;
  }
  const [rules = [], from = [], exclude = [], as = []] = parts.values();
  return { kind: 'use', name: as[0] ?? rules[0] ?? '', rules, from: from[0], exclude, as: as[0] };
}

import type { Line } from './lines.ts';

/** What a Snakefile says at one place: `threads: 4` of a rule, or `include: "more.smk"` of none. */
export type Directive = {
  readonly name: string;
  /** undefined: it is outside of rules */
  readonly rule: string | undefined;
  /** all after the colon, each string as `''` */
  readonly code: string;
  readonly strings: readonly string[];
};

/** The rules of a Snakefile in the order of the text, and what is said in and outside of them. */
export type Directives = { readonly rules: readonly string[]; readonly said: readonly Directive[] };

const RULE = /^(?:rule|checkpoint)(?:\s+(\w+))?\s*:(.*)$/;
/** Words of Python that end with a colon have directives below them. */
const DIRECTIVE = /^(?!(?:else|try|finally)\b)([a-z_]+)\s*:(?!=)(.*)$/;
/** The name that Snakemake shows for a rule without one is a number. */
const UNNAMED = 'without a name';

/** Finds rules and directives by their words and their indentation, as Snakemake does. */
export function directivesOf(lines: readonly Line[]): Directives {
  const rules: string[] = [];
  const said: Directive[] = [];
  let rule: { readonly name: string; readonly indent: number } | undefined;
  let open: { name: string; indent: number; code: string[]; strings: string[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const { name, code, strings } = open;
    said.push({ name, rule: rule?.name, code: code.join(' ').trim(), strings });
    open = undefined;
  };
  for (const { indent, code, strings } of lines) {
    if (open !== undefined && indent > open.indent) {
      open.code.push(code);
      open.strings.push(...strings);
      continue;
    }
    close();
    if (rule !== undefined && indent <= rule.indent) rule = undefined;
    const [header, name] = RULE.exec(code) ?? [];
    if (header !== undefined) {
      rule = { name: name ?? UNNAMED, indent };
      rules.push(rule.name);
      continue;
    }
    const [, word, rest] = DIRECTIVE.exec(code) ?? [];
    if (word !== undefined && rest !== undefined)
      open = { name: word, indent, code: [rest], strings: [...strings] };
  }
  close();
  return { rules, said };
}

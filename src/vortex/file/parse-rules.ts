import { parseYaml, YamlError } from '../../yaml/index.ts';
import type { Node, ParseOptions } from '../../yaml/index.ts';

/** A rule file that another program must render first. */
export class JinjaTemplate extends YamlError {
  constructor(found: string, line: number, column: number) {
    const shown = found.length > 40 ? `${found.slice(0, 37)}...` : found;
    super(
      `this is a Jinja template (${shown}), not a rule file: render it first, with Ansible for example`,
      line,
      column,
    );
    this.name = 'YamlError';
  }
}

// Outside quotes and comments. A brace with a percent sign or a hash is neither Python nor an
// f-string.
const KEYWORDS =
  'if|elif|else|endif|for|endfor|set|endset|macro|endmacro|block|endblock|include|import|from|' +
  'extends|raw|endraw|with|endwith|filter|endfilter|call|endcall|do|autoescape';
const STATEMENT = new RegExp(String.raw`^([^'"#]*?)(\{%[-+]?\s*(?:${KEYWORDS})\b.*|\{#.*#\}.*)$`);
/**
 * Looked for only after YAML fails: a rule file may have doubled braces, which f-strings print as
 * single ones.
 */
const ANY = /^((?:[^'"#]*?[\s[,{:])??)(\{[{%#].*)$/;

/**
 * Parse a rule file. Throws YamlError, and JinjaTemplate for text with statements or comments of
 * Jinja, or with other Jinja that is no YAML.
 */
export function parseRules(text: string, options: ParseOptions = {}): Node {
  for (const [index, line] of text.includes('{%') || text.includes('{#')
    ? text.split('\n').entries()
    : []) {
    const template = templateOf(line, STATEMENT, index + 1);
    if (template !== undefined) throw template;
  }
  try {
    return parseYaml(text, options);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw templateOf(text.split('\n')[error.line - 1] ?? '', ANY, error.line) ?? error;
  }
}

/** The template that a text is; undefined for other texts. */
export function templateIn(text: string): JinjaTemplate | undefined {
  try {
    parseRules(text);
    return undefined;
  } catch (error) {
    return error instanceof JinjaTemplate ? error : undefined;
  }
}

function templateOf(line: string, pattern: RegExp, number: number): JinjaTemplate | undefined {
  const [, before = '', found] = pattern.exec(line) ?? [];
  return found === undefined
    ? undefined
    : new JinjaTemplate(found.trim(), number, before.length + 1);
}

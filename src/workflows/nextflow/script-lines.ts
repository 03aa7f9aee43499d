import type { Piece } from './pieces.ts';

/** One line of code, by what it is in. */
export type ScriptLine = {
  /** its text, each string as `''`, each white space as one blank */
  readonly code: string;
  readonly strings: readonly string[];
  /** the process whose body it is in, outside of inner braces; undefined: none */
  readonly process: string | undefined;
};

/** Its bracket may be in the next line. */
const PROCESS = /^process\s+(\w{1,200})$/;

/** The lines of a script, with the process that each belongs to. */
export function scriptLines(pieces: readonly Piece[]): readonly ScriptLine[] {
  const statements: ScriptLine[] = [];
  let code = '';
  let strings: string[] = [];
  let depth = 0;
  let process: { readonly name: string; readonly depth: number } | undefined;
  const end = (): void => {
    // Long white space would cost the patterns of its readers its square.
    const line = code.trim().replaceAll(/\s+/g, ' ');
    const inside = process !== undefined && depth === process.depth + 1 ? process.name : undefined;
    if (line !== '') statements.push({ code: line, strings, process: inside });
    code = '';
    strings = [];
  };
  for (const { kind, text } of pieces) {
    if (kind === 'string') {
      code += `''`;
      strings.push(text);
      continue;
    }
    for (const part of text.split(/([{}\n;])/)) {
      if (part === '{') {
        const name = PROCESS.exec(code.trim())?.[1];
        end();
        if (name !== undefined && process === undefined) process = { name, depth };
        depth += 1;
      } else if (part === '}') {
        end();
        depth -= 1;
        if (process !== undefined && depth <= process.depth) process = undefined;
      } else if (part === ';' || (part === '\n' && !goesOn(code))) end();
      else code += part;
    }
  }
  end();
  return statements;
}

/** Where arguments go on, or the bracket of a process is still to come. */
function goesOn(code: string): boolean {
  const line = code.trim();
  return PROCESS.test(line) || (line.length < LONGEST_JOINED && /[,[(]$/.test(line));
}

/** Each line that joins another one reads it again. */
const LONGEST_JOINED = 2000;

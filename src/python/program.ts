import type { PyError } from './errors.ts';
import { builtins } from './builtins/table.ts';
import { bindingsOf } from './emit/bindings.ts';
import { optional } from './emit/expressions.ts';
import { runtime } from './emit/runtime.ts';
import { caught } from './emit/exceptions.ts';
import { block } from './emit/statements.ts';
import { Writer, emitLiteral, variable } from './emit/writer.ts';
import type { Import } from './emit/writer.ts';
import { evaluateSnippet, frame } from './frame.ts';
import type { RunOptions } from './frame.ts';
import { meter } from './meter.ts';
import { evaluateJavaScript } from './javascript.ts';
import type { Main } from './javascript.ts';
import type { Value } from './objects/object.ts';
import { loops, onlyLooks } from './looking.ts';
import { str } from './text/repr.ts';
import { parse } from './syntax/parse.ts';
import type { SnippetGrammar, ParsedSnippet } from './syntax/parse.ts';

export type { SnippetGrammar } from './syntax/parse.ts';

/** The names of a snippet besides the built-ins. A snippet never changes the map itself. */
export type Scope = Pick<ReadonlyMap<string, Value>, 'get'> & Iterable<readonly [string, Value]>;

/** A compiled snippet; it keeps nothing between runs. */
export type Program = {
  /** Names that it reads before it binds them: the scope or the built-ins must have them. */
  readonly names: ReadonlySet<string>;
  /** All names that it reads or binds outside its functions. */
  readonly ownNames: ReadonlySet<string>;
  /** Whether it only looks at what its names hold (looking.ts). */
  readonly onlyLooks: boolean;
  readonly loops: boolean;
  /** Modules that it imports anywhere, even in parts that never run. */
  readonly imports: readonly Import[];
  /**
   * Evaluates in a fresh namespace that begins as `scope`. `exec` gives None.
   * @throws PyError for an exception that escapes, FuelExhausted
   */
  run(scope: Scope, options: RunOptions): Value;
};

/**
 * Compiles a snippet. `code`: statements with a final expression, whose value is the result;
 * `exec`: statements; `fstring`: the text of an f-string, wrapped as TPV does.
 * @throws PySyntaxError with line and column
 */
export function compile(source: string, kind: SnippetGrammar): Program {
  return compileTree(parse(source, kind));
}

/** Compiles what `parse` gives. @throws PySyntaxError */
export function compileTree(tree: ParsedSnippet): Program {
  const { code, names, ownNames, imports } = emitted(tree);
  const main = evaluateJavaScript(code, runtime, meter, frame);
  return {
    names,
    ownNames,
    onlyLooks: onlyLooks(tree),
    loops: loops(tree),
    imports,
    run: (scope, options) => run(main, scope, options),
  };
}

/** The JavaScript of a program: run-time names, constants, and the function of one evaluation. */
function emitted(tree: ParsedSnippet): {
  code: string;
  names: ReadonlySet<string>;
  ownNames: ReadonlySet<string>;
  imports: readonly Import[];
} {
  const bindings = bindingsOf(tree.body, tree.value);
  const w = new Writer(bindings);
  const body = block(w, tree.body);
  const line =
    tree.value === undefined || tree.body.length === 0 ? '' : `M.line=${tree.value.at.line};`;
  const result = `${line}return ${optional(w, tree.value)};`;
  const { id } = w.scope;
  const names = [...w.moduleNames];
  const globals = names.map((name) => `${variable(`v${id}`, name)}=S(${emitLiteral(name)})`);
  const table = names.map((name) => `[${emitLiteral(name)},${variable(`v${id}`, name)}]`).join(',');
  const declared = [...globals, ...w.scope.temporaries].join(',');
  const namespace =
    body.includes('globals()') || result.includes('globals()')
      ? `const globals=()=>${w.use('namespace')}([...N(),${table}]);`
      : '';
  const taken = w.used.size === 0 ? '' : `const {${[...w.used].join(',')}}=R;`;
  const constants = [...w.constants].map(([code, name]) => `const ${name}=${code};`).join('');
  const variables = declared === '' ? '' : `let ${declared};`;
  const code = `"use strict";${taken}${constants}return (S,N)=>{${variables}${namespace}${body}${result}};`;
  return { code, names: new Set(w.free), ownNames: w.moduleNames, imports: w.imports };
}

function run(main: Main, scope: Scope, options: RunOptions): Value {
  const lookup = (name: string): Value | undefined => {
    const own = scope.get(name);
    return own === undefined ? builtins.get(name) : own;
  };
  return evaluateSnippet(options, () => {
    const name = scope.get('__name__');
    frame.module = typeof name === 'string' ? name : 'builtins';
    try {
      return main(lookup, () => scope);
    } catch (error) {
      throw finished(caught(error, 0));
    }
  });
}

/** Sets the message of an escaping exception. */
function finished(error: PyError): PyError {
  try {
    error.message = str(error.value);
  } catch {
    error.message = '<exception str() failed>';
  }
  return error;
}

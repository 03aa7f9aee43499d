import type { Statement } from '../syntax/tree.ts';
import { TICK } from './comprehensions.ts';
import { emitBinary, condition, emitExpression, optional } from './expressions.ts';
import { classDefinition, functionDefinition } from './functions.ts';
import { assign, remove } from './targets.ts';
import { tryStatement, withStatement } from './trying.ts';
import { emitLiteral } from './writer.ts';
import type { Writer } from './writer.ts';

/** JavaScript statements for Python statements. Each records its line for error messages. */
export function block(w: Writer, body: readonly Statement[]): string {
  return body.map((node) => `M.line=${node.at.line};${statement(w, node)}`).join('');
}

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

/** One case per kind of statement. */
function statement(w: Writer, node: Statement): string {
  switch (node.kind) {
    case 'expression':
      return `${emitExpression(w, node.value)};`;
    case 'assign':
      return assignment(w, node);
    case 'augmented':
      return augmented(w, node);
    case 'annotated':
      return annotated(w, node);
    case 'if':
      return conditional(w, node);
    case 'for':
      return forLoop(w, node);
    case 'while':
      return whileLoop(w, node);
    case 'try':
      return tryStatement(w, node);
    case 'with':
      return withStatement(w, node);
    case 'function':
      return functionDefinition(w, node);
    case 'class':
      return classDefinition(w, node);
    case 'return':
      return `return ${optional(w, node.value)};`;
    case 'raise':
      return raised(w, node);
    case 'assert': {
      const message = node.message === undefined ? '' : emitExpression(w, node.message);
      return `if(!${condition(w, node.test)})${w.use('failAssertion')}(${message});`;
    }
    case 'delete':
      return node.targets.map((target) => remove(w, target)).join('');
    case 'import':
      w.imports.push(...node.modules.map(({ name }) => ({ module: name, ...node.at })));
      return node.modules.map((module) => imported(w, module.name, module.as)).join('');
    case 'importFrom': {
      w.imports.push({ module: node.module, ...node.at });
      const module = w.fresh('m');
      const names = node.names.map(
        ({ name, as }) =>
          `${w.target(as ?? name)}=${w.use('importName')}(${module},${emitLiteral(name)});`,
      );
      return `const ${module}=${w.use('importModule')}(${emitLiteral(node.module)});${names.join('')}`;
    }
    case 'break':
      return leave(w);
    case 'continue':
      return `continue ${w.loops.at(-1)?.label ?? ''};`;
    case 'global':
    case 'nonlocal':
    case 'pass':
      return '';
    default:
      return node satisfies never;
  }
}

function assignment(w: Writer, node: Of<'assign'>): string {
  const [only] = node.targets;
  const value = emitExpression(w, node.value);
  if (node.targets.length === 1 && only?.kind === 'name') return assign(w, only, value);
  const kept = w.fresh('a');
  return `const ${kept}=${value};${node.targets.map((target) => assign(w, target, kept)).join('')}`;
}

function augmented(w: Writer, { target, op, value }: Of<'augmented'>): string {
  const update = (old: string): string => {
    const right = emitExpression(w, value);
    const fast = op === '+' || op === '-' || op === '*' ? `typeof ${old}==='number'` : undefined;
    const slow = `${w.use('inplace')}(${emitLiteral(op)},${old},${right})`;
    return fast === undefined || target.kind !== 'name'
      ? slow
      : `(${fast}?${emitBinary(w, op, old, right)}:${slow})`;
  };
  if (target.kind === 'name') {
    const old = w.fresh('a');
    return `const ${old}=${w.read(target.id)};${w.target(target.id)}=${update(old)};`;
  }
  const object = w.fresh('a');
  const opening = `const ${object}=${emitExpression(w, target.object)};`;
  if (target.kind === 'attribute') {
    const name = emitLiteral(w.mangled(target.name));
    const value = update(`${w.use('getAttribute')}(${object},${name})`);
    return `${opening}${w.use('setAttribute')}(${object},${name},${value});`;
  }
  const index = w.fresh('a');
  const read = `${w.use('getItem')}(${object},${index})`;
  const at = `const ${index}=${emitExpression(w, target.index)};`;
  return `${opening}${at}${w.use('setItem')}(${object},${index},${update(read)});`;
}

function annotated(w: Writer, node: Of<'annotated'>): string {
  const value = w.fresh('a');
  const assigned =
    node.value === undefined
      ? ''
      : `const ${value}=${emitExpression(w, node.value)};${assign(w, node.target, value)}`;
  if (w.scope.kind === 'function') return assigned;
  const annotation = emitExpression(w, node.annotation);
  if (w.scope.kind !== 'class' || node.target.kind !== 'name') return `${assigned}${annotation};`;
  return `${assigned}(${w.annotations()}??=[]).push([${emitLiteral(w.mangled(node.target.id))},${annotation}]);`;
}

function conditional(w: Writer, node: Of<'if'>): string {
  const code = `if(${condition(w, node.test)}){${block(w, node.body)}}`;
  return node.otherwise.length === 0 ? code : `${code}else{${block(w, node.otherwise)}}`;
}

function forLoop(w: Writer, node: Of<'for'>): string {
  const [source, item] = [w.fresh('i'), w.fresh('x')];
  const opening = `const ${source}=${w.use('iterate')}(${emitExpression(w, node.iterable)});`;
  const code = loop(w, node.otherwise, () => {
    const target = assign(w, node.target, item);
    return `for(let ${item};(${item}=${source}.next())!==undefined;){${TICK}${target}${block(w, node.body)}}`;
  });
  return opening + code;
}

/** A loop; its `else` runs unless a `break` ended it. */
function loop(w: Writer, otherwise: readonly Statement[], emit: (label: string) => string): string {
  const label = w.fresh('l');
  const broke = otherwise.length === 0 ? undefined : w.fresh('b');
  w.use('exhausted');
  w.loops.push({ label, broke });
  const code = `${label}:${emit(label)}`;
  w.loops.pop();
  return broke === undefined
    ? code
    : `let ${broke}=false;${code}if(!${broke}){${block(w, otherwise)}}`;
}

function whileLoop(w: Writer, node: Of<'while'>): string {
  return loop(
    w,
    node.otherwise,
    () => `while(${condition(w, node.test)}){${TICK}${block(w, node.body)}}`,
  );
}

function raised(w: Writer, node: Of<'raise'>): string {
  if (node.value === undefined) {
    const current = w.handling.at(-1);
    return current === undefined ? `${w.use('nothingToRaise')}();` : `throw ${current};`;
  }
  const context = w.handling.at(-1) ?? 'undefined';
  const cause = node.cause === undefined ? 'undefined' : emitExpression(w, node.cause);
  const error = w.fresh('a');
  return (
    `const ${error}=${w.use('raising')}(${emitExpression(w, node.value)});` +
    `${w.use('chained')}(${error},${cause},${context});throw ${error};`
  );
}

function imported(w: Writer, name: string, as: string | undefined): string {
  const top = name.split('.')[0] ?? name;
  const load = `${w.use('importModule')}(${emitLiteral(name)})`;
  return as === undefined
    ? `${load};${w.target(top)}=${w.use('importModule')}(${emitLiteral(top)});`
    : `${w.target(as)}=${load};`;
}

function leave(w: Writer): string {
  const loop = w.loops.at(-1);
  const { label = '', broke } = loop ?? {};
  return broke === undefined ? `break ${label};` : `${broke}=true;break ${label};`;
}

import type { Handler, Statement, WithItem } from '../syntax/tree.ts';
import { emitExpression } from './expressions.ts';
import { block } from './statements.ts';
import { assign } from './targets.ts';
import type { Writer } from './writer.ts';

type Try = Extract<Statement, { kind: 'try' }>;
type With = Extract<Statement, { kind: 'with' }>;

/**
 * `try` with its handlers, `else` and `finally`. A handler begins with the depth of calls that the
 * `try` began with.
 */
export function tryStatement(w: Writer, node: Try): string {
  const guarded = node.handlers.length === 0 ? block(w, node.body) : handled(w, node);
  if (node.last.length === 0) return guarded;
  const [flying, error] = [w.fresh('f'), w.fresh('e')];
  return (
    `let ${flying};try{${guarded}}catch(${error}){${flying}=${error};throw ${error};}` +
    `finally{try{${block(w, node.last)}}catch(${error}){throw ${w.use('inContext')}(${error},${flying});}}`
  );
}

/** `with a as x, b as y:`: each item encloses the next. */
export function withStatement(w: Writer, node: With): string {
  const inner = (items: readonly WithItem[]): string => {
    const [item, ...rest] = items;
    if (item === undefined) return block(w, node.body);
    const [manager, value, depth, error, failed] = ['w', 'x', 'd', 'e', 'b'].map((prefix) =>
      w.fresh(prefix),
    );
    const context = emitExpression(w, item.context);
    const target =
      item.target === undefined || value === undefined ? '' : assign(w, item.target, value);
    return (
      `const ${manager}=${context},${value}=${w.use('enter')}(${manager}),${depth}=M.depth;let ${failed}=false;` +
      `try{${target}${inner(rest)}}` +
      `catch(${error}){${failed}=true;` +
      `if(!${w.use('leaveWith')}(${manager},${w.use('caught')}(${error},${depth})))throw ${error};}` +
      `finally{if(!${failed})${w.use('leave')}(${manager});}`
    );
  };
  return `{${inner(node.items)}}`;
}

function handled(w: Writer, node: Try): string {
  const [depth, error, done] = [w.fresh('d'), w.fresh('e'), w.fresh('b')];
  const hasElse = node.otherwise.length > 0;
  const body = `${block(w, node.body)}${hasElse ? `${done}=true;` : ''}`;
  w.handling.push(error);
  const tests = node.handlers.map((handler) => handlerCode(w, handler, error));
  w.handling.pop();
  const isLastBare = node.handlers.at(-1)?.type === undefined;
  const chain = tests.join('else ') + (isLastBare ? '' : `else throw ${error};`);
  const [caught, outer] = [w.fresh('e'), w.fresh('o')];
  const code =
    `const ${depth}=M.depth;${hasElse ? `let ${done}=false;` : ''}try{${body}}` +
    `catch(${caught}){const ${error}=${w.use('caught')}(${caught},${depth}),${outer}=F.handled;` +
    `F.handled=${error};try{${chain}}` +
    `catch(${caught}){throw ${w.use('inContext')}(${caught},${error});}` +
    `finally{F.handled=${outer};}}`;
  return hasElse ? `${code}if(${done}){${block(w, node.otherwise)}}` : code;
}

function handlerCode(w: Writer, handler: Handler, error: string): string {
  const test =
    handler.type === undefined
      ? ''
      : `if(${w.use('matches')}(${error},${emitExpression(w, handler.type)}))`;
  if (handler.name === undefined) return `${test}{${block(w, handler.body)}}`;
  const name = w.target(handler.name);
  return `${test}{${name}=${error}.value;try{${block(w, handler.body)}}finally{${name}=undefined;}}`;
}

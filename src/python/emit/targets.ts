import type { Expression } from '../syntax/tree.ts';
import { emitExpression } from './expressions.ts';
import { emitLiteral } from './writer.ts';
import type { Writer } from './writer.ts';

/** Statements that assign a value, evaluated once, to a target. */
export function assign(w: Writer, target: Expression, value: string): string {
  switch (target.kind) {
    case 'name':
      return `${w.target(target.id)}=${value};`;
    case 'attribute': {
      const name = emitLiteral(w.mangled(target.name));
      return `${w.use('setAttribute')}(${emitExpression(w, target.object)},${name},${value});`;
    }
    case 'subscript':
      return `${w.use('setItem')}(${emitExpression(w, target.object)},${emitExpression(w, target.index)},${value});`;
    case 'starred':
      return assign(w, target.value, value);
    case 'tuple':
    case 'list': {
      const parts = w.fresh('u');
      const star = target.items.findIndex((item) => item.kind === 'starred');
      const unpacked = `const ${parts}=${w.use('unpack')}(${value},${target.items.length},${star});`;
      return unpacked + target.items.map((item, i) => assign(w, item, `${parts}[${i}]`)).join('');
    }
    default:
      return '';
  }
}

/** Statements that delete a target. */
export function remove(w: Writer, target: Expression): string {
  switch (target.kind) {
    case 'name':
      return `${w.read(target.id)};${w.target(target.id)}=undefined;`;
    case 'attribute':
      return `${w.use('deleteAttribute')}(${emitExpression(w, target.object)},${emitLiteral(w.mangled(target.name))});`;
    case 'subscript':
      return `${w.use('deleteItem')}(${emitExpression(w, target.object)},${emitExpression(w, target.index)});`;
    case 'tuple':
    case 'list':
      return target.items.map((item) => remove(w, item)).join('');
    default:
      return '';
  }
}

import { raise } from '../../errors.ts';
import type { PyClass } from '../object.ts';

/** Python's C3 linearisation of the base classes. @throws TypeError when there is none */
export function linearised(name: string, bases: readonly PyClass[]): PyClass[] {
  let queues = [...bases.map((base) => [...base.mro]), [...bases]];
  const order: PyClass[] = [];
  for (;;) {
    queues = queues.filter((queue) => queue.length > 0);
    if (queues.length === 0) return order;
    const next = queues
      .map((queue) => queue[0])
      .find((head) => !queues.some((q) => head !== undefined && q.indexOf(head) > 0));
    if (next === undefined) {
      return raise(
        'TypeError',
        `Cannot create a consistent method resolution order (MRO) for bases of '${name}'`,
      );
    }
    order.push(next);
    queues = queues.map((queue) => (queue[0] === next ? queue.slice(1) : queue));
  }
}

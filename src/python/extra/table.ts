import { bisect } from './bisect.ts';
import { collections } from './collections/module.ts';
import { contextlib } from './contextlib/module.ts';
import { decimal } from './decimal/module.ts';
import { heapq } from './heapq.ts';
import { itertools } from './itertools.ts';
import { operator } from './operator.ts';
import { statistics } from './statistics/module.ts';
import { textModules } from './text-table.ts';

/** Modules of Python that no rule file known to us imports. */
export const extraModules = [
  ...textModules,
  bisect,
  collections,
  contextlib,
  decimal,
  heapq,
  itertools,
  operator,
  statistics,
];

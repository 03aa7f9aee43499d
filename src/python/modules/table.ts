import { extraModules } from '../extra/table.ts';
import type { Value } from '../objects/object.ts';
import { codeModules } from './code-table.ts';
import { dataModules } from './data-table.ts';
import { externalModules } from './external/table.ts';

/** The modules every snippet may import, by dotted name. */
export const standardModules: ReadonlyMap<string, Value> = new Map(
  [...codeModules, ...dataModules, ...externalModules, ...extraModules].map((module) => [
    module.name,
    module,
  ]),
);

import { ast } from './ast.ts';
import { collectionsAbc } from './collections-abc.ts';
import { copy } from './copy.ts';
import { dataclasses } from './dataclasses/module.ts';
import { enumModule } from './enum/module.ts';
import { functools } from './functools/module.ts';
import { future, sys } from './sys.ts';
import { traceback } from './traceback.ts';
import { abc, typing } from './typing.ts';

/** Modules about classes, functions and the interpreter. */
export const codeModules = [
  ast,
  collectionsAbc,
  copy,
  dataclasses,
  enumModule,
  functools,
  future,
  sys,
  traceback,
  abc,
  typing,
];

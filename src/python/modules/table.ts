import { PyModule } from '../objects/classes/module.ts';
import type { Value } from '../objects/object.ts';
import { ast } from './ast.ts';
import { base64, binascii } from '../extra/base64.ts';
import { bisect } from '../extra/bisect.ts';
import { collections } from '../extra/collections/module.ts';
import { contextlib } from '../extra/contextlib/module.ts';
import { copy } from './copy.ts';
import { dataclasses } from './dataclasses.ts';
import { datetime } from './datetime.ts';
import { decimal } from '../extra/decimal/module.ts';
import { enumModule } from './enum/module.ts';
import { fnmatch } from '../extra/fnmatch.ts';
import { functools } from './functools.ts';
import { hashlib } from '../extra/hashlib.ts';
import { heapq } from '../extra/heapq.ts';
import { itertools } from '../extra/itertools.ts';
import { jsonModule } from './json.ts';
import { math } from './math.ts';
import { operator } from '../extra/operator.ts';
import { outsideModules } from './external-modules.ts';
import { random } from './random.ts';
import { re } from './re.ts';
import { shlex } from '../extra/shlex.ts';
import { abc, collectionsAbc, future, numbers, sys, time, typing } from './simple-modules.ts';
import { statistics } from '../extra/statistics/module.ts';
import { string } from '../extra/string.ts';
import { textwrap } from '../extra/textwrap.ts';
import { traceback } from './traceback.ts';
import { uuid } from '../extra/uuid.ts';
import { packaging, packagingVersion } from './version.ts';
import { zoneinfo } from '../extra/zoneinfo.ts';

const withAbc = new PyModule('collections', [...collections.members, ['abc', collectionsAbc]]);

const ALL: readonly PyModule[] = [
  ast,
  base64,
  binascii,
  bisect,
  contextlib,
  decimal,
  enumModule,
  hashlib,
  heapq,
  shlex,
  textwrap,
  traceback,
  uuid,
  zoneinfo,
  math,
  re,
  jsonModule,
  random,
  datetime,
  functools,
  dataclasses,
  itertools,
  withAbc,
  collectionsAbc,
  typing,
  numbers,
  operator,
  string,
  copy,
  fnmatch,
  statistics,
  time,
  packaging,
  packagingVersion,
  future,
  abc,
  sys,
  ...outsideModules,
];

/** The modules every snippet may import, by dotted name. */
export const standardModules: ReadonlyMap<string, Value> = new Map(
  ALL.map((module) => [module.name, module]),
);

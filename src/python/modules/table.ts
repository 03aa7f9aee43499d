import { PyModule } from '../objects/classes/module.ts';
import type { Value } from '../objects/object.ts';
import { ast } from './ast.ts';
import { base64, binascii } from './base64.ts';
import { bisect } from './bisect.ts';
import { collections } from './collections.ts';
import { contextlib } from './contextlib/module.ts';
import { copy } from './copy.ts';
import { dataclasses } from './dataclasses.ts';
import { datetime } from './datetime.ts';
import { decimal } from './decimal/module.ts';
import { enumModule } from './enum/module.ts';
import { fnmatch } from './fnmatch.ts';
import { functools } from './functools.ts';
import { hashlib } from './hashlib.ts';
import { heapq } from './heapq.ts';
import { itertools } from './itertools.ts';
import { jsonModule } from './json.ts';
import { math } from './math.ts';
import { operator } from './operator.ts';
import { outsideModules } from './external-modules.ts';
import { random } from './random.ts';
import { re } from './re.ts';
import { shlex } from './shlex.ts';
import { abc, collectionsAbc, future, numbers, sys, time, typing } from './simple-modules.ts';
import { statistics } from './statistics/module.ts';
import { string } from './string.ts';
import { textwrap } from './textwrap.ts';
import { traceback } from './traceback.ts';
import { uuid } from './uuid.ts';
import { packaging, packagingVersion } from './version.ts';
import { zoneinfo } from './zoneinfo.ts';

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

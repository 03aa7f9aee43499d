import { datetime } from './datetime/module.ts';
import { jsonModule } from './json/module.ts';
import { math } from './math/module.ts';
import { numbers } from './numbers.ts';
import { random } from './random/module.ts';
import { re } from './re/module.ts';
import { time } from './time.ts';
import { packaging, packagingVersion } from './version.ts';

/** Modules about numbers, texts, time and versions. */
export const dataModules = [
  datetime,
  jsonModule,
  math,
  numbers,
  random,
  re,
  time,
  packaging,
  packagingVersion,
];

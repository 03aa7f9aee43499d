import { base64, binascii } from './base64.ts';
import { fnmatch } from './fnmatch.ts';
import { hashlib } from './hashlib.ts';
import { shlex } from './shlex.ts';
import { string } from './string.ts';
import { textwrap } from './textwrap.ts';
import { uuid } from './uuid.ts';
import { zoneinfo } from './zoneinfo.ts';

/** Modules about texts, their encodings, digests and names. */
export const textModules = [
  base64,
  binascii,
  fnmatch,
  hashlib,
  shlex,
  string,
  textwrap,
  uuid,
  zoneinfo,
];

import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { directoryAt } from '../../src/runners/run/directory.ts';
import { PROGRAM, writeProgram } from '../../src/runners/run/program.ts';
import { newJob, removeRoot, temporaryRoot } from './workloads.ts';

const root = temporaryRoot();
afterAll(() => removeRoot(root));

test.each([
  ['# -*- coding: latin-1 -*-\nprint("é")\n', '# -*- coding: utf-8 -*-\nprint("é")\n'],
  [
    '#!/usr/bin/python\r\n# vim: fileencoding=cp1252 :\r\n',
    '#!/usr/bin/python\r\n# vim: fileencoding=utf-8 :\r\n',
  ],
  ['\u{feff}#coding=utf_16', '\u{feff}#coding=utf-8'],
  ['\n#coding: koi8-r\n#coding: koi8-r\n', '\n#coding: utf-8\n#coding: koi8-r\n'],
  ['import x\n# coding: latin-1\n', 'import x\n# coding: latin-1\n'],
  ['#\n#\n# coding: latin-1\n', '#\n#\n# coding: latin-1\n'],
  ['print("# coding: latin-1")\n', 'print("# coding: latin-1")\n'],
])('a program in an ask is UTF-8, whatever encoding it declares: %j', async (source, written) => {
  const draft = directoryAt(join(root, newJob()), newJob());
  await mkdir(draft.task, { recursive: true });
  const program = { kind: 'inline', text: source } as const;
  const task = { type: 'python-program', program, arguments: [] } as const;
  await writeProgram(task, draft, { allowHosts: [], fileRoots: [] });
  expect(readFileSync(join(draft.task, PROGRAM), 'utf8')).toBe(written);
});

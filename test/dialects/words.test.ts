import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * Folders of programming languages and of generated code, which have words of their own, and the
 * console, a client of the service.
 */
const ELSEWHERE = /^(?:console|dialects\/seed|generated|python|vortex|yaml)\//;
/** Clients of the service, and the form in which records keep changes. */
const SPEAKING = new Set(['cli/demo.ts', 'cli/conversation.ts', 'planner/record/kept-reasons.ts']);

const WORDS: Readonly<Record<string, RegExp>> = {
  'paths of an ask':
    /\bresources\.(?:compute|storage)|['`]task\.(?:spec|type)|\b(?:date)?time\[|\/compute\/\d/,
  'keys of a compute item': /\b(?:min|max)-(?:cores|memory)\b/,
  'keys of a storage item': /\bobjectid\b/,
  'expressions over paths': /startsWith\(`\$\{\w+\.path\}/,
  'the style of sizes': /'Gb'(?! \|)/,
  'the dialect itself': /dialects\/seed/,
};

async function sources(): Promise<readonly (readonly [file: string, text: string])[]> {
  const files = (await readdir(SRC, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !ELSEWHERE.test(file),
  );
  return Promise.all(
    files.map(
      async (file) =>
        [
          file,
          (await readFile(join(SRC, file), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
        ] as const,
    ),
  );
}

describe('the words of the 2023 vocabulary', () => {
  test.each(Object.entries(WORDS))('%s are nowhere but in its folder', async (_, word) => {
    const found = (await sources())
      .filter(([file, text]) => word.test(text) && !SPEAKING.has(file))
      .map(([file]) => file);
    expect(found).toEqual([]);
  });
});

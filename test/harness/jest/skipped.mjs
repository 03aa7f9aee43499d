import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * A reporter that lists at the end what did not run: tests that skip themselves for lack of
 * something, and after the whole of `npm test` also the folders and files that only `rest` runs.
 */
export default class Skipped {
  #quiet;
  #rest;
  #left;

  /**
   * @param {{ nonFlagArgs: readonly string[], testNamePattern?: string }} config
   * @param {{ rest?: string, folders?: readonly string[] }} options
   */
  constructor({ nonFlagArgs, testNamePattern }, { rest, folders = [] }) {
    // Tests that a name pattern excludes look like skipped ones.
    this.#quiet = testNamePattern !== undefined;
    this.#rest = rest;
    this.#left =
      nonFlagArgs.length === 0
        ? folders.flatMap(filesBelow).concat(rest === undefined ? [] : longFiles(folders))
        : [];
  }

  onRunComplete(_contexts, { testResults }) {
    const lines = [...this.#left, ...testResults.flatMap(skippedOf)];
    if (this.#quiet || lines.length === 0) return;
    const advice =
      this.#rest === undefined ? 'Each needs what its title says.' : `To run them: ${this.#rest}`;
    // Jest's summary comes after every other reporter; the end of the run (stop.mjs) comes later.
    globalThis.testsNotRun = `\nNot run:\n${lines.map((line) => `  ${line}\n`).join('')}${advice}\n`;
  }
}

function filesBelow(folder) {
  const { length } = globSync(`test/${folder}/**/*.test.ts`, { cwd: root });
  return length === 0 ? [] : [`test/${folder}: all ${length} files`];
}

function longFiles(folders) {
  return globSync('test/**/*.long.test.ts', { cwd: root }).filter(
    (file) => !folders.includes(file.split('/')[1]),
  );
}

/**
 * One line for each group of a file that is skipped as a whole, and for each test that is skipped
 * alone or has its own reason.
 */
function skippedOf({ testFilePath, testResults }) {
  const groups = Map.groupBy(testResults, ({ ancestorTitles: [group] }) => group);
  return [...groups]
    .flatMap(([group, tests]) => {
      const isWhole =
        group !== undefined &&
        tests.length > 1 &&
        tests.every(({ status }) => status === 'pending');
      return isWhole
        ? [`${group} (${tests.length} tests)`]
        : tests
            .filter(isSkipped)
            .map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' › '));
    })
    .map((line) => `${relative(root, testFilePath)}: ${line}`);
}

function isSkipped({ status }) {
  return status === 'pending' || status === 'todo';
}

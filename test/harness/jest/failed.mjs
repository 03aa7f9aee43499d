import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Of a message that is a whole log, its end says what failed. */
const HEAD = 400;
const TAIL = 1200;
/** Lines of a stack that no file of the project stands in. */
const FOREIGN = /^ +at .*(?:node_modules|node:internal).*\n?/gm;

/**
 * A reporter that lists what failed once more, last of all (stop.mjs): whoever sees only the end
 * of a long run needs it there.
 */
export default class Failed {
  onRunComplete(_contexts, { testResults }) {
    const parts = testResults.flatMap(failuresOf);
    if (parts.length > 0) globalThis.testsFailed = `\nFailed:\n${parts.join('')}`;
  }
}

function failuresOf({ testFilePath, testResults, testExecError, failureMessage }) {
  const file = relative(root, testFilePath);
  if (testExecError !== undefined && testExecError !== null)
    return [`  ${file}\n${shortened(failureMessage ?? testExecError.message ?? '')}\n`];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(
      ({ ancestorTitles, title, failureMessages }) =>
        `  ${file}: ${[...ancestorTitles, title].join(' › ')}\n${shortened(failureMessages.join('\n'))}\n`,
    );
}

function shortened(message) {
  const text = stripVTControlCharacters(message).replaceAll(FOREIGN, '');
  if (text.length <= HEAD + TAIL) return text;
  return `${text.slice(0, HEAD)}\n[…]\n${text.slice(-TAIL)}`;
}

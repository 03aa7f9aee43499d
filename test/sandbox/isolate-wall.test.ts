import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { childProgram } from '../../src/sandbox/program.ts';
import { DecisionQueue } from '../../src/sandbox/queue.ts';

/*
 * As if the compiler of Python had been fooled: hostile JavaScript runs in the isolate, in place of
 * the engine. What is left are the isolate, the lock on code from text, and the process.
 */

/**
 * What JavaScript attempts, and what it must come to: JSON of the value, or the name of the error.
 */
const ATTEMPTS: readonly (readonly [name: string, body: string, expected: string])[] = [
  ['process', 'return typeof process', '"undefined"'],
  ['require', 'return typeof require', '"undefined"'],
  ['fetch', 'return typeof fetch', '"undefined"'],
  [
    'timers',
    'return typeof setTimeout + typeof setImmediate + typeof queueMicrotask',
    '"undefinedundefinedundefined"',
  ],
  ['the console', 'return typeof console', '"undefined"'],
  ['Buffer', 'return typeof Buffer', '"undefined"'],
  [
    'the module of the isolate',
    'return typeof ivm + typeof module + typeof exports',
    '"undefinedundefinedundefined"',
  ],
  ['WebAssembly', 'return typeof WebAssembly', '"undefined"'],
  ['shared memory', 'return typeof SharedArrayBuffer + typeof Atomics', '"undefinedundefined"'],
  [
    'everything that is global beside the language',
    'return Object.getOwnPropertyNames(globalThis).filter((name) => /^[a-z]/.test(name) && ' +
      '!/^(?:globalThis|undefined|parse|is|decode|encode|escape|unescape)/.test(name))',
    '[]',
  ],
  ['eval', "return eval('1')", 'ReferenceError'],
  ['Function', "return new Function('return 1')()", 'ReferenceError'],
  ['the constructor of a function', "return (() => 0).constructor('return 1')()", 'TypeError'],
  [
    'the constructor of an async function',
    "return (async () => 0).constructor('return 1')()",
    'TypeError',
  ],
  [
    'the constructor of a generator',
    "return (function* () {}).constructor('return 1')()",
    'TypeError',
  ],
  [
    'the constructor of an async generator',
    "return (async function* () {}).constructor('return 1')()",
    'TypeError',
  ],
  [
    'the constructor of a constructor',
    "return [].constructor.constructor('return 1')()",
    'TypeError',
  ],
  ['the constructor by Reflect', "return Reflect.get(Function_(), 'constructor')", 'undefined'],
  [
    'the constructor by its descriptor',
    "return Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => 0), 'constructor').value",
    'undefined',
  ],
  [
    'the constructor put back',
    "Object.defineProperty(Object.getPrototypeOf(() => 0), 'constructor', { value: 1 })",
    'TypeError',
  ],
  ['the constructor of a class', 'return (class {}).constructor', 'undefined'],
  ['the constructor through a bound function', 'return (() => 0).bind().constructor', 'undefined'],
  ['the constructor through a proxy', 'return new Proxy(() => 0, {}).constructor', 'undefined'],
  [
    'a species of a promise',
    'class P extends Promise { static get [Symbol.species]() { return function (run) { ' +
      'run(() => {}, () => {}); } } } return typeof P.resolve(1).then(() => process)',
    '"object"',
  ],
  [
    'the call sites of an error',
    'Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; return ' +
      'sites.map((site) => typeof site.getThis() + typeof site.getFunction()).every((found) => ' +
      "found === 'undefinedundefined')",
    'true',
  ],
  [
    'the files of an error',
    'delete Error.prepareStackTrace; return /node:|workers/.test(new Error().stack)',
    'false',
  ],
  [
    'an error of the host',
    'try { null.x } catch (error) { return error.constructor === TypeError }',
    'true',
  ],
  ['a stack overflow', 'const f = () => f() + 1; return f()', 'RangeError'],
  [
    'a stack overflow in a getter',
    'const o = { get x() { return this.x } }; return o.x',
    'RangeError',
  ],
  [
    'a getter of what it returns',
    'return { get kind() { return typeof process } }',
    '{"kind":"undefined"}',
  ],
  ['toJSON of what it returns', 'return { toJSON: () => typeof require }', '"undefined"'],
  [
    'the arguments of the host',
    'return [typeof given[0], typeof given[1], given.length]',
    '["string","string",2]',
  ],
  ['the caller', 'return decide.caller', 'TypeError'],
  ['import.meta', 'return Object.keys(import.meta)', '[]'],
  [
    'a dynamic import',
    "let got = 'nothing'; import('node:fs').then(() => { got = 'fs' }, () => { got = 'refused' }); return got",
    '"nothing"',
  ],
  ['what the dynamic import came to', 'return typeof globalThis.got', '"undefined"'],
  [
    'a pollution of the prototype',
    "Object.prototype.kind = 'answered'; Object.prototype.id = 1; return 'done'",
    '"done"',
  ],
  [
    'a pollution of arrays',
    "Array.prototype.map = () => 'taken'; Array.prototype[0] = 'taken'; return 'done'",
    '"done"',
  ],
];

/** Attempts after which there is no answer; what the queue says instead. */
const ENDLESS: readonly (readonly [name: string, body: string, codes: RegExp])[] = [
  ['a loop', 'for (;;);', /^rule-timeout$/],
  ['a loop in finally', 'try { for (;;); } finally { for (;;); }', /^rule-timeout$/],
  ['a regular expression', "/(a+)+$/.test('a'.repeat(50) + 'b')", /^rule-timeout$/],
  [
    'promises without end',
    'const go = () => Promise.resolve().then(go); go(); for (;;);',
    /^rule-timeout$/,
  ],
  ['a loop in what it returns', 'return { get x() { for (;;); } }', /^rule-timeout$/],
  [
    'arrays without end',
    'const all = []; for (;;) all.push(new Array(10_000).fill(0));',
    /^(?:rule-memory|rule-timeout|sandbox-crashed)$/,
  ],
  [
    'texts without end',
    "let all = []; for (;;) all.push('x'.repeat(100_000) + all.length);",
    /^(?:rule-memory|rule-timeout|sandbox-crashed)$/,
  ],
  [
    'a map without end',
    'const all = new Map(); for (let i = 0; ; i++) all.set(i, [i]);',
    /^(?:rule-memory|rule-timeout|sandbox-crashed)$/,
  ],
  [
    'an enormous array',
    'return new Array(1e9).fill(0).length',
    /^(?:rule-memory|rule-timeout|sandbox-crashed)$/,
  ],
  [
    'an enormous integer',
    'let n = 3n; for (;;) n = n * n;',
    /^(?:rule-memory|rule-timeout|sandbox-crashed|engine-error)$/,
  ],
  ['an enormous answer', "return 'x'.repeat(5_000_000)", /^rule-memory$/],
  ['an answer that is no text', 'return undefined', /^engine-error$/],
];

function functionOf([name, body]: readonly [string, string, unknown]): string {
  return `${JSON.stringify(name)}(given) { ${body} },`;
}
/** Stands in for the engine: the question names the attempt. */
const INTRUDER = `
  const Function_ = () => Object.getPrototypeOf(() => 0);
  const attempts = {
    ${[...ATTEMPTS, ...ENDLESS].map(functionOf).join('\n    ')}
  };
  export function load() { return '{"ok":true}'; }
  export function decide(...given) {
    if (given[0] === 'an enormous answer' || given[0] === 'an answer that is no text') return attempts[given[0]](given);
    try { return String(JSON.stringify(attempts[given[0]](given))); } catch (error) { return error.name; }
  }
`;

describe('JavaScript that got into the isolate', () => {
  let queue: DecisionQueue;
  beforeAll(async () => {
    const program = {
      main: childProgram().main,
      modules: [{ name: 'intruder.js', code: INTRUDER, imports: {} }],
    };
    // The isolate's own limits shall end what is endless: the child, which a busy machine
    // makes slow, is given time for it.
    queue = new DecisionQueue(
      program,
      'enclosed',
      { memoryMb: 64, decisionMs: 1_000, loadMs: 60_000, spare: true },
      20_000,
    );
    queue.keep('again');
    await queue.ask({ kind: 'load', request: 'first' });
  });
  afterAll(() => queue.close());
  const ask = (about: string) => queue.ask({ kind: 'decide', about, job: '' });

  test.each(ATTEMPTS)('finds nothing of the host: %s', async (name, _body, expected) => {
    const answer = await ask(name);
    expect(answer.kind === 'answer' ? answer.answer : answer).toBe(expected);
  });

  test.each(ENDLESS)(
    'is ended within its budget, and the next question is answered: %s',
    async (name, _body, codes) => {
      const answer = await ask(name);
      expect(answer.kind === 'sandbox' ? answer.code : answer).toEqual(
        expect.stringMatching(codes),
      );
      expect(await ask('process')).toMatchObject({ kind: 'answer', answer: '"undefined"' });
      // What answers now was set up on another thread, where the stack is another one.
      expect(await ask('a stack overflow')).toMatchObject({ kind: 'answer', answer: 'RangeError' });
    },
  );

  test('touches no prototype of the planner', () => {
    expect([Object.hasOwn(Object.prototype, 'kind'), Array.prototype.map.name]).toEqual([
      false,
      'map',
    ]);
  });
});

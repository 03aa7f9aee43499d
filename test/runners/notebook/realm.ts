import { builtinModules, createRequire } from 'node:module';
import { writeSync } from 'node:fs';
import { confine } from '../../../src/runners/notebook/confinement.ts';

/**
 * What JavaScript in a notebook's realm could do if Python could write some; it runs with the
 * runner's flags.
 */
const node = process;
const require = createRequire(import.meta.url);
const early = node.getBuiltinModule;
const realm = globalThis;
const exit = confine();

const opened: string[] = [];
for (const name of builtinModules) {
  await attempt(`import ${name}`, () => import(`node:${name}`));
  await attempt(`bare import ${name}`, () => import(name));
  await attempt(`require ${name}`, () => require(name));
  await attempt(`process.getBuiltinModule ${name}`, () => node.getBuiltinModule(name));
}
await attempt('eval', () => realm.eval('1'));
await attempt('Function', () => new Function('return 1')());
const left = [
  'process',
  'require',
  'fetch',
  'WebSocket',
  'EventSource',
  'BroadcastChannel',
  'MessageChannel',
  'navigator',
  'global',
  'localStorage',
].filter((name) => Reflect.get(realm, name) !== undefined);
// An early reference shows that these flags remove SQLite, which would open files unchecked.
const sqlite = early('node:sqlite') !== undefined;
writeSync(
  1,
  JSON.stringify({
    tried: builtinModules.length,
    opened,
    left,
    sqlite,
    env: Object.keys(node.env),
  }),
);
exit(0);

async function attempt(way: string, what: () => unknown): Promise<void> {
  try {
    const found = await what();
    if (found !== undefined) opened.push(way);
  } catch {}
}

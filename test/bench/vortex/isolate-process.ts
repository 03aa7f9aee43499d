/*
 * One isolate and timed calls into it: the process of isolate.ts. It starts without types, since a
 * `--jitless` process cannot strip them.
 */
import ivm from 'isolated-vm';
import type { IsolateTask, IsolateTimes } from './isolate.ts';

process.once('message', (task: IsolateTask) => {
  const isolate = new ivm.Isolate({ memoryLimit: task.memoryMb });
  const context = isolate.createContextSync();
  const compiled = new Map<string, ivm.Module>();
  const imports = new Map<ivm.Module, { readonly [specifier: string]: string }>();
  for (const { name, code, imports: specifiers } of task.modules) {
    const module = isolate.compileModuleSync(code, { filename: `file:///${name}` });
    compiled.set(name, module);
    imports.set(module, specifiers);
  }
  const found = (name: string | undefined): ivm.Module => {
    const module = compiled.get(name ?? '');
    if (module === undefined) throw new Error(`no module ${name}`);
    return module;
  };
  const entry = found(task.modules[0]?.name);
  entry.instantiateSync(context, (specifier, referrer) =>
    found(imports.get(referrer)?.[specifier]),
  );
  entry.evaluateSync();
  const load: ivm.Reference = entry.namespace.getSync('load', { reference: true });
  const decide: ivm.Reference = entry.namespace.getSync('decide', { reference: true });
  const call = (reference: ivm.Reference, args: readonly string[]): string =>
    String(reference.applySync(undefined, [...args], { timeout: 10_000 }));

  const beforeLoad = performance.now();
  const loaded = call(load, [task.request]);
  const loadMs = performance.now() - beforeLoad;
  if (!loaded.startsWith('{"ok":true')) throw new Error(loaded.slice(0, 500));

  let used = process.cpuUsage();
  const times: number[] = [];
  let answers: string[] = [];
  for (let round = 0; round < task.warmUps + task.rounds; round += 1) {
    answers = [];
    if (round === task.warmUps) used = process.cpuUsage();
    for (const job of task.jobs) {
      const before = performance.now();
      const answer = call(decide, [task.about, job]);
      const took = performance.now() - before;
      if (round >= task.warmUps) times.push(took);
      answers.push(answer);
    }
  }
  const heapMb = isolate.getHeapStatisticsSync().used_heap_size / 2 ** 20;
  const { user, system } = process.cpuUsage(used);
  const told: IsolateTimes = { loadMs, cpuMs: (user + system) / 1000, times, answers, heapMb };
  process.send?.(told, undefined, undefined, () => process.disconnect());
});

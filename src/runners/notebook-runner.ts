import { mustBeReachable } from '../places/reachable.ts';
import { openMaker } from './making/maker.ts';
import { mustHaveJupyter } from './notebook/jupyter.ts';
import { notebookEnvironments, type NotebookEngine } from './notebook/kind.ts';
import { methodOf } from './notebook/method-of.ts';
import { notebookResults } from './notebook/results.ts';
import type { Runner } from './port.ts';
import { closingFirst } from './process/closing-first.ts';
import { localRunner } from './process/runner.ts';
import { networkIsolation, prepareHost, type LocalSettings } from './process/start/host.ts';
import type { RunMethod } from './process/start/run-method.ts';
import { interpreterOf } from './run/interpreter.ts';

/**
 * The runner for notebooks and Python programs. By default it needs nothing installed: Pyodide
 * (CPython in WebAssembly, with its standard library and no other package) in a Node process without
 * rights. With the machine's own Jupyter or named environments, the packages that the site has
 * installed, threads and processes. Never a network.
 *
 * A named environment that is missing or broken fails its own jobs.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export function notebookRunner(
  settings: LocalSettings,
  engine: Partial<NotebookEngine> = {},
): Runner {
  const { jupyter, isolation } = engine;
  if (jupyter !== undefined) mustHaveJupyter(jupyter);
  const jobHost = prepareHost(settings, isolation);
  if (jupyter !== undefined && jobHost.users !== undefined)
    mustBeReachable(jupyter, 'the Python of the site');
  const environments = notebookEnvironments({ jupyter, ...engine });
  const maker = openMaker(jobHost.jobsRoot);
  const methods = new Map(environments.map((one) => [one, methodOf(one, maker)]));
  const all = [...methods.values()];
  const method: RunMethod = {
    name: 'notebook',
    isolation: networkIsolation(),
    view: { readable: [...new Set(all.flatMap(({ readable }) => readable))], network: 'none' },
    volumeProblem: (volume) =>
      all.map((one) => one.volumeProblem(volume)).find((problem) => problem !== undefined),
    prepare: (workload, making, urls) => {
      // Without names in the site file, none was promised.
      const promised = engine.environments && workload.interpreter;
      const chosen = methods.get(interpreterOf(environments, promised));
      if (chosen === undefined) throw new Error('every environment has a method');
      return chosen.prepare(workload, making, urls);
    },
    results: notebookResults,
  };
  return closingFirst(localRunner(jobHost, method), maker.close);
}

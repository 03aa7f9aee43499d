import { afterAll, beforeAll } from '@jest/globals';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { containerRunner } from '../../../src/runners/container-runner.ts';
import type { ContainerSettings } from '../../../src/runners/container/settings.ts';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import type { ContainerTask } from '../../../src/tasks/task.ts';
import { workload } from '../../runners/workloads.ts';
import { openContainerEngine, type ContainerEngine } from './container.ts';
import { IMAGE, imageOf } from './images.ts';

/** An engine with its runners, available while tests run. */
export type ContainerBench = {
  readonly name: ContainerEngine['name'];
  readonly engine: ContainerEngine;
  readonly jobsRoot: string;
  /** The directory of image archives that the site lends. */
  readonly images: string;
  /** A runner with the usual settings. */
  readonly runner: Runner;
  readonly open: (more?: Partial<ContainerSettings>) => Runner;
  /** A job with the tests' image. */
  readonly oci: (more?: Partial<ContainerTask>, asked?: Parameters<typeof workload>[1]) => Workload;
  readonly textOf: (work: Workload, file: string) => string;
};

/** Opens an engine before the tests of this block, and closes it after them. */
export function openBench(name: ContainerEngine['name']): ContainerBench {
  let engine: ContainerEngine;
  let runner: Runner;
  const opened: Runner[] = [];
  const jobsRoot = (): string => join(engine.folder, 'jobs');
  const images = (): string => join(engine.folder, 'images');
  const open = (more: Partial<ContainerSettings> = {}): Runner => {
    const registries = [engine.registry];
    const one = containerRunner(
      { jobsRoot: jobsRoot(), urls: { allowHosts: [], fileRoots: [images()], registries } },
      engine.settings({ pull: 'missing', ...more }),
    );
    opened.push(one);
    return one;
  };
  beforeAll(async () => {
    engine = await openContainerEngine(name);
    mkdirSync(images());
    runner = open();
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await engine?.close();
  });
  return {
    name,
    get engine() {
      return engine;
    },
    get jobsRoot() {
      return jobsRoot();
    },
    get images() {
      return images();
    },
    get runner() {
      return runner;
    },
    open,
    oci: (more = {}, asked = {}) =>
      workload(
        {
          type: 'oci-container',
          image: imageOf(engine.registry, IMAGE),
          architectures: [],
          entrypoint: undefined,
          command: undefined,
          environment: {},
          network: 'none',
          ...more,
        },
        asked,
      ),
    textOf: (work, file) => readFileSync(join(jobsRoot(), work.job, file), 'utf8'),
  };
}

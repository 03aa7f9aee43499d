import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster } from '../../../src/runners/kubernetes/cluster.ts';
import { JOB_LABEL } from '../../../src/runners/kubernetes/manifests/manifest.ts';
import { startWatch } from '../../../src/runners/kubernetes/watch.ts';
import { until } from '../../runners/workloads.ts';
import { makeCertificates, type Certificates } from '../certificates.ts';
import { kubeconfigOf, NAMESPACE, startApiServer, type ApiServer } from './api-server.ts';
import { Store } from './store.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

withEngine('kubernetes watches against the small API server of the tests', needs('openssl'), () => {
  let folder: string;
  let certificates: Certificates;
  let store: Store;
  let server: ApiServer;
  let watch: ReturnType<typeof startWatch>;
  let heard: string[];
  let gaps: number;
  beforeAll(() => {
    folder = mkdtempSync('/var/tmp/kubernetes-watch-');
    certificates = makeCertificates(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    store = new Store();
    [heard, gaps] = [[], 0];
    server = await startApiServer(store, certificates, () => {});
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(server.url, certificates));
    const cluster = await openCluster({ kubeconfig, context: 'test', namespace: NAMESPACE });
    watch = startWatch({
      cluster,
      onChange: (job) => void heard.push(job),
      onGap: () => void (gaps += 1),
      onSilence: () => {},
    });
    await watching(1);
  });
  afterEach(async () => {
    await watch.close();
    await server.close();
  });

  /** Waits until both kinds have been watched this many times. */
  const watching = (times: number): Promise<void> =>
    until(
      () => ['jobs', 'pods'].every((plural) => (server.counts.watches.get(plural) ?? 0) >= times),
      `watches: ${times}`,
    );
  const make = (job: string, plural = 'pods'): void =>
    void store.create(plural, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `of-${job}`, labels: { [JOB_LABEL]: job } },
    });

  test('a change is heard, and objects without our label are ignored', async () => {
    store.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'other', labels: {} },
    });
    make('one');
    make('two', 'jobs');
    await until(() => heard.length === 2, 'two changes');
    expect(heard.toSorted()).toEqual(['one', 'two']);
  });

  test('a broken watch goes on where it was: changes meanwhile are heard once, without a new list', async () => {
    make('one');
    await until(() => heard.includes('one'), 'the first');
    server.breakWatches();
    make('two');
    store.remove('pods', 'of-one');
    await watching(2);
    make('three');
    await until(() => heard.includes('three'), 'the last');
    expect(heard).toEqual(['one', 'two', 'one', 'three']);
    expect([gaps, server.counts.lists.get('pods'), server.counts.lists.get('jobs')]).toEqual([
      2, 1, 1,
    ]);
  });

  test('a watch whose version is forgotten lists again, reports a gap, and goes on', async () => {
    make('one');
    await until(() => heard.includes('one'), 'the first');
    await server.disconnect();
    make('missed');
    store.compact();
    await server.connect();
    await until(() => gaps === 4, 'a gap for both kinds');
    // Two more of each: one that was too late, and the next one.
    await watching(3);
    make('two');
    await until(() => heard.includes('two'), 'the next');
    expect(heard).toEqual(['one', 'two']);
  });

  test('a server that is away is asked again until it is back', async () => {
    await server.disconnect();
    make('meanwhile');
    await server.connect();
    await until(() => heard.includes('meanwhile'), 'what happened meanwhile');
    expect(gaps).toBe(2);
  });
});

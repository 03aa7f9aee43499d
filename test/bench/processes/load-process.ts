import autocannon, { type Options } from 'autocannon';
import { endWithParent } from '../../../workers/lifetime.ts';
import type { HttpLoad, LoadOutcome } from '../load.ts';
import { sendPaced } from '../paced.ts';
import { sampleOf } from '../sample.ts';

/*
 * The load generator in its own process, so that its cost is not measured as the service's.
 * autocannon measures the latencies; they are taken one by one and unrounded, because its histogram
 * has whole milliseconds.
 */

process.on('message', (load: HttpLoad) => {
  (load.perSecond === undefined ? run(load) : sendPaced(load, load.perSecond)).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
endWithParent();

function run(load: HttpLoad): Promise<LoadOutcome> {
  return new Promise((done, failed) => {
    const latencies: number[] = [];
    let bad = 0;
    const begun = performance.now();
    let ended = begun;
    const instance = autocannon(optionsOf(load), (error: unknown, result) => {
      if (error != null) failed(error);
      else
        done({
          sample: sampleOf(latencies, (ended - begun) / 1000),
          failures: bad + result.errors,
        });
    });
    instance.on('response', (_client, status, _bytes, took) => {
      latencies.push(took);
      ended = performance.now();
      if (status !== (load.status ?? 200)) bad += 1;
    });
  });
}

function optionsOf(load: HttpLoad): Options {
  const { url, method, body, type, paths, amount, connections, isEachDifferent = false } = load;
  let next = 0;
  const path = (): string => {
    next += 1;
    return paths?.[Math.min(next, paths.length) - 1] ?? '';
  };
  return {
    url,
    method,
    amount,
    connections,
    idReplacement: isEachDifferent,
    timeout: 60,
    headers: {
      'Content-Type': type ?? 'application/yaml',
      ...(type === undefined ? {} : { Accept: type }),
    },
    ...(body === undefined ? {} : { body }),
    ...(paths === undefined
      ? {}
      : { requests: [{ setupRequest: (request) => ({ ...request, path: path() }) }] }),
  };
}

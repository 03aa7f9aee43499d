import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { float } from '../objects/numbers/number.ts';
import { now } from './datetime/instants.ts';

export const time = moduleOf('time', {
  time: nativeFunction('time()', () => float(now() / 1000)),
  time_ns: nativeFunction('time_ns()', () => {
    const micros = BigInt(Math.round(now() * 1000)) * 1000n;
    return micros > 9007199254740991n ? micros : Number(micros);
  }),
  monotonic: nativeFunction('monotonic()', () => float(now() / 1000)),
  perf_counter: nativeFunction('perf_counter()', () => float(now() / 1000)),
  sleep: nativeFunction('sleep(secs, /)', () => null),
});

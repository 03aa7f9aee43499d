import { Gauge, type Registry } from 'prom-client';

/** Makes gauges of a registry; `read`, if given, sets the gauge at every scrape. */
export function gaugesOf(registry: Registry) {
  return (
    name: string,
    help: string,
    labelNames: readonly string[] = [],
    read?: (gauge: Gauge) => void,
  ): Gauge =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      ...(read && {
        collect() {
          read(this);
        },
      }),
    });
}

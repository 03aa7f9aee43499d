import { readSite } from '../../src/site/read.ts';

/** Reads site files with one small destination of a runner, `here`, whose settings are given. */
export function destinationHere(runner: string, taskType: string) {
  /** @param settings the block of the runner @param more keys of the destination */
  const site = (settings: object | undefined, more: object = {}, fetch: object = {}) =>
    readSite(
      '/etc/planner/site.yml',
      JSON.stringify({
        rules: ['rules.yml'],
        fetch,
        destinations: {
          here: {
            runner,
            'task-types': [taskType],
            cores: 1,
            memory: '1GiB',
            ...(settings === undefined ? {} : { [runner]: settings }),
            ...more,
          },
        },
      }),
    );
  type Words = Parameters<typeof site>;
  return {
    site,
    engineOf: (...words: Words) => {
      const reading = site(...words);
      if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
      return reading.site.destinations.get('here')?.engine;
    },
    /** The problems with their hints. */
    problemsOf: (...words: Words): readonly string[] => {
      const reading = site(...words);
      return reading.ok
        ? []
        : reading.problems.map(({ message, hint }) => `${message} (${hint ?? ''})`);
    },
  };
}

/**
 * Whether the engine of a destination answers any executor that lives; a destination
 * that is missing was asked by none.
 */
export type EngineStates = ReadonlyMap<string, 'answers' | 'silent'>;

/** What is wrong with a destination's engine, in public words; undefined when nothing is. */
export function engineTrouble(engines: EngineStates, destination: string): string | undefined {
  const state = engines.get(destination);
  switch (state) {
    case 'answers':
      return undefined;
    case 'silent':
      return 'its engine does not answer';
    case undefined:
      return 'no executor has asked its engine yet';
    default:
      return state satisfies never;
  }
}

/**
 * Whether the engine of a destination answers any live executor; a destination is missing while
 * none has asked its engine.
 */
export type EngineStates = ReadonlyMap<string, 'answers' | 'silent'>;

/** The trouble of a destination's engine, in public words; undefined without any. */
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

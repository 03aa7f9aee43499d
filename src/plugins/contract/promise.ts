/** A promise of every runner: its sentence, and the check, which throws when it is broken. */
export type ContractPromise = {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** milliseconds that it may take on a busy machine */
  readonly limit: number;
};

/** Collects promises in their order. */
export function collect(usual: number) {
  const promises: ContractPromise[] = [];
  return {
    promises,
    promise: (name: string, run: () => Promise<void>, limit = usual): void => {
      promises.push({ name, run, limit });
    },
  };
}

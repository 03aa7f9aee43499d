const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
]);
const BINARY: ReadonlyMap<string, number> = new Map(
  ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, index) => [suffix, 1024 ** (index + 1)]),
);

/**
 * The number that a resource quantity stands for (Kubernetes API, "Quantity"): cores or
 * bytes. Undefined when it is none.
 */
export function parseQuantity(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  const [, number, exponent, suffix = ''] =
    (typeof value === 'string' &&
      /^\+?(\d+\.?\d*|\.\d+)(?:([eE][+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/.exec(value)) ||
    [];
  const factor = DECIMAL.get(suffix) ?? BINARY.get(suffix);
  if (number === undefined || factor === undefined) return undefined;
  return Number(`${number}${exponent ?? ''}`) * factor;
}

/** Millicores as a quantity. */
export function cpuQuantity(millicores: number): string {
  return `${Math.max(1, Math.floor(millicores))}m`;
}

/** Mebibytes as a quantity. */
export function memoryQuantity(mebibytes: number): string {
  return `${Math.max(1, Math.floor(mebibytes))}Mi`;
}

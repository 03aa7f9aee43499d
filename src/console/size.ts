const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes for readers: `5.2 KiB`. */
export function sizeText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const amount = bytes / 1024 ** step;
  return `${amount < 10 && step > 0 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[step] ?? ''}`;
}

/** Whole seconds as an ISO 8601 duration in days and smaller units: 5400 is PT1H30M. */
export function printDuration(seconds: number): string {
  let left = seconds;
  const [days = '', ...clock] = UNITS.map(([name, unit]) => {
    const count = Math.floor(left / unit);
    left -= count * unit;
    return count === 0 ? '' : `${count}${name}`;
  });
  const time = clock.join('');
  return days === '' && time === '' ? 'PT0S' : `P${days}${time === '' ? '' : `T${time}`}`;
}

const UNITS = [
  ['D', 86_400],
  ['H', 3600],
  ['M', 60],
  ['S', 1],
] as const;

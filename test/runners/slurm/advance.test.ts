import { expect, test } from '@jest/globals';
import { parseReservations } from '../../../src/runners/slurm/advance.ts';

const JOB = '01990000-0000-7000-8000-00000000000a';
function line(
  name: string,
  more = 'StartTime=2026-11-22T13:00:00 EndTime=2026-11-22T13:05:00 Duration=00:05:00',
): string {
  return `ReservationName=${name} ${more} Nodes=n1 NodeCnt=1 CoreCnt=4 Users=jobs\n`;
}

test('reservations of Slurm are read as the runs that they are for: a job, or each of its machines', () => {
  expect(
    parseReservations(
      line(`vo-${JOB}`) + line(`vo-${JOB}-0`) + line(`vo-${JOB}-1`) + line(`vo-${JOB}-99`),
    ),
  ).toEqual([JOB, `${JOB}-0`, `${JOB}-1`, `${JOB}-99`]);
});

test('reservations of others are not ours, however similar they look', () => {
  const names = [
    'maintenance',
    `${JOB}`,
    `VO-${JOB}`,
    `vo-${JOB}-`,
    `vo-${JOB}-01`,
    `vo-${JOB}-1-1`,
    `vo-${JOB}-x`,
    `vo-${JOB}-1000000`,
    `vo-${JOB.toUpperCase()}`,
    `vo-${JOB.slice(1)}`,
    `vo-x${JOB}`,
  ];
  expect(parseReservations(names.map((name) => line(name)).join(''))).toEqual([]);
  expect(parseReservations(line('root', `Comment=ReservationName=vo-${JOB} `))).toEqual([]);
  expect(parseReservations('No reservations in the system\n')).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { clientOf, isWithoutCredential } from '../../src/identity/client.ts';
import type { Principal } from '../../src/identity/principal.ts';

const ada: Principal = {
  kind: 'user',
  owner: 'user:anonymous',
  user: 'anonymous',
  roles: [],
  administrator: false,
};
const nobody: Principal = { kind: 'anonymous' };

test('a user is one client wherever the requests come from', () => {
  expect(clientOf(ada, '192.0.2.1')).toBe(clientOf(ada, '192.0.2.2'));
  expect(isWithoutCredential(clientOf(ada, '192.0.2.1'))).toBe(false);
});

test('without a credential each network is one client', () => {
  const [one, other] = [clientOf(nobody, '192.0.2.1'), clientOf(nobody, '192.0.2.2')];
  expect(one).not.toBe(other);
  expect(clientOf(nobody, '2001:db8::1')).toBe(clientOf(nobody, '2001:db8::2'));
  for (const client of [one, other, clientOf(nobody, '')])
    expect(isWithoutCredential(client)).toBe(true);
});

test('a network is one, whatever port of a client a proxy forwards with its address', () => {
  const of = (address: string): string => clientOf(nobody, address);
  for (const address of ['192.0.2.1:50001', '192.0.2.1:50002'])
    expect(of(address)).toBe(of('192.0.2.1'));
  for (const address of ['[2001:db8::1]', '[2001:db8::1]:50001', '[2001:db8::2]:50002'])
    expect(of(address)).toBe(of('2001:db8::3'));
  expect(of('192.0.2.2:50001')).not.toBe(of('192.0.2.1:50001'));
  expect(of('::ffff:192.0.2.1')).not.toBe(of('::ffff:192.0.2.2'));
});

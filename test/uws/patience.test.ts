import { expect, test } from '@jest/globals';
import { localOwner } from '../../src/identity/principal.ts';
import { openPatience } from '../../src/uws/live/patience.ts';

function from(owner: string, ip: string) {
  return { owner, req: { ip } };
}

test('an owner beyond the limit has no room until a wait ends, and other owners are not affected', () => {
  const { enter, leave } = openPatience({ perOwner: 2, perAddress: 1 });
  const [ada, bob] = [from(localOwner('ada'), '192.0.2.1'), from(localOwner('bob'), '192.0.2.1')];
  expect([ada, ada, ada, bob].map(enter)).toEqual([true, true, false, true]);
  leave(ada);
  expect([ada, ada].map(enter)).toEqual([true, false]);
});

test('anonymous clients have a limit for each address, and for each IPv6 network', () => {
  const { enter, leave } = openPatience({ perOwner: 4, perAddress: 2 });
  const [one, other, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((ip) =>
    from('anonymous', ip),
  );
  if (one === undefined || other === undefined || third === undefined)
    throw new Error('three addresses');
  expect([one, one, one, other, other].map(enter)).toEqual([true, true, false, true, true]);
  // All of them are one owner; a client without room there takes no place of its address either.
  expect(enter(third)).toBe(false);
  leave(one);
  expect([third, third].map(enter)).toEqual([true, false]);
  leave(third);
  leave(other);
  expect(enter(from('anonymous', '2001:db8::1'))).toBe(true);
  expect(enter(from('anonymous', '2001:db8:0:0:9::2'))).toBe(true);
  expect(enter(from('anonymous', '2001:db8::3'))).toBe(false);
});

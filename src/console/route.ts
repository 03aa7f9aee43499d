/** A screen and what it shows. Screens have addresses behind `#`. */
export type Route =
  | { readonly screen: 'ask'; readonly fields: URLSearchParams }
  | { readonly screen: 'answer'; readonly ident: string }
  | { readonly screen: 'offer'; readonly ident: string }
  | { readonly screen: 'explanation'; readonly of: 'asks' | 'offers'; readonly ident: string }
  | { readonly screen: 'calendar'; readonly fields: URLSearchParams }
  | { readonly screen: 'jobs'; readonly fields: URLSearchParams }
  | { readonly screen: 'offers'; readonly fields: URLSearchParams }
  | { readonly screen: 'job'; readonly ident: string }
  | { readonly screen: 'me'; readonly fields: URLSearchParams }
  | { readonly screen: 'site' }
  | { readonly screen: 'unknown' };

/** Reads the part of an address from `#` on; without one it is the screen to ask. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const fields = new URLSearchParams(query);
  const [first = '', second = '', third, ...more] = path.split('/').map(decoded);
  // Nothing has such a name, and in an address of the service they lead elsewhere.
  if (more.length > 0 || second === '.' || second === '..') return { screen: 'unknown' };
  if (third !== undefined) {
    return (first === 'asks' || first === 'offers') && third === 'explain' && second !== ''
      ? { screen: 'explanation', of: first, ident: second }
      : { screen: 'unknown' };
  }
  return second === '' ? screenOf(first, fields) : itemOf(first, second, fields);
}

/** The address of a screen with fields, of which empty ones are left out. */
export function addressOf(
  screen: string,
  fields: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
  return given.length === 0
    ? `#/${screen}`
    : `#/${screen}?${new URLSearchParams(Object.fromEntries(given))}`;
}

function screenOf(name: string, fields: URLSearchParams): Route {
  switch (name) {
    case '':
    case 'ask':
      return { screen: 'ask', fields };
    case 'calendar':
    case 'jobs':
    case 'offers':
    case 'me':
      return { screen: name, fields };
    case 'site':
      return { screen: name };
    default:
      return { screen: 'unknown' };
  }
}

function itemOf(name: string, ident: string, fields: URLSearchParams): Route {
  switch (name) {
    case 'asks':
      return { screen: 'answer', ident };
    case 'offers':
      return { screen: 'offer', ident };
    case 'jobs':
      return { screen: 'job', ident };
    case 'calendar':
      return {
        screen: 'calendar',
        fields: new URLSearchParams([...fields, ['destination', ident]]),
      };
    default:
      return { screen: 'unknown' };
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

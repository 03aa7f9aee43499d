import { signal } from '@preact/signals';
import { addressOf, routeOf, type Route } from './route.ts';

/** The screen that is shown. */
export const route = signal<Route>(routeOf(location.hash));

/** Follows the address of the page from now on. */
export function followAddress(): void {
  addEventListener('hashchange', () => {
    route.value = routeOf(location.hash);
  });
}

/** Goes to another screen. */
export function go(address: string): void {
  location.hash = address;
}

/** The screen of the address; the one before may be shown for a while. */
export function screenNow(): Route['screen'] {
  return routeOf(location.hash).screen;
}

/** Changes the address without a new screen or a step back to the old one. */
export function renameAddress(address: string): void {
  history.replaceState(null, '', address);
  route.value = routeOf(location.hash);
}

/** Where to sign in and come back to this screen. */
export function signInAddress(): string {
  const { value: now } = route;
  return addressOf('me', now.screen === 'me' ? {} : { to: location.hash });
}

/** The screen from which somebody came to sign in; undefined: from none. */
export function cameFrom(): string | undefined {
  const { value: now } = route;
  const to = now.screen === 'me' ? now.fields.get('to') : null;
  return to !== null && routeOf(to).screen !== 'unknown'
    ? `#/${to.replace(/^[#/]+/, '')}`
    : undefined;
}

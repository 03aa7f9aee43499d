import { signal } from '@preact/signals';
import { openConnection, openRequests } from './client.ts';
import { learnTime } from './clock.ts';

/** The service's address without a final slash: the page may lie below a path. */
export const BASE = new URL('.', location.href).href.replace(/\/$/, '');

/** How often the service did not take the client's credential: its sign-in may have ended. */
export const denials = signal(0);

const connection = openConnection(BASE, {
  // The reader sees what goes wrong, and tries again with a button.
  retries: 0,
  onAnswer: (answer) => {
    learnTime(answer);
    if (answer.status === 401) denials.value += 1;
  },
});

/** The address of something below the service, for links, frames and streams. */
export const { placeOf, open } = connection;

/** Requests of the contract, answered in JSON; forms and removals below `/jobs`. */
export const { api, sendForm, remove } = openRequests(connection);

export { outcomeOf, type Outcome } from './client.ts';

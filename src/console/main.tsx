import './style.css';
import { render } from 'preact';
import { readOpenOffers } from './ask/conversation.ts';
import { startClock } from './clock.ts';
import { followAddress } from './router.ts';
import { Shell } from './shell.tsx';
import { readMe } from './who.ts';

/** Other tabs and programs of the user ask, too. */
const OPEN_OFFERS_MS = 30_000;

const place = document.querySelector('#console');
if (place === null) throw new Error('the page has no place for the console');
startClock();
void readMe();
void readOpenOffers();
setInterval(() => {
  if (document.visibilityState === 'visible') void readOpenOffers();
}, OPEN_OFFERS_MS);
followAddress();
render(<Shell />, place);

import './style.css';
import { render } from 'preact';
import { followOffers } from './offers/follow-offers.ts';
import { startClock } from './clock.ts';
import { keepFocus } from './frame/keep-focus.ts';
import { startChanges } from './live/changes.ts';
import { followAddress } from './router.ts';
import { Shell } from './shell.tsx';
import { readMe } from './who.ts';

const place = document.querySelector('#console');
if (place === null) throw new Error('the page has no place for the console');
startClock();
void readMe();
followOffers();
startChanges();
followAddress();
keepFocus();
render(<Shell />, place);

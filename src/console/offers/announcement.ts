import { WORDS } from '../words.ts';

/** What is said of offers that are held for this number of seconds; the text changes three times. */
export function announcementOf(seconds: number): string {
  if (seconds <= 0) return WORDS.offers.ended;
  if (seconds <= 15) return WORDS.offers.left(15);
  return seconds <= 60 ? WORDS.offers.left(60) : '';
}

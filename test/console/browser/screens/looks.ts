import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { layoutFaults } from './layout.ts';
import { axeOf, type ConsoleWindow } from '../open-console.ts';

/** Rules of axe about colours, and about places and sizes. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
const SIZES = ['target-size', 'scrollable-region-focusable'];

/** A way in which people see a page. */
type Look = {
  readonly name: string;
  readonly width?: 400 | 1280 | 2560;
  readonly media?: {
    readonly colorScheme?: 'dark';
    readonly forcedColors?: 'active';
    readonly reducedMotion?: 'reduce';
  };
  /** size of all text */
  readonly text?: '200%';
  /** the rules of axe whose outcome can differ from that of the looks before; absent: all */
  readonly axe?: readonly string[];
};

/**
 * All looks; what one does not say is a light page of 1280 px that may move. axe-core takes most of
 * their time, two thirds of a second for all rules: it checks the elements and their names where the
 * style sheets show others (no width above 60rem does), and otherwise what the look changes.
 */
export const LOOKS: readonly Look[] = [
  { name: '1280' },
  { name: '400', width: 400 },
  { name: '2560-reduced-motion', width: 2560, media: { reducedMotion: 'reduce' }, axe: SIZES },
  { name: 'dark', media: { colorScheme: 'dark' }, axe: COLOURS },
  { name: 'forced-colours', media: { forcedColors: 'active' }, axe: COLOURS },
  // Its containers are narrow in a wide window.
  { name: 'text-200', text: '200%' },
  { name: 'text-200-400', width: 400, text: '200%', axe: SIZES },
];

/** Elements that would move although the user wants less of it. */
const MOVING = `[...document.querySelectorAll('*')].flatMap((element) => {
  const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
  return /[1-9]/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth'
    ? [element.tagName + ' moves'] : [];
})`;
/** A change of colours may take its time. */
const SETTLED = `(async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
})()`;

/**
 * Looks at a screen in all looks: accessibility, layout, motion and the policy of the page. With
 * PICTURES it writes a picture of each look into that folder.
 *
 * @param screen names the pictures
 * @returns what is wrong, one text each that begins with the look
 */
export async function faultsInAllLooks(
  window: ConsoleWindow,
  screen: string,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const look of LOOKS) {
    await apply(window, look);
    const found = [
      ...(await axeOf(window, look.axe)),
      ...(await layoutFaults(window)),
      ...(look.media?.reducedMotion === 'reduce' ? await moving(window) : []),
    ];
    faults.push(...found.map((fault) => `${look.name}: ${fault}`));
    await takePicture(window, `${screen}-${look.name}`);
  }
  return [...faults, ...window.complaints.splice(0)];
}

async function apply({ page }: ConsoleWindow, { width = 1280, media, text }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({
    colorScheme: media?.colorScheme ?? 'light',
    forcedColors: media?.forcedColors ?? 'none',
    reducedMotion: media?.reducedMotion ?? 'no-preference',
  });
  await page.evaluate(`void (document.documentElement.style.fontSize = '${text ?? ''}')`);
  await page.evaluate(SETTLED);
}

function moving({ page }: ConsoleWindow): Promise<readonly string[]> {
  return page.evaluate(MOVING);
}

async function takePicture({ page }: ConsoleWindow, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

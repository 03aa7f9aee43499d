import { until } from '../../cli/service-process.ts';
import type { ConsoleWindow } from './open-console.ts';

/** What has the focus: its name, as a reader hears it, and the outline that a person sees. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
  const outlined = element.closest('.segments label') ?? element;
  return {
    name: name.trim(),
    isLost: element === document.body,
    isHeading: element.matches('h1, h2, h3'),
    isSeen: getComputedStyle(outlined).outlineStyle !== 'none',
  };
})()`;

/** The keyboard of a window, which notices when the focus is not seen. */
export type Keys = {
  /** Presses keys, one after the other. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** Types a text in place of what the field has. */
  readonly write: (text: string) => Promise<void>;
  /** Goes on with Tab up to a control with this name. @throws Error if there is none */
  readonly tabTo: (name: RegExp) => Promise<void>;
  /** Waits until the focus is at a control or heading with this name. @throws Error if it never is */
  readonly isAt: (name: RegExp) => Promise<unknown>;
  /** Waits until a heading has the focus; the link to its screen may have the same name. */
  readonly isAtHeading: (name: RegExp) => Promise<unknown>;
  /** names of controls that had the focus, and no outline */
  readonly unseen: readonly string[];
};

/** The keyboard of a window. */
export function keysOf({ page }: ConsoleWindow): Keys {
  const unseen: string[] = [];
  const place = async (): Promise<{ readonly name: string; readonly isHeading: boolean }> => {
    const { name, isLost, isHeading, isSeen } = Object(await page.evaluate(FOCUSED));
    if (!isSeen && !isLost) unseen.push(String(name));
    return { name: isLost ? '' : String(name), isHeading: Boolean(isHeading) };
  };
  const focused = async (): Promise<string> => (await place()).name;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  return {
    press,
    write: async (text) => {
      await press('Control+A');
      await page.keyboard.type(text);
    },
    tabTo: async (name) => {
      const passed: string[] = [];
      // Twice around the largest screen.
      for (let count = 0; count < 160; count += 1) {
        await press('Tab');
        const now = await focused();
        if (name.test(now)) return;
        passed.push(now);
      }
      throw new Error(`no way by keys to ${name}, only to ${passed.join(', ')}`);
    },
    isAt: (name) => until(`the focus is at ${name}`, async () => name.test(await focused())),
    isAtHeading: (name) =>
      until(`the focus is at the heading ${name}`, async () => {
        const now = await place();
        return now.isHeading && name.test(now.name);
      }),
    unseen,
  };
}

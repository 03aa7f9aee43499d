import { describe, expect, test } from '@jest/globals';
import { startTestService } from '../../harness/service.ts';
import { SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';
import { noFirefox, openFirefox } from './firefox.ts';

/** Waits until there is an element with this text, and gives it to an expression. */
function found(selector: string, text: string, then: string): string {
  return `new Promise((done, failed) => {
    const began = Date.now();
    const look = () => {
      const element = [...document.querySelectorAll(${JSON.stringify(selector)})]
        .find((each) => each.textContent.includes(${JSON.stringify(text)}));
      if (element) done(((element) => ${then})(element));
      else if (Date.now() - began > 180000) failed(new Error('there is no ${text}'));
      else setTimeout(look, 50);
    };
    look();
  })`;
}

(noFirefox === undefined ? describe : describe.skip)(
  `the console in Firefox (${noFirefox ?? 'here'})`,
  () => {
    test('asks and accepts, shows each screen, and its policy is kept', async () => {
      const service = await startTestService(SMALL_SITE, SMALL_RULES);
      const firefox = await openFirefox();
      try {
        await firefox.open(`${service.url}/`);
        await firefox.evaluate(
          `window.violations = []; addEventListener('securitypolicyviolation',
          ({ violatedDirective }) => violations.push(violatedDirective)); undefined`,
        );
        expect(await firefox.evaluate(found('h1', 'Ask', 'element.textContent'))).toBe('Ask');
        await firefox.evaluate(found('form button', 'Ask', 'void element.click()'));
        expect(await firefox.evaluate(found('h2', 'YES', 'element.textContent'))).toBe(
          'YES 1 offer',
        );
        await firefox.evaluate(found('.offer button', 'Accept', 'void element.click()'));
        expect(await firefox.evaluate(found('h1', 'Job at', 'element.textContent'))).toBe(
          'Job at a',
        );
        for (const [address, title] of [
          ['#/calendar', 'Calendar'],
          ['#/jobs', 'Jobs'],
          ['#/me', 'Me'],
        ] as const) {
          await firefox.evaluate(`void (location.hash = '${address}')`);
          expect(await firefox.evaluate(found('h1', title, 'element.textContent'))).toBe(title);
        }
        expect(await firefox.evaluate('violations.join()')).toBe('');
      } finally {
        await firefox.close();
        await service.close();
      }
    });
  },
);

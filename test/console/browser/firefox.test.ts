import { describe, expect, test } from '@jest/globals';
import { SMALL_RULES, SMALL_SITE, tokenOf } from '../../harness/site.ts';
import { startWholeService } from '../../harness/whole-service.ts';
import { noFirefox, openFirefox } from './firefox.ts';

const SITE = {
  ...SMALL_SITE,
  identity: {
    anonymous: true,
    administrators: ['operators'],
    tokens: [tokenOf('op-token', { roles: ['operators'] })],
  },
};

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
    test('signs in, asks, accepts, reads a log and a result, shows each screen, and its policy is kept', async () => {
      const service = await startWholeService({ site: SITE, rules: SMALL_RULES });
      const firefox = await openFirefox();
      const sees = async (selector: string, text: string): Promise<void> => {
        const seen = await firefox.evaluate(found(selector, text, 'element.textContent'));
        expect(seen).toContain(text);
      };
      const click = (selector: string, text: string) =>
        firefox.evaluate(found(selector, text, 'void element.click()'));
      try {
        await firefox.open(`${service.url}/#/me`);
        await firefox.evaluate(
          `window.violations = []; addEventListener('securitypolicyviolation',
          ({ violatedDirective }) => violations.push(violatedDirective)); undefined`,
        );
        await firefox.evaluate(
          found(
            'form',
            'Token',
            "void (element.token.value = 'op-token', element.requestSubmit())",
          ),
        );
        await sees('h2', 'op@example.org');
        await firefox.evaluate("void (location.hash = '#/ask')");
        await click('form button', 'Ask');
        await sees('h2', 'YES 1 offer');
        await click('.offer button', 'Accept');
        await sees('h1', 'Job at a');
        await sees('.log', 'hello world');
        await sees('[aria-current=step]', 'Done');
        await click('[aria-label$="numbers.txt"]', 'Show here');
        await sees('.part', '3');
        for (const [address, selector, text] of [
          ['#/calendar', 'h1', 'Calendar'],
          ['#/jobs', 'tbody a', ''],
          ['#/site', 'h2', 'Destinations'],
          ['#/offers?owner=*&state=all', 'td', 'done'],
        ] as const) {
          await firefox.evaluate(`void (location.hash = '${address}')`);
          await sees(selector, text);
        }
        expect(await firefox.evaluate('violations.join()')).toBe('');
      } finally {
        await firefox.close();
        await service.close();
      }
    });
  },
);

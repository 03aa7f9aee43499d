import { describe, expect, test } from '@jest/globals';
import { PAGE_POLICY } from '../../src/uws/print/html.ts';
import { describeEntry, describeJob } from '../../src/uws/job.ts';
import { jobPage, listPage, listRow, resultsPage } from '../../src/uws/print/pages.ts';
import { PHASES } from '../../src/uws/phases.ts';
import { job, places } from './clients/jobs.ts';

function pageOf(change: Parameters<typeof job>[0]): string {
  const one = job(change);
  return jobPage(describeJob(one, places), places.list, `${places.list}/${one.id}`);
}

describe('the pages for browsers', () => {
  test('show what a client wrote as text and nothing else', () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
    const html = pageOf({
      runId: hostile,
      parameters: [{ name: hostile, text: hostile }],
      results: [{ id: hostile, path: 'x', mimeType: hostile, size: 1 }],
      error: { code: 'task-failed', type: 'fatal', message: hostile, detail: '' },
    });
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain('&lt;script&gt;');
    const links = [...html.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, url = '']) => url);
    expect(links.filter((url) => !url.startsWith(places.list.slice(0, -'/jobs'.length)))).toEqual(
      [],
    );
  });

  test('need no script, and allow none', () => {
    expect(PAGE_POLICY).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/,
    );
    expect(pageOf({})).not.toMatch(/<script|\son\w+=|javascript:/);
  });

  test('filter the list by no phase by default', () => {
    // A browser sends the ticked boxes only; it always sends a number, which therefore must not be
    // empty.
    expect(
      [...listPage.head.matchAll(/<input name="PHASE" type="checkbox" value="(\w+)">/g)].map(
        ([, phase]) => phase,
      ),
    ).toEqual([...PHASES]);
    expect(listPage.head).toContain(
      '<input name="LAST" type="number" min="1" value="100" required="">',
    );
    expect(listPage.head).not.toMatch(/checked|<select/);
  });

  test('offer what can be done in the present phase of the job', () => {
    const buttons = (change: Parameters<typeof job>[0]): readonly string[] =>
      [...pageOf(change).matchAll(/<button[^>]*>([^<]+)</g)].map(([, text = '']) => text);
    expect(buttons({ state: 'ACCEPTED', startMode: 'CLIENT' })).toEqual([
      'Run',
      'Abort',
      'Destroy the job and its results',
    ]);
    expect(buttons({ state: 'RUNNING' })).toEqual(['Abort', 'Destroy the job and its results']);
    expect(buttons({ state: 'COMPLETED' })).toEqual(['Destroy the job and its results']);
    expect(pageOf({ state: 'RUNNING' })).toContain('/results/stdout">stdout as it grows<');
  });

  test('have a language, a title, one main heading, and headings for all table rows and columns', () => {
    const pages = [
      pageOf({}),
      `${listPage.head}${listRow(describeEntry(job(), places))}${listPage.tail()}`,
      resultsPage(
        describeJob(
          job({ results: [{ id: 'a', path: 'a', mimeType: 'text/csv', size: 2048 }] }),
          places,
        ),
        '',
        '',
      ),
    ];
    for (const html of pages) {
      expect(html).toMatch(/^<!DOCTYPE html>\n<html lang="en"><head>.*<title>[^<]+<\/title>/);
      expect(html.match(/<h1>/g)).toHaveLength(1);
      expect(html.match(/<table>/g)?.length).toBe(html.match(/<caption>/g)?.length);
      expect(html.match(/<td>/g)?.length).toBeGreaterThan(0);
      expect(html).toMatch(/<th scope="(row|col)">/);
      expect(html.match(/<table>/g)?.length).toBe(html.match(/<\/table>/g)?.length);
    }
    expect(pages[2]).toContain('<td>2.0 KiB</td>');
  });
});

import { describe, expect, test } from '@jest/globals';
import { isPublicAddress } from '../../src/fetch/addresses.ts';
import { checkUrl, type UrlPolicy } from '../../src/tasks/url-policy.ts';

const closed: UrlPolicy = { allowHosts: [], fileRoots: ['/srv/notebooks', '/data/'] };
function codeOf(url: string, policy = closed): string {
  const checked = checkUrl(url, policy);
  return checked.ok ? 'ok' : checked.code;
}

describe('URLs that clients name', () => {
  test.each([
    'https://example.org/a.ipynb',
    'http://example.org:8080/x?y=z#f',
    'https://[2606:4700::1]/',
    'http://8.8.8.8/',
  ])('%s may be fetched', (url) => expect(codeOf(url)).toBe('ok'));

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.0.0.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://１２７.0.0.1/',
    'http://0/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://db.localhost/',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/',
    'http://168.63.129.16/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[fec0::1]/',
  ])('%s points into the site and is refused', (url) => expect(codeOf(url)).toBe('url-forbidden'));

  test.each([
    'ftp://example.org/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'gopher://example.org/',
    'unix:/run/x',
  ])('the scheme of %s is refused', (url) => expect(codeOf(url)).toBe('url-forbidden'));

  test('credentials in a URL are refused even for an allowed host', () => {
    const policy = { ...closed, allowHosts: ['example.org'] };
    expect(codeOf('https://user:secret@example.org/', policy)).toBe('url-forbidden');
    expect(codeOf('https://user@example.org/', policy)).toBe('url-forbidden');
  });

  test.each([
    '',
    'not a url',
    '//example.org/',
    'notebooks/a.ipynb',
    `https://example.org/${'a'.repeat(3000)}`,
    `https://example.org/${'ä'.repeat(700)}`,
  ])('%.40s is not a usable URL', (url) => expect(codeOf(url)).toBe('url-invalid'));

  test('a private host is allowed when the site names it, and only on that port', () => {
    expect(codeOf('http://127.0.0.1:9000/a', { ...closed, allowHosts: ['127.0.0.1:9000'] })).toBe(
      'ok',
    );
    expect(codeOf('http://127.0.0.1:9001/a', { ...closed, allowHosts: ['127.0.0.1:9000'] })).toBe(
      'url-forbidden',
    );
    expect(codeOf('http://localhost:1/', { ...closed, allowHosts: ['LocalHost'] })).toBe('ok');
    expect(codeOf('https://localhost/', { ...closed, allowHosts: ['localhost:443'] })).toBe('ok');
    expect(codeOf('http://[::1]:80/', { ...closed, allowHosts: ['[::1]:80'] })).toBe('ok');
    expect(codeOf('http://localhost.evil.org/', { ...closed, allowHosts: ['localhost'] })).toBe(
      'ok',
    );
    expect(codeOf('http://127.0.0.1/', { ...closed, allowHosts: ['127.0.0.10', '27.0.0.1'] })).toBe(
      'url-forbidden',
    );
  });

  test('file: URLs stay below the directories that the site lends', () => {
    expect(codeOf('file:///srv/notebooks/a.ipynb')).toBe('ok');
    expect(codeOf('file:///data/x/y%20z.py')).toBe('ok');
    for (const url of [
      'file:///etc/passwd',
      'file:///srv/notebooks',
      'file:///srv/notebooks-private/a',
      'file:///srv/notebooks/../x',
      'file:///srv/notebooks/%2e%2e/%2e%2e/etc/passwd',
      'file:///srv/notebooks/..%2f..%2fetc/passwd',
      'file:///data/../etc/x',
    ])
      expect([url, codeOf(url)]).toEqual([url, 'url-forbidden']);
    expect(codeOf('file://server/srv/notebooks/a')).toBe('url-invalid');
    expect(codeOf('file:///srv/notebooks/a%00b')).toBe('url-invalid');
    expect(codeOf('file:///srv/notebooks/a%ff')).toBe('url-invalid');
    expect(codeOf('file:///srv/notebooks/a', { allowHosts: [], fileRoots: [] })).toBe(
      'url-forbidden',
    );
  });

  test('what is not an address at all is not public', () => {
    expect(isPublicAddress('example.org')).toBe(false);
    expect(isPublicAddress('')).toBe(false);
    expect(isPublicAddress('1.1.1.1')).toBe(true);
  });
});

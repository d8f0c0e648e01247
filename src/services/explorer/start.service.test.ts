/** The explorer's own server: headers and size of its pages, and settings that are refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';
import { parseOptions } from '../../io/options/options.ts';
import { explorerSettings } from './config.ts';
import { EXPLORER_ROWS } from './options.ts';
import { type RunningExplorer, startExplorer } from './start.ts';

/** Script and style together, compressed. */
const COMPRESSED_BYTES_MAX = 200_000;
const KEY = 'BULeR8JyUWhiuuCMU/HLA0Q5pzkYT+cHII3ZKBey3Bo=';

let explorer: RunningExplorer;
beforeAll(async () => {
  const argv = [
    ...['--node', 'alpha=http://127.0.0.1:22000,https://beta.example:8545/rpc', '--http.port', '0'],
    ...['--signer', 'http://127.0.0.1:8545/', '--party', `</script>=${KEY}`],
  ];
  explorer = await startExplorer(explorerSettings(parseOptions(EXPLORER_ROWS, { argv })), () => {});
});
afterAll(() => explorer?.close());

it.each(['', '/', '/block/12', '/tx/0x00/log/1', '/..%2f..%2fetc'])(
  'has its page at %s',
  async (path) => {
    const reply = await fetch(explorer.url + path);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const policy = reply.headers.get('content-security-policy')!.split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(
      "connect-src 'self' http://127.0.0.1:22000 ws://127.0.0.1:22000 https://beta.example:8545 wss://beta.example:8545 http://127.0.0.1:8545",
    );
    const text = await reply.text();
    const [, data] = /id="page-data">([^<]+)</.exec(text)!;
    expect(JSON.parse(data!)).toMatchObject({
      base: '/explorer',
      nodes: [{ name: 'alpha' }, { name: 'beta.example:8545' }],
      parties: [{ name: '</script>', key: KEY }],
    });
  },
);

it('leads there from its root, and speaks the language of the browser', async () => {
  const { origin } = new URL(explorer.url);
  const root = await fetch(origin, { redirect: 'manual' });
  expect([root.status, root.headers.get('location')]).toEqual([302, '/explorer']);
  const german = await fetch(explorer.url, { headers: { 'accept-language': 'de-AT,en;q=0.5' } });
  expect(await german.text()).toContain('<html lang="de"');
});

it('has only its own scripts and styles, which are small and cached by browsers', async () => {
  const page = await (await fetch(explorer.url)).text();
  const paths = [...page.matchAll(/(?:href|src)="(\/explorer\/assets\/[^"]+)"/g)].map(
    ([, path]) => path!,
  );
  expect(paths).toHaveLength(2);
  let bytes = 0;
  for (const path of paths) {
    const url = new URL(path, explorer.url);
    const reply = await fetch(url, { headers: { 'accept-encoding': 'br' } });
    expect(reply.headers.get('cache-control')).toContain('immutable');
    expect(reply.headers.get('content-encoding')).toBe('br');
    bytes += Number(reply.headers.get('content-length'));
    const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    expect((await plain.text()).length).toBeGreaterThan(1_000);
  }
  expect(bytes).toBeLessThan(COMPRESSED_BYTES_MAX);
  expect((await fetch(`${explorer.url}/assets/none.js`)).status).toBe(404);
});

it.each([
  [[], '--node: name a node to show'],
  [['--node', 'alpha'], '--node: alpha is not an http:// or https:// URL'],
  [['--node', 'ftp://x'], '--node: ftp://x is not an http'],
  [['--node', 'http://me:secret@x'], 'without credentials'],
  [['--node', 'http://x', '--signer', 'x'], '--signer: x is not an http'],
  [['--node', 'http://x', '--party', 'a=b'], '--party: a=b is not NAME=KEY'],
])('refuses %j', async (argv, text) => {
  const { status, lines } = await commandRun('explorer', '--http.port', '0', ...argv);
  expect(status).toBe(2);
  expect(lines.join('\n')).toContain(text);
});

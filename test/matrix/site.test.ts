/** The documentation site, built from nothing: its pages, and its search without a network. */
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestBrowser } from '../support/browser.ts';
import { commandsIn, orNotRun } from '../support/commands.ts';
import { PROJECT } from '../support/devnet.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
};

it('builds, every link leads somewhere, and its search finds a method without asking another host', async (context) => {
  rmSync(join(PROJECT, 'site/node_modules'), { recursive: true, force: true });
  await orNotRun(commandsIn(PROJECT)('npm', 'run', 'docs:site'), context);
  const chromium = await startTestBrowser();
  if (!chromium) return context.skip('no Chromium for this machine: CHROMIUM names one');
  const server = createServer(async ({ url = '/' }, response) => {
    const path = new URL(url, 'http://site').pathname;
    const file = join(PROJECT, 'dist/site', path.endsWith('/') ? `${path}index.html` : path);
    const body = await readFile(file).catch(() => undefined);
    const type = TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    response.writeHead(body ? 200 : 404, { 'content-type': type }).end(body);
  });
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await chromium.browser.newPage();
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) elsewhere.push(request.url());
    });
    await page.goto(origin);
    await page.getByRole('link', { name: 'Start in five minutes' }).click();
    await page.getByRole('heading', { name: 'In five minutes', level: 1 }).waitFor();
    await page.locator('#local-search button').click();
    await page.locator('#localsearch-input').fill('eth_getQuorumPayload');
    await page.locator('#localsearch-list a').first().click();
    await page.waitForURL(/\/rpc\.html/);
    await page.getByRole('heading', { name: 'eth_getQuorumPayload,' }).waitFor();
    expect(elsewhere.filter((url) => !url.startsWith('data:'))).toEqual([]);
  } finally {
    server.close();
    await chromium.close();
  }
});

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { CONTENTS } from '../../site/.vitepress/contents.ts';
import { placeOf } from '../../site/.vitepress/places.ts';
import { errorsPage } from './errors-page.ts';
import { metricsPage } from './metrics-page.ts';
import { restPage } from './rest-page.ts';
import { rpcPage } from './rpc-page.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Made when the site is built. */
const MADE = ['errors.md', 'metric-names.md', 'rest.md', 'rpc.md', 'screens.md'];

it('the sidebar of the site has every page once', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => placeOf(`docs/${file.replaceAll('\\', '/')}`));
  const listed = CONTENTS.flatMap((room) => room.pages.map(([page]) => `${page}.md`));
  expect(listed.sort()).toEqual([...pages, ...MADE, 'architecture.md'].sort());
});

it('its pages of methods, operations and errors have what the tables have', () => {
  expect(rpcPage()).toContain('### `eth_getQuorumPayload`, `eth_getLedgerPayload`');
  expect(restPage()).toContain('| `GET /transaction/{hash}` | A payload, decrypted |');
  expect(restPage()).toContain('### `GET /orders/{orderId}`');
  expect(restPage()).not.toMatch(/^\| `[A-Z]+ [^`]*` \| \|$/m);
  expect(errorsPage(ROOT)).toContain('- ``account locked``');
  const metrics = metricsPage();
  expect(metrics).toContain('| `txpool_pending` | gauge | Transactions that can be executed |');
  for (const room of metrics.split('## ').slice(1)) {
    expect(room.split('\n').length).toBeGreaterThan(12);
  }
});

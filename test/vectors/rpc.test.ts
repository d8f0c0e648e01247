import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { OWN_VECTORS, publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { rpc } from './rpc.ts';
import type { KnownDifference } from './rpc-compare.ts';
import { parseTranscript } from './rpc-transcript.ts';

const DOCUMENT = resolve(import.meta.dirname, '../../docs/known-differences.md');
const ROWS = resolve(import.meta.dirname, '../known-differences.json');

it('recorded JSON-RPC conversations get the same answers, except known differences', async () => {
  const tally = new Tally();
  const paths = rpc.find(OWN_VECTORS);
  expect(paths.length).toBe(3);
  for (const path of paths) await rpc.run(path, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBeGreaterThan(870);
}, 60_000);

it('the copy in the project is complete', READS_PUBLIC_VECTORS, (context) => {
  const root = publicVectorsFor(context);
  expect(rpc.find(root).map((path) => path.slice(root.length))).toEqual([
    '/goquorum/mps-chain/rpc',
    '/goquorum/private-chain/rpc',
    '/goquorum/public-chain/rpc',
  ]);
});

it('the document lists every known difference', () => {
  const document = readFileSync(DOCUMENT, 'utf8');
  const rows = JSON.parse(readFileSync(ROWS, 'utf8')) as KnownDifference[];
  for (const row of rows) {
    expect(document).toContain(row.reason);
    if (row.method !== 'none') expect(document).toContain(`\`${row.method}\``);
  }
});

it('a transcript is parsed with its HTTP details', () => {
  const transcript = parseTranscript(
    'envelope/get.io',
    '// kind: shape\n// plain (asked at node2)\n// HTTP request: GET / {"A":"b"}\n>> \n// HTTP response: 200 {"vary":"Origin"}\n<< \n',
  );
  expect(transcript.kind).toBe('shape');
  expect(transcript.node).toBe('node2');
  expect(transcript.exchanges).toHaveLength(1);
  expect(transcript.exchanges[0]).toMatchObject({
    request: '',
    reply: '',
    http: { verb: 'GET', path: '/', headers: { A: 'b' } },
    response: { status: 200, headers: { vary: 'Origin' } },
  });
});

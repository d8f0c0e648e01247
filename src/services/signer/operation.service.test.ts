import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { toHex } from '../../core/base/hex.ts';
import { MemorySigner } from '../../io/keys/key-signer.ts';
import { logAccess } from './access-log.ts';
import { METRIC_CATEGORIES, type MetricsSettings } from './config.ts';
import { countedAccounts } from './keys/counted-accounts.ts';
import { openMeters } from './meters.ts';
import { openMetrics } from './metrics-server.ts';
import { writePortsFile } from './ports-file.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

const ALL: MetricsSettings = {
  categories: new Set(METRIC_CATEGORIES),
  serve: { host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] },
  push: undefined,
};

describe('metrics', () => {
  it('carry the names of Web3Signer; types and labels as its exporter writes them', async () => {
    const meters = openMeters(ALL.categories, '1.2.3');
    meters.began()(200);
    meters.began()(503);
    meters.began();
    meters.metrics.observe('signing_secp256k1_signing_duration', 0.25);
    meters.metrics.observe('signing_secp256k1_signing_duration', 0.5);
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-1}}';
    meters.called('eth_sign')({ status: 200, body: error });
    meters.called('eth_sign')({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"0x"}' });
    meters.called(undefined)({ status: 504, body: '{' });
    const key = new MemorySigner(new Uint8Array(32).fill(7));
    const address = toHex(key.address);
    const ring = { addresses: () => [address], find: () => key };
    const digest = new Uint8Array(32).fill(1);
    const account = countedAccounts(ring, meters.metrics).find(address)!;
    expect(account.sign(digest)).toEqual(key.sign(digest));
    key.forget();
    expect(() => account.sign(digest)).toThrow();
    meters.watchNonces({ pending: () => 3, stuckSeconds: () => 4.5, requests: () => 1 });
    const outlet = await openMetrics(ALL, meters, () => {});
    endings.push(() => outlet.close());
    const response = await fetch(`http://127.0.0.1:${outlet.port}/metrics`);
    expect(response.headers.get('content-type')).toContain('version=0.0.4');
    const lines = (await response.text()).split('\n');
    const worker = '{poolName="vert.x-worker-thread",poolType="worker"}';
    for (const line of [
      '# TYPE http_vertx_worker_pool_submitted_total counter',
      `http_vertx_worker_pool_submitted_total${worker} 3`,
      `http_vertx_worker_pool_completed_total${worker} 1`,
      `http_vertx_worker_pool_rejected_total${worker} 1`,
      'http_requests_in_flight 1',
      '# TYPE signing_secp256k1_signing_duration summary',
      'signing_secp256k1_signing_duration_count 2',
      'signing_secp256k1_signing_duration_sum 0.75',
      'signing_secp256k1_missing_identifier_count_total 0',
      'http_secp256k1_malformed_request_count_total 0',
      'signing_signers_loaded_count 0',
      'signer_rpc_requests_total{method="eth_sign",outcome="error"} 1',
      'signer_rpc_requests_total{method="eth_sign",outcome="ok"} 1',
      'signer_rpc_requests_total{method="forwarded",outcome="error"} 1',
      'signer_rpc_duration_seconds_count{method="eth_sign"} 2',
      'process_release{version="1.2.3"} 1',
      'signer_signatures_total{outcome="signed"} 1',
      'signer_signatures_total{outcome="failed"} 1',
      'signer_nonces_pending 3',
      'signer_nonces_stuck_seconds 4.5',
      'signer_sends_total{outcome="refused"} 0',
      'signer_rpc_duration_seconds_bucket{method="eth_sign",le="+Inf"} 2',
    ])
      expect(lines).toContain(line);
    expect(lines.some((line) => /^process_open_fds \d+$/.test(line))).toBe(true);
    expect((await fetch(`http://127.0.0.1:${outlet.port}/`)).status).toBe(404);
    const elsewhere = await fetch(`http://localhost:${outlet.port}/metrics`).catch(() => undefined);
    if (elsewhere) expect(elsewhere.status).toBe(403);
  });

  it('only of the categories that are wanted', () => {
    const text = openMeters(new Set(['PROCESS'] as const), 'x').exposition();
    expect(text).toContain('process_release');
    expect(text).not.toMatch(/^(http|jvm|signing)_/m);
  });

  it('go to a push gateway, the last at the end', async () => {
    const got: { url: string; body: string }[] = [];
    const gateway = createServer(async (request: IncomingMessage, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      got.push({ url: `${request.method} ${request.url}`, body });
      response.end();
    });
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    endings.push(() => gateway.close());
    const { port } = gateway.address() as AddressInfo;
    const push = { host: '127.0.0.1', port, intervalMs: 10, job: 'a job' };
    const outlet = await openMetrics(
      { ...ALL, serve: undefined, push },
      openMeters(ALL.categories, 'x'),
      () => {},
    );
    await until('a push', () => got.length > 0);
    const before = got.length;
    await outlet.close();
    expect(got.length).toBeGreaterThan(before);
    expect(got[0]!.url).toBe('POST /metrics/job/a%20job');
    expect(got[0]!.body).toContain('process_release');
  });
});

it('the access log: one line each, whatever a client writes', async () => {
  const lines: string[] = [];
  const server = createServer((request, response) => {
    logAccess(request, response, (line) => lines.push(line));
    response.statusCode = 403;
    response.setHeader('content-length', 2);
    response.end('no');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/a?b`, { headers: { 'user-agent': 'x" 200\\' } });
  await until('a line', () => lines.length === 1);
  expect(lines[0]).toMatch(
    /^127\.0\.0\.1 - - \[[^\]]+ GMT\] "GET \/a\?b HTTP\/1\.1" 403 2 "-" "x\\x22 200\\x5c"\n$/,
  );
});

it('the file of ports is there while it runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ports-'));
  endings.push(() => rmSync(folder, { recursive: true }));
  const remove = writePortsFile(join(folder, 'data'), 'web3signer.ports', { http: 1, metrics: 2 });
  const path = join(folder, 'data/web3signer.ports');
  expect(readFileSync(path, 'utf8')).toMatch(/\nhttp-port=1\nmetrics-port=2\n$/);
  remove();
  expect(existsSync(path)).toBe(false);
  writePortsFile(folder, 'ethsigner.ports', { http: 3, metrics: undefined });
  expect(readFileSync(join(folder, 'ethsigner.ports'), 'utf8')).toMatch(/\nhttp-jsonrpc=3\n$/);
});

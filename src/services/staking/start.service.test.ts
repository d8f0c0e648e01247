/** The whole service: over TLS, and the configurations with which it refuses to start. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeCertificate } from '../../../test/support/certificates.ts';
import {
  AUDIENCE,
  addStake,
  ask,
  bearerOf,
  postJson,
  startTestStaking,
} from '../../../test/support/staking.ts';
import { openStakingStore } from './store/open.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-staking-start-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('serves https with --tls.cert and --tls.key, and names itself so', async () => {
  const { key, cert } = makeCertificate('staking');
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
  const staking = await startTestStaking(['--tls.key', keyFile, '--tls.cert', certFile]);
  const { clientId, clientSecret } = await staking.running.admin.addClient({
    name: 'x',
    audiences: [AUDIENCE],
    scopes: ['stake:read'],
    mayIntrospect: false,
  });
  await staking.running.refresh();
  const post = (body: string) =>
    new Promise<any>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { method: 'POST', ca: cert, headers };
      request(`${staking.url}/oauth/token`, options, (response) => {
        let text = '';
        response.on('data', (data) => {
          text += data;
        });
        response.on('end', () => resolve(JSON.parse(text)));
      })
        .once('error', reject)
        .end(body);
    });
  const grant = { client_id: clientId, client_secret: clientSecret, audience: AUDIENCE };
  const answer = await post(JSON.stringify({ ...grant, grant_type: 'client_credentials' }));
  const { iss } = JSON.parse(
    Buffer.from(answer.access_token.split('.')[1], 'base64url').toString(),
  );
  expect(iss).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/$/);
  expect(iss).toBe(staking.running.issuer);
  await staking.close();
});

it('leaves nothing running behind a start that fails', async () => {
  const bad = join(folder, 'bad.pem');
  writeFileSync(bad, 'no certificate');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const starting = startTestStaking(['--tls.key', bad, '--tls.cert', bad]);
    await expect(starting).rejects.toThrow('bad.pem');
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('does not start on a store that was sealed with another secret, or in a folder that is in use', async () => {
  const first = await startTestStaking();
  await expect(startTestStaking([], first.folder)).rejects.toThrow(/in use|lock|already/);
  await first.running.close();
  writeFileSync(join(first.folder, 'secret'), 'ab'.repeat(32));
  await expect(startTestStaking([], first.folder)).rejects.toMatchObject({
    code: 'STAKING_SECRET_INVALID',
    message: expect.stringContaining('another secret'),
  });
  writeFileSync(join(first.folder, 'secret'), 'short');
  await expect(startTestStaking([], first.folder)).rejects.toMatchObject({
    code: 'STAKING_SECRET_INVALID',
    message: expect.stringContaining('32 bytes in hex'),
  });
  rmSync(first.folder, { recursive: true, force: true });
});

it('ends its work where it cannot listen', async () => {
  const first = await startTestStaking();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const second = startTestStaking(['--http.port', new URL(first.url).port]);
    await expect(second).rejects.toMatchObject({ code: 'HTTP_LISTEN_FAILED' });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
    await first.close();
  }
});

it('does not start with a first client whose secret is short or missing', async () => {
  const file = join(folder, 'client');
  const flags = ['--bootstrap.client', 'me', '--bootstrap.secret-file', file];
  await expect(startTestStaking(flags)).rejects.toMatchObject({ code: 'STAKING_CLIENT_INVALID' });
  writeFileSync(file, 'short');
  await expect(startTestStaking(flags)).rejects.toMatchObject({
    code: 'STAKING_CLIENT_INVALID',
    message: expect.not.stringContaining('short'),
  });
});

it('counts requests, tokens and stakes for Prometheus, without secrets or names of clients', async () => {
  const staking = await startTestStaking(['--metrics.port', '0']);
  await bearerOf(staking, ['stake:read']);
  const source = { dataFolder: staking.folder, storeUrl: undefined, secretFile: undefined };
  const database = await openStakingStore(source, {});
  await addStake(database, `0x${'ab'.repeat(48)}`, 'FAILED');
  await database.close();
  const grant = { grant_type: 'client_credentials', audience: AUDIENCE };
  const wrong = { ...grant, client_id: 'guessed', client_secret: 'very-secret-guess' };
  expect((await postJson(`${staking.url}/oauth/token`, wrong)).status).toBe(401);
  await ask(`${staking.url}/somewhere-unknown`);
  const { body } = await ask(staking.running.metricsUrl!);
  const lines = String(body).split('\n');
  const token = 'staking_http_requests_total{method="POST",route="/oauth/token"';
  expect(lines).toEqual(
    expect.arrayContaining([
      'staking_tokens_issued_total 1',
      'staking_token_refusals_total{reason="invalid_client"} 1',
      `${token},status="200"} 1`,
      `${token},status="401"} 1`,
      'staking_http_requests_total{method="other",route="other",status="404"} 1',
      'staking_http_request_duration_seconds_count{route="/oauth/token"} 2',
      'staking_stakes{state="FAILED"} 1',
      'staking_stakes{state="QUEUED"} 0',
      'staking_nonces_pending 0',
    ]),
  );
  expect(lines.some((line) => /^quorate_disk_free_bytes [1-9]\d+$/.test(line))).toBe(true);
  expect(body).not.toMatch(/guess|somewhere/);
  await staking.close();
});

import { afterEach, expect, it } from 'vitest';
import { type TestPtm, testPtm, until, untilKnown } from '../../../test/support/ptm.ts';
import { text } from '../../io/http/server.ts';
import { RequestMetrics } from './request-metrics.ts';

const running: TestPtm[] = [];
afterEach(async () => {
  for (const ptm of running.splice(0)) await ptm.close();
});

const figures = async (url: string): Promise<Record<string, number>> => {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain');
  const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0]!, Number(line.split(' ')[1])]));
};

it('has Tessera’s names and attributes', async () => {
  let nowMs = 0;
  const metrics = new RequestMetrics(() => nowMs);
  const took = [5, 1, 3];
  const [push, shown] = metrics.watch('P2P', [
    {
      method: 'POST',
      path: '/push',
      handle: () => {
        nowMs += took.shift()!;
        return text(200, '');
      },
    },
  ]);
  const request = { params: {}, query: {}, header: () => undefined, body: new Uint8Array() };
  for (let i = 0; i < 3; i++) await push!.handle(request);
  nowMs = 10_000;
  const { body } = await shown!.handle(request);
  expect(String(body).split('\n').slice(0, 5)).toEqual([
    'tessera_P2P_POST_push_byte_AverageTime_ms 3',
    'tessera_P2P_POST_push_byte_MaxTime_ms 5',
    'tessera_P2P_POST_push_byte_MinTime_ms 1',
    'tessera_P2P_POST_push_byte_RequestCount 3',
    'tessera_P2P_POST_push_byte_RequestRate_requestsPerSeconds 0.300000',
  ]);
});

it('is served by every application with the figures of all, refusals counted too', async () => {
  const one = await testPtm(1, []);
  const two = await testPtm(2, [one.p2pUrl]);
  running.push(one, two);
  await untilKnown(one, two.key);
  const send = (to: string) =>
    fetch(`${one.q2tUrl}/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payload: 'AQID', to: [to] }),
    });
  expect((await send(two.key)).status).toBe(201);
  expect((await send(Buffer.alloc(32, 9).toString('base64'))).status).toBe(404);
  for (const url of [one.q2tUrl, one.p2pUrl, one.thirdPartyUrl!]) {
    const seen = await figures(url);
    expect(seen.tessera_Q2T_POST_send_SendRequest_RequestCount).toBe(2);
    expect(seen.ptm_payloads_pushed_total).toBe(1);
    expect(seen.ptm_peers).toBe(1);
    expect(seen.ptm_payloads_owed).toBe(0);
    expect(seen.ptm_push_failures_total).toBe(0);
    const sent = (status: number) =>
      `ptm_http_requests_total{app="Q2T",method="POST",route="/send",status="${status}"}`;
    expect([seen[sent(201)], seen[sent(404)]]).toEqual([1, 1]);
    const took = 'ptm_http_request_duration_seconds_bucket{app="Q2T",route="/send",le="+Inf"}';
    expect(seen[took]).toBe(2);
  }
  const { key, p2pUrl } = two;
  await running.pop()!.close();
  expect((await send(key)).status).toBe(410);
  await until(
    async () => (await figures(one.q2tUrl)).ptm_payloads_owed === 1,
    `what ${p2pUrl} missed is counted`,
  );
  const seen = await figures(one.q2tUrl);
  expect(seen).toMatchObject({ ptm_push_failures_total: 1, ptm_recipients_owed: 1 });
});

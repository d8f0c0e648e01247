/**
 * Which peers a manager contacts, and which recipients get every payload: `disablePeerDiscovery`,
 * `alwaysSendTo`.
 */
import { afterEach, expect, it } from 'vitest';
import { type TestPtm, testKey, testPtm, untilKnown } from '../../../test/support/ptm.ts';
import { fromBase64 } from '../../core/base/base64.ts';

const running: TestPtm[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function ptm(...args: Parameters<typeof testPtm>): Promise<TestPtm> {
  const started = await testPtm(...args);
  running.push(started);
  return started;
}

async function send(
  from: TestPtm,
  to: readonly string[],
): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ payload: Buffer.from('told').toString('base64'), to });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${from.q2tUrl}/send`, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

async function knownTo(one: TestPtm): Promise<{ urls: string[]; keys: string[] }> {
  const info = (await (await fetch(`${one.p2pUrl}/partyinfo`)).json()) as {
    peers: { url: string }[];
    keys: { key: string }[];
  };
  return { urls: info.peers.map(({ url }) => url), keys: info.keys.map(({ key }) => key) };
}

it('without discovery a manager hears its configured peers only, and learns no others from them', async () => {
  const two = await ptm(2, []);
  const closed = await ptm(1, [two.p2pUrl], { discovery: false });
  const stranger = await ptm(3, [closed.p2pUrl, two.p2pUrl]);
  await untilKnown(closed, two.key);
  await untilKnown(two, stranger.key);
  expect((await send(closed, [two.key])).status).toBe(201);
  expect(await send(closed, [stranger.key])).toEqual({
    status: 404,
    text: `Recipient not found for key: ${stranger.key}`,
  });
  const { urls, keys } = await knownTo(closed);
  expect(urls).toEqual([two.p2pUrl.endsWith('/') ? two.p2pUrl : `${two.p2pUrl}/`]);
  expect(keys).not.toContain(stranger.key);
});

it('who is always sent to has every payload, whomever it is for, and is among its participants', async () => {
  const { publicKey } = await testKey(4);
  const auditor = await ptm(4, []);
  const other = await ptm(2, [auditor.p2pUrl]);
  const sender = await ptm(1, [auditor.p2pUrl, other.p2pUrl], {
    alwaysSendTo: [fromBase64(publicKey)],
  });
  await untilKnown(sender, auditor.key, other.key);
  const { key } = JSON.parse((await send(sender, [other.key])).text) as { key: string };
  const path = `/transaction/${encodeURIComponent(key)}`;
  for (const party of [sender, other, auditor]) {
    const held = await fetch(`${party.q2tUrl}${path}`);
    expect(held.status).toBe(200);
    const { payload } = (await held.json()) as { payload: string };
    expect(Buffer.from(payload, 'base64').toString()).toBe('told');
  }
  const participants = await (await fetch(`${sender.q2tUrl}${path}/participants`)).text();
  expect(participants.split(',').sort()).toEqual([sender.key, other.key, auditor.key].sort());
});

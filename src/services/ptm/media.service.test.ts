/**
 * Every media type that any version of Tessera used, at every endpoint that takes JSON: the answer
 * has the type of the request (Tessera's tessera-jaxrs/transaction-jaxrs).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestPtm, testPtm } from '../../../test/support/ptm.ts';

const JSON_TYPE = 'application/json';
const VENDOR_TYPES = ['2.1', '3.0', '4.0'].map((each) => `application/vnd.tessera-${each}+json`);
const PAYLOAD = Buffer.from('said in confidence').toString('base64');

let ptm: TestPtm;
beforeAll(async () => {
  ptm = await testPtm(1, []);
});
afterAll(() => ptm.close());

async function ask(path: string, type: string, body?: object, url = ptm.q2tUrl) {
  const answer = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { accept: type, ...(body ? { 'content-type': type } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text,
    fields: (isJson ? JSON.parse(text) : {}) as Record<string, any>,
  };
}

describe.each([JSON_TYPE, ...VENDOR_TYPES])('%s', (type) => {
  const parties = () =>
    type === JSON_TYPE ? {} : { managedParties: [ptm.key], senderKey: ptm.key };
  const terms = { to: [], affectedContractTransactions: [], privacyFlag: 0 };

  it('send and receive', async () => {
    const sent = await ask('/send', type, { payload: PAYLOAD, ...terms });
    expect(sent).toMatchObject({ status: 201, type });
    const { key } = sent.fields;
    expect(sent.fields).toEqual({ key, ...parties() });
    const path = `/transaction/${encodeURIComponent(key)}`;
    expect(await ask(path, type)).toMatchObject({
      status: 200,
      type,
      fields: { payload: PAYLOAD, privacyFlag: 0, ...parties() },
    });
  });

  it('store, look and send by hash, through the server for the node and the one for clients', async () => {
    for (const url of [ptm.q2tUrl, ptm.thirdPartyUrl!]) {
      const stored = await ask('/storeraw', type, { payload: PAYLOAD }, url);
      expect(stored).toMatchObject({ status: 200, type });
      const { key: hash } = stored.fields;
      expect(await ask(`/transaction/${encodeURIComponent(hash)}?isRaw=true`, type)).toMatchObject({
        status: 200,
        type,
        fields: { payload: PAYLOAD, ...parties() },
      });
      const sent = await ask('/sendsignedtx', type, { hash, ...terms });
      expect(sent).toMatchObject({ status: 201, type, fields: { key: hash, ...parties() } });
    }
  });

  it('envelopes', async () => {
    const made = await ask('/encodedpayload/create', type, { payload: PAYLOAD, ...terms });
    expect(made).toMatchObject({ status: 200, type, fields: { senderKey: ptm.key } });
    expect(await ask('/encodedpayload/decrypt', type, made.fields)).toMatchObject({
      status: 200,
      type,
      fields: { payload: PAYLOAD, ...parties() },
    });
  });
});

it.each(['/send', '/storeraw', '/encodedpayload/create', '/encodedpayload/decrypt'])(
  '%s takes no other type, and repeats nothing of the body',
  async (path) => {
    for (const type of ['text/plain', 'application/vnd.tessera-9.0+json']) {
      const answer = await ask(path, type, { payload: PAYLOAD, to: [] });
      expect(answer).toMatchObject({ status: 415, text: 'HTTP 415 Unsupported Media Type' });
    }
    const answer = await ask(path, JSON_TYPE, { payload: 'said in confidence', to: 'x' });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('confidence');
  },
);

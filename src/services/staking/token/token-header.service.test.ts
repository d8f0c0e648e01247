import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newScene, type Scene } from '../../../../test/support/issued-token.ts';
import { AUDIENCE, ask, postForm, postJson } from '../../../../test/support/staking.ts';

describe('where a token stands', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await newScene('ES256');
  });
  afterAll(() => scene.staking.close());
  const at = (path: string, init: RequestInit = {}) => ask(`${scene.staking.url}${path}`, init);

  it('the scheme is read in any letters, and nothing else is', async () => {
    const status = async (authorization: string) =>
      (await at('/stakes', { headers: { authorization } })).status;
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      expect(await status(`${scheme} ${scene.good}`)).toBe(200);
    }
    for (const text of [
      scene.good,
      `Bearer${scene.good}`,
      `Bearer: ${scene.good}`,
      `Bearer ${scene.good} ${scene.good}`,
      `Bearer ${scene.good}, Bearer ${scene.good}`,
      `Bearer "${scene.good}"`,
      `Basic ${scene.good}`,
      `DPoP ${scene.good}`,
      'Bearer',
    ]) {
      expect([text, await status(text)]).toEqual([text, 401]);
    }
  });

  it('asks for a token, without an error, where none of its kind came', async () => {
    for (const headers of [{}, { authorization: '' }, { authorization: 'Basic YTpi' }] as Record<
      string,
      string
    >[]) {
      const answer = await at('/stakes', { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="quorate"');
    }
  });

  it('is the header: not the URL, not the body, not a cookie', async () => {
    const url = await at(`/stakes?access_token=${scene.good}`);
    expect([url.status, url.body.error]).toEqual([400, 'invalid_request']);
    expect(url.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="quorate", error="invalid_request"/,
    );
    const both = await at(`/stakes?access_token=${scene.good}`, {
      headers: { authorization: `Bearer ${scene.good}` },
    });
    expect(both.status).toBe(400);
    const form = await postForm(`${scene.staking.url}/stake`, { access_token: scene.good });
    expect(form.status).toBe(401);
    const json = await postJson(`${scene.staking.url}/stake`, { access_token: scene.good });
    expect(json.status).toBe(401);
    const cookie = await at('/stakes', { headers: { cookie: `access_token=${scene.good}` } });
    expect(cookie.status).toBe(401);
    for (const answer of [url, both, form, json, cookie]) {
      expect(JSON.stringify(answer.body)).not.toContain(scene.good);
    }
  });

  it('is one header: two of them are refused, whichever is the good one', async () => {
    const good = `Authorization: Bearer ${scene.good}`;
    for (const lines of [
      [good, good],
      [good, 'Authorization: Bearer x'],
      ['authorization: Bearer x', good],
      ['Authorization: Basic YTpi', good],
    ]) {
      const answer = await raw(scene.staking.url, ['GET /stakes HTTP/1.1', ...lines]);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(/www-authenticate: Bearer realm="quorate", error="invalid_request"/i);
    }
    const { client_id, client_secret } = scene.proof;
    const basic = `Authorization: Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const body = `grant_type=client_credentials&audience=${encodeURIComponent(AUDIENCE)}`;
    const post = ['POST /oauth/token HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded'];
    expect(await raw(scene.staking.url, [...post, basic], body)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(scene.staking.url, [...post, basic, basic], body)).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*"invalid_request"/,
    );
  });
});

/** Sends a request exactly as given; returns the whole answer. */
function raw(url: string, lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      const rest = [`Host: ${hostname}`, 'Connection: close', `Content-Length: ${body.length}`];
      socket.write([...lines, ...rest, '', body].join('\r\n'));
    });
    socket.on('data', (data) => {
      answer += data;
    });
    socket.once('end', () => resolve(answer));
    socket.once('error', reject);
  });
}

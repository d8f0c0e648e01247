/** The bearer token of the ramp's test partner, from the token service of the network. */
import { fail } from '../../core/base/errors.ts';
import { HttpClient } from '../../io/http/http-client.ts';
import type { DevnetDescription } from './description.ts';
import { READY_PATIENCE_MS } from './ready.ts';

const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Empty if the service refuses, because its client was made for a network at other ports. Rejects
 * with DEVNET_NOT_READY.
 */
export async function partnerToken(staking: DevnetDescription['staking']): Promise<string> {
  const client = new HttpClient({
    dialTimeoutMs: READY_PATIENCE_MS,
    timeoutMs: READY_PATIENCE_MS,
    idleTimeoutMs: READY_PATIENCE_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });
  const { clientId, clientSecret } = staking.client;
  const body = JSON.stringify({
    ...{ client_id: clientId, client_secret: clientSecret, audience: staking.audience },
    grant_type: 'client_credentials',
  });
  const headers = [['Content-Type', 'application/json']] as const;
  try {
    const url = new URL(`${staking.authUrl}/oauth/token`);
    const answer = await client.request({ method: 'POST', url, headers, body });
    const { access_token: token } = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    if (answer.status === 200 && typeof token === 'string') return token;
    if (answer.status < 500) return '';
    throw fail('DEVNET_NOT_READY', `the token service answers ${answer.status}: see staking.log`);
  } finally {
    client.close();
  }
}

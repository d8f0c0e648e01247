import type { ShownSecret } from '../../src/services/staking/admin.ts';
import { AUDIENCE, startTestStaking, type TestStaking } from './staking.ts';

export const NO_RATE = ['--auth.rate', '100000', '--auth.failures', '1000'];

export const OTHER = 'https://other.example/';

export interface Scene {
  staking: TestStaking;
  client: ShownSecret;
  /** A JSON body, in Auth0's form. */
  body: Record<string, string>;
}

export async function scene(argv: readonly string[] = []): Promise<Scene> {
  const staking = await startTestStaking([...NO_RATE, ...argv]);
  const client = await staking.running.admin.addClient({
    name: 'test',
    audiences: [AUDIENCE],
    scopes: ['stake:read', 'stake:write'],
    mayIntrospect: false,
  });
  await staking.running.admin.addClient({
    name: 'other',
    audiences: [OTHER],
    scopes: [],
    mayIntrospect: true,
  });
  await staking.running.refresh();
  const body = {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    audience: AUDIENCE,
    grant_type: 'client_credentials',
  };
  return { staking, client, body };
}

export function basic(id: string, secret: string): Record<string, string> {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

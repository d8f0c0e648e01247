/**
 * Every example in the docstrings of quorate/staking-client runs, against a service and its ledger.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../test/support/conditions.ts';
import { docstringExamples, runExample } from '../../test/support/docstring-examples.ts';
import { type FakeLedger, startFakeLedger } from '../../test/support/fake-ledger.ts';
import { AUDIENCE, startTestStaking, type TestStaking } from '../../test/support/staking.ts';
import { StakingClient, StakingError } from './staking-client.ts';

const examples = docstringExamples('src/clients/staking-client.ts');

let ledger: FakeLedger;
let staking: TestStaking;
let given: Record<string, unknown>;

beforeAll(async () => {
  ledger = await startFakeLedger();
  staking = await startTestStaking(['--ledger.url', ledger.url, '--deposit.from', ledger.account]);
  const { clientId, clientSecret } = await staking.running.admin.addClient({
    name: 'examples',
    audiences: [AUDIENCE],
    scopes: ['stake:read', 'stake:write'],
    mayIntrospect: false,
  });
  await staking.running.refresh();
  const { url } = staking;
  const options = { authUrl: url, apiUrl: url, audience: AUDIENCE, clientId, clientSecret };
  const client = new StakingClient(options);
  const console = { log: (value: unknown) => expect(value).toBeDefined() };
  given = { StakingClient, StakingError, client, clientId, clientSecret, console };
  const request = { withdrawal_pubkey: ledger.account, amount: '32000000000' };
  await until('the contract is there', () =>
    client.stake(request, crypto.randomUUID()).then(
      () => true,
      (error: StakingError) => error.status !== 503 && Promise.reject(error),
    ),
  );
});
afterAll(async () => {
  await staking.close();
  await ledger.close();
});

describe('the examples of quorate/staking-client', () => {
  it('are there for each class and each public method', () => {
    const methods = Object.getOwnPropertyNames(StakingClient.prototype);
    expect(examples.map(([name]) => name).sort()).toEqual(
      [...methods.filter((name) => name !== 'constructor'), 'StakingClient', 'StakingError'].sort(),
    );
  });

  it.each(examples)('%s', async (_, text) => {
    const code = text
      .replaceAll('http://127.0.0.1:8550', staking.url)
      .replaceAll('const client =', 'const own =')
      .replaceAll(
        '(await client.stakes()',
        `(await ${text.includes('const client') ? 'own' : 'client'}.stakes()`,
      );
    await runExample(code, given);
  });
});

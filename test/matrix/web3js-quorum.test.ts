/** web3js-quorum's permission module on the devnet with permissions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../clients/clients.ts';
import { install } from '../clients/install.ts';
import { runProgram } from '../clients/program.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';

const CLIENT: Client = {
  title: 'web3js-quorum',
  folder: 'web3js-quorum',
  schemes: ['http'],
  installation: {
    lockFile: 'package-lock.json',
    fetch: ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
  },
  command: (task) => ['node', 'run.mjs', task],
};

let network: TestDevnet;
beforeAll(async () => {
  network = await startTestDevnet({ isPermissioned: true });
}, 120_000);
afterAll(() => network?.close());

it('answers every query of its permission module; a transaction gets through only where `from` fits into one of its parameters', async () => {
  const installed = await install(CLIENT);
  const { rpc, enode } = network.devnet.description.nodes[0]!;
  const accounts = network.accounts.map(({ address }) => address.toLowerCase());
  const [from, stranger] = [accounts[0]!, accounts.at(-1)!];
  const nodeId = /[0-9a-f]{128}/.exec(enode)![0];
  const found = await runProgram<any>(CLIENT, installed, { url: rpc, nodeId, from, stranger });
  expect(found.orgs).toMatchObject([{ fullOrgId: 'ADMINORG', status: 2 }]);
  const known = found.accounts.map(({ acctId }: { acctId: string }) => acctId);
  expect([known.includes(from), known.includes(stranger)]).toEqual([true, false]);
  expect(found.nodes).toHaveLength(4);
  expect(found.roles.map(({ roleId }: { roleId: string }) => roleId)).toContain('ADMIN');
  expect(found.details.acctList).toEqual(found.accounts);
  expect(found).toMatchObject({ mayTransact: true, mayStrangerTransact: false, mayConnect: true });
  expect(found.refusal).toContain('missing value for required argument 5');
  // The module's call has three parameters; GoQuorum's has two before `from`.
  expect(found.done).toContain('Invalid enode id');
}, 300_000);

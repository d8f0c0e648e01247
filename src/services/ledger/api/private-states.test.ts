/** Tenants of one node on a recorded chain with `isMPS`: each sees its own private state. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import { residentPrivateStates } from '../../../core/privacy/private-states.ts';
import { OPEN } from '../../../io/rpc/access.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/mps-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz')).filter(
  ({ number }) => number > 0,
);
const HEAD = BLOCKS.at(-1)!;
const KEYS = readJson(join(RECORDING, 'keys.json')).nodes.find(
  (each: { name: string }) => each.name === 'node1',
);

let node: RpcNode;

beforeAll(async () => {
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: fromHex(KEYS.nodeKey),
    manager: await recordedManager(RECORDING, 'node1'),
    privateStates: residentPrivateStates(KEYS.groups),
  });
  for (const { rlp } of BLOCKS) await node.node.chain.commit(decodeBlock(fromHex(rlp)), 'group');
  await until(() => node.node.follower!.cursor() === HEAD.number, 'private states follow');
  const account = await node.accounts.importKey(fromHex(KEYS.accountKey), 'test');
  await node.accounts.unlock(account, 'test', 0);
}, 60_000);
afterAll(() => node.close());

async function ask(psi: string | undefined, method: string, ...params: readonly unknown[]) {
  const caller = { transport: 'ipc', psi, access: OPEN, remote: 'test' } as const;
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = JSON.parse(await node.dispatcher.handle(request, caller));
  return error ? error.message : result;
}

it('names the caller’s private state, or refuses it', async () => {
  expect(await ask('PS1', 'eth_getPSI')).toBe('PS1');
  expect(await ask('PS2', 'eth_getPSI')).toBe('PS2');
  const unknown = (psi: string) => `unable to find private state for context psi ${psi}`;
  expect(await ask(undefined, 'eth_getPSI')).toBe(unknown('private'));
  expect(await ask('NOPE', 'eth_getPSI')).toBe(unknown('NOPE'));
  const who = `0x${'11'.repeat(20)}`;
  expect(await ask('NOPE', 'eth_getBalance', who, 'latest')).toBe(unknown('NOPE'));
  expect(await ask('empty', 'eth_getBalance', who, 'latest')).toBe(unknown('empty'));
  expect(await ask('NOPE', 'eth_getLogs', { fromBlock: '0x0' })).toBe(unknown('NOPE'));
  expect(await ask(undefined, 'eth_blockNumber')).toBe(`0x${HEAD.number.toString(16)}`);
});

it('has the recorded root of each tenant at every block', async () => {
  let count = 0;
  for (const { number, privateStateRootsByPSI = {} } of BLOCKS) {
    for (const psi of ['PS1', 'PS2']) {
      const root = privateStateRootsByPSI[`node1/${psi}`];
      if (root === undefined) continue;
      count++;
      expect(await ask(psi, 'debug_privateStateRoot', `0x${number.toString(16)}`)).toBe(root);
    }
  }
  expect(count).toBeGreaterThan(40);
});

it('sends for a tenant with its own keys only', async () => {
  const [one, two] = KEYS.groups.map((group: { members: string[] }) => group.members[0]);
  const send = (privateFrom: string | undefined) =>
    ask('PS1', 'eth_sendTransaction', {
      from: KEYS.account,
      data: '0x00',
      gas: '0x100000',
      privateFrom,
      privateFor: [],
    });
  expect(await send(two)).toBe(
    `The PrivateFrom (${two}) address does not match the specified private state (PS1) `,
  );
  expect(await send(one)).toBe('private transaction manager is not in use');
  expect(await send(undefined)).toBe('private transaction manager is not in use');
});

it('lists the recorded extension between two tenants, and null for no tenant', async () => {
  const recorded = {
    contractExtended: '0x2f9b7d44d9e3ebe39e51dc40629a089d7be8edff',
    initiator: '0x7dd4024ab3d1981797dc84f544832e12f0982de1',
    recipient: '0xbb836cb62e5fd01c94f55110fbb3cc953d04912b',
    managementContractAddress: '0x8f6cf8d809166ef54a2c47e28f929029dc33bb13',
    recipientPtmKey: 'Fknqg0M1AoT40570oHnowtdoF/jbjx94ZZGhSEl+TxM=',
    creationData:
      'UqpLygRpzB7WD06WAY5W7iZPYQ+2OMGfWLjqGQKss5Y+vjaHY9zd/+NoXmurO56WTwr0gnWcd/lME+bulp0sTw==',
  };
  const active = (psi: string | undefined) => ask(psi, 'quorumExtension_activeExtensionContracts');
  expect(await active('PS1')).toEqual([recorded]);
  expect(await active('PS2')).toEqual([recorded]);
  expect(await active(undefined)).toBeNull();
});

/**
 * Concurrent private sends of one account: none waits for another's recipients, and nonces follow
 * the order of the calls.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { setInput } from '../../../../test/support/store-contract.ts';
import { fail } from '../../../core/base/errors.ts';
import { toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import type { OutgoingPayload, SentPayload } from '../../../core/privacy/manager-port.ts';
import { managerNotInUse } from '../../../io/ptm-client/no-manager.ts';
import { devnetGenesis } from '../../devnet/genesis.ts';

const VALIDATOR = new Uint8Array(32).fill(7);
const ACCOUNT = new Uint8Array(32).fill(9);
const FROM = toHex(addressOfSecretKey(ACCOUNT));
const TO = `0x${'ab'.repeat(20)}`;

interface Waiting {
  readonly payload: string;
  arrive(): void;
  refuse(): void;
}

let node: RpcNode;
let waiting: Waiting[];

beforeEach(async () => {
  waiting = [];
  const parts = {
    consensus: 'qbft',
    nodes: [{ address: toHex(addressOfSecretKey(VALIDATOR)) }],
    funded: [FROM],
  } as const;
  const periods = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 1 };
  node = await rpcNode({
    genesis: genesisFromJson(devnetGenesis(parts, periods)),
    secretKey: VALIDATOR,
    manager: { ...managerNotInUse(), send },
  });
  await node.accounts.unlock(await node.accounts.importKey(ACCOUNT, 'test'), 'test', 0);
});
afterEach(() => node.close());

/** A recipient whose answer the test triggers. */
function send({ payload }: OutgoingPayload): Promise<SentPayload> {
  return new Promise((resolve, reject) => {
    const hash = new Uint8Array(64).fill(waiting.length + 1);
    waiting.push({
      payload: toHex(payload),
      arrive: () => resolve({ hash, managedParties: ['A'], senderKey: 'A' }),
      refuse: () => reject(fail('PTM_REFUSED', 'the recipient is away')),
    });
  });
}

function set(value: number): Promise<string> {
  const call = { from: FROM, to: TO, data: setInput(value), gas: '0x30d40', privateFor: ['B'] };
  return node.call('eth_sendTransaction', call);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function nonceOf(hash: string): Promise<number> {
  return Number((await node.call('eth_getTransactionByHash', hash)).nonce);
}

it('payloads travel side by side; the first caller has the lower nonce, in whatever order they arrive', async () => {
  const sent = [1, 2, 3].map(set);
  await until(() => waiting.length === 3);
  expect(waiting.map(({ payload }) => payload)).toEqual([1, 2, 3].map(setInput));
  for (const each of [...waiting].reverse()) each.arrive();
  const nonces = await Promise.all(sent.map(async (hash) => nonceOf(await hash)));
  expect(nonces).toEqual([0, 1, 2]);
});

it('one that is refused leaves no gap', async () => {
  const sent = [1, 2, 3].map(set);
  await until(() => waiting.length === 3);
  waiting[0]!.arrive();
  waiting[1]!.refuse();
  waiting[2]!.arrive();
  expect(await nonceOf(await sent[0]!)).toBe(0);
  await expect(sent[1]).rejects.toThrow('the recipient is away');
  expect(await nonceOf(await sent[2]!)).toBe(1);
});

it('a public one called meanwhile has its turn after them', async () => {
  const first = set(1);
  const second = node.call('eth_sendTransaction', { from: FROM, to: TO, value: '0x1' });
  await until(() => waiting.length === 1);
  waiting[0]!.arrive();
  expect(await nonceOf(await first)).toBe(0);
  expect(await nonceOf(await second)).toBe(1);
});

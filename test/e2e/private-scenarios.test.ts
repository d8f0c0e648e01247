/**
 * Typical uses of private transactions, on four node processes with four manager processes: many
 * contracts of many pairs at once, subsets of parties, an extension voted on by a wallet, and a
 * node that lost everything, its manager included.
 */
import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Interface, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { overWebSocket } from '../support/callers.ts';
import { until } from '../support/conditions.ts';
import {
  headOf,
  MAIN,
  startTestDevnet,
  type TestDevnet,
  untilBlock,
  untilMined,
} from '../support/devnet.ts';
import {
  deployPrivate,
  readStore,
  setPrivate,
  signPrivate,
  storeRaw,
} from '../support/private-transactions.ts';
import { STORE_CODE, STORED_TOPIC, setInput, word } from '../support/store-contract.ts';

const PAIRS: readonly (readonly [number, number])[] = [0, 1, 2, 3].flatMap((one) =>
  [0, 1, 2, 3].filter((other) => other > one).map((other) => [one, other] as const),
);
const CONTRACTS_PER_PAIR = 4;
const KEPT = new Set(['nodekey', 'static-nodes.json', 'keystore']);
const VOTE = new Interface(['function doVote(bool vote, string nextuuid)']);

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet({ inProcesses: true });
});
afterAll(() => net?.close());

/**
 * Sends a transaction signed by a wallet without a key on any node, through node `at`. Resolves
 * with the receipt there.
 */
async function sendSigned(
  wallet: { privateKey: string },
  fields: { nonce: number; to: string | null; payload: string },
  at: number,
  parties: readonly number[],
) {
  const data = await storeRaw(net, at, fields.payload);
  const raw = signPrivate(wallet.privateKey, { nonce: fields.nonce, to: fields.to, data });
  const privateFor = parties.map((party) => net.keys[party]);
  const hash = await net.rpc[at]!.call('eth_sendRawPrivateTransaction', raw, { privateFor });
  return untilMined(net.rpc[at]!, hash);
}

function valuesAt(address: string): Promise<readonly string[]> {
  return Promise.all(net.rpc.map((_, at) => readStore(net, at, address)));
}

it('contracts of every pair at once: each pair has its value, nobody else anything', async () => {
  const contracts = await Promise.all(
    PAIRS.flatMap(([one, other], pair) =>
      Array.from({ length: CONTRACTS_PER_PAIR }, async (_, number) => {
        const wallet = Wallet.createRandom();
        const value = 100 * pair + number + 1;
        const created = await sendSigned(wallet, { nonce: 0, to: null, payload: STORE_CODE }, one, [
          other,
        ]);
        const address = created.contractAddress!;
        const set = { nonce: 1, to: address, payload: setInput(value) };
        await sendSigned(wallet, set, one, [other]);
        return { one, other, address, value };
      }),
    ),
  );
  const head = await headOf(net.rpc[0]!);
  await Promise.all(net.rpc.map((rpc) => untilBlock(rpc, head)));
  for (const { one, other, address, value } of contracts) {
    const isParty = (at: number) => at === one || at === other;
    const expected = [0, 1, 2, 3].map((at) => (isParty(at) ? word(value) : '0x'));
    await until(`${address} has its value`, async () =>
      (await valuesAt(address)).every((seen, at) => seen === expected[at]),
    );
  }
});

it('a party not addressed by a call keeps its state, gets no log or notification, and can trace nothing', async () => {
  const address = await deployPrivate(net, [1, 2]);
  const ears = await Promise.all(
    [1, 2].map((at) => overWebSocket(net.devnet.description.nodes[at]!.ws)),
  );
  for (const ear of ears)
    await ear.ask('eth_subscribe', ['logs', { address, topics: [STORED_TOPIC] }]);
  await untilMined(net.rpc[0]!, await setPrivate(net, address, 1, [1, 2]));
  const hash = await setPrivate(net, address, 2, [1]);
  const receipts = await Promise.all(net.rpc.map((rpc) => untilMined(rpc, hash)));
  expect(receipts.map(({ logs }) => logs.length)).toEqual([1, 1, 0, 0]);
  await until('both parties have the newest value', async () =>
    (await valuesAt(address)).slice(0, 2).every((value) => value === word(2)),
  );
  expect(await valuesAt(address)).toEqual([word(2), word(2), word(1), '0x']);
  const traces = await Promise.all(
    net.rpc.map((rpc) => rpc.call<{ structLogs: unknown[] }>('debug_traceTransaction', hash)),
  );
  expect(traces[1]).toEqual(traces[0]);
  expect(traces[0]!.structLogs.length).toBeGreaterThan(10);
  expect(traces.slice(2).map(({ structLogs }) => structLogs.length)).toEqual([0, 0]);
  const roots = await Promise.all(
    net.rpc.slice(0, 3).map((rpc) => rpc.call('eth_storageRoot', address)),
  );
  expect(roots[1]).toBe(roots[0]);
  expect(roots[2]).not.toBe(roots[0]);
  await until('the party was told twice', () => heard(ears[0]!) === 2);
  expect(heard(ears[1]!)).toBe(1);
  for (const ear of ears) ear.close();
});

function heard(ear: Awaited<ReturnType<typeof overWebSocket>>): number {
  return ear.heard.filter((text) => text.includes('"eth_subscription"')).length;
}

it('an extension voted on by a wallet: the new party has the state, and then only the calls addressed to it', async () => {
  const address = await deployPrivate(net, [1]);
  await untilMined(net.rpc[0]!, await setPrivate(net, address, 7, [1]));
  const wallet = Wallet.createRandom();
  const [initiator, , newcomer] = net.rpc;
  const extension = await initiator!.call(
    'quorumExtension_extendContract',
    address,
    net.keys[2],
    wallet.address,
    { from: net.accounts[0]!.address, privateFor: [net.keys[2]] },
  );
  const management = (await untilMined(initiator!, extension)).contractAddress!;
  const uuid = await until('the new party knows of it', () =>
    newcomer!.call('quorumExtension_generateExtensionApprovalUuid', management, wallet.address, {
      from: wallet.address,
      privateFor: [net.keys[0]],
    }),
  );
  const payload = VOTE.encodeFunctionData('doVote', [true, uuid]);
  await sendSigned(wallet, { nonce: 0, to: management, payload }, 2, [0]);
  await until(
    'the new party has the contract',
    async () => (await readStore(net, 2, address)) === word(7),
  );
  await until('nothing is under way any more', async () => {
    const lists = await Promise.all(
      net.rpc.map((rpc) => rpc.call<unknown[]>('quorumExtension_activeExtensionContracts')),
    );
    return lists.every((list) => list.length === 0);
  });
  expect(await newcomer!.call('quorumExtension_getExtensionStatus', management)).toBe('DONE');
  await untilMined(newcomer!, await setPrivate(net, address, 8, [1]));
  await until('node 2 follows', async () => (await readStore(net, 1, address)) === word(8));
  expect(await readStore(net, 2, address)).toBe(word(7));
  await setPrivate(net, address, 9, [1, 2]);
  await until(
    'the new party has the value',
    async () => (await readStore(net, 2, address)) === word(9),
  );
});

it('a node that lost everything, the data of its manager too, gets its private states back', async () => {
  const address = await deployPrivate(net, [3]);
  await untilMined(net.rpc[3]!, await setPrivate(net, address, 1234, [3]));
  await until('node 4 has it', async () => (await readStore(net, 3, address)) === word(1234));
  const { devnet, folder } = net;
  await devnet.process('node4').stop();
  await devnet.process('ptm4').stop();
  for (const name of readdirSync(join(folder, 'node4'))) {
    if (!KEPT.has(name)) rmSync(join(folder, 'node4', name), { recursive: true });
  }
  rmSync(join(folder, 'ptm4', 'data'), { recursive: true });
  const configuration = join(folder, 'ptm4', 'config.json');
  const recover = [MAIN, 'ptm', 'recover', '--configfile', configuration];
  await promisify(execFile)(process.execPath, recover);
  await devnet.restart('ptm4');
  await devnet.restart('node4');
  const head = await headOf(net.rpc[0]!);
  await untilBlock(net.rpc[3]!, head);
  await until(
    'its private state is back',
    async () => (await readStore(net, 3, address)) === word(1234),
  );
  const roots = await Promise.all(
    [0, 3].map((at) => net.rpc[at]!.call('eth_storageRoot', address)),
  );
  expect(roots[1]).toBe(roots[0]);
});

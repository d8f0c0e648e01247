/**
 * EEA clients at two nodes with the same genesis and real managers that are peers of each other;
 * only one node makes blocks.
 */
import { computeAddress } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EEA_SIGNER, eeaKey, signEea } from '../../../../test/support/eea.ts';
import { type TestPtm, testPtm, until, untilKnown } from '../../../../test/support/ptm.ts';
import { ALL_APIS, type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import {
  STORE_CODE,
  setInput,
  VALUE_INPUT,
  word,
} from '../../../../test/support/store-contract.ts';
import { fromBase64, toBase64 } from '../../../core/base/base64.ts';
import { toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import { partyGroup } from '../../../core/privacy/eea.ts';
import { resolveManagerConfig } from '../../../io/ptm-client/config.ts';
import { connectManager } from '../../../io/ptm-client/connect.ts';
import { devnetGenesis } from '../../devnet/genesis.ts';

const VALIDATOR = new Uint8Array(32).fill(7);
const SENDER = computeAddress(EEA_SIGNER).toLowerCase();
let ptms: TestPtm[];
let nodes: RpcNode[];
let keys: Uint8Array[];

async function nodeWith(ptm: TestPtm, isMining: boolean, blocks: any[] = []): Promise<RpcNode> {
  const nodes = [{ address: toHex(addressOfSecretKey(VALIDATOR)) }];
  const parts = { consensus: 'qbft', nodes, funded: [] } as const;
  const periods = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };
  const config = resolveManagerConfig('ignore', { 'ptm.url': ptm.q2tUrl! });
  return rpcNode({
    genesis: genesisFromJson(devnetGenesis(parts, periods)),
    secretKey: VALIDATOR,
    isMining,
    blocks,
    manager: await connectManager(config, { say: () => {} }),
    log: (l, m, f) => {
      if (l === 'error') console.log(m, f);
    },
    argv: ['--http.api', `${ALL_APIS},eea,priv`],
  });
}

beforeAll(async () => {
  ptms = [await testPtm(1, [])];
  for (const number of [2, 3]) ptms.push(await testPtm(number, [ptms[0]!.p2pUrl!]));
  for (const ptm of ptms) await untilKnown(ptm, ...ptms.map(({ key }) => key));
  keys = ptms.map(({ key }) => fromBase64(key));
  nodes = [await nodeWith(ptms[0]!, true)];
});
afterAll(async () => {
  for (const node of nodes ?? []) await node.close();
  for (const ptm of ptms ?? []) await ptm.close();
});

async function receipt(hash: string, node = nodes[0]!): Promise<any> {
  let found: any = null;
  await until(async () => {
    found = await node.call('priv_getTransactionReceipt', hash);
    return found !== null;
  }, `${hash} has a private receipt`);
  return found;
}

const send = (fields: Omit<Parameters<typeof signEea>[0], 'privateFrom'>, from = 0) =>
  nodes[0]!.call('eea_sendRawTransaction', toHex(signEea({ privateFrom: keys[from]!, ...fields })));
const nonce = (...to: number[]) =>
  nodes[0]!.call(
    'priv_getEeaTransactionCount',
    SENDER,
    toBase64(keys[0]!),
    to.map((i) => toBase64(keys[i]!)),
  );

describe('a contract of a group', () => {
  let contract: string;
  const group = () => toBase64(partyGroup([keys[0]!, keys[1]!]));

  it('is made, called and read, and the sender counts', async () => {
    expect(await nonce(1)).toBe('0x0');
    const raw = { to: [keys[1]!], data: STORE_CODE };
    const hash = await send(raw);
    await expect(send(raw)).rejects.toMatchObject({ code: -32000, message: 'Known transaction' });
    const made = await receipt(hash);
    expect(made).toMatchObject({ status: '0x1', from: SENDER, commitmentHash: hash, to: null });
    expect([made.privateFrom, made.privateFor]).toEqual([ptms[0]!.key, [ptms[1]!.key]]);
    expect(made.output).toMatch(/^0x6080/);
    contract = made.contractAddress;
    const called = await receipt(await send({ ...raw, nonce: 1, contract, data: setInput(42) }));
    expect([called.status, called.logs.length, called.contractAddress]).toEqual(['0x1', 1, null]);
    expect(await nodes[0]!.call('priv_call', group(), { to: contract, data: VALUE_INPUT })).toBe(
      word(42),
    );
    expect(await nonce(1)).toBe('0x2');
    expect(await nodes[0]!.call('priv_getTransactionCount', SENDER, group())).toBe('0x2');
    const seen = await nodes[0]!.call('priv_getPrivateTransaction', hash);
    expect(seen).toMatchObject({ from: SENDER, input: STORE_CODE, restriction: 'restricted' });
    const trace = await nodes[0]!.call('debug_traceTransaction', called.commitmentHash, {
      tracer: 'callTracer',
      tracerConfig: {},
    });
    expect(JSON.stringify(trace)).toContain(setInput(42).slice(2));
  });

  it('refuses transactions of other groups and plain private ones, and another nonce', async () => {
    const strayed = await receipt(await send({ to: [], contract, data: setInput(1) }));
    expect([strayed.status, strayed.logs]).toEqual(['0x0', []]);
    const late = await receipt(
      await send({ to: [keys[1]!], nonce: 9, contract, data: setInput(2) }),
    );
    expect(late.status).toBe('0x0');
    await expect(
      send({ to: [keys[1]!], nonce: 0, contract, data: setInput(3) }),
    ).rejects.toMatchObject({
      code: -50100,
      message: 'Private transaction nonce too low',
    });
    const { accounts } = nodes[0]!;
    const from = toHex(await accounts.importKey(VALIDATOR, 'test'));
    await accounts.unlock(accounts.addresses()[0]!, 'test', 0);
    const fields = { from, gas: '0x100000', gasPrice: '0x0', privateFor: [ptms[1]!.key] };
    const call = { ...fields, to: contract, data: setInput(4) };
    const plain = await nodes[0]!.call('eth_sendTransaction', call);
    let status: string | undefined;
    await until(async () => {
      status = (await nodes[0]!.call('eth_getTransactionReceipt', plain))?.status;
      return status !== undefined;
    }, 'the plain one is mined');
    expect(status).toBe('0x0');
    expect(await nonce(1)).toBe('0x2');
    expect(await nodes[0]!.call('eth_call', { to: contract, data: VALUE_INPUT }, 'latest')).toBe(
      word(42),
    );
  });

  it('is the same at the other member, and nothing at a stranger', async () => {
    const head = Number(await nodes[0]!.call('eth_blockNumber'));
    const blocks = Array.from({ length: head }, (_, i) => nodes[0]!.node.chain.store.block(i + 1)!);
    const member = await nodeWith(ptms[1]!, false, blocks);
    const stranger = await nodeWith(ptms[2]!, false, blocks);
    nodes.push(member, stranger);
    const marker = blocks.flatMap(({ transactions }) => transactions)[0]!;
    const ours = await receipt(toHex(marker.hash));
    expect(await receipt(toHex(marker.hash), member)).toEqual(ours);
    for (const { node } of [member, stranger]) {
      await until(() => node.follower!.cursor() >= head, 'the private side is at the head');
    }
    expect(await member.call('eth_getStorageAt', contract, '0x0', 'latest')).toBe(word(42));
    expect(await member.call('priv_getTransactionCount', SENDER, group())).toBe('0x2');
    expect(await stranger.call('priv_getTransactionReceipt', toHex(marker.hash))).toBeNull();
    expect(await stranger.call('priv_getPrivateTransaction', toHex(marker.hash))).toBeNull();
    expect(await stranger.call('priv_getTransactionCount', SENDER, group())).toBe('0x0');
    expect(await stranger.call('eth_getCode', contract, 'latest')).toBe('0x');
  });
});

it('a named group works as its members’ own', async () => {
  const addresses = [ptms[0]!.key, ptms[2]!.key];
  const id = await nodes[0]!.call('priv_createPrivacyGroup', {
    addresses,
    name: 'trade',
    description: 'two',
  });
  expect(await nodes[0]!.call('priv_findPrivacyGroup', addresses)).toMatchObject([
    { privacyGroupId: id, name: 'trade' },
  ]);
  const made = await receipt(await send({ to: fromBase64(id), data: STORE_CODE }));
  expect([made.status, made.privacyGroupId]).toEqual(['0x1', id]);
  expect(await nodes[0]!.call('priv_getTransactionCount', SENDER, id)).toBe('0x1');
  expect(await nodes[0]!.call('priv_deletePrivacyGroup', id)).toBe(id);
  await expect(send({ to: fromBase64(id), nonce: 1, data: STORE_CODE })).rejects.toMatchObject({
    code: -50100,
    message: 'Offchain Privacy group does not exist.',
  });
});

describe('refuses', () => {
  it.each([
    ['garbage', '0xc0ffee', -50100, 'Unable to decode the private signed raw transaction'],
    [
      'ether',
      toHex(signEea({ privateFrom: eeaKey(1), value: 1n })),
      -50100,
      'We cannot transfer ether in a private transaction yet.',
    ],
    [
      'another chain',
      toHex(signEea({ privateFrom: eeaKey(1), chainId: 5n })),
      -32000,
      'Wrong chainId',
    ],
    [
      'a key of nobody here',
      toHex(signEea({ privateFrom: eeaKey(1), data: '0x00' })),
      -50100,
      'Error communicating with enclave',
    ],
  ])('%s', async (_, raw, code, message) => {
    await expect(nodes[0]!.call('eea_sendRawTransaction', raw)).rejects.toMatchObject({
      code,
      message,
    });
  });
  it('an unknown recipient', async () => {
    await expect(send({ to: [eeaKey(0x77)], data: '0x00' })).rejects.toMatchObject({
      code: -50200,
      message: 'NodeMissingPeerUrl',
    });
  });
});

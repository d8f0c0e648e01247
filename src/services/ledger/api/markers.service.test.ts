/**
 * Private transactions inside privacy markers, made by the node (`--privacymarker.enable`) or by a
 * wallet (GoQuorum core/vm/contracts_quorum.go).
 */
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FROM, mined, miningNode } from '../../../../test/support/mining-node.ts';
import { signPrivate } from '../../../../test/support/private-transactions.ts';
import { type TestPtm, testPtm, until, untilKnown } from '../../../../test/support/ptm.ts';
import type { RpcNode } from '../../../../test/support/rpc-node.ts';
import {
  STORE_CODE,
  setInput,
  VALUE_INPUT,
  word,
} from '../../../../test/support/store-contract.ts';
import { fromHex } from '../../../core/base/hex.ts';

const PRECOMPILE = '0x000000000000000000000000000000000000007a';
const GAS = '0x47b760';
const CHAIN_ID = 1337;

let own: TestPtm;
let other: TestPtm;
let node: RpcNode;

beforeAll(async () => {
  own = await testPtm(1, []);
  other = await testPtm(2, [own.p2pUrl]);
  await untilKnown(own, other.key);
  node = await miningNode({ q2tUrl: own.q2tUrl, argv: ['--privacymarker.enable'] });
});
afterAll(async () => {
  await node?.close();
  await other?.close();
  await own?.close();
});

const value = (to: string) => node.call('eth_call', { to, data: VALUE_INPUT }, 'latest');

/** A payload as a manager returns it to its node. */
async function heldAt(ptm: TestPtm, hash: string): Promise<string | undefined> {
  const key = encodeURIComponent(Buffer.from(hash.slice(2), 'hex').toString('base64'));
  const answer = await fetch(`${ptm.q2tUrl}/transaction/${key}`);
  if (answer.status !== 200) return undefined;
  const { payload } = (await answer.json()) as { payload: string };
  return `0x${Buffer.from(payload, 'base64').toString('hex')}`;
}

/**
 * Checks what every marker has in common; resolves with the address that the inner transaction
 * created.
 */
async function checkMarker(hash: string, sender: string): Promise<string | null> {
  const outer = await mined(node, hash);
  expect(outer).toMatchObject({
    to: PRECOMPILE,
    status: '0x1',
    contractAddress: null,
    isPrivacyMarkerTransaction: true,
    logs: [],
  });
  expect(Number(outer.gasUsed)).toBeGreaterThan(21_000);
  const marker = await node.call('eth_getTransactionByHash', hash);
  const inner = await node.call('eth_getPrivateTransactionByHash', hash);
  expect(inner).toMatchObject({
    ...{ blockHash: marker.blockHash, transactionIndex: marker.transactionIndex },
    ...{ nonce: marker.nonce, from: sender },
  });
  expect(marker).toMatchObject({ from: sender, to: PRECOMPILE });
  expect(['0x25', '0x26']).toContain(inner.v);
  expect(inner.hash).not.toBe(hash);
  const privately = await node.call('eth_getPrivateTransactionReceipt', hash);
  expect(privately).toMatchObject({
    transactionHash: hash,
    gasUsed: '0x0',
    isPrivacyMarkerTransaction: false,
    status: '0x1',
  });
  for (const { input } of [marker, inner]) {
    expect(input).toMatch(/^0x[0-9a-f]{128}$/);
    expect(await heldAt(other, input)).toBe(await heldAt(own, input));
    expect(await heldAt(other, input)).toBeDefined();
  }
  return privately.contractAddress;
}

it.each([0, 1, 2, 3])('a node makes them of what it sends, flag %i', async (privacyFlag) => {
  const mandatory = privacyFlag === 2 ? { mandatoryFor: [other.key] } : {};
  const args = { from: FROM, gas: GAS, privateFor: [other.key], privacyFlag, ...mandatory };
  const created = await node.call('eth_sendTransaction', { ...args, data: STORE_CODE });
  const to = (await checkMarker(created, FROM))!;
  const set = await node.call('eth_sendTransaction', { ...args, to, input: setInput(7) });
  expect(await checkMarker(set, FROM)).toBeNull();
  expect(await value(to)).toBe(word(7));
  const { logs } = await node.call('eth_getPrivateTransactionReceipt', set);
  expect(logs).toHaveLength(1);
  const { blockHash } = await mined(node, set);
  const found = await node.call('eth_getLogs', { blockHash, address: to });
  expect(found).toHaveLength(1);
  expect(await heldAt(other, (await node.call('eth_getPrivateTransactionByHash', set)).input)).toBe(
    setInput(7),
  );
});

it('extensions are begun and voted on in them', async () => {
  const args = { from: FROM, privateFor: [other.key] };
  const created = await node.call('eth_sendTransaction', { ...args, gas: GAS, data: STORE_CODE });
  const contract = (await checkMarker(created, FROM))!;
  const recipient = `0x${'77'.repeat(20)}`;
  const terms = [contract, other.key, recipient, args];
  const unnamed = [...terms.slice(0, 3), { ...args, privateFor: [] }];
  await expect(node.call('ledgerExtension_extendContract', ...unnamed)).rejects.toThrow(
    `privateFor must contain the transaction manager key of the new party: ${other.key}`,
  );
  const begun = await node.call('quorumExtension_extendContract', ...terms);
  const manager = (await checkMarker(begun, FROM))!;
  const { input } = await node.call('eth_getPrivateTransactionByHash', begun);
  const [active] = await node.call('quorumExtension_activeExtensionContracts');
  expect(active).toMatchObject({
    ...{ contractExtended: contract, managementContractAddress: manager, initiator: FROM },
    creationData: Buffer.from(input.slice(2), 'hex').toString('base64'),
  });
  // The initiator's node votes by itself.
  const voted = `0x${FROM.slice(2).padStart(64, '0')}`;
  const ask = { to: manager, data: `0xd8bff5a5${voted.slice(2)}` };
  await until(
    async () => BigInt(await node.call('eth_call', ask, 'latest')) === 1n,
    'the initiator has voted',
  );
  expect(await node.call('quorumExtension_getExtensionStatus', manager)).toBe('ACTIVE');
  const cancelled = await node.call('quorumExtension_cancelExtension', manager, args);
  await checkMarker(cancelled, FROM);
  expect(await node.call('quorumExtension_getExtensionStatus', manager)).toBe('DONE');
  expect(await node.call('quorumExtension_activeExtensionContracts')).toEqual([]);
});

it('a wallet makes one of a transaction that it signed and had distributed', async () => {
  const wallet = new Wallet(`0x${'42'.repeat(32)}`);
  const sender = wallet.address.toLowerCase();
  const stored = await fetch(`${own.thirdPartyUrl}/storeraw`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload: Buffer.from(fromHex(STORE_CODE)).toString('base64') }),
  });
  const { key } = (await stored.json()) as { key: string };
  const data = `0x${Buffer.from(key, 'base64').toString('hex')}`;
  const inner = signPrivate(wallet.privateKey, { nonce: 0, to: null, data });
  const parties = { privateFor: [other.key] };
  await expect(node.call('eth_distributePrivateTransaction', inner, {})).rejects.toThrow(
    'transaction is not private',
  );
  const hash = await node.call('eth_distributePrivateTransaction', inner, parties);
  expect(hash).toMatch(/^0x[0-9a-f]{128}$/);
  const marker = await wallet.signTransaction({
    ...{ type: 0, chainId: CHAIN_ID, nonce: 0, gasPrice: 0, gasLimit: 30_000 },
    ...{ to: PRECOMPILE, data: hash },
  });
  const to = (await checkMarker(await node.call('eth_sendRawTransaction', marker), sender))!;
  expect(await value(to)).toBe(word(0));
});

it('hashes of other transactions, or of nothing, give null', async () => {
  const plain = await node.call('eth_sendTransaction', { from: FROM, to: FROM, gas: GAS });
  await mined(node, plain);
  for (const hash of [plain, `0x${'12'.repeat(32)}`]) {
    expect(await node.call('eth_getPrivateTransactionByHash', hash)).toBeNull();
    expect(await node.call('eth_getPrivateTransactionReceipt', hash)).toBeNull();
  }
});

/**
 * Fees on the devnet: transactions may offer any price, private ones too, none is required, and
 * nobody's price affects others.
 */
import { computeAddress, getBytes, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toHex } from '../../src/core/base/hex.ts';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { EEA_SIGNER, signEea } from '../support/eea.ts';
import { readStore, signPrivate, storeRaw } from '../support/private-transactions.ts';
import { STORE_CODE, setInput, VALUE_INPUT, word } from '../support/store-contract.ts';

const GWEI = 1_000_000_000n;
const PRICE = `0x${GWEI.toString(16)}`;
const GAS = '0x47b760';
/** 21000, plus 64 bytes of the payload's hash at 16 gas each (4 for a zero). */
const PRIVATE_GAS_MAX = 22_024n;
/** Plus 2 for each of the two words of init code (EIP-3860). */
const CREATION_GAS = 32_004n;

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet();
});
afterAll(() => net?.close());

const balances = (address: string) =>
  Promise.all(net.rpc.map((rpc) => rpc.call('eth_getBalance', address, 'latest')));

/** Waits until all nodes have executed it, and compares their state. */
async function everywhere(hash: string) {
  const receipts = await Promise.all(net.rpc.map((rpc) => untilMined(rpc, hash)));
  const { blockNumber } = receipts[0]!;
  const blocks = net.rpc.map((rpc) =>
    rpc.call<{ hash: string }>('eth_getBlockByNumber', blockNumber, false),
  );
  expect(new Set((await Promise.all(blocks)).map((block) => block.hash)).size).toBe(1);
  return receipts[0]!;
}

/** What `address` pays for `send`; all nodes must agree. */
async function paid(address: string, send: () => Promise<string>) {
  const [before] = await balances(address);
  const receipt = await everywhere(await send());
  const after = await balances(address);
  expect(new Set(after).size).toBe(1);
  return { receipt, cost: BigInt(before!) - BigInt(after[0]!) };
}

it('accepts public transactions of every type with a price, and charges it', async () => {
  const wallet = new Wallet(net.accounts[1]!.privateKey);
  const kinds = [
    { type: 0, gasPrice: GWEI },
    { type: 1, gasPrice: 7n },
    { type: 2, maxFeePerGas: GWEI, maxPriorityFeePerGas: GWEI },
    { type: 2, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
  ];
  for (const [nonce, fields] of kinds.entries()) {
    const price = fields.gasPrice ?? fields.maxPriorityFeePerGas!;
    const to = net.accounts[0]!.address;
    const raw = await wallet.signTransaction({
      ...{ chainId: 1337, nonce, to, value: 1n, gasLimit: 21_000 },
      ...fields,
    });
    const { cost } = await paid(wallet.address, () =>
      net.rpc[0]!.call('eth_sendRawTransaction', raw),
    );
    expect(cost).toBe(21_000n * price + 1n);
  }
});

it('accepts private transactions with a price: parties and others charge the same', async () => {
  const from = net.accounts[0]!.address;
  const send = (fields: object, privateFor = [net.keys[1]]) =>
    net.rpc[0]!.call<string>('eth_sendTransaction', {
      ...{ from, gas: GAS, gasPrice: PRICE, privateFor },
      ...fields,
    });
  const created = await paid(from, () => send({ data: STORE_CODE }));
  expect(created.cost).toBeGreaterThan(21_000n * GWEI);
  expect(created.cost).toBeLessThanOrEqual((PRIVATE_GAS_MAX + CREATION_GAS) * GWEI);
  const to = created.receipt.contractAddress!;
  const called = await paid(from, () => send({ to, data: setInput(5) }));
  expect(called.cost).toBeLessThanOrEqual(PRIVATE_GAS_MAX * GWEI);
  for (const [at, value] of [word(5), word(5), '0x', '0x'].entries())
    await until(`node ${at + 1} is right`, async () => (await readStore(net, at, to)) === value);
  // It fails at one of the parties, which must not charge more than others.
  const mine = await paid(from, () => send({ data: STORE_CODE, privacyFlag: 1 }));
  const other = await net.rpc[2]!.call<string>('personal_importRawKey', EEA_SIGNER.slice(2), 'x');
  await net.rpc[2]!.call('personal_unlockAccount', other, 'x', 0);
  await everywhere(await send({ to: other, value: '0xde0b6b3a7640000', privateFor: undefined }));
  const failing = await paid(other, () =>
    net.rpc[2]!.call('eth_sendTransaction', {
      ...{ from: other, gas: GAS, gasPrice: PRICE, privateFor: [net.keys[0]] },
      ...{ to: mine.receipt.contractAddress, data: setInput(1) },
    }),
  );
  expect(failing.cost).toBeLessThanOrEqual(PRIVATE_GAS_MAX * GWEI);
  const status = async (at: number) =>
    (await untilMined(net.rpc[at]!, failing.receipt.transactionHash)).status;
  expect([await status(0), await status(2)]).toEqual(['0x0', '0x1']);
});

it('accepts transactions signed by a wallet with a price: for a stored payload, and in a marker', async () => {
  const { address, privateKey } = net.accounts[2]!;
  const signed = async (nonce: number) =>
    signPrivate(privateKey, {
      ...{ nonce, to: null, gasPrice: GWEI },
      data: await storeRaw(net, 0, STORE_CODE),
    });
  const terms = { privateFor: [net.keys[1]] };
  const raw = await signed(0);
  const stored = await paid(address, () =>
    net.rpc[0]!.call('eth_sendRawPrivateTransaction', raw, terms),
  );
  expect(stored.cost).toBeGreaterThan(0n);
  const data = await net.rpc[0]!.call('eth_distributePrivateTransaction', await signed(1), terms);
  const precompile = await net.rpc[0]!.call('eth_getPrivacyPrecompileAddress');
  const marker = await new Wallet(privateKey).signTransaction({
    ...{ type: 0, chainId: 1337, nonce: 1, to: precompile, data, gasLimit: 30_000 },
    gasPrice: GWEI,
  });
  const marked = await paid(address, () => net.rpc[0]!.call('eth_sendRawTransaction', marker));
  expect(marked.cost).toBeGreaterThan(0n);
  for (const at of [0, 1])
    expect(
      await net.rpc[at]!.call('eth_getPrivateTransactionReceipt', marked.receipt.transactionHash),
    ).toMatchObject({ status: '0x1' });
});

it('accepts an EEA transaction with a price, for which its sender needs no funds', async () => {
  const privateFrom = getBytes(Buffer.from(net.keys[0]!, 'base64'));
  const to = [getBytes(Buffer.from(net.keys[1]!, 'base64'))];
  const raw = signEea({ privateFrom, to, data: STORE_CODE, gasPrice: GWEI });
  const hash = await net.rpc[0]!.call('eea_sendRawTransaction', toHex(raw));
  await everywhere(hash);
  const receipt = await until(
    'node 2 has executed it',
    async () => (await net.rpc[1]!.call<any>('priv_getTransactionReceipt', hash)) ?? undefined,
  );
  expect(receipt).toMatchObject({ status: '0x1', from: computeAddress(EEA_SIGNER).toLowerCase() });
});

it('lets accounts without funds send, even after others have paid', async () => {
  for (const rpc of net.rpc) {
    expect(await rpc.call('eth_gasPrice')).toBe('0x0');
    expect(await rpc.call('eth_maxPriorityFeePerGas')).toBe('0x0');
  }
  const [node, other] = [net.rpc[3]!, net.keys[0]!];
  const from = await node.call('personal_newAccount', 'test');
  await node.call('personal_unlockAccount', from, 'test', 0);
  const deploy = (fields: object) =>
    node.call('eth_sendTransaction', { from, gas: '0x100000', data: STORE_CODE, ...fields });
  for (const fields of [{}, { gasPrice: '0x0' }, { privateFor: [other] }]) {
    const { status, contractAddress: to } = await everywhere(await deploy(fields));
    expect(status).toBe('0x1');
    expect(await node.call('eth_call', { from, to, data: VALUE_INPUT }, 'latest')).toBe(word(0));
  }
  await expect(deploy({ gasPrice: '0x1' })).rejects.toThrow('insufficient funds');
});

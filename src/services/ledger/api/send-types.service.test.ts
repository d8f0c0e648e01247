/** Transactions made by the sending methods: complete, or refused with the reason. */
import { Transaction, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT, FROM, mined, miningNode } from '../../../../test/support/mining-node.ts';
import { type TestPtm, testPtm } from '../../../../test/support/ptm.ts';
import { ALL_APIS, type RpcNode } from '../../../../test/support/rpc-node.ts';
import { toHex } from '../../../core/base/hex.ts';

const TO = `0x${'ab'.repeat(20)}`;
/** PUSH1 1, PUSH1 0, SSTORE. */
const CREATION = '0x600160005500';

let ptm: TestPtm;
let node: RpcNode;

beforeAll(async () => {
  ptm = await testPtm(1, []);
  node = await miningNode({ q2tUrl: ptm.q2tUrl, argv: ['--http.api', ALL_APIS] });
});

afterAll(async () => {
  await node?.close();
  await ptm?.close();
});

const PLAIN = { from: FROM, to: TO, gas: '0x10000', gasPrice: '0x0', nonce: '0x0' };

/** Every method that takes the fields of a transaction. */
const TAKERS: Record<string, readonly unknown[]> = {
  eth_fillTransaction: [],
  eth_sendTransaction: [],
  eth_sendTransactionAsync: [],
  eth_signTransaction: [],
  eth_resend: [],
  personal_sendTransaction: ['test'],
  personal_signTransaction: ['test'],
  eth_call: ['latest'],
  eth_estimateGas: ['latest'],
  eth_createAccessList: ['latest'],
  debug_traceCall: ['latest'],
};

describe.each(Object.entries(TAKERS))('%s', (method, rest) => {
  it.each([
    [{ authorizationList: [{ chainId: '0x0', address: TO, nonce: '0x0' }] }, 'authorizationList'],
    [{ blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }, 'blobVersionedHashes'],
    [{ maxFeePerBlobGas: '0x1' }, 'maxFeePerBlobGas'],
    [{ type: '0x3' }, 'it is 3'],
    [{ type: '0x4' }, 'it is 4'],
  ])('refuses %j', async (members, named) => {
    await expect(node.call(method, { ...PLAIN, ...members }, ...rest)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        new RegExp(`^invalid argument 0: transaction type not supported: ${named}`),
      ),
    });
  });
});

it('takes a list of nothing for none', async () => {
  const filled = await node.call('eth_fillTransaction', { ...PLAIN, authorizationList: [] });
  expect(filled.tx.type).toBe('0x0');
});

it('names the access list of what it fills in and signs, as geth does', async () => {
  const accessList = [{ address: TO, storageKeys: [`0x${'01'.repeat(32)}`] }];
  const args = { ...PLAIN, accessList };
  const filled = await node.call('eth_fillTransaction', args);
  expect(filled.tx).toMatchObject({ type: '0x1', accessList });
  const { raw, tx } = await node.call('eth_signTransaction', args);
  expect(tx).toMatchObject({ type: '0x1', accessList, hash: Transaction.from(raw).hash });
  const { gasPrice: _, ...unpriced } = args;
  const dynamic = { ...unpriced, maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x2' };
  const signed = await node.call('eth_signTransaction', dynamic);
  expect(signed.tx).toMatchObject({ type: '0x2', accessList, maxFeePerGas: '0x9' });
});

describe('a private transaction', () => {
  const fees = { maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x2', type: '0x2' };
  const creation = { from: FROM, data: CREATION, gas: '0x100000', privateFor: [] };

  it.each([
    ['eth_sendTransaction', []],
    ['personal_sendTransaction', ['test']],
  ] as const)('with dynamic fees goes out as a legacy one by %s', async (method, rest) => {
    const hash = await node.call(method, { ...creation, ...fees }, ...rest);
    const { contractAddress, status } = await mined(node, hash);
    expect(status).toBe('0x1');
    const sent = await node.call('eth_getTransactionByHash', hash);
    expect(sent).toMatchObject({ type: '0x0', gasPrice: '0x2' });
    expect(['0x25', '0x26']).toContain(sent.v);
    const value = await node.call('eth_getStorageAt', contractAddress, '0x0', 'latest');
    expect(BigInt(value)).toBe(1n);
  });

  it('with dynamic fees is filled in and signed as a legacy one', async () => {
    const filled = await node.call('eth_fillTransaction', { ...creation, ...fees });
    expect(filled.tx).toMatchObject({ type: '0x0', gasPrice: '0x2', v: '0x25' });
    const named = { ...creation, ...fees, nonce: '0x77', data: filled.tx.input };
    const signed = await node.call('eth_signTransaction', named);
    expect(signed.tx).toMatchObject({ type: '0x0', gasPrice: '0x2', input: filled.tx.input });
  });

  it('with an access list is refused before its payload leaves', async () => {
    const accessList = [{ address: TO, storageKeys: [] }];
    for (const method of ['eth_sendTransaction', 'eth_fillTransaction']) {
      await expect(node.call(method, { ...creation, accessList })).rejects.toThrow(
        /^transaction type not supported: a private transaction is legacy/,
      );
    }
  });

  it('of another type is refused when it comes signed, and stays off the chain', async () => {
    const { tx } = await node.call('eth_fillTransaction', creation);
    const nonce = Number(await node.call('eth_getTransactionCount', FROM, 'pending'));
    const raw = await new Wallet(toHex(ACCOUNT)).signTransaction({
      ...{ type: 2, chainId: 1337, nonce, gasLimit: 0x100000, data: tx.input },
      ...{ maxFeePerGas: 9, maxPriorityFeePerGas: 2 },
    });
    await expect(
      node.call('eth_sendRawPrivateTransaction', raw, { privateFor: [] }),
    ).rejects.toThrow(/^transaction type not supported: a private transaction is legacy/);
    expect(await node.call('eth_getTransactionByHash', Transaction.from(raw).hash)).toBeNull();
  });

  it('with a value may be filled in and signed, and is refused when it is sent', async () => {
    const refusal = 'ether value is not supported for private transactions';
    const nonce = await node.call('eth_getTransactionCount', FROM, 'pending');
    const transfer = { ...PLAIN, nonce, value: '0x5', privateFor: [] };
    for (const args of [transfer, { ...transfer, data: '0x01' }]) {
      const { raw, tx } = await node.call('eth_signTransaction', args);
      expect(tx).toMatchObject({ value: '0x5', type: '0x0' });
      expect(['0x25', '0x26']).toContain(tx.v);
      const { tx: filled } = await node.call('eth_fillTransaction', args);
      expect(filled).toMatchObject({ value: '0x5', v: '0x25' });
      expect(filled.input === '0x').toBe(args === transfer);
      await expect(node.call('eth_sendRawTransaction', raw)).rejects.toThrow(refusal);
      const terms = { privateFor: [] };
      await expect(node.call('eth_sendRawPrivateTransaction', raw, terms)).rejects.toThrow(refusal);
      await expect(node.call('eth_sendTransaction', args)).rejects.toThrow(refusal);
    }
  });
});

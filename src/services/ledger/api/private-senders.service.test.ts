/**
 * Every way to send privately accepts both `data` and `input`, and none puts the payload on the
 * chain.
 */
import { Transaction, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canary } from '../../../../test/support/canaries.ts';
import { ACCOUNT, FROM, mined, miningNode } from '../../../../test/support/mining-node.ts';
import { type TestPtm, testPtm, until } from '../../../../test/support/ptm.ts';
import { ALL_APIS, type RpcNode } from '../../../../test/support/rpc-node.ts';
import { word } from '../../../../test/support/store-contract.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';

/**
 * PUSH32 word, PUSH1 0, SSTORE: creation code that contains a unique word, so that a leak is found.
 */
const secret = canary('payload');
const CREATION = `0x7f${secret.hex}60005500`;

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

/** The transaction on the chain, as bytes. */
async function onChain(hash: string): Promise<string> {
  const { blockNumber, status } = await mined(node, hash);
  expect(status).toBe('0x1');
  expect(await node.call('debug_getRawBlock', blockNumber)).not.toContain(secret.hex);
  return node.call('eth_getRawTransactionByHash', hash);
}

/** Resolves with the hash of the transaction on the chain. */
type Way = (args: Record<string, unknown>) => Promise<string>;

const sendSigned: Way = async (args) => {
  const { raw } = await node.call('eth_signTransaction', args);
  return node.call('eth_sendRawPrivateTransaction', raw, { privateFor: [] });
};

const WAYS: Record<string, Way> = {
  eth_sendTransaction: (args) => node.call('eth_sendTransaction', args),
  eth_sendTransactionAsync: async (args) => {
    const nonce = await node.call('eth_getTransactionCount', FROM, 'pending');
    const since = Number(await node.call('eth_blockNumber'));
    await node.call('eth_sendTransactionAsync', args);
    let hash: string | undefined;
    await until(async () => {
      const { pending } = await node.call('txpool_content');
      const own = Object.values(Object.values(pending)[0] ?? {}) as any[];
      hash = own.find((each) => each.nonce === nonce)?.hash ?? (await minedWith(nonce, since));
      return hash !== undefined;
    }, 'it is sent');
    return hash!;
  },
  eth_fillTransaction: async (args) => {
    const { tx, raw } = await node.call('eth_fillTransaction', args);
    expect(raw).not.toContain(secret.hex);
    return sendSigned({ ...args, data: tx.input, input: undefined });
  },
  eth_signTransaction: sendSigned,
  personal_sendTransaction: (args) => node.call('personal_sendTransaction', args, 'test'),
  personal_signTransaction: async (args) => {
    const { raw } = await node.call('personal_signTransaction', args, 'test');
    return node.call('eth_sendRawPrivateTransaction', raw, { privateFor: [] });
  },
};

/**
 * Searches all blocks after `since`: with 20 blocks per second, a busy machine may miss the newest
 * one.
 */
async function minedWith(nonce: string, since: number): Promise<string | undefined> {
  const head = Number(await node.call('eth_blockNumber'));
  for (let number = since + 1; number <= head; number++) {
    const tag = `0x${number.toString(16)}`;
    const { transactions } = await node.call('eth_getBlockByNumber', tag, true);
    const found = transactions.find((each: any) => each.nonce === nonce);
    if (found) return found.hash;
  }
  return undefined;
}

const fields = ['data', 'input', 'both'] as const;
it.each(Object.keys(WAYS).flatMap((way) => fields.map((field) => [way, field] as const)))(
  '%s with %s',
  async (way, field) => {
    const nonce = await node.call('eth_getTransactionCount', FROM, 'pending');
    const payload = {
      ...(field === 'input' ? {} : { data: CREATION }),
      ...(field === 'data' ? {} : { input: CREATION }),
    };
    const hash = await WAYS[way]!({
      ...{
        from: FROM,
        gas: '0x100000',
        gasPrice: '0x0',
        nonce,
        privateFor: [],
        privateFrom: ptm.key,
      },
      ...payload,
    });
    const raw = await onChain(hash);
    expect(raw).not.toContain(secret.hex);
    const { contractAddress } = await mined(node, hash);
    expect(await node.call('eth_getStorageAt', contractAddress, '0x0', 'latest')).toBe(
      `0x${secret.hex}`,
    );
    const { input } = await node.call('eth_getTransactionByHash', hash);
    expect(fromHex(input)).toHaveLength(64);
    expect(await node.call('eth_getQuorumPayload', input)).toBe(CREATION);
  },
);

it('eth_resend takes the hash of the payload and keeps it, and takes no payload', async () => {
  await node.call('miner_stop');
  const nonce = await node.call('eth_getTransactionCount', FROM, 'pending');
  const args = { from: FROM, gas: '0x100000', gasPrice: '0x0', nonce, privateFor: [] };
  const hash = await node.call('eth_sendTransaction', { ...args, data: CREATION });
  await expect(
    node.call('eth_resend', { ...args, input: CREATION }, '0x0', '0x200000'),
  ).rejects.toThrow(/^a private transaction is resent with the hash of its payload as data/);
  const { input } = await node.call('eth_getTransactionByHash', hash);
  // A replacement must pay more, which is impossible on a network without fees.
  await expect(node.call('eth_resend', { ...args, input }, '0x0', '0x200000')).rejects.toThrow(
    'replacement transaction underpriced',
  );
  await expect(
    node.call('eth_resend', { ...args, data: `0x${'11'.repeat(64)}` }, '0x0', '0x200000'),
  ).rejects.toThrow(/^transaction 0x[0-9a-f]{64} not found$/);
  await node.call('miner_start');
  await onChain(hash);
});

it('signs a hash that its caller has stored as it is', async () => {
  const data = `0x${'ab'.repeat(64)}`;
  const args = { from: FROM, to: FROM, data, gas: '0x100000', gasPrice: '0x0', nonce: '0x0' };
  const { raw } = await node.call('eth_signTransaction', { ...args, privateFor: [] });
  expect(raw).toContain(data.slice(2));
  const plain = await node.call('eth_signTransaction', args);
  expect(Transaction.from(plain.raw).data).toBe(data);
});

it('shows a party the accounts that its private transaction met', async () => {
  const args = { from: FROM, data: '0x600160005500', gas: '0x100000', gasPrice: '0x0' };
  const hash = await node.call('eth_sendTransaction', { ...args, privateFor: [] });
  const { contractAddress } = await mined(node, hash);
  for (const tracerConfig of [{}, { diffMode: true }, undefined]) {
    const options = { tracer: 'prestateTracer', ...(tracerConfig ? { tracerConfig } : {}) };
    const shown = await node.call('debug_traceTransaction', hash, options);
    const before = shown.pre ?? shown;
    expect(Object.keys(before).map((each) => each.toLowerCase())).toContain(FROM.toLowerCase());
    const after = shown.post?.[contractAddress.toLowerCase()];
    if (shown.post) expect(after.storage).toEqual({ [word(0)]: word(1) });
  }
});

it('names the gas of a constructor that calls a private contract', async () => {
  const args = { from: FROM, gasPrice: '0x0', privateFor: [] };
  // A contract that always returns 42.
  const runtime = '602a60005260206000f3';
  const made = await node.call('eth_sendTransaction', {
    ...args,
    data: `0x69${runtime}600052600a6016f3`,
  });
  const oracle = (await mined(node, made)).contractAddress.slice(2);
  // Stores the oracle's answer in slot 0, and reverts without data if it is 0.
  const call = `6020600060006000600073${oracle}5af1506000518060005560315760006000fd5b00`;
  const caller = { ...args, data: `0x${call}` };
  const { contractAddress, status } = await mined(
    node,
    await node.call('eth_sendTransaction', caller),
  );
  expect(status).toBe('0x1');
  expect(await node.call('eth_getStorageAt', contractAddress, '0x0', 'latest')).toBe(word(42));
  await expect(node.call('eth_sendTransaction', { ...caller, privateFor: null })).rejects.toThrow(
    'execution reverted',
  );
});

it('signs typed data as wallets do', async () => {
  const types = { Mail: [{ name: 'contents', type: 'string' }] };
  const [domain, message] = [{ name: 'test', chainId: 1337 }, { contents: 'Hello' }];
  const members = [
    { name: 'name', type: 'string' },
    { name: 'chainId', type: 'uint256' },
  ];
  const shared = { primaryType: 'Mail', domain, message };
  const data = { ...shared, types: { EIP712Domain: members, ...types } };
  const wanted = await new Wallet(toHex(ACCOUNT)).signTypedData(domain, types, message);
  for (const name of ['eth_signTypedData', 'eth_signTypedData_v4']) {
    expect(await node.call(name, FROM, data)).toBe(wanted);
    expect(await node.call(name, FROM, JSON.stringify(data))).toBe(wanted);
  }
  await expect(node.call('eth_signTypedData', FROM, '{')).rejects.toThrow(/must be JSON/);
  await expect(node.call('eth_signTypedData', FROM, { ...shared, types })).rejects.toThrow(
    'types.EIP712Domain is missing',
  );
  const stranger = `0x${'11'.repeat(20)}`;
  await expect(node.call('eth_signTypedData', stranger, data)).rejects.toThrow('unknown account');
});

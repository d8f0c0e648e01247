/** Standard private transactions: what parties see, and what everybody else sees. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import {
  headOf,
  type RpcReceipt,
  startTestDevnet,
  type TestDevnet,
  untilBlock,
  untilMined,
} from '../support/devnet.ts';
import {
  deployPrivate,
  readStore,
  sendPrivate,
  setPrivate,
  signPrivate,
  storeRaw,
} from '../support/private-transactions.ts';
import { STORE_CODE, setInput, word } from '../support/store-contract.ts';

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet();
});
afterAll(() => net?.close());

async function everywhere(hash: string): Promise<readonly RpcReceipt[]> {
  return Promise.all(net.rpc.map((rpc) => untilMined(rpc, hash)));
}

describe('a private contract of node 1 and node 2', () => {
  let address: string;
  let setHash: string;
  let input: string;
  beforeAll(async () => {
    address = await deployPrivate(net, [1]);
    setHash = await setPrivate(net, address, 42, [1]);
    await everywhere(setHash);
    input = (await net.rpc[0]!.call<{ input: string }>('eth_getTransactionByHash', setHash)).input;
  });

  it('has code, storage and its value at both parties only', async () => {
    for (const party of [0, 1]) {
      expect(await net.rpc[party]!.call('eth_getCode', address, 'latest')).toMatch(/^0x6080/);
      expect(await net.rpc[party]!.call('eth_getStorageAt', address, '0x0', 'latest')).toBe(
        word(42),
      );
      expect(await readStore(net, party, address)).toBe(word(42));
    }
    for (const other of [2, 3]) {
      expect(await net.rpc[other]!.call('eth_getCode', address, 'latest')).toBe('0x');
      expect(await net.rpc[other]!.call('eth_getStorageAt', address, '0x0', 'latest')).toBe(
        word(0),
      );
      expect(await readStore(net, other, address)).toBe('0x');
    }
  });

  it('has receipts with logs at both parties, without at the others, in one block', async () => {
    const receipts = await everywhere(setHash);
    expect(new Set(receipts.map(({ blockHash }) => blockHash)).size).toBe(1);
    expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x1', '0x1', '0x1']);
    expect(receipts.map(({ logs }) => logs.map(({ data }) => data))).toEqual([
      [word(42)],
      [word(42)],
      [],
      [],
    ]);
    const logs = await Promise.all(
      net.rpc.map((rpc) => rpc.call<unknown[]>('eth_getLogs', { fromBlock: '0x0', address })),
    );
    expect(logs.map(({ length }) => length)).toEqual([1, 1, 0, 0]);
  });

  it('shows the payload to parties, its hash to all', async () => {
    expect(input).toMatch(/^0x[0-9a-f]{128}$/);
    for (const method of ['eth_getQuorumPayload', 'eth_getLedgerPayload']) {
      const seen = await Promise.all(net.rpc.map((rpc) => rpc.call(method, input)));
      expect(seen).toEqual([setInput(42), setInput(42), '0x', '0x']);
    }
    for (const rpc of net.rpc) {
      const transaction = await rpc.call<{ v: string; input: string }>(
        'eth_getTransactionByHash',
        setHash,
      );
      expect(['0x25', '0x26']).toContain(transaction.v);
      expect(transaction.input).toBe(input);
    }
  });

  it('has the same private state root at both parties', async () => {
    const roots = await Promise.all(
      net.rpc.slice(0, 2).map((rpc) => rpc.call('eth_storageRoot', address)),
    );
    expect(roots[0]).toMatch(/^0x[0-9a-f]{64}$/);
    expect(roots[1]).toBe(roots[0]);
  });
});

describe('eth_sendRawPrivateTransaction', () => {
  it('sends a transaction that a wallet signed for a payload stored at the manager', async () => {
    const { address: from, privateKey } = net.accounts[1]!;
    const nonce = Number(await net.rpc[0]!.call('eth_getTransactionCount', from, 'pending'));
    const send = async (turn: number, to: string | null, payload: string) => {
      const data = await storeRaw(net, 0, payload);
      const raw = signPrivate(privateKey, { nonce: nonce + turn, to, data });
      return net.rpc[0]!.call('eth_sendRawPrivateTransaction', raw, { privateFor: [net.keys[1]] });
    };
    const deployed = await untilMined(net.rpc[0]!, await send(0, null, STORE_CODE));
    const set = await send(1, deployed.contractAddress, setInput(99));
    await everywhere(set);
    const seen = await Promise.all(
      net.rpc.map((_, at) => readStore(net, at, deployed.contractAddress!)),
    );
    expect(seen).toEqual([word(99), word(99), '0x', '0x']);
  });

  it('refuses a public signature and an unknown payload', async () => {
    const raw = signPrivate(net.accounts[1]!.privateKey, {
      nonce: 0,
      to: null,
      data: `0x${'11'.repeat(64)}`,
    });
    const sent = net.rpc[0]!.call('eth_sendRawPrivateTransaction', raw, {
      privateFor: [net.keys[1]],
    });
    await expect(sent).rejects.toThrow();
  });
});

describe('the size of a payload', () => {
  it('may be a megabyte', async () => {
    const address = await deployPrivate(net, [1]);
    const data = `${setInput(5)}${'00'.repeat(1_000_000)}`;
    const from = net.accounts[0]!.address;
    const hash = await net.rpc[0]!.call('eth_sendTransaction', {
      from,
      to: address,
      data,
      gas: '0x7270e00',
      privateFor: [net.keys[1]],
    });
    await everywhere(hash);
    expect(await readStore(net, 1, address)).toBe(word(5));
    const { input } = await net.rpc[1]!.call<{ input: string }>('eth_getTransactionByHash', hash);
    expect(await net.rpc[1]!.call('eth_getQuorumPayload', input)).toBe(data);
  });
});

describe('a manager that is down', () => {
  it('of a recipient at send: the sender gets an error, nothing is mined, and sending works again once it is back', async () => {
    const address = await deployPrivate(net, [1]);
    await untilBlock(net.rpc[1]!, await headOf(net.rpc[0]!));
    await net.devnet.process('ptm2').stop();
    await expect(setPrivate(net, address, 10, [1])).rejects.toThrow(/Connection error/);
    await net.devnet.restart('ptm2');
    await untilMined(net.rpc[0]!, await setPrivate(net, address, 11, [1]));
    await until(
      'node 2 reads the value',
      async () => (await readStore(net, 1, address)) === word(11),
    );
    await untilMined(net.rpc[0]!, await setPrivate(net, address, 12, [1]));
    await until(
      'node 2 reads the later value',
      async () => (await readStore(net, 1, address)) === word(12),
    );
    const [mine, theirs] = await Promise.all(
      [0, 1].map((at) =>
        net.rpc[at]!.call<unknown[]>('eth_getLogs', { fromBlock: '0x0', address }),
      ),
    );
    expect(mine).toHaveLength(2);
    expect(theirs).toEqual(mine);
  });

  it('of the sending node: blocks continue, and private state catches up in order when it returns', async () => {
    const address = await deployPrivate(net, [1]);
    await net.devnet.process('ptm2').stop();
    const before = await headOf(net.rpc[1]!);
    const open = { from: net.accounts[2]!.address, to: net.accounts[1]!.address, value: '0x1' };
    await untilMined(net.rpc[1]!, await net.rpc[0]!.call('eth_sendTransaction', open));
    await untilBlock(net.rpc[1]!, before + 3);
    await net.devnet.restart('ptm2');
    const hashes = [];
    for (const value of [1, 2, 3]) hashes.push(await setPrivate(net, address, value, [1]));
    for (const hash of hashes) await untilMined(net.rpc[0]!, hash);
    await until('node 2 has healed', async () => (await readStore(net, 1, address)) === word(3));
    const logs = await net.rpc[1]!.call<{ data: string }[]>('eth_getLogs', {
      fromBlock: '0x0',
      address,
    });
    expect(logs.map(({ data }) => data)).toEqual([word(1), word(2), word(3)]);
  });

  it('of a recipient when the transactions are mined', async () => {
    const address = await deployPrivate(net, [1, 2]);
    await untilBlock(net.rpc[2]!, await headOf(net.rpc[0]!));
    const nonce = Number(
      await net.rpc[0]!.call('eth_getTransactionCount', net.accounts[0]!.address, 'pending'),
    );
    // Both managers store it while they are up; it is mined only after the third node has lost its
    // manager.
    const payload = await storeRaw(net, 0, setInput(8));
    const raw = signPrivate(net.accounts[0]!.privateKey, {
      nonce: nonce + 1,
      to: address,
      data: payload,
    });
    await net.rpc[0]!.call('eth_sendRawPrivateTransaction', raw, {
      privateFor: [net.keys[1], net.keys[2]],
    });
    await net.devnet.process('ptm3').stop();
    const first = await sendPrivate(
      net,
      { to: address, data: setInput(7), nonce: `0x${nonce.toString(16)}` },
      [1],
    );
    const mined = await untilMined(net.rpc[0]!, first);
    await untilBlock(net.rpc[2]!, Number(mined.blockNumber) + 3);
    await net.devnet.restart('ptm3');
    await until('node 3 has healed', async () => (await readStore(net, 2, address)) === word(8));
    expect(await readStore(net, 1, address)).toBe(word(8));
  });
});

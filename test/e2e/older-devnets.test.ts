/**
 * Networks created by version 0.1.0 continue: their data is readable, pending transactions are
 * mined, and the peers find each other.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { unpackFixture } from '../support/fixtures.ts';
import { readStore } from '../support/private-transactions.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { scratchFolder } from '../support/scratch.ts';
import { setInput, word } from '../support/store-contract.ts';

interface Expected {
  readonly contracts: readonly {
    readonly kind: string;
    readonly address: string;
    readonly value: number;
    /** Node indexes; undefined: the contract is public. */
    readonly parties?: readonly number[];
    readonly privacyFlag?: number;
    readonly mandatory?: readonly number[];
  }[];
  /** As node 1 returned them. */
  readonly receipts: readonly { readonly transactionHash: string }[];
  /**
   * A nonce of the first account that no transaction has, so that two transactions of node 1 wait
   * for it.
   */
  readonly gap: number;
  readonly queued: readonly string[];
  /** Created by personal_newAccount on node 2. */
  readonly own: string;
}

const GAS = '0x47b760';

describe.each(['qbft', 'raft'] as const)('a %s network', (consensus) => {
  const folder = scratchFolder('quorate-older-');
  let net: TestDevnet;
  let expected: Expected;
  let from: string;
  beforeAll(async () => {
    unpackFixture('0.1.0', `devnet-${consensus}`, folder);
    expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
    net = await startTestDevnet({ consensus, folder });
    from = net.accounts[0]!.address;
  });
  afterAll(() => net?.close());

  const partiesOf = ({ parties }: { parties?: readonly number[] }) =>
    parties ?? net.rpc.map((_, at) => at);

  async function values(address: string): Promise<string[]> {
    return Promise.all(net.rpc.map((_, at) => readStore(net, at, address)));
  }

  it('gives the same answers as before', async () => {
    for (const receipt of expected.receipts)
      expect(
        await net.rpc[0]!.call('eth_getTransactionReceipt', receipt.transactionHash),
      ).toMatchObject(receipt);
    for (const contract of expected.contracts) {
      const parties = partiesOf(contract);
      expect([contract.kind, ...(await values(contract.address))]).toEqual([
        contract.kind,
        ...net.rpc.map((_, at) => (parties.includes(at) ? word(contract.value) : '0x')),
      ]);
    }
    expect(await net.rpc[1]!.call('eth_accounts')).toContain(expected.own);
  });

  it("mines pending transactions of node 1's pool, private ones too", async () => {
    expect(await net.rpc[0]!.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x2' });
    const nonce = `0x${expected.gap.toString(16)}`;
    await net.rpc[0]!.call('eth_sendTransaction', { from, to: from, gas: '0x5208', nonce });
    for (const hash of expected.queued)
      for (const rpc of net.rpc) expect((await untilMined(rpc, hash)).status).toBe('0x1');
  });

  it('continues with every kind of contract', async () => {
    for (const [index, contract] of expected.contracts.entries()) {
      const { address, privacyFlag, parties: listed, mandatory } = contract;
      const keysOf = (nodes?: readonly number[]) => nodes?.map((at) => net.keys[at]);
      const hash = await net.rpc[0]!.call<string>('eth_sendTransaction', {
        ...{ from, gas: GAS, to: address, data: setInput(100 + index), privacyFlag },
        privateFor: keysOf(listed?.slice(1)),
        mandatoryFor: keysOf(mandatory),
      });
      const parties = partiesOf(contract);
      for (const [at, rpc] of net.rpc.entries()) {
        expect((await untilMined(rpc, hash)).status).toBe('0x1');
        if (parties.includes(at)) expect(await readStore(net, at, address)).toBe(word(100 + index));
      }
    }
  });

  it('has its signing proxy, and the accounts that newer versions add', async () => {
    const [, { address: to }] = net.accounts as [unknown, { address: string }];
    const { signer, nodes } = net.devnet.description;
    const proxied = { from: to, to: from, gas: '0x5208' };
    const hash = await rpcClient(signer.rpc).call<string>('eth_sendTransaction', proxied);
    expect((await untilMined(net.rpc[0]!, hash)).status).toBe('0x1');
    for (const [at, { accounts }] of nodes.entries())
      for (const { address } of accounts) {
        const sent = { from: address, to, gas: '0x5208' };
        const each = await net.rpc[at]!.call<string>('eth_sendTransaction', sent);
        expect((await untilMined(net.rpc[at]!, each)).status).toBe('0x1');
      }
  });
});

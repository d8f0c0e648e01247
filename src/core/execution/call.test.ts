import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { MemoryChain } from '../../../test/support/memory-chain.ts';
import { recordedNode } from '../../../test/support/recorded-manager.ts';
import { OWN_VECTORS } from '../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../test/vectors/goquorum-blocks.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { decodeBlock } from '../chain/block.ts';
import {
  type CallRequest,
  type CallSite,
  call,
  createAccessList,
  estimateGas,
  outputOf,
} from './call.ts';
import { CallSeries } from './call-series.ts';

const LIMITS = { gasCap: 25_000_000n, timeoutText: '5s' };
const TOKEN = fromHex('0x4fd3616e83af0bf23a22d3322006df068223c085');
const FAILING = fromHex('0x83890c493ae7d203c053fa507402f965f3c5b7cd');
const HOLDER = fromHex('0x3b6e48156697B1f89A8F50fa5B647D4E902d2246');
const FRIEND = fromHex('0xf756d375C97B714Aa7512cf66E6838D85E1B8884');
const POOR = fromHex('0x00000000000000000000000000000000000012ab');
const BALANCE_OF_FRIEND = fromHex(
  `0x70a08231${'00'.repeat(12)}f756d375c97b714aa7512cf66e6838d85e1b8884`,
);
const TRANSFER_1 = fromHex(
  `0xa9059cbb${'00'.repeat(12)}f756d375c97b714aa7512cf66e6838d85e1b8884${'1'.padStart(64, '0')}`,
);

let chain: MemoryChain;

async function replay(name: string, node?: string): Promise<MemoryChain> {
  const recording = join(OWN_VECTORS, 'goquorum', name);
  const grown = new MemoryChain(
    genesisOf(recording),
    node === undefined ? undefined : await recordedNode(recording, node, false),
  );
  for (const { number, rlp } of readBlocks(join(recording, 'chain/blocks.jsonl.gz'))) {
    if (number > 0) grown.import(decodeBlock(fromHex(rlp)));
  }
  return grown;
}

function siteOf(of: MemoryChain, number = of.nodes.length - 1): CallSite {
  const { block, base, spaces } = of.nodes[number]!;
  return {
    rules: of.rules(block.header),
    header: block.header,
    hashes: (n) => of.nodes[n]?.block.hash,
    publicState: base.reader,
    privateState: spaces.get('private')?.reader,
  };
}

beforeAll(async () => {
  chain = await replay('public-chain');
});

describe('eth_call as recorded', () => {
  const ask = (request: CallRequest, number?: number) =>
    toHex(outputOf(call(request, siteOf(chain, number), LIMITS)));

  it('reads contracts, precompiles and history', () => {
    expect(ask({ from: HOLDER, to: TOKEN, data: BALANCE_OF_FRIEND })).toBe(
      `0x${'256'.padStart(64, '0')}`,
    );
    expect(ask({ to: fromHex(`0x${'4'.padStart(40, '0')}`), data: fromHex('0x0102') })).toBe(
      '0x0102',
    );
    expect(ask({ to: TOKEN, data: fromHex('0x06fdde03') }, 1)).toBe('0x');
  });

  it('leaves the state as it was', () => {
    const before = ask({ to: TOKEN, data: BALANCE_OF_FRIEND });
    expect(ask({ from: HOLDER, to: TOKEN, data: TRANSFER_1 })).toBe(`0x${'1'.padStart(64, '0')}`);
    expect(ask({ to: TOKEN, data: BALANCE_OF_FRIEND })).toBe(before);
  });

  it.each<[CallRequest, string]>([
    [
      { to: TOKEN, data: fromHex('0x06fdde03'), gasPrice: 1n, from: POOR },
      'err: insufficient funds for gas * price + value: address 0x00000000000000000000000000000000000012AB have 0 want 25000000 (supplied gas 25000000)',
    ],
    [
      { to: TOKEN, data: fromHex('0x06fdde03'), gas: 1n },
      'err: intrinsic gas too low: have 1, want 21064 (supplied gas 1)',
    ],
    [
      { from: POOR, to: FRIEND, value: 1n << 90n },
      'err: insufficient funds for transfer: address 0x00000000000000000000000000000000000012AB (supplied gas 25000000)',
    ],
    [{ to: FAILING, data: fromHex('0xe134e33d') }, 'execution reverted: reason given'],
    [{ to: FAILING, data: fromHex('0xf2a75fe4') }, 'execution reverted'],
    [{ to: FAILING, data: fromHex('0xbde9e40e') }, 'invalid opcode: opcode 0xfe not defined'],
    [{ to: FAILING, data: fromHex('0xa92100cb'), gas: 200_000n }, 'out of gas'],
  ])('refuses and fails with the recorded texts: %#', (request, text) => {
    expect(() => ask(request)).toThrow(text);
  });

  it('shows the data of a revert', () => {
    const data = fromHex(`0xeba31cc4${'00'.repeat(32)}`);
    expect(() => ask({ to: FAILING, data })).toThrow(
      expect.objectContaining({
        code: 'EXECUTION_REVERTED',
        data: `0x4e487b71${'12'.padStart(64, '0')}`,
      }),
    );
  });

  it('stops on request', () => {
    const endless: CallRequest = { to: POOR };
    const overrides = [{ address: POOR, code: fromHex('0x5b600056') }];
    const stop = { ...LIMITS, shouldStop: () => true };
    expect(() => call(endless, { ...siteOf(chain), overrides }, stop)).toThrow(
      'execution aborted (timeout = 5s)',
    );
  });

  it('looks at the time between the runs of an estimate, and in what takes no opcodes', () => {
    // Each run ends before it has used enough opcodes for a check of the time.
    const overrides = [{ address: POOR, code: fromHex('0x5a61c350106000575b00') }];
    const site = { ...siteOf(chain), overrides };
    let looks = 0;
    const late = { ...LIMITS, shouldStop: () => ++looks > 5 };
    expect(() => estimateGas({ to: POOR }, site, late)).toThrow('execution aborted');
    expect(looks).toBe(6);
    const pairing = { to: fromHex(`0x${'08'.padStart(40, '0')}`), data: new Uint8Array(192 * 40) };
    looks = 0;
    expect(() => call(pairing, siteOf(chain), late)).toThrow('execution aborted');
    expect(looks).toBe(6);
  });

  it('assumes overrides', () => {
    // PUSH1 2 SLOAD, CALLER BALANCE, returned as two words.
    const code = fromHex('0x600254600052333160205260406000f3');
    const overrides = [
      { address: POOR, code, state: new Map([[2n, 5n]]), nonce: 9n },
      { address: HOLDER, balance: 7n },
      { address: TOKEN, stateDiff: new Map([[2n, 3n]]) },
    ];
    const site = { ...siteOf(chain), overrides };
    const output = toHex(outputOf(call({ from: HOLDER, to: POOR }, site, LIMITS)));
    expect(output).toBe(`0x${'5'.padStart(64, '0')}${'7'.padStart(64, '0')}`);
    const supply = call({ to: TOKEN, data: fromHex('0x18160ddd') }, site, LIMITS);
    expect(toHex(outputOf(supply))).toBe(`0x${'3'.padStart(64, '0')}`);
  });
});

describe('eth_estimateGas as recorded', () => {
  const ask = (request: CallRequest, number?: number) =>
    estimateGas(request, siteOf(chain, number), LIMITS);
  const transfer = { from: HOLDER, to: TOKEN, data: TRANSFER_1 };

  it('finds the least gas', () => {
    expect(ask({ from: HOLDER, to: FRIEND }, 5)).toBe(0x5208n);
    expect(ask({ from: HOLDER, to: FRIEND, value: 1n })).toBe(0x5208n);
    expect(ask(transfer)).toBe(0x8600n);
    expect(() => call({ ...transfer, gas: 0x85ffn }, siteOf(chain), LIMITS)).not.toThrow();
    expect(call({ ...transfer, gas: 0x85ffn }, siteOf(chain), LIMITS).kind).toBe('error');
  });

  it('adds what a payload hash would cost when a value of 0 is named', () => {
    expect(ask({ ...transfer, value: 0n })).toBe(0x87c4n);
  });

  it('refuses with the recorded texts', () => {
    expect(() => ask({ ...transfer, gas: 0x5300n })).toThrow(
      'gas required exceeds allowance (21248)',
    );
    expect(() => ask({ from: POOR, to: FRIEND, value: 1n })).toThrow(
      'err: insufficient funds for transfer: address 0x00000000000000000000000000000000000012AB (supplied gas 12510499)',
    );
    expect(() => ask({ from: POOR, to: FRIEND, value: 1n, gasPrice: 1n })).toThrow(
      'insufficient funds for transfer',
    );
    expect(() => ask({ to: FAILING, data: fromHex('0xe134e33d') })).toThrow(
      'execution reverted: reason given',
    );
  });
});

describe('eth_createAccessList', () => {
  it('names the slots of the recipient and the other accounts, and what they cost', () => {
    const request = { from: HOLDER, to: TOKEN, data: TRANSFER_1 };
    const found = createAccessList(request, siteOf(chain), LIMITS);
    expect(found.error).toBeUndefined();
    expect(found.accessList.map(({ address }) => toHex(address))).toEqual([toHex(TOKEN)]);
    expect(found.accessList[0]!.slots).toHaveLength(2);
    const again = call({ ...request, accessList: found.accessList }, siteOf(chain), LIMITS);
    expect(again.gasUsed).toBe(found.gasUsed);
    const nothing = createAccessList({ from: HOLDER, to: FRIEND }, siteOf(chain), LIMITS);
    expect(nothing).toEqual({ accessList: [], gasUsed: 21_000n, error: undefined });
  });
});

describe('private contracts', () => {
  it('are there for parties and nobody else', async () => {
    const get = {
      to: fromHex('0x846ea26a421a74955ae1ab2a7f481007643b5ec2'),
      data: fromHex('0x6d4ce63c'),
    };
    const party = siteOf(await replay('private-chain', 'node1'));
    const stranger = siteOf(await replay('private-chain', 'node4'));
    expect(outputOf(call(get, party, LIMITS))).toHaveLength(32);
    expect(outputOf(call(get, stranger, LIMITS))).toHaveLength(0);
  });
});

describe('calls after each other', () => {
  it('answer as if they were alone, and leave the state unchanged for the next one', () => {
    const site = siteOf(chain);
    const series = new CallSeries(site, LIMITS.gasCap);
    const alone = (request: CallRequest) => {
      const { kind, output } = call(request, site, LIMITS);
      return { kind, output };
    };
    const requests: CallRequest[] = [
      { to: TOKEN, data: BALANCE_OF_FRIEND },
      { to: TOKEN, data: TRANSFER_1, from: HOLDER },
      { to: TOKEN, data: TRANSFER_1 },
      { to: FAILING, data: BALANCE_OF_FRIEND },
      { to: TOKEN, data: BALANCE_OF_FRIEND },
    ];
    for (const request of [...requests, ...requests]) {
      const { to, data, from } = request;
      expect(series.run(to!, data!, from)).toMatchObject(alone(request));
    }
  });
});

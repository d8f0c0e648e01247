/**
 * Besu's recorded traces: its chain is executed again from its transactions, and each block's calls
 * and state differences are compared. So are the opcodes of calls on its latest state.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { bytesToBigInt } from '../../src/core/base/quantity.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { rulesAt } from '../../src/core/chain/rules.ts';
import { signTransaction } from '../../src/core/chain/signing.ts';
import { decodeTransaction } from '../../src/core/chain/transaction.ts';
import type { Tracer } from '../../src/core/evm/tracer.ts';
import { type FlatCall, FlatCallTracer } from '../../src/core/evm/tracers/flat-call.ts';
import { MuxTracer } from '../../src/core/evm/tracers/mux.ts';
import { PrestateTracer } from '../../src/core/evm/tracers/prestate.ts';
import { type VmTrace, VmTracer } from '../../src/core/evm/tracers/vm.ts';
import { applyMessage } from '../../src/core/execution/public-transaction.ts';
import { MemoryReader } from '../../src/core/state/memory-reader.ts';
import { PublicWorld } from '../../src/core/state/public-world.ts';
import { stateDiff } from '../../src/services/ledger/api/debug/state-diff.ts';
import { publicVectorsFor, READS_PUBLIC_VECTORS, readJson } from './folders.ts';

const COINBASE = new Uint8Array(20);
const REWARD = 2n * 10n ** 18n;
const GAS_LIMIT = 2n ** 44n;
const ANY_KEY = new Uint8Array(32).fill(1);
const OPTIONS = { convertParityErrors: true, ownGas: true };

interface Ran {
  readonly transactionHash: string;
  readonly calls: readonly FlatCall[];
  readonly stateDiff: unknown;
}

type Sent = Parameters<typeof applyMessage>[1];

interface Chain {
  /** The effects of each block's transactions, by block number. */
  readonly blocks: ReadonlyMap<number, readonly Ran[]>;
  /** Runs a message on the latest state, and leaves that as it is. */
  opcodesOf(sender: Uint8Array, body: Body): VmTrace;
}

function runChain(folder: string): Chain {
  const { config, alloc } = readJson(join(folder, 'genesis.json'));
  const { homesteadBlock, petersburgBlock, istanbulBlock, chainID: chainId } = config;
  const forks = { homesteadBlock, petersburgBlock, istanbulBlock, chainId };
  // Besu enables a fork that the genesis does not name together with the next one that it names.
  const others = ['eip150', 'eip155', 'eip158', 'byzantium', 'constantinople'];
  const all = { ...forks, ...Object.fromEntries(others.map((name) => [`${name}Block`, 0])) };
  const parts = { config: all, alloc, difficulty: '0x1', gasLimit: '0x1' };
  const genesis = genesisFromJson(parts, 'ethereum');
  const rules = rulesAt(genesis.config, 1, 1n);
  const accounts = genesis.alloc.map((account) => ({
    ...account,
    storage: new Map(
      account.storage.map(([slot, value]) => [bytesToBigInt(slot), bytesToBigInt(value)] as const),
    ),
  }));
  const world = new PublicWorld(MemoryReader.fromAlloc(accounts).reader, 1);
  const apply = (number: number, message: Sent, tracer: Tracer) => {
    const block = {
      ...{ number, timestamp: BigInt(number), coinbase: COINBASE, gasLimit: GAS_LIMIT },
      ...{ difficulty: 15n, prevRandao: new Uint8Array(32), baseFee: 0n, blobBaseFee: 1n },
    };
    const shared = { rules, block, blockHash: () => undefined, feesTo: COINBASE, tracer };
    applyMessage(world, message, shared, { left: GAS_LIMIT });
  };
  const run = (number: number, fields: any): Ran => {
    const key = fromHex(fields.secretKey);
    const nonce = world.nonce(addressOfSecretKey(key));
    const gasPrice = BigInt(fields.gasPrice);
    const tx = signTransaction(
      {
        ...{ nonce, gasPrice, gasLimit: BigInt(fields.gasLimit) },
        to: fields.to && fromHex(fields.to),
        value: BigInt(fields.value ?? 0),
        data: fromHex(`0x${(fields.data ?? '').replace(/^0x/, '')}`),
      },
      key,
    );
    world.beginTransaction();
    const flat = new FlatCallTracer(OPTIONS);
    const states = new PrestateTracer(world, { diffMode: true });
    states.begin(tx.sender, tx.to, COINBASE);
    apply(number, tx, new MuxTracer([flat, states]));
    world.finishTransaction(rules);
    const diff = stateDiff(states.result() as Parameters<typeof stateDiff>[0]);
    return { transactionHash: toHex(tx.hash), calls: flat.result(0, 0), stateDiff: diff };
  };
  const opcodesOf = (sender: Uint8Array, body: Body) => {
    world.beginTransaction();
    const before = world.snapshot();
    const tracer = new VmTracer();
    const signed = signTransaction({ ...body, nonce: world.nonce(sender) }, ANY_KEY);
    const message: Sent = Object.create(signed, { sender: { value: sender } });
    apply(recorded.length, message, tracer);
    world.revert(before);
    return tracer.result();
  };
  const { blocks: recorded } = readJson(join(folder, 'blocks.json')) as {
    blocks: { transactions: any[] }[];
  };
  const blocks = new Map(
    recorded.map(({ transactions }, at) => {
      const ran = transactions.map((fields) => run(at + 1, fields));
      world.beginTransaction();
      world.addBalance(COINBASE, REWARD);
      world.finishTransaction(rules);
      return [at + 1, ran];
    }),
  );
  return { blocks, opcodesOf };
}

type Body = Parameters<typeof signTransaction>[0];

/** The sender and the message of a `trace_call`. */
function callOf({ from, to, gas, gasPrice, value, data, nonce }: any): [Uint8Array, Body] {
  const body = {
    ...{ nonce: BigInt(nonce), gasPrice: BigInt(gasPrice), gasLimit: BigInt(gas) },
    ...{ to: to && fromHex(to), value: BigInt(value ?? 0), data: fromHex(data ?? '0x') },
  };
  return [fromHex(from), body];
}

/** Those of a signed transaction. */
function signedOf(raw: string): [Uint8Array, Body] {
  const { sender, nonce, gasPrice, gasLimit, to, value, data } = decodeTransaction(fromHex(raw));
  return [sender, { nonce, gasPrice, gasLimit, to, value, data }];
}

/** Besu does not name opcodes. */
const withoutNames = ({ code, ops }: VmTrace): unknown => ({
  code,
  ops: ops.map(({ op: _, sub, ...rest }) => ({ ...rest, sub: sub && withoutNames(sub) })),
});

/** In the format of the methods, without the fields that only Besu has for a revert. */
function printed(call: FlatCall | Record<string, unknown>) {
  const { revertReason: _, ...rest } = call as Record<string, unknown>;
  const isReverted = rest.error === 'Reverted';
  return isReverted ? { ...rest, result: undefined } : { ...rest, result: rest.result ?? null };
}

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

it(
  "the calls and state differences of a chain match Besu's recording",
  READS_PUBLIC_VECTORS,
  (context) => {
    const folder = join(publicVectorsFor(context), 'public/besu/trace');
    const chain = runChain(join(folder, 'chain-data')).blocks;
    let compared = 0;
    for (const one of Object.values<any>(readJson(join(folder, 'trace-block.json.gz')))) {
      const [number] = one.request.params;
      const wanted = one.response.result
        .filter(({ type }: any) => type !== 'reward')
        .map(({ blockHash: _, blockNumber: __, transactionPosition: ___, ...rest }: any) =>
          printed(rest),
        );
      const found = (chain.get(Number(number)) ?? []).flatMap(({ calls, transactionHash }) =>
        calls.map((call) => ({ ...printed(call), transactionHash })),
      );
      expect(plain(found), `trace_block ${number}`).toEqual(plain(wanted));
      compared++;
    }
    for (const file of ['statediff', 'flat']) {
      const cases = readJson(join(folder, `replay-trace-transaction.${file}.json.gz`));
      for (const one of Object.values<any>(cases)) {
        if (!one.response.result) continue;
        const [number, kinds] = one.request.params;
        const wanted = one.response.result.map(({ transactionHash, stateDiff, trace }: any) => ({
          ...{ transactionHash, stateDiff, trace: trace.map(printed) },
        }));
        const found = (chain.get(Number(number)) ?? []).map(({ calls, ...ran }) => ({
          transactionHash: ran.transactionHash,
          stateDiff: kinds.includes('stateDiff') ? ran.stateDiff : null,
          trace: kinds.includes('trace') ? calls.map(printed) : [],
        }));
        expect(plain(found), `replay of block ${number}: ${kinds}`).toEqual(plain(wanted));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(50);
  },
);

it(
  "the opcodes of calls and of signed transactions match Besu's recording",
  READS_PUBLIC_VECTORS,
  (context) => {
    const folder = join(publicVectorsFor(context), 'public/besu/trace');
    const { opcodesOf } = runChain(join(folder, 'chain-data'));
    let compared = 0;
    for (const file of ['trace-call', 'trace-raw-transaction']) {
      for (const [name, one] of Object.entries<any>(readJson(join(folder, `${file}.json.gz`)))) {
        const wanted = one.response.result?.vmTrace;
        if (!wanted) continue;
        const [sent] = one.request.params;
        const [sender, body] = file === 'trace-call' ? callOf(sent) : signedOf(sent);
        expect(plain(withoutNames(opcodesOf(sender, body))), name).toEqual(wanted);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(40);
  },
);

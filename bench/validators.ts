/**
 * 4, 7, 13 and 21 validators under the same load: messages and CPU of a block, bytes of a
 * transaction per node. With REFERENCE_GETH=FILE, GoQuorum's run the same load in turn (A B B A).
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareHex, fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { addressOfSecretKey, secp256k1 } from '../src/core/base/secp256k1.ts';
import { MNEMONIC_KEYS } from '../src/core/base/test-mnemonic.ts';
import { type LoadResult, load, otherCpu } from './net.ts';
import { Processes, startValidators, type ValidatorSpec, writeNetworkGenesis } from './network.ts';
import { cpuSeconds, residentMb, rpc, sleep } from './processes.ts';
import type { Figure } from './report.ts';

const SIZES = (process.env.VALIDATORS_SIZES ?? '4,7,13,21').split(',').map(Number);
const ROUNDS = Number(process.env.VALIDATORS_ROUNDS ?? 2);
/** Transfers per second, the same for all sizes and both products. */
const RATE = Number(process.env.VALIDATORS_RATE ?? 50);
const SECONDS = Number(process.env.VALIDATORS_SECONDS ?? 15);
const REST_SECONDS = 8;
const ACCOUNTS = 42;
const PORTS_FROM = 28_100;
const KEY = MNEMONIC_KEYS[0]!;

interface Validator extends ValidatorSpec {
  readonly address: string;
  readonly enode: string;
  readonly nodeKey: Uint8Array;
  readonly metricsPort: number;
}

/** What the network spends between two looks, at rest and under the load. */
interface Spell {
  readonly blocks: number;
  readonly bytes: number;
  readonly messages: number;
  readonly cpu: number;
}

interface Round {
  readonly result: LoadResult;
  readonly rest: Spell;
  readonly busy: Spell;
  readonly rssMb: number;
}

export async function validators(): Promise<readonly Figure[]> {
  const reference = process.env.REFERENCE_GETH;
  const figures: Figure[] = [];
  for (const size of SIZES) {
    const ours: Round[] = [];
    const theirs: Round[] = [];
    for (let turn = 0; turn < ROUNDS; turn++) {
      const order = turn % 2 === 0 ? [reference, undefined] : [undefined, reference];
      for (const binary of reference === undefined ? [undefined] : order) {
        const round = await play(size, binary).catch((error: Error) => {
          if (binary === undefined) throw error;
          console.log(`${size} validators, reference: ${error.message}`);
        });
        if (!round) continue;
        (binary === undefined ? ours : theirs).push(round);
        say(size, binary, round);
      }
    }
    figures.push(...figuresOf(size, ours, theirs));
  }
  return figures;
}

async function play(size: number, reference: string | undefined): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'));
  const nodes = Array.from({ length: size }, (_, index) => validatorOf(folder, index, size));
  for (const node of nodes) writeFiles(node, nodes);
  const funded = [toHex(addressOfSecretKey(fromHex(KEY)))];
  const parts = { consensus: 'qbft', nodes, funded } as const;
  const genesis = writeNetworkGenesis(folder, parts, { isPrivate: false });
  const processes = new Processes(folder);
  try {
    const { nodes: children, rpcUrls } = await startValidators(processes, nodes, genesis, {
      ...{ reference, verbosity: 3, portsFrom: PORTS_FROM, isPrivate: false, isMeasured: true },
    });
    const pids = children.map((child) => child.pid!);
    const look = async (): Promise<Spell> => {
      const counts = await Promise.all(nodes.map(({ metricsPort }) => countsOf(metricsPort)));
      const sum = (name: 'bytes' | 'messages') =>
        counts.reduce((total, each) => total + each[name], 0);
      const blocks = Number(await rpc(rpcUrls[0]!, 'eth_blockNumber'));
      return { blocks, bytes: sum('bytes'), messages: sum('messages'), cpu: cpuSeconds(pids) };
    };
    const started = await look();
    await sleep(REST_SECONDS * 1000);
    const before = await look();
    const result = await load({ rpcUrls, pids, key: KEY }, 'transfer', [
      ...['--txs', String(RATE * SECONDS), '--rate', String(RATE)],
      ...['--accounts', String(ACCOUNTS), '--batch', '1', '--inflight', '1'],
    ]);
    const after = await look();
    if (result.failed + result.lost + result.badReceipts > 0)
      throw new Error(`${size} validators: ${JSON.stringify(result)}`);
    const rssMb = Math.max(...pids.map((pid) => residentMb(pid)));
    return { result, rest: between(started, before), busy: between(before, after), rssMb };
  } finally {
    await processes.stop();
  }
}

function between(from: Spell, to: Spell): Spell {
  return {
    blocks: to.blocks - from.blocks,
    bytes: to.bytes - from.bytes,
    messages: to.messages - from.messages,
    cpu: to.cpu - from.cpu,
  };
}

function validatorOf(folder: string, index: number, size: number): Validator {
  const nodeKey = keccak256(new TextEncoder().encode(`validator ${index} of a bench`));
  const [rpc, p2p, metrics] = [0, 1, 2].map((kind) => PORTS_FROM + kind * size + index);
  return {
    name: `node${index + 1}`,
    folder: join(folder, `node${index + 1}`),
    ports: { rpc: rpc!, p2p: p2p!, metrics: metrics! },
    metricsPort: metrics!,
    nodeKey,
    address: toHex(addressOfSecretKey(nodeKey)),
    enode: `enode://${bareHex(secp256k1().publicKey(nodeKey))}@127.0.0.1:${p2p}?discport=0`,
  };
}

function writeFiles(node: Validator, all: readonly Validator[]): void {
  mkdirSync(node.folder, { recursive: true });
  writeFileSync(join(node.folder, 'nodekey'), bareHex(node.nodeKey), { mode: 0o600 });
  const others = all.filter((other) => other !== node).map(({ enode }) => enode);
  writeFileSync(join(node.folder, 'static-nodes.json'), JSON.stringify(others));
}

/** Bytes and messages that a node has sent to peers; GoQuorum counts messages by kind. */
async function countsOf(port: number): Promise<{ bytes: number; messages: number }> {
  const reply = await fetch(`http://127.0.0.1:${port}/debug/metrics/prometheus`);
  let bytes = 0;
  let messages = 0;
  for (const line of (await reply.text()).split('\n')) {
    const [name, value] = line.split(' ');
    if (name === 'p2p_egress') bytes = Number(value);
    else if (/^p2p_egress(_\w+)?_packets$/.test(name ?? '')) messages += Number(value);
  }
  return { bytes, messages };
}

function say(size: number, binary: string | undefined, round: Round): void {
  const name = binary === undefined ? 'quorate' : 'reference';
  const values = ROWS.map(
    ({ name: what, unit, of }) => `${what} ${of(round, size).toFixed(1)} ${unit}`,
  );
  console.log(`${size} validators, ${name}: ${values.join(', ')}`);
}

interface Row {
  readonly name: string;
  readonly unit: string;
  of(round: Round, size: number): number;
}

const ROWS: readonly Row[] = [
  { name: 'messages of an empty block', unit: '', of: ({ rest }) => rest.messages / rest.blocks },
  {
    name: 'bytes of an empty block',
    unit: 'kB',
    of: ({ rest }) => rest.bytes / rest.blocks / 1000,
  },
  { name: 'messages of a block', unit: '', of: ({ busy }) => busy.messages / busy.blocks },
  { name: 'CPU of a block', unit: 'ms', of: ({ busy }) => (busy.cpu * 1000) / busy.blocks },
  {
    name: 'bytes of a transaction per node',
    unit: 'B',
    of: ({ rest, busy, result }, size) =>
      (busy.bytes - (rest.bytes / rest.blocks) * busy.blocks) / (result.included + ACCOUNTS) / size,
  },
  { name: 'p50', unit: 'ms', of: ({ result }) => result.p50ms },
  { name: 'p95', unit: 'ms', of: ({ result }) => result.p95ms },
  { name: 'memory of the largest node', unit: 'MB', of: ({ rssMb }) => rssMb },
  { name: 'CPU of something else', unit: 'cores', of: ({ result }) => otherCpu(result) },
];

function figuresOf(size: number, ours: readonly Round[], theirs: readonly Round[]): Figure[] {
  return ROWS.map(({ name, unit, of }) => ({
    name: `${size} validators: ${name}`,
    unit,
    runs: ours.map((round) => of(round, size)),
    ...(theirs.length > 0
      ? { reference: { name: 'reference', runs: theirs.map((round) => of(round, size)) } }
      : {}),
  }));
}

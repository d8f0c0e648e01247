/** Every method of every namespace, each parameter with its worst values. */
import { toHex } from '../../../src/core/base/hex.ts';
import { TABLE } from '../../../src/services/ledger/api/table.ts';
import type { BftNode } from '../../support/bft-processes.ts';
import type { Case } from '../case.ts';
import { requestUntil } from '../clients.ts';
import { loop } from '../code.ts';
import { honestAddress } from '../sending.ts';

const CLIENTS = 4;
/** Not tried: methods that an operator calls to change the node or its network. */
const OPERATOR_METHODS = new Set([
  ...['admin_removePeer', 'admin_addPeer', 'admin_addTrustedPeer', 'admin_removeTrustedPeer'],
  ...['miner_start', 'miner_stop', 'miner_setGasPrice', 'miner_setRecommitInterval'],
  ...['miner_setEtherbase', 'istanbul_propose', 'istanbul_discard'],
]);
const LONG_TEXT = 'a'.repeat(1_000_000);
const LONG_DATA = `0x${'5b'.repeat(1_000_000)}`;
const ENDLESS = loop('');

/** By the parameter's name in the table of methods. */
type Worst = (chain: { hash: string; transaction: string }) => unknown;
const CALL = { data: ENDLESS };
const TOPICS = Array.from({ length: 4 }, (_, at) => {
  return Array.from({ length: 500 }, (__, i) => `0x${(i + at).toString(16).padStart(64, '0')}`);
});
const WORST: Record<string, Worst> = {
  block: () => 'latest',
  newestBlock: () => 'latest',
  blockCount: () => '0x400',
  rewardPercentiles: () => Array.from({ length: 100 }, (_, at) => at),
  hash: ({ hash }) => hash,
  markerHash: ({ transaction }) => transaction,
  index: () => '0x0',
  address: honestAddress,
  key: () => '0x0',
  keys: () => Array.from({ length: 1000 }, (_, at) => `0x${at.toString(16)}`),
  transaction: () => ({ from: honestAddress(), ...CALL }),
  overrides: () => ({ [honestAddress()]: { code: ENDLESS } }),
  filter: () => ({ fromBlock: '0x0', toBlock: 'latest', topics: TOPICS }),
  options: () => ({ tracer: 'prestateTracer', timeout: '60s' }),
  data: () => LONG_DATA,
  text: () => LONG_TEXT,
  password: () => LONG_TEXT,
  payload: () => LONG_TEXT,
  extra: () => LONG_TEXT,
  maxResults: () => 1_000_000,
  withoutCode: () => false,
  withoutStorage: () => false,
  incompletes: () => true,
  fullTransactions: () => true,
  start: () => `0x${'00'.repeat(32)}`,
  typedData: () => nested(5_000),
  group: () => ({ addresses: Array.from({ length: 10_000 }, () => LONG_TEXT.slice(0, 44)) }),
  addresses: () => Array.from({ length: 20_000 }, () => LONG_TEXT.slice(0, 44)),
  privateFor: () => Array.from({ length: 20_000 }, () => LONG_TEXT.slice(0, 44)),
  privateData: () => ({ privateFor: Array.from({ length: 20_000 }, () => LONG_TEXT.slice(0, 44)) }),
};

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

type Method = (typeof TABLE.methods)[number];

function worstOf({ params = [] }: Method, chain: Parameters<Worst>[0]): unknown[] {
  return params.map(({ name }) => (WORST[name] ?? (() => LONG_TEXT))(chain));
}

async function chainOf({ rpc }: BftNode): Promise<Parameters<Worst>[0]> {
  const { hash, transactions } = await rpc.call<any>('eth_getBlockByNumber', 'latest', false);
  return { hash, transaction: transactions[0] ?? toHex(new Uint8Array(32)) };
}

const NAMESPACES = new Map<string, Method[]>();
for (const method of TABLE.methods) {
  if (OPERATOR_METHODS.has(method.names[0]!)) continue;
  const namespace = method.names[0]!.split(/[_.]/)[0]!;
  // The network runs no Raft.
  if (namespace === 'raft') continue;
  NAMESPACES.set(namespace, [...(NAMESPACES.get(namespace) ?? []), method]);
}

export const RPC_CASES: readonly Case[] = [...NAMESPACES].map(([namespace, methods]) => ({
  name: `${methods.length} methods of ${namespace}, each at its worst`,
  group: 'rpc',
  isShort: namespace === 'debug',
  // A large namespace has more to try.
  seconds: methods.length > 20 ? 20 : 6,
  async attack({ nodes }, isOver) {
    const node = nodes[0]!;
    const chain = await chainOf(node);
    let next = 0;
    await requestUntil(CLIENTS, isOver, () => {
      const method = methods[next++ % methods.length]!;
      return node.rpc.call(method.names[0]!, ...worstOf(method, chain));
    });
    return `${next} calls`;
  },
}));

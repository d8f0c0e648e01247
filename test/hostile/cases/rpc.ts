/** Every method of every namespace, each parameter with its worst values. */
import { TABLE } from '../../../src/services/ledger/api/table.ts';
import type { BftNode } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import type { NodeProcess } from '../../support/node-process.ts';
import type { Case } from '../case.ts';
import { requestUntil } from '../clients.ts';
import { loop } from '../code.ts';
import type { HostileNetwork } from '../network.ts';
import { create } from '../sending.ts';
import { type Scene, worstOf } from './worst.ts';

const CLIENTS = 4;
/** Methods of one case: each may take five seconds, and all must be called. */
const METHODS_MAX = 12;
const SCENE_GAS = 20_000_000n;
/** JUMPDEST, then new slots until 30,000 gas are left. */
const THOUSAND_SLOTS = '0x5b5a5a556175305a11600057';

/** They stop or change the validator itself, so that what they cost has other bounds. */
const OPERATOR_METHODS: ReadonlySet<string> = new Set([
  ...['admin_removePeer', 'admin_addPeer', 'admin_addTrustedPeer', 'admin_removeTrustedPeer'],
  ...['admin_exportChain', 'admin_importChain', 'admin_reloadPlugin'],
  ...['miner_stop', 'miner_start', 'miner_setGasPrice', 'miner_setRecommitInterval'],
  ...['miner_setEtherbase', 'istanbul_propose', 'istanbul_discard'],
]);

type Method = (typeof TABLE.methods)[number];
const nameOf = ({ names }: Method): string => names[0]!;
const namespaceOf = (method: Method): string => nameOf(method).split(/[_.]/)[0]!;

const scenes = new WeakMap<HostileNetwork, Promise<Scene>>();

/** A contract and a transaction that are dear to read, once a network. */
function sceneOf(network: HostileNetwork): Promise<Scene> {
  const known = scenes.get(network) ?? makeScene(network);
  scenes.set(network, known);
  return known;
}

async function makeScene({ nodes }: HostileNetwork): Promise<Scene> {
  const node = nodes[1]!;
  const [slots, long] = await Promise.all(
    [THOUSAND_SLOTS, loop('')].map((code) => create(node, code, { gas: SCENE_GAS })),
  );
  const contract = await receiptOf(node, slots!.hash);
  const { blockHash, blockNumber } = await receiptOf(node, long!.hash);
  return {
    contract: contract.contractAddress,
    transaction: long!.hash,
    blockHash,
    blockNumber: Number(blockNumber),
    block: await node.rpc.call('debug_getRawBlock', blockHash),
    enode: nodes[2]!.enode,
  };
}

function receiptOf({ rpc }: NodeProcess, hash: string): Promise<any> {
  return until('the contract to read is there', async () => {
    return (await rpc.call<any>('eth_getTransactionReceipt', hash)) ?? undefined;
  });
}

/** Calls the methods in turn, from several clients at once. */
async function callAll(
  network: HostileNetwork,
  isOver: () => boolean,
  methods: readonly Method[],
): Promise<string> {
  const { rpc } = network.nodes[0]!;
  const scene = await sceneOf(network);
  let next = 0;
  await requestUntil(CLIENTS, isOver, () => {
    const turn = Math.floor(next / methods.length);
    const method = methods[next++ % methods.length]!;
    const name = nameOf(method);
    const params = (method.params ?? []).map((param, at) =>
      worstOf(name, param.name)!(scene, turn, at),
    );
    return rpc.call(name, ...params);
  });
  if (next < methods.length) throw new Error(`only ${next} of ${methods.length} were called`);
  return `${next} calls`;
}

function caseOf(name: string, methods: readonly Method[], more: Partial<Case> = {}): Case {
  return {
    name: `${methods.length} ${name}, each at its worst`,
    group: 'rpc',
    covers: methods.map((method) => `method ${nameOf(method)}`),
    seconds: 6 + methods.length,
    attack: (network, isOver) => callAll(network, isOver, methods),
    ...more,
  };
}

const isOperators = (method: Method) => OPERATOR_METHODS.has(nameOf(method));
const namespaces = new Map<string, Method[]>();
for (const method of TABLE.methods) {
  const namespace = namespaceOf(method);
  // Those of raft have a cluster of their own (./raft.ts).
  if (isOperators(method) || namespace === 'raft') continue;
  namespaces.set(namespace, [...(namespaces.get(namespace) ?? []), method]);
}

/** Parts of almost the same size. */
function partsOf(methods: readonly Method[]): Method[][] {
  const size = Math.ceil(methods.length / Math.ceil(methods.length / METHODS_MAX));
  const parts: Method[][] = [];
  for (let at = 0; at < methods.length; at += size) parts.push(methods.slice(at, at + size));
  return parts;
}

export const RPC_CASES: readonly Case[] = [
  ...[...namespaces].flatMap(([namespace, methods]) =>
    partsOf(methods).map((part, at) =>
      caseOf(`methods of ${namespace}${at > 0 ? ` (${at + 1})` : ''}`, part, {
        isShort: namespace === 'debug' && at === 0,
      }),
    ),
  ),
  // While it is stopped, a validator proposes nothing, and its rounds pass.
  caseOf('methods that change the node', TABLE.methods.filter(isOperators), {
    bounds: { blockShare: 0.3, rounds: 10, gapSeconds: 9 },
    async attack(network, isOver) {
      const note = await callAll(network, isOver, TABLE.methods.filter(isOperators));
      // It may have been stopped, without peers, and dear: the next cases need it as it was.
      const [node] = network.nodes as [BftNode];
      await node.stop();
      await network.restart(node);
      return note;
    },
  }),
];

/**
 * The form in which a node is passed to the contracts: version 1 takes its URL, version 2 its
 * parts.
 */
import type { AbiValue } from '../../base/abi.ts';
import { callOf } from '../abi.ts';
import type { NodeRecord } from '../records.ts';
import { type ActionContext, nodeIn } from './checks.ts';

const NODE_TYPES = { v1: 'string', v2: 'string,string,uint16,uint16' } as const;

/**
 * Builds calls to a function with a node among its parameters, written as `NODE` in the signature.
 */
export function nodeCall(
  signature: string,
): (context: ActionContext, ...values: AbiValue[]) => Uint8Array {
  const [v1, v2] = (['v1', 'v2'] as const).map((model) =>
    callOf(signature.replace('NODE', NODE_TYPES[model])),
  );
  return ({ config }, ...values) => (config.model === 'v1' ? v1! : v2!)(...values);
}

/** Arguments for a node that the network does not know yet; an empty URL means no node. */
export function newNode(context: ActionContext, url: string): AbiValue[] {
  const { config, isRaft, hasDns, addressOf } = context;
  if (config.model === 'v1') return [url];
  if (url === '') return ['', '', 0n, 0n];
  const { id, host = '', tcpPort, raftPort = 0 } = nodeIn(context, url);
  const address = isRaft && hasDns ? host : addressOf(host)!;
  return [id, address, BigInt(tcpPort), BigInt(raftPort)];
}

/** Arguments for a known node, in its recorded form. */
export function recordedNode({ config }: ActionContext, node: NodeRecord): AbiValue[] {
  const { contractId, address, port, raftPort } = node;
  return config.model === 'v1'
    ? [contractId]
    : [contractId, address, BigInt(port), BigInt(raftPort)];
}

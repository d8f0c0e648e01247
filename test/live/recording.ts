/**
 * The recorded private network: its keys, its genesis, and the requests of each step, with every
 * answer.
 */
import { join } from 'node:path';
import { contentsOf, type Held } from '../support/recorded-manager.ts';
import { OWN_VECTORS, readJson } from '../vectors/folders.ts';

const RECORDING: string = join(OWN_VECTORS, 'goquorum/private-chain');
export const NODE_NAMES = ['node1', 'node2', 'node3', 'node4'] as const;
export type NodeName = (typeof NODE_NAMES)[number];

type PerNode = Readonly<Record<NodeName, unknown>>;

export interface Request {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One request, and the nodes' state afterwards, without block hashes, numbers and signatures. */
export interface Step {
  readonly name: string;
  readonly node: NodeName;
  readonly request: Request;
  readonly result?: unknown;
  readonly error?: unknown;
  /** The next step goes out before this one is mined. */
  readonly isRaced?: boolean;
  /** Sent before the previous step is mined. */
  readonly isRaceEnd?: boolean;
  /** By account: the number of transactions that must be mined before this step. */
  readonly settled?: Readonly<Record<string, number>>;
  readonly transaction?: RecordedTransaction;
  readonly receipts?: PerNode;
  readonly quorumPayload?: PerNode;
  readonly quorumPayloadExtra?: PerNode;
  readonly contractAddress?: string | null;
  readonly code?: PerNode;
  readonly contractPrivacyMetadata?: PerNode;
  readonly privateTransaction?: PerNode;
  readonly privateReceipt?: PerNode;
  readonly privateStateRoots?: Readonly<Record<NodeName, string>>;
  /** The contract whose value is in `after` and `value`, and whose metadata is in `metadata`. */
  readonly reads?: string;
  readonly after?: PerNode;
  readonly value?: PerNode;
  readonly metadata?: PerNode;
  /** The management contract that `status` is about. */
  readonly manages?: string;
  readonly status?: PerNode;
  readonly active?: PerNode;
  /** Request bodies that the callback URL received. */
  readonly callbacks?: readonly string[];
}

interface RecordedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
  readonly input: string;
}

export interface NodeKeys {
  readonly name: NodeName;
  readonly nodeKey: string;
  readonly nodeId: string;
  readonly nodeAddress: string;
  readonly accountKey: string;
  readonly account: string;
  readonly ptm: { readonly pub: string; readonly priv: string };
}

export interface Recording {
  readonly nodes: readonly NodeKeys[];
  /** Secret keys by lower-case address, of the nodes' accounts and of users. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly genesisFile: string;
  readonly steps: readonly Step[];
  /** The managers' payloads, by hash in hex. */
  readonly held: Readonly<Record<string, Held>>;
}

export function readRecording(): Recording {
  const keys = readJson(join(RECORDING, 'keys.json'));
  const secrets = new Map<string, string>();
  for (const { account, accountKey } of keys.nodes) secrets.set(account.toLowerCase(), accountKey);
  for (const { address, key } of keys.users) secrets.set(address.toLowerCase(), key);
  return {
    nodes: keys.nodes,
    secrets,
    genesisFile: join(RECORDING, 'genesis.json'),
    steps: readJson(join(RECORDING, 'private/live-steps.json.gz')),
    held: contentsOf(RECORDING),
  };
}

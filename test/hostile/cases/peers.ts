/**
 * Every message code of every protocol, sent by a peer with an unknown key and a correct handshake.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fromHex } from '../../../src/core/base/hex.ts';
import { listOfRaw, RlpWriter } from '../../../src/core/base/rlp.ts';
import { encodeConnections } from '../../../src/core/wire/connections.ts';
import { ETH_MESSAGE } from '../../../src/core/wire/eth.ts';
import {
  encodeGetBlockHeaders,
  encodeHashRequest,
  encodeNewBlock,
  encodeNewBlockHashes,
  encodePooledHashes,
  encodePooledTransactions,
  encodeRawReply,
  encodeTransactions,
} from '../../../src/core/wire/eth-encode.ts';
import type { Case } from '../case.ts';
import type { HostileNetwork } from '../network.ts';
import { Stranger } from '../stranger.ts';

const SECONDS = 5;
/** Limits the bytes sent per kind of message, so that the attacker's own process stays small. */
const SAID_BYTES_MAX = 60_000_000;
const PAUSE_MS = 20;

const hashes = (count: number) =>
  Array.from({ length: count }, () => new Uint8Array(randomBytes(32)));
const repeated = <T>(count: number, item: T): T[] => new Array<T>(count).fill(item);

/** A random signature recovers to some account in half of all cases, one that nobody owns. */
function transactionOfNobody(): Uint8Array {
  return new RlpWriter()
    .list((w) => {
      w.number(0).bigint(0n).number(900_000).string(new Uint8Array(20)).bigint(0n);
      w.string(fromHex('0x5b600056')).number(2709);
      w.string(Uint8Array.from([1, ...randomBytes(31)])).string(
        Uint8Array.from([1, ...randomBytes(31)]),
      );
    })
    .finish();
}

/** Lists nested in lists. */
function nested(depth: number): Uint8Array {
  const bytes: Uint8Array[] = [];
  let length = 0;
  for (let i = 0; i < depth; i++) {
    const writer =
      length < 56
        ? Uint8Array.of(0xc0 + length)
        : Uint8Array.of(0xf9, (length >> 8) & 0xff, length & 0xff);
    bytes.unshift(writer);
    length += writer.length;
  }
  return Buffer.concat(bytes);
}

function emptyLists(count: number): Uint8Array {
  const head = Uint8Array.of(0xfa, (count >> 16) & 0xff, (count >> 8) & 0xff, count & 0xff);
  return Buffer.concat([head, new Uint8Array(count).fill(0xc0)]);
}

const ZEROS = new Uint8Array(9_000_000);

/** Codes without a meaning: one that is sent, and those that are handled like it. */
const RESERVED = [
  ['eth', 0x0b, [0x0c]],
  ['istanbul', 0x00, [0x01, 0x02, 0x03, 0x04, 0x05, 0x06]],
  ['istanbul', 0x07, [0x08, 0x09, 0x0a, 0x0b, 0x0c]],
  ['istanbul', 0x10, [0x0d, 0x0e, 0x0f]],
] as const;

interface Sort {
  readonly name: string;
  readonly protocol: 'eth' | 'istanbul' | 'quorate';
  readonly code: number;
  /** Other codes that it stands for. */
  readonly others?: readonly number[];
  readonly times?: number;
  readonly isShort?: boolean;
  /** `head`: hash of the newest block. */
  make(head: Uint8Array): Uint8Array;
}

const eth = (
  name: keyof typeof ETH_MESSAGE,
  make: Sort['make'],
  more: Partial<Sort> = {},
): Sort => ({
  name: `eth ${name}`,
  protocol: 'eth',
  code: ETH_MESSAGE[name],
  make,
  ...more,
});

const SORTS: readonly Sort[] = [
  eth('status', () => ZEROS.subarray(0, 1_000_000)),
  eth('newBlockHashes', () =>
    encodeNewBlockHashes(hashes(4096).map((hash, number) => ({ hash, number: number + 1 }))),
  ),
  eth('transactions', () => encodeTransactions(Array.from({ length: 2_000 }, transactionOfNobody))),
  eth(
    'getBlockHeaders',
    () => encodeGetBlockHeaders(1n, { origin: 1, amount: 1024, skip: 0, reverse: false }),
    { times: 2_000, isShort: true },
  ),
  eth('blockHeaders', () => encodeRawReply(1n, repeated(100, emptyLists(70_000)))),
  eth('getBlockBodies', (head) => encodeHashRequest(1n, repeated(1024, head)), { times: 500 }),
  eth('blockBodies', () => encodeRawReply(1n, repeated(100, emptyLists(70_000)))),
  eth('newBlock', () => encodeNewBlock(emptyLists(2_000_000), 1n << 200n)),
  eth('newPooledTransactionHashes', () => encodePooledHashes(66, hashes(4096), ZEROS, [])),
  eth('getPooledTransactions', (head) => encodeHashRequest(1n, repeated(16_384, head)), {
    times: 100,
  }),
  eth('pooledTransactions', () =>
    encodePooledTransactions(1n, Array.from({ length: 2_000 }, transactionOfNobody)),
  ),
  eth('getNodeData', () => encodeHashRequest(1n, hashes(16_384))),
  eth('nodeData', () => encodeRawReply(1n, repeated(16_384, Uint8Array.of(0x80)))),
  eth('getReceipts', (head) => encodeHashRequest(1n, repeated(1024, head)), { times: 500 }),
  eth('receipts', () => encodeRawReply(1n, repeated(100, emptyLists(70_000)))),
  ...RESERVED.map(
    ([protocol, code, others]): Sort => ({
      name: `${protocol} 0x${code.toString(16)}, reserved`,
      protocol,
      code,
      others,
      make: () => ZEROS,
    }),
  ),
  ...Object.entries({
    'IBFT message': 0x11,
    'PRE-PREPARE': 0x12,
    PREPARE: 0x13,
    COMMIT: 0x14,
    'ROUND-CHANGE': 0x15,
  }).flatMap(([name, code]): Sort[] => [
    {
      name: `istanbul ${name}: empty lists`,
      protocol: 'istanbul',
      code,
      make: () => emptyLists(1_000_000),
    },
    {
      name: `istanbul ${name}: small, many`,
      protocol: 'istanbul',
      code,
      times: 5_000,
      make: () => listOfRaw([nested(200), Uint8Array.of(0xb8, 65, ...randomBytes(65))]),
    },
  ]),
  { name: 'quorate rule changes', protocol: 'quorate', code: 0, make: () => emptyLists(1_000_000) },
  {
    name: 'quorate connections',
    protocol: 'quorate',
    code: 1,
    times: 50,
    make: () => encodeConnections(hashes(20_000).map((each) => each.subarray(12))),
  },
];

async function connected({ nodes }: HostileNetwork): Promise<Stranger | undefined> {
  const stranger = new Stranger([nodes[0]!.enode]);
  try {
    await stranger.start();
    return stranger;
  } catch {
    // The node may refuse it because of what an earlier message did.
    await stranger.stop();
    return undefined;
  }
}

async function talk(network: HostileNetwork, isOver: () => boolean, sort: Sort): Promise<string> {
  const latest = await network.nodes[0]!.rpc.call<any>('eth_getBlockByNumber', 'latest', false);
  const bytes = sort.make(fromHex(latest.hash));
  const times = Math.min(sort.times ?? 40, Math.ceil(SAID_BYTES_MAX / bytes.length));
  let said = 0;
  let strangers = 0;
  while (!isOver() && said < times) {
    const stranger = await connected(network);
    if (!stranger) {
      await pause(200);
      continue;
    }
    strangers++;
    while (stranger.isConnected && said < times && !isOver()) {
      stranger.say({ protocol: sort.protocol, code: sort.code, bytes });
      said++;
      if (said % 50 === 0 || bytes.length > 100_000) await pause(PAUSE_MS);
    }
    // Either the node works on the pending messages, or it disconnects the attacker.
    for (let waited = 0; stranger.isConnected && waited < 1_500 && !isOver(); waited += 100) {
      await pause(100);
    }
    await stranger.stop();
  }
  return `${said} messages of ${bytes.length} B, ${strangers} sessions`;
}

const codeName = (protocol: string, code: number) => `message ${protocol} 0x${code.toString(16)}`;

export const PEER_CASES: readonly Case[] = SORTS.map((sort) => ({
  name: sort.name,
  group: 'peers',
  covers: [sort.code, ...(sort.others ?? [])].map((code) => codeName(sort.protocol, code)),
  seconds: SECONDS,
  bounds: { blockShare: 0.5 },
  ...(sort.isShort && { isShort: true }),
  attack: (network, isOver) => talk(network, isOver, sort),
}));

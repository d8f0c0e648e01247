/** Kind `p2p`: eth messages and fork ids. */
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { ForkSchedule } from '../../src/core/chain/fork-id.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { decodeEth, ETH_MESSAGE, type EthMessage } from '../../src/core/wire/eth.ts';
import {
  encodeGetBlockHeaders,
  encodeHashRequest,
  encodeNewBlock,
  encodeNewBlockHashes,
  encodePooledHashes,
  encodePooledTransactions,
  encodeRawReply,
  encodeTransactions,
} from '../../src/core/wire/eth-encode.ts';
import { decodeStatus, encodeStatus } from '../../src/core/wire/eth-status.ts';
import { LegacyEth } from '../../src/core/wire/legacy-eth.ts';
import type { Report } from './kind.ts';
import { attempt, check } from './p2p-check.ts';

/** Encodes a message's decoded content again: nothing may be lost. */
function rewrite(version: number, message: EthMessage, bytes: Uint8Array): Uint8Array {
  switch (message.kind) {
    case 'status':
      return encodeStatus(message.status);
    case 'newBlockHashes':
      return encodeNewBlockHashes(message.blocks);
    case 'transactions':
      return encodeTransactions(message.transactions);
    case 'getBlockHeaders':
      return encodeGetBlockHeaders(message.requestId, message.query);
    case 'blockHeaders':
      return encodeRawReply(message.requestId, message.headers);
    case 'newBlock':
      return encodeNewBlock(message.block.raw, message.td);
    case 'newPooledTransactionHashes':
      return encodePooledHashes(version, message.hashes, message.types, message.sizes);
    case 'pooledTransactions':
      return encodePooledTransactions(message.requestId, message.transactions);
    case 'receipts':
      return encodeRawReply(message.requestId, message.items);
    case 'blockBodies':
    case 'nodeData':
      return bytes;
    default:
      return encodeHashRequest(message.requestId, message.hashes);
  }
}

const CODES: Readonly<Record<string, number>> = {
  BlockBodiesPacket66: ETH_MESSAGE.blockBodies,
  BlockHeadersPacket66: ETH_MESSAGE.blockHeaders,
  GetBlockBodiesPacket66: ETH_MESSAGE.getBlockBodies,
  GetBlockHeadersPacket66: ETH_MESSAGE.getBlockHeaders,
  GetPooledTransactionsPacket66: ETH_MESSAGE.getPooledTransactions,
  GetReceiptsPacket66: ETH_MESSAGE.getReceipts,
  PooledTransactionsPacket66: ETH_MESSAGE.pooledTransactions,
  ReceiptsPacket66: ETH_MESSAGE.receipts,
};

export function checkEthPackets(vectors: any, report: Report): void {
  for (const [name, vector] of Object.entries<any>(vectors)) {
    attempt(report, name, () => {
      const code = CODES[vector.type];
      if (code === undefined) throw new Error(`unknown packet ${vector.type}`);
      const bytes = fromHex(vector.rlp);
      const message = decodeEth(66, code, bytes);
      check(report, `${name}, written`, toHex(rewrite(66, message, bytes)), vector.rlp);
      check(report, name, summary(message), wantedSummary(vector.data));
    });
  }
}

function summary(message: EthMessage): unknown[] {
  const id = 'requestId' in message ? Number(message.requestId) : undefined;
  if (message.kind === 'getBlockHeaders') {
    const { origin, amount, skip, reverse } = message.query;
    return [id, typeof origin === 'number' ? origin : toHex(origin), amount, skip, reverse];
  }
  if (message.kind === 'blockBodies')
    return [id, ...message.bodies.map((b) => [b.transactions.length, b.uncles.length])];
  if (message.kind === 'blockHeaders') return [id, message.headers.length];
  if (message.kind === 'pooledTransactions') return [id, message.transactions.length];
  if (message.kind === 'receipts') return [id, message.items.length];
  return [id, ...('hashes' in message ? message.hashes.map(toHex) : [])];
}

function wantedSummary(data: any): unknown[] {
  const id = data.RequestId;
  if (data.Origin) {
    const origin = data.Origin.Number || data.Origin.Hash;
    return [id, origin, data.Amount, data.Skip, data.Reverse];
  }
  const bodies = data.BlockBodiesPacket;
  if (bodies) return [id, ...bodies.map((b: any) => [b.Transactions.length, b.Uncles.length])];
  const counted = data.BlockHeadersPacket ?? data.PooledTransactionsPacket ?? data.ReceiptsPacket;
  if (counted) return [id, counted.length];
  return [
    id,
    ...(data.GetBlockBodiesPacket ?? data.GetPooledTransactionsPacket ?? data.GetReceiptsPacket),
  ];
}

export function checkReferenceEth(vectors: any, report: Report): void {
  for (const vector of vectors.vectors) {
    attempt(report, vector.name, () => {
      let bytes = fromHex(vector.payload);
      // eth/65 has no request ids: its requests and replies are the bodies of those in eth/66.
      if (vector.name.includes('eth/65')) {
        const peer = new LegacyEth();
        const plain = bytes;
        bytes = peer.incoming(vector.code, plain);
        check(
          report,
          `${vector.name}: back`,
          toHex(peer.outgoing(vector.code, bytes)),
          toHex(plain),
        );
      }
      const message = decodeEth(66, vector.code, bytes);
      check(report, vector.name, toHex(rewrite(66, message, bytes)), toHex(bytes));
      if ('requestId' in message && vector.fields.requestId !== undefined) {
        check(
          report,
          `${vector.name}: request id`,
          String(message.requestId),
          String(vector.fields.requestId),
        );
      }
      if (message.kind === 'newBlock') {
        const got = [
          String(message.td),
          toHex(message.block.raw),
          message.block.body.transactions.length,
        ];
        const { td, block } = vector.fields;
        check(report, `${vector.name}: fields`, got, [td, block.rlp, block.transactions.length]);
      }
    });
  }
}

function hex32(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}

const MAINNET_TIME = 1_438_269_973;

export function checkForkIds(vectors: any, report: Report): void {
  const schedule = (chain: any, withTimes = true) =>
    new ForkSchedule(
      {
        forkIdBlocks: chain.forkBlocks.map(BigInt),
        forkIdTimes: withTimes ? chain.forkTimes.map(BigInt) : [],
      },
      fromHex(chain.genesisHash),
      0n,
    );
  for (const [name, chain] of Object.entries<any>(vectors.creation)) {
    for (const item of chain.cases) {
      const id = schedule(chain).at({ number: BigInt(item.head), timestamp: BigInt(item.time) });
      check(
        report,
        `${name} ${item.what}`,
        [hex32(id.hash), Number(id.next)],
        [item.hash, item.next],
      );
    }
  }
  const faults: Record<string, string | undefined> = {
    ok: undefined,
    'remote stale': 'remote needs update',
    'local incompatible or stale': 'local incompatible or needs update',
  };
  for (const [i, item] of vectors.validation.entries()) {
    const ours = schedule(vectors.creation.Mainnet, item.config === 'mainnet');
    const remote = { hash: Number(item.remoteHash), next: BigInt(item.remoteNext) };
    const at = {
      number: BigInt(item.localHead),
      timestamp: BigInt(item.localTime || MAINNET_TIME),
    };
    check(
      report,
      `validation ${i}: ${item.why.slice(0, 60)}`,
      ours.fault(remote, at),
      faults[item.result],
    );
  }
  for (const item of vectors.encoding) {
    // Wraps it in a Status: [.., [hash, next]].
    const zero = new Uint8Array(32);
    const status = {
      version: 66,
      networkId: 1n,
      td: 1n,
      head: zero,
      genesis: zero,
      forkId: { hash: Number(item.hash), next: BigInt(item.next) },
    };
    const bytes = encodeStatus(status);
    check(report, `encoding ${item.rlp}`, toHex(bytes).endsWith(item.rlp.slice(2)), true);
    check(
      report,
      `decoding ${item.rlp}`,
      decodeStatus(bytes).forkId.next === status.forkId.next,
      true,
    );
  }
}

export function checkReferenceForkIds(vectors: any, report: Report): void {
  for (const vector of vectors.vectors) {
    attempt(report, vector.name, () => {
      // As a genesis file, this config is refused (an obsolete key, and no Petersburg); neither
      // changes its fork id.
      const { maxCodeSizeChangeBlock: counted, ...rest } = vector.config;
      if (rest.constantinopleBlock) rest.petersburgBlock ??= rest.constantinopleBlock;
      const { config } = genesisFromJson(
        { config: rest, difficulty: '0x1', gasLimit: '0x1', alloc: {} },
        'goquorum',
      );
      const forkIdBlocks = [...config.forkIdBlocks, BigInt(counted ?? 0)];
      const schedule = new ForkSchedule(
        { ...config, forkIdBlocks },
        fromHex(vector.genesisHash),
        0n,
      );
      for (const id of vector.ids) {
        const got = schedule.at({ number: BigInt(id.head), timestamp: 0n });
        check(
          report,
          `${vector.name} at ${id.head}`,
          [hex32(got.hash), Number(got.next)],
          [id.hash, id.next],
        );
      }
    });
  }
}

/** Block header (Yellow Paper §4.3; EIP-1559, 4895, 4844, 4788 append fields) and its RLP. */
import type { Address, Hash32 } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { RlpReader, RlpWriter } from '../base/rlp.ts';

export interface Header {
  readonly parentHash: Hash32;
  readonly unclesHash: Hash32;
  readonly coinbase: Address;
  readonly stateRoot: Hash32;
  readonly transactionsRoot: Hash32;
  readonly receiptsRoot: Hash32;
  /** 256 bytes. */
  readonly bloom: Uint8Array;
  readonly difficulty: bigint;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds; Raft of GoQuorum writes nanoseconds, hence a bigint. */
  readonly timestamp: bigint;
  readonly extraData: Uint8Array;
  readonly mixHash: Hash32;
  /** 8 bytes. */
  readonly nonce: Uint8Array;
  readonly baseFeePerGas?: bigint;
  readonly withdrawalsRoot?: Hash32;
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
  readonly parentBeaconBlockRoot?: Hash32;
}

export function writeHeader(writer: RlpWriter, header: Header): void {
  const start = writer.begin();
  writer
    .string(header.parentHash)
    .string(header.unclesHash)
    .string(header.coinbase)
    .string(header.stateRoot)
    .string(header.transactionsRoot)
    .string(header.receiptsRoot)
    .string(header.bloom)
    .bigint(header.difficulty)
    .number(header.number)
    .bigint(header.gasLimit)
    .bigint(header.gasUsed)
    .bigint(header.timestamp)
    .string(header.extraData)
    .string(header.mixHash)
    .string(header.nonce);
  if (header.baseFeePerGas !== undefined) writer.bigint(header.baseFeePerGas);
  if (header.withdrawalsRoot !== undefined) writer.string(header.withdrawalsRoot);
  if (header.blobGasUsed !== undefined) writer.bigint(header.blobGasUsed);
  if (header.excessBlobGas !== undefined) writer.bigint(header.excessBlobGas);
  if (header.parentBeaconBlockRoot !== undefined) writer.string(header.parentBeaconBlockRoot);
  writer.end(start);
}

export function encodeHeader(header: Header): Uint8Array {
  const writer = new RlpWriter(640 + header.extraData.length);
  writeHeader(writer, header);
  return writer.finish();
}

/** Reads one header item. The byte fields are views of the reader's buffer. */
export function readHeader(reader: RlpReader): Header {
  const list = reader.enter();
  const header: Header = {
    parentHash: list.fixed(32),
    unclesHash: list.fixed(32),
    coinbase: list.fixed(20),
    stateRoot: list.fixed(32),
    transactionsRoot: list.fixed(32),
    receiptsRoot: list.fixed(32),
    bloom: list.fixed(256),
    difficulty: list.bigint(),
    number: list.number(),
    gasLimit: list.bigint(8),
    gasUsed: list.bigint(8),
    timestamp: list.bigint(8),
    extraData: list.string(),
    mixHash: list.fixed(32),
    nonce: list.fixed(8),
    ...readLaterFields(list),
  };
  list.finish();
  return header;
}

type LaterFields = Pick<
  Header,
  'baseFeePerGas' | 'withdrawalsRoot' | 'blobGasUsed' | 'excessBlobGas' | 'parentBeaconBlockRoot'
>;

/** London, Shanghai and Cancun append one group each; a group is either complete or absent. */
function readLaterFields(list: RlpReader): LaterFields {
  if (list.done) return {};
  const london = { baseFeePerGas: list.bigint() };
  if (list.done) return london;
  const shanghai = { ...london, withdrawalsRoot: list.fixed(32) };
  if (list.done) return shanghai;
  return {
    ...shanghai,
    blobGasUsed: list.bigint(8),
    excessBlobGas: list.bigint(8),
    parentBeaconBlockRoot: list.fixed(32),
  };
}

export function decodeHeader(bytes: Uint8Array): Header {
  const reader = new RlpReader(bytes);
  const header = readHeader(reader);
  reader.finish();
  return header;
}

/** keccak256 of the header as it is. For the hash of a block, use blockHash() of extra-data.ts. */
export function headerHash(header: Header): Hash32 {
  return keccak256(encodeHeader(header));
}

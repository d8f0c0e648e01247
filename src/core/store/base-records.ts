/**
 * Records of a chain that was copied without executing it: blocks up to the base come without
 * write sets, and the states after the base follow them, leaf by leaf and node by node.
 *
 *   base (not whole) -> blocks 0 to N -> state, state, ... -> base (whole) -> block N + 1 as usual
 */
import { EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import { type RlpReader, RlpWriter, readList } from '../base/rlp.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { Account, PrivacyMetadata } from '../state/account.ts';
import type { BaseState } from './checkpoint.ts';
import { readAccount, readMetadata, writeAccount, writeMetadata } from './rows.ts';

export interface BaseRecord extends BaseState {
  /** The roots of all private states; empty until the base is complete. */
  readonly roots: ReadonlyMap<Psi, Hash32>;
}

/** A part of one state, in order of hashed keys; its writer decides how large it is. */
export interface StatePart {
  /** undefined: the public state. */
  readonly psi: Psi | undefined;
  /** Trie nodes by path; `owner`: hashed address of the account, for a node of its storage trie. */
  readonly nodes: readonly {
    readonly owner: Hash32 | undefined;
    readonly path: Uint8Array;
    readonly rlp: Uint8Array;
  }[];
  /** `address`, `slot`: undefined where only the hash is known. */
  readonly accounts: readonly {
    readonly hash: Hash32;
    readonly address: Uint8Array | undefined;
    readonly account: Account;
  }[];
  readonly slots: readonly {
    readonly owner: Hash32;
    readonly hash: Hash32;
    readonly slot: bigint | undefined;
    readonly value: bigint;
  }[];
  readonly metadata: readonly { readonly hash: Hash32; readonly metadata: PrivacyMetadata }[];
  readonly codes: readonly { readonly hash: Hash32; readonly code: Uint8Array }[];
}

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

export function encodeBaseRecord({ number, isWhole, roots }: BaseRecord): Uint8Array {
  const writer = new RlpWriter(256);
  const start = writer.begin();
  writer.number(number).boolean(isWhole);
  for (const [psi, root] of roots) writer.string(textEncoder.encode(psi)).string(root);
  return writer.end(start).finish();
}

export function decodeBaseRecord(body: Uint8Array): BaseRecord {
  const list = readList(body);
  const number = list.number();
  const isWhole = list.boolean();
  const roots = new Map<Psi, Hash32>();
  while (!list.done) roots.set(textDecoder.decode(list.string()), list.fixed(32));
  return { number, isWhole, roots };
}

/** Reuses its buffer from part to part. */
const partWriter = new RlpWriter(1024 * 1024);

/** Returns a view that the next call overwrites. */
export function encodeStatePart(part: StatePart): Uint8Array {
  const writer = partWriter.restart();
  const start = writer.begin();
  writer.boolean(part.psi !== undefined).string(textEncoder.encode(part.psi ?? ''));
  writeAll(writer, part.nodes, ({ owner, path, rlp }) => {
    writer
      .string(owner ?? EMPTY_BYTES)
      .string(path)
      .string(rlp);
  });
  writeAll(writer, part.accounts, ({ hash, address, account }) => {
    writer.string(hash).string(address ?? EMPTY_BYTES);
    writeAccount(writer, account);
  });
  writeAll(writer, part.slots, ({ owner, hash, slot, value }) => {
    writer.string(owner).string(hash).bigint(value);
    if (slot !== undefined) writer.bigint(slot);
  });
  writeAll(writer, part.metadata, ({ hash, metadata }) => {
    writer.string(hash);
    writeMetadata(writer, metadata);
  });
  writeAll(writer, part.codes, ({ hash, code }) => {
    writer.string(hash).string(code);
  });
  return writer.end(start).view();
}

export function decodeStatePart(body: Uint8Array): StatePart {
  const list = readList(body);
  const isPrivate = list.boolean();
  const psi = textDecoder.decode(list.string());
  const part: StatePart = {
    psi: isPrivate ? psi : undefined,
    nodes: readAll(list, (item) => ({
      owner: optional(item.string()),
      path: item.string(),
      rlp: item.string(),
    })),
    accounts: readAll(list, (item) => ({
      hash: item.fixed(32),
      address: optional(item.string()),
      account: readAccount(item),
    })),
    slots: readAll(list, (item) => ({
      owner: item.fixed(32),
      hash: item.fixed(32),
      value: item.bigint(32),
      slot: item.done ? undefined : item.bigint(32),
    })),
    metadata: readAll(list, (item) => ({ hash: item.fixed(32), metadata: readMetadata(item) })),
    codes: readAll(list, (item) => ({ hash: item.fixed(32), code: item.string() })),
  };
  list.finish();
  return part;
}

function writeAll<T>(writer: RlpWriter, items: readonly T[], write: (item: T) => void): void {
  const all = writer.begin();
  for (const item of items) {
    const start = writer.begin();
    write(item);
    writer.end(start);
  }
  writer.end(all);
}

function readAll<T>(list: RlpReader, read: (item: RlpReader) => T): T[] {
  const items = list.enter();
  const found: T[] = [];
  while (!items.done) {
    const item = items.enter();
    found.push(read(item));
    item.finish();
  }
  return found;
}

function optional(bytes: Uint8Array): Uint8Array | undefined {
  return bytes.length === 0 ? undefined : bytes;
}

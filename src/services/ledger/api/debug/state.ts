/** `debug_*` methods that list state: accounts, storage, roots, changes. */

import { toBase64 } from '../../../../core/base/base64.ts';
import { type Address, bytesOfKey, ZERO_HASH } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import { bigIntToBytes, bigIntToFixed } from '../../../../core/base/quantity.ts';
import type { Block } from '../../../../core/chain/block.ts';
import {
  type DumpContent,
  type DumpedAccount,
  dumpAccount,
  dumpAccounts,
  dumpStorage,
} from '../../../../core/state/dump.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import { AnswerRoom } from '../answer-room.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { stateAt } from '../eth/state.ts';
import type { JsonObject } from '../render.ts';
import { ADDRESS, arrayOf, HASH, OBJECT } from '../results.ts';
import {
  address,
  blockNumber,
  blockTag,
  bool,
  data,
  hash,
  hexBytes,
  named,
  number,
  optional,
  requiredBlockNumber,
  text,
} from '../shapes.ts';
import { BlockReplay } from './replay.ts';
import { blockOrFail } from './trace.ts';

/**
 * Maximum number of accounts in one answer of debug_accountRange, as in GoQuorum; debug_dumpBlock
 * refuses more than its own maximum.
 */
const RANGE_ACCOUNTS_MAX = 256;
const DUMP_ACCOUNTS_MAX = 100_000;
const RANGE_SLOTS_MAX = 100_000;
const MODIFIED_BLOCKS_MAX = 10_000;

function renderDumped({ account, code, storage }: DumpedAccount): JsonObject {
  return {
    balance: String(account.balance),
    nonce: Number(account.nonce),
    root: bareHex(account.storageRoot),
    codeHash: bareHex(account.codeHash),
    ...(code.length > 0 ? { code: bareHex(code) } : {}),
    ...(storage.length > 0
      ? {
          storage: Object.fromEntries(
            storage.map(({ slot, value }) => [
              toHex(bigIntToFixed(slot, 32)),
              bareHex(bigIntToBytes(value)),
            ]),
          ),
        }
      : {}),
  };
}

function dumpAddress(context: ReadContext, who: Address, tag: BlockTag): JsonObject {
  if (tag.kind !== 'pending') blockOrFail(context, tag);
  const state = stateAt(context, tag);
  const { take } = new AnswerRoom(context, 'page through it with debug_storageRangeAt');
  const found =
    (state.private && dumpAccount(state.private, who, take)) ??
    dumpAccount(state.public, who, take);
  if (!found) throw fail('ACCOUNT_UNKNOWN', 'error retrieving state');
  const { code = '', storage = {}, ...rest } = renderDumped(found);
  return { ...rest, code, storage };
}

function dumpBlock(context: ReadContext, tag: BlockTag, kind: string): JsonObject {
  const { header } = blockOrFail(context, tag);
  const state = stateAt(context, tag);
  const isPrivate = kind === 'private';
  const { take } = new AnswerRoom(context, 'page through it with debug_accountRange');
  const { accounts, next } =
    isPrivate && !state.private
      ? { accounts: [], next: undefined }
      : dumpAccounts(isPrivate ? state.private! : state.public, ZERO_HASH, DUMP_ACCOUNTS_MAX, take);
  if (next) {
    throw fail(
      'DUMP_TOO_LARGE',
      `the state has more than ${DUMP_ACCOUNTS_MAX} accounts: page through it with debug_accountRange`,
    );
  }
  const root = isPrivate ? context.view.privateRoot(state.number) : header.stateRoot;
  return { root: bareHex(root), accounts: byAddress(accounts) };
}

function byAddress(accounts: readonly DumpedAccount[]): JsonObject {
  return Object.fromEntries(
    accounts.map((dumped) => [toHex(dumped.address), renderDumped(dumped)]),
  );
}

/**
 * A position in the order of hashes: base64 as Go reads bytes, 0x hex, '' or null for the start.
 */
const rangeStart: Param<Uint8Array> = optional(
  {
    name: 'start',
    schema: { type: 'string' },
    isOptional: true,
    parse(value) {
      if (typeof value !== 'string')
        throw new ParamError('json: cannot unmarshal value into Go value of type []uint8');
      if (value.startsWith('0x')) return filled(hexBytes(value, 'Go value of type []uint8'));
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value))
        throw new ParamError('illegal base64 data at input byte 0');
      return filled(Buffer.from(value, 'base64'));
    },
  },
  ZERO_HASH,
);

/** The lowest hash that begins with `prefix`. */
function filled(prefix: Uint8Array): Uint8Array {
  const out = new Uint8Array(32);
  out.set(prefix.subarray(0, 32));
  return out;
}

function accountRange(
  context: ReadContext,
  tag: BlockTag,
  from: Uint8Array,
  wanted: number,
  content: DumpContent,
): JsonObject {
  const { header } = blockOrFail(context, tag);
  const count =
    wanted > RANGE_ACCOUNTS_MAX || wanted <= 0 ? RANGE_ACCOUNTS_MAX : Math.floor(wanted);
  const { take } = new AnswerRoom(context, 'ask for fewer, or without storage');
  const range = dumpAccounts(stateAt(context, tag).public, from, count, take, content);
  return {
    root: bareHex(header.stateRoot),
    accounts: byAddress(range.accounts),
    ...(range.next ? { next: toBase64(range.next) } : {}),
  };
}

/**
 * State before the transaction at `index`; for a block without transactions and `index` 0, before
 * the block.
 */
function stateInside({ view, isGivenUp }: ReadContext, block: Block, index: number): StateReader {
  const { header, transactions } = block;
  const isBeforeAll = index === 0 && header.number > 0;
  if (index < 0 || !(index < transactions.length || isBeforeAll) || !Number.isInteger(index)) {
    throw fail(
      'TRANSACTION_INDEX',
      `transaction index ${index} out of range for block ${toHex(block.hash)}`,
    );
  }
  const replay = new BlockReplay(view, block);
  replay.runUpTo(index, { shouldStop: isGivenUp });
  return replay.reader();
}

function storageRange(
  context: ReadContext,
  state: StateReader,
  who: Address,
  from: Uint8Array,
  wanted: number,
) {
  if (!state.account(who)) {
    throw fail('ACCOUNT_UNKNOWN', `account ${bareHex(who)} doesn't exist`);
  }
  const count = Math.max(0, Math.min(Math.floor(wanted), RANGE_SLOTS_MAX));
  const { take } = new AnswerRoom(context, 'ask for fewer');
  const { entries, next } = dumpStorage(state, who, from, count, take);
  return {
    storage: Object.fromEntries(
      entries.map(({ hash: key, slot, value }) => [
        toHex(key),
        { key: toHex(bigIntToFixed(slot, 32)), value: toHex(bigIntToFixed(value, 32)) },
      ]),
    ),
    nextKey: next ? toHex(next) : null,
  };
}

/** Accounts that differ between the states after two blocks, in the order of their hashes. */
function modified(context: ReadContext, start: number, end: number): string[] {
  if (start >= end) {
    throw fail(
      'BLOCK_RANGE',
      `start block height (${start}) must be less than end block height (${end})`,
    );
  }
  if (end - start > MODIFIED_BLOCKS_MAX)
    throw fail('BLOCK_RANGE', `at most ${MODIFIED_BLOCKS_MAX} blocks at a time`);
  const { take } = new AnswerRoom(context, 'ask for fewer blocks');
  return context.view.modifiedAccounts(start, end, take).map((key) => toHex(bytesOfKey(key)));
}

function modifiedByNumber(context: ReadContext, first: BlockTag, last: BlockTag | undefined) {
  const numbered = (tag: BlockTag, what: string) => {
    const found = context.view.numberOf(tag);
    if (found !== undefined) return found;
    const name = tag.kind === 'number' ? tag.number.toString(16) : tag.kind;
    throw fail('BLOCK_UNKNOWN', `${what} block ${name} not found`);
  };
  const start = numbered(first, 'start');
  if (last) return modified(context, start, numbered(last, 'end'));
  return modified(context, parentOf(start), start);
}

function modifiedByHash(context: ReadContext, first: Uint8Array, last: Uint8Array | undefined) {
  const numbered = (wanted: Uint8Array, what: string) => {
    const tag = { kind: 'hash', hash: wanted, requireCanonical: false } as const;
    const found = context.view.numberOf(tag);
    if (found === undefined)
      throw fail('BLOCK_UNKNOWN', `${what} block ${bareHex(wanted)} not found`);
    return found;
  };
  const start = numbered(first, 'start');
  if (last) return modified(context, start, numbered(last, 'end'));
  return modified(context, parentOf(start), start);
}

function parentOf(number: number): number {
  if (number === 0) throw fail('BLOCK_RANGE', 'block 0 has no parent');
  return number - 1;
}

/** Number of a block whose private state is available: `pending` is treated as the head. */
function rootedAt(context: ReadContext, tag: BlockTag): number {
  const { number } = blockOrFail(context, tag).header;
  return Math.min(number, context.view.head().number);
}

const flag = optional(bool, false);

export const stateListMethods = [
  readMethod('debug_dumpAddress', {
    params: [address, blockTag],
    result: OBJECT,
    about: 'An account with its code and all of its storage.',
    isHeavy: true,
    call: (context, [who, tag]) => dumpAddress(context, who, tag),
  }),
  readMethod('debug_dumpBlock', {
    params: [blockNumber, optional(named('kind', text), 'public')],
    result: OBJECT,
    about: 'All accounts at a block; with `private`, those of the private state.',
    isHeavy: true,
    call: (context, [tag, kind]) => dumpBlock(context, tag, kind),
  }),
  readMethod('debug_accountRange', {
    params: [
      blockTag,
      rangeStart,
      optional(named('maxResults', number), RANGE_ACCOUNTS_MAX),
      named('withoutCode', flag),
      named('withoutStorage', flag),
      named('incompletes', flag),
    ],
    result: OBJECT,
    about:
      'Accounts at a block in order of their hashes, at most 256; `next` starts the next page.',
    isHeavy: true,
    call: (context, [tag, from, wanted, noCode, noStorage]) =>
      accountRange(context, tag, from, wanted, { withCode: !noCode, withStorage: !noStorage }),
  }),
  readMethod('debug_storageRangeAt', {
    params: [
      hash,
      named('index', number),
      address,
      named('start', data),
      named('maxResults', number),
    ],
    result: OBJECT,
    about: 'Storage of an account before a transaction of a block, in the order of hashes.',
    isHeavy: true,
    call: (context, [wanted, index, who, from, count]) => {
      const tag = { kind: 'hash', hash: wanted, requireCanonical: false } as const;
      const state = stateInside(context, blockOrFail(context, tag), index);
      return storageRange(context, state, who, filled(from), count);
    },
  }),
  readMethod('debug_getModifiedAccountsByNumber', {
    params: [requiredBlockNumber, optional(requiredBlockNumber, undefined)],
    result: arrayOf(ADDRESS),
    about: 'Accounts that a block changed, or that changed from one block to another.',
    isHeavy: true,
    call: (context, [first, last]) => modifiedByNumber(context, first, last),
  }),
  readMethod('debug_getModifiedAccountsByHash', {
    params: [hash, optional(hash, undefined)],
    result: arrayOf(ADDRESS),
    about: 'Accounts that a block changed, or that changed from one block to another, by hash.',
    isHeavy: true,
    call: (context, [first, last]) => modifiedByHash(context, first, last),
  }),
  readMethod('debug_privateStateRoot', {
    params: [blockNumber],
    result: HASH,
    about: 'Root of the private state of the caller at a block.',
    isHeavy: true,
    call: (context, [tag]) => toHex(context.view.privateRoot(rootedAt(context, tag))),
  }),
  readMethod('debug_defaultStateRoot', {
    params: [blockNumber],
    result: HASH,
    about: 'Root of the private state at a block; with several, of the no-party state.',
    isHeavy: true,
    call: (context, [tag]) => toHex(context.view.defaultRoot(rootedAt(context, tag))),
  }),
];

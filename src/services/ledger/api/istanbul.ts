/**
 * `istanbul_*`: validators, votes and seals of a BFT chain (GoQuorum
 * consensus/istanbul/backend/api.go).
 */
import { type Address, equalBytes } from '../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../core/base/errors.ts';
import { toHex } from '../../../core/base/hex.ts';
import type { Header } from '../../../core/chain/header.ts';
import { snapshotJson } from '../../../core/consensus/bft/snapshot.ts';
import { statusOf, statusRange } from '../../../core/consensus/bft/status.ts';
import type { BlockTag } from '../view/block-tag.ts';
import type { BftAdmin } from '../view/node-admin.ts';
import { type Context, method } from './context.ts';
import { ADDRESS, arrayOf, BOOL, NULL, OBJECT } from './results.ts';
import {
  address,
  blockNumber,
  bool,
  hash,
  named,
  optional,
  requiredBlockNumber,
} from './shapes.ts';

function bftOf({ admin }: Context): BftAdmin {
  if (!admin.bft) throw fail('ENGINE_NOT_BFT', 'this chain has no BFT consensus');
  return admin.bft;
}

/** COMPAT: as in GoQuorum, `pending` is an unknown block here. */
function headerAt({ view }: Context, tag: BlockTag): Header {
  const number = tag.kind === 'pending' ? undefined : view.numberOf(tag);
  const header = number === undefined ? undefined : view.header(number);
  if (!header) throw fail('BLOCK_UNKNOWN', 'unknown block');
  return header;
}

function byHash(wanted: Uint8Array): BlockTag {
  return { kind: 'hash', hash: wanted, requireCanonical: false };
}

function validators(context: Context, tag: BlockTag): string[] {
  return bftOf(context).validatorsAfter(headerAt(context, tag)).map(toHex);
}

function signers(context: Context, tag: BlockTag) {
  const found = bftOf(context).signers(headerAt(context, tag));
  const result = {
    number: found.number,
    hash: toHex(found.hash),
    author: toHex(found.author),
    committers: found.committers.map(toHex),
  };
  if (!context.hasGoquorumCasing) return result;
  return {
    ...result,
    Number: result.number,
    Hash: result.hash,
    Author: result.author,
    Committers: result.committers,
  };
}

function snapshot(context: Context, tag: BlockTag) {
  return snapshotJson(bftOf(context).snapshot(headerAt(context, tag)));
}

/** COMPAT: false also when the block or its validators cannot be determined. */
function isValidator(context: Context, tag: BlockTag): boolean {
  const own = context.admin.info().address;
  try {
    return bftOf(context)
      .validatorsAfter(headerAt(context, tag))
      .some((who) => equalBytes(who, own));
  } catch (error) {
    if (hasCode(error, 'BLOCK_UNKNOWN') || hasCode(error, 'VALIDATOR_CONTRACT')) return false;
    throw error;
  }
}

function status(context: Context, start: BlockTag | undefined, end: BlockTag | undefined) {
  const bft = bftOf(context);
  const { view } = context;
  const numberIn = (tag: BlockTag | undefined) =>
    tag === undefined ? undefined : tag.kind === 'number' ? tag.number : view.head().number;
  const range = statusRange(view.head().number, numberIn(start), numberIn(end));
  const authors: Address[] = [];
  for (let number = range.start; number < range.end; number++) {
    const author = bft.author(view.header(number)!);
    if (author) authors.push(author);
  }
  return { ...statusOf(range, bft.validatorsAfter(view.header(range.end)!), authors) };
}

const rangeEnd = optional(named('block', requiredBlockNumber), undefined);

export const istanbulMethods = [
  method('istanbul_nodeAddress', {
    params: [],
    result: ADDRESS,
    about: 'Address of the node key: what this node signs proposals with.',
    call: ({ admin }) => toHex(admin.info().address),
  }),
  method('istanbul_getValidators', {
    params: [blockNumber],
    result: arrayOf(ADDRESS),
    about: 'Validators after a block: those that make the next one.',
    call: (context, [tag]) => validators(context, tag),
  }),
  method('istanbul_getValidatorsAtHash', {
    params: [hash],
    result: arrayOf(ADDRESS),
    about: 'Validators after a block, by hash.',
    call: (context, [wanted]) => validators(context, byHash(wanted)),
  }),
  method('istanbul_isValidator', {
    params: [blockNumber],
    result: BOOL,
    about: 'Whether this node is a validator after the block.',
    call: (context, [tag]) => isValidator(context, tag),
  }),
  method('istanbul_getSignersFromBlock', {
    params: [blockNumber],
    result: OBJECT,
    about: 'Who proposed a block and who sealed it.',
    call: (context, [tag]) => signers(context, tag),
  }),
  method('istanbul_getSignersFromBlockByHash', {
    params: [hash],
    result: OBJECT,
    about: 'Who proposed a block and who sealed it, by hash.',
    call: (context, [wanted]) => signers(context, byHash(wanted)),
  }),
  method('istanbul_getSnapshot', {
    params: [blockNumber],
    result: OBJECT,
    about: 'Validators, votes and tally after a block.',
    call: (context, [tag]) => snapshot(context, tag),
  }),
  method('istanbul_getSnapshotAtHash', {
    params: [hash],
    result: OBJECT,
    about: 'Validators, votes and tally after a block, by hash.',
    call: (context, [wanted]) => snapshot(context, byHash(wanted)),
  }),
  method('istanbul_candidates', {
    params: [],
    result: OBJECT,
    about: "This node's pending votes: address to true (add) or false (remove).",
    call: (context) => Object.fromEntries(bftOf(context).candidates()),
  }),
  method('istanbul_propose', {
    params: [address, named('authorize', bool)],
    result: NULL,
    access: 'admin',
    about: 'Votes to add (true) or remove (false) a validator.',
    call: (context, [who, isAuthorize]) => {
      bftOf(context).propose(who, isAuthorize);
      return null;
    },
  }),
  method('istanbul_discard', {
    params: [address],
    result: NULL,
    access: 'admin',
    about: 'Drops a vote of this node.',
    call: (context, [who]) => {
      bftOf(context).discard(who);
      return null;
    },
  }),
  method('istanbul_status', {
    params: [rangeEnd, rangeEnd],
    result: OBJECT,
    about:
      'How many blocks each validator proposed, in the last 64 blocks or from start up to, without, end.',
    call: (context, [start, end]) => status(context, start, end),
  }),
];

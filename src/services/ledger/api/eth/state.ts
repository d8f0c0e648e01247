/**
 * Accounts, code, storage and proofs at a block: an account in this party's private state takes
 * precedence.
 */
import { padLeft } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { toHex, toQuantity } from '../../../../core/base/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../../../../core/base/keccak.ts';
import { bigIntToFixed, bytesToBigInt } from '../../../../core/base/quantity.ts';
import { OverlayReader } from '../../../../core/state/overlay-reader.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import { findAccount, type ViewedState } from '../../view/party-view.ts';
import { AnswerRoom } from '../answer-room.ts';
import { method, type ReadContext, readMethod } from '../context.ts';
import { DATA, HASH, OBJECT, QUANTITY } from '../results.ts';
import { address, blockTag } from '../shapes.ts';

/** Maximum number of keys in one proof. */
const PROOF_KEYS_MAX = 1_000;

/** The state that a tag names. Throws `header not found`, or `hash is not currently canonical`. */
export function stateAt(
  { view, pending }: Pick<ReadContext, 'view'> & Partial<Pick<ReadContext, 'pending'>>,
  tag: BlockTag,
): ViewedState {
  if (tag.kind === 'pending' && pending) {
    const head = view.stateAt(view.head().number);
    return { ...head, public: new OverlayReader(head.public, pending.block().writes) };
  }
  const number = view.numberOf(tag);
  if (number === undefined) {
    throw tag.kind === 'hash'
      ? fail('HEADER_NOT_FOUND', 'header for hash not found')
      : fail('HEADER_NOT_FOUND', 'header not found');
  }
  return view.stateAt(number);
}

/** A storage key: hex of up to 32 bytes, odd length and missing prefix allowed as GoQuorum does. */
const storageKey: Param<bigint> = {
  name: 'key',
  schema: { type: 'string' },
  isOptional: false,
  parse(value) {
    if (typeof value !== 'string')
      throw new ParamError('json: cannot unmarshal value into Go value of type string');
    return keyOfText(value);
  },
};

function keyOfText(value: string): bigint {
  const digits = value.replace(/^0x/i, '');
  if (!/^[0-9a-f]*$/i.test(digits)) return 0n;
  const bytes = padLeft(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'), 32);
  return bytesToBigInt(bytes);
}

const storageKeys: Param<readonly string[]> = {
  name: 'keys',
  schema: { type: 'array', items: { type: 'string' }, maxItems: PROOF_KEYS_MAX },
  isOptional: false,
  parse(value) {
    if (!Array.isArray(value) || value.some((each) => typeof each !== 'string')) {
      throw new ParamError('json: cannot unmarshal value into Go value of type []string');
    }
    if (value.length > PROOF_KEYS_MAX)
      throw new ParamError(`too many keys: at most ${PROOF_KEYS_MAX}`);
    return value as string[];
  },
};

function slotOf(state: ViewedState, who: Uint8Array, key: bigint): bigint {
  const found = findAccount(state, who);
  return found ? found.reader.slot(who, found.account, key) : 0n;
}

function prove(context: ReadContext, who: Uint8Array, keys: readonly string[], tag: BlockTag) {
  const { view } = context;
  const state = stateAt({ view }, tag);
  const found = findAccount(state, who);
  const room = new AnswerRoom(context, 'ask for fewer keys');
  const proof = view.prove(state, who, keys.map(keyOfText), (bytes) => room.take(2 * bytes));
  return {
    address: toHex(who),
    accountProof: proof.account.map(toHex),
    balance: toQuantity(found?.account.balance ?? 0n),
    codeHash: toHex(found?.account.codeHash ?? EMPTY_CODE_HASH),
    nonce: toQuantity(found?.account.nonce ?? 0n),
    storageHash: toHex(found?.account.storageRoot ?? EMPTY_ROOT),
    storageProof: keys.map((key, i) => ({
      key,
      value: toQuantity(slotOf(state, who, keyOfText(key))),
      proof: proof.slots[i]!.map(toHex),
    })),
  };
}

export const stateMethods = [
  readMethod('eth_getBalance', {
    params: [address, blockTag],
    result: QUANTITY,
    about: 'Balance in wei.',
    isHeavy: (_, [, tag]) => tag.kind === 'pending',
    call: (context, [who, tag]) =>
      toQuantity(findAccount(stateAt(context, tag), who)?.account.balance ?? 0n),
  }),
  readMethod('eth_getCode', {
    params: [address, blockTag],
    result: DATA,
    about: "A contract's code; of a private contract, for its parties only.",
    isHeavy: (_, [, tag]) => tag.kind === 'pending',
    call: (context, [who, tag]) => {
      const found = findAccount(stateAt(context, tag), who);
      return found ? toHex(found.reader.code(found.account.codeHash)) : '0x';
    },
  }),
  readMethod('eth_getStorageAt', {
    params: [address, storageKey, blockTag],
    result: DATA,
    about: 'One storage slot.',
    isHeavy: (_, [, , tag]) => tag.kind === 'pending',
    call: (context, [who, key, tag]) =>
      toHex(bigIntToFixed(slotOf(stateAt(context, tag), who, key), 32)),
  }),
  readMethod('eth_getProof', {
    params: [address, storageKeys, blockTag],
    result: OBJECT,
    about: 'Merkle proofs of an account and of storage slots.',
    isHeavy: true,
    call: (context, [who, keys, tag]) => prove(context, who, keys, tag),
  }),
  readMethod('eth_storageRoot', {
    params: [address, blockTag],
    result: HASH,
    about: "Root of an account's storage; of a private contract, from the private state.",
    call: (context, [who, tag]) => {
      const { view } = context;
      const number = tag.kind === 'pending' ? undefined : view.numberOf(tag);
      if (number === undefined) throw fail('BLOCK_INVALID', 'invalid block number');
      const found = findAccount(view.stateAt(number), who);
      if (!found) throw fail('ACCOUNT_UNKNOWN', "can't find state object");
      return toHex(found.account.storageRoot);
    },
  }),
];

/** Nonces depend on the pool, which only the main thread has. */
export const nonceMethods = [
  method('eth_getTransactionCount', {
    params: [address, blockTag],
    result: QUANTITY,
    about: 'Nonce of an account; with `pending`, the next one to use.',
    call: (context, [who, tag]) => {
      if (tag.kind === 'pending') return toQuantity(context.pool.nextNonce(who));
      return toQuantity(findAccount(stateAt(context, tag), who)?.account.nonce ?? 0n);
    },
  }),
];

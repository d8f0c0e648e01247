import { describe, expect, it } from 'vitest';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { fromHex, toHex, toQuantity } from '../base/hex.ts';
import { signTransaction } from '../chain/signing.ts';
import type { Transaction } from '../chain/transaction.ts';
import { nextQueries, type PrivateAnswer, type PrivateInputs, queryKey } from './inputs.ts';
import {
  isPrivacyMarker,
  isPrivateTransaction,
  openInner,
  opensInner,
  PRIVACY_PRECOMPILE,
  payloadHashOf,
} from './marker.ts';

const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);
const RULES = rulesOfFork('istanbul', { isQuorum: true, isPrivacyPrecompile: true });
const OUTER_HASH = new Uint8Array(64).fill(3);
const INNER_HASH = new Uint8Array(64).fill(4);

const marker = signTransaction(
  { nonce: 7n, gasLimit: 30_000n, to: PRIVACY_PRECOMPILE, data: OUTER_HASH },
  KEY,
  { chainId: 1337n },
);

function inner(
  options: { nonce?: bigint; key?: Uint8Array; isPrivate?: boolean } = {},
): Transaction {
  const { nonce = 7n, key = KEY, isPrivate = true } = options;
  return signTransaction({ nonce, gasLimit: 90_000n, data: INNER_HASH }, key, { isPrivate });
}

/** A transaction in geth's JSON, with the newline that its encoder adds. */
function jsonOf(tx: Transaction): Uint8Array {
  const fields = {
    type: '0x0',
    nonce: toQuantity(tx.nonce),
    gasPrice: toQuantity(tx.gasPrice),
    gas: toQuantity(tx.gasLimit),
    value: toQuantity(tx.value),
    input: toHex(tx.data),
    v: toQuantity(tx.v),
    r: toQuantity(tx.r),
    s: toQuantity(tx.s),
    to: tx.to === undefined ? null : toHex(tx.to),
    hash: toHex(tx.hash),
  };
  return Uint8Array.from(Buffer.from(`${JSON.stringify(fields)}\n`));
}

function inputsOf(answers: Record<string, PrivateAnswer>): PrivateInputs {
  return { answer: (query) => answers[queryKey(query)] };
}

function heldOf(payload: Uint8Array): PrivateAnswer {
  const empty = { affected: [], execHash: undefined, managedParties: [], senderKey: '' };
  return { kind: 'held', payload, flag: 0, ...empty };
}

describe('the transaction inside a marker', () => {
  it('is found as it was signed', () => {
    const tx = inner();
    const opened = openInner(marker, jsonOf(tx));
    expect(typeof opened === 'string' ? opened : toHex(opened.hash)).toBe(toHex(tx.hash));
  });

  it('is refused for what GoQuorum refuses', () => {
    expect(openInner(marker, fromHex('0x00'))).toMatch(/^Failed to retrieve inner transaction/);
    expect(openInner(marker, Uint8Array.from(Buffer.from('null')))).toMatch(/^Failed to retrieve/);
    expect(openInner(marker, jsonOf(inner({ isPrivate: false })))).toMatch(/not a private/);
    expect(openInner(marker, jsonOf(inner({ key: OTHER_KEY })))).toMatch(/different signers/);
    expect(openInner(marker, jsonOf(inner({ nonce: 8n })))).toMatch(/different nonces/);
  });
});

describe('kinds of transactions', () => {
  it('exist on GoQuorum chains only, and open from the fork on', () => {
    const plain = rulesOfFork('istanbul');
    expect(isPrivateTransaction(inner(), RULES)).toBe(true);
    expect(isPrivateTransaction(inner(), plain)).toBe(false);
    expect(isPrivacyMarker(marker, RULES)).toBe(true);
    expect(isPrivacyMarker(marker, plain)).toBe(false);
    expect(opensInner(marker, RULES)).toBe(true);
    expect(opensInner(marker, { ...RULES, isPrivacyPrecompile: false })).toBe(false);
  });

  it('take their payload hash from any data', () => {
    expect(payloadHashOf(fromHex('0x01'))).toHaveLength(64);
    expect(payloadHashOf(new Uint8Array(65).fill(5))).toEqual(new Uint8Array(64).fill(5));
  });
});

describe('nextQueries', () => {
  const payload = (hash: Uint8Array) => ({ kind: 'payload', hash }) as const;
  const outerKey = queryKey(payload(OUTER_HASH));

  it('asks level by level, each thing once', () => {
    const txs = [marker, marker, inner()];
    expect(nextQueries(txs, RULES, inputsOf({})).map(queryKey)).toEqual(
      [payload(OUTER_HASH), payload(INNER_HASH)].map(queryKey),
    );
    const known = inputsOf({ [outerKey]: heldOf(jsonOf(inner())) });
    expect(nextQueries([marker], RULES, known).map(queryKey)).toEqual([
      queryKey(payload(INNER_HASH)),
    ]);
    const all = inputsOf({
      [outerKey]: heldOf(jsonOf(inner())),
      [queryKey(payload(INNER_HASH))]: { kind: 'notParty' },
    });
    expect(nextQueries(txs, RULES, all)).toEqual([]);
  });

  it('does not ask for the empty hash, nor on behalf of strangers or broken envelopes', () => {
    const empty = signTransaction({ data: new Uint8Array(64) }, KEY, { isPrivate: true });
    expect(nextQueries([empty], RULES, inputsOf({}))).toEqual([]);
    expect(nextQueries([marker], RULES, inputsOf({ [outerKey]: { kind: 'notParty' } }))).toEqual(
      [],
    );
    expect(nextQueries([marker], RULES, inputsOf({ [outerKey]: heldOf(fromHex('0x7b')) }))).toEqual(
      [],
    );
  });
});

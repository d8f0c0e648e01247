import { describe, expect, it } from 'vitest';
import { bftGenesis, bftRules, secretKey } from '../../../test/support/bft-chain.ts';
import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../base/bytes.ts';
import { addressOfSecretKey, sign65 } from '../base/secp256k1.ts';
import {
  blockHash,
  decodeIbftExtra,
  decodeQbftExtra,
  encodeQbftExtra,
  qbftCommitPreimage,
  voteOf,
  withCommitSeals,
} from '../chain/extra-data.ts';
import { type Header, headerHash } from '../chain/header.ts';
import { sortedValidators } from './bft/validators.ts';
import { FUTURE_BLOCK, type HeaderContext, sealedHeaderFault, sealsFault } from './check-seals.ts';
import { type HeaderPlan, headerTemplate } from './header-template.ts';

const KEYS = [1, 2, 3, 4, 5].map(secretKey);
const VALIDATORS = sortedValidators(KEYS.slice(0, 4).map(addressOfSecretKey));
const AUTHOR = addressOfSecretKey(KEYS[0]!);

const RULES = bftRules('qbft', { blockPeriodMs: 5000 });

const PARENT: Header = { ...bftGenesis('qbft', VALIDATORS, 1000).header, number: 7 };

const CONTEXT: HeaderContext = {
  engine: 'qbft',
  parent: PARENT,
  parentHash: blockHash(PARENT),
  validators: VALIDATORS,
  rules: RULES,
  nowMs: 2_000_000,
};

const PLAN: HeaderPlan = {
  engine: 'qbft',
  parent: PARENT,
  parentHash: blockHash(PARENT),
  validators: VALIDATORS,
  rules: RULES,
  parentRules: RULES,
  proposer: AUTHOR,
  vote: undefined,
  vanity: EMPTY_BYTES,
  nowMs: 0,
  notBeforeMs: 0,
};

function headerOf(plan: Partial<HeaderPlan> = {}): Header {
  return { ...PARENT, ...headerTemplate({ ...PLAN, ...plan }) };
}

function sealedBy(header: Header, keys: readonly Uint8Array[], round = 0): Header {
  const preimage = qbftCommitPreimage(header, round);
  return withCommitSeals(
    header,
    round,
    keys.map((key) => sign65(preimage, key)),
  );
}

describe('header checks', () => {
  it('takes what a proposer makes and a quorum seals, in any round', () => {
    expect(sealedHeaderFault(sealedBy(headerOf(), KEYS.slice(0, 3)), CONTEXT)).toBeUndefined();
    expect(sealedHeaderFault(sealedBy(headerOf(), KEYS.slice(1, 4), 300), CONTEXT)).toBeUndefined();
  });

  const good = headerOf();
  const faults: readonly (readonly [string, Partial<Header>, string])[] = [
    ['of the future', { timestamp: 2001n }, FUTURE_BLOCK],
    ['without extra data', { extraData: EMPTY_BYTES }, 'invalid extra data format'],
    ['of another digest', { mixHash: ZERO_HASH }, 'invalid Istanbul mix digest'],
    ['with uncles', { unclesHash: ZERO_HASH }, 'non empty uncle hash'],
    ['of another difficulty', { difficulty: 2n }, 'invalid difficulty'],
    ['of another height', { number: 9 }, 'unknown ancestor'],
    ['of another parent', { parentHash: ZERO_HASH }, 'unknown ancestor'],
    ['before its period', { timestamp: 1004n }, 'invalid timestamp'],
    ['of a stranger', { coinbase: ZERO_ADDRESS }, 'unauthorized'],
    ['without seals', {}, 'zero committed seals'],
  ];
  it.each(faults)('refuses a header %s', (_what, change, fault) => {
    expect(sealedHeaderFault({ ...good, ...change }, CONTEXT)).toBe(fault);
  });

  it('refuses seals that are too few, double, foreign, of another round or of nobody', () => {
    const seals = (header: Header) => sealsFault(header, CONTEXT);
    const [a, b, c, , stranger] = KEYS as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    expect(seals(sealedBy(good, [a, b]))).toBe('invalid committed seals');
    expect(seals(sealedBy(good, [a, b, b]))).toBe('invalid committed seals');
    expect(seals(sealedBy(good, [a, b, stranger]))).toBe('invalid committed seals');
    const sealed = decodeQbftExtra(sealedBy(good, [a, b, c], 1).extraData);
    const moved = { ...good, extraData: encodeQbftExtra({ ...sealed, round: 2 }) };
    expect(seals(moved)).toBe('invalid committed seals');
    expect(seals(withCommitSeals(good, 0, [new Uint8Array(65), ...sealed.seals.slice(1)]))).toBe(
      'invalid signature',
    );
  });

  it('asks for the quorum that holds at the height', () => {
    const validators = sortedValidators(KEYS.map(addressOfSecretKey));
    const sealed = sealedBy(good, KEYS.slice(0, 3));
    const rules = { ...RULES, isCeil2Nby3: false };
    expect(sealsFault(sealed, { ...CONTEXT, validators, rules })).toBeUndefined();
    expect(sealsFault(sealed, { ...CONTEXT, validators })).toBe('invalid committed seals');
  });
});

describe('header template', () => {
  it('waits for the period, the clock and the engine', () => {
    expect(headerOf().timestamp).toBe(1005n);
    expect(headerOf({ nowMs: 1_007_999 }).timestamp).toBe(1007n);
    expect(headerOf({ nowMs: 1_007_999, notBeforeMs: 1_010_000 }).timestamp).toBe(1010n);
  });

  it('keeps 32 bytes of the vanity', () => {
    const short = decodeQbftExtra(headerOf({ vanity: Uint8Array.of(7) }).extraData);
    expect([short.vanity.length, short.vanity[0], short.vanity[31]]).toEqual([32, 7, 0]);
    const long = decodeQbftExtra(headerOf({ vanity: new Uint8Array(40).fill(1) }).extraData);
    expect(long.vanity).toEqual(new Uint8Array(32).fill(1));
  });

  it('carries a vote where its engine has it', () => {
    const vote = { candidate: addressOfSecretKey(KEYS[4]!), isAdd: true };
    expect(voteOf('qbft', headerOf({ vote }))).toEqual(vote);
    expect(voteOf('qbft', headerOf({ vote: { ...vote, isAdd: false } }))?.isAdd).toBe(false);
    const ibft = headerOf({ engine: 'ibft', vote });
    expect(voteOf('ibft', ibft)).toEqual(vote);
    expect(decodeIbftExtra(ibft.extraData).proposerSeal.length).toBe(0);
    expect(voteOf('ibft', headerOf({ engine: 'ibft' }))).toBeUndefined();
  });

  it('lists what the rules at the parent say', () => {
    const listed = (parentRules: HeaderPlan['parentRules']) =>
      decodeQbftExtra(headerOf({ parentRules }).extraData).validators;
    expect(listed(RULES)).toEqual(VALIDATORS);
    expect(listed({ ...RULES, validatorContract: AUTHOR })).toEqual([]);
    expect(listed({ ...RULES, validatorOverride: [AUTHOR] })).toEqual([AUTHOR]);
    expect(headerHash(headerOf())).not.toEqual(
      headerHash(headerOf({ parentRules: { ...RULES, validatorContract: AUTHOR } })),
    );
  });
});

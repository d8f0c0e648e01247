/** A sender simulates a private creation before it distributes it; its parties then run it. */

import { describe, expect, it } from 'vitest';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { type Address, equalBytes, ZERO_HASH } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { finish, gasPace } from '../base/pace.ts';
import type { Header } from '../chain/header.ts';
import type { Rules } from '../chain/rules.ts';
import type { Transaction } from '../chain/transaction.ts';
import { createAddress } from '../evm/create-address.ts';
import { PRIVATE_STATE_VALIDATION, STANDARD_PRIVATE } from '../privacy/flags.ts';
import type { HeldPayload, PrivacyFlag } from '../privacy/inputs.ts';
import { MemoryReader } from '../state/memory-reader.ts';
import { PublicWorld } from '../state/public-world.ts';
import { call, estimateGas } from './call.ts';
import { blockEnvironment } from './environment.ts';
import { PrivateSpace } from './private-space.ts';
import { runPrivately } from './private-transaction.ts';
import type { StateBase } from './result.ts';
import { type PrivateFindings, simulatePrivate } from './simulate-private.ts';

const address = (id: number): Address => new Uint8Array(20).fill(id);
const SENDER = address(0xaa);
/** The oracle, a contract that returns 42. */
const ORACLE = address(0xc1);
const ORACLE_CODE = fromHex('0x602a60005260206000f3');
const CREATION_HASH = new Uint8Array(64).fill(0x51);
/** Stores the oracle's output in slot 0; reverts if there is none. */
const CONSTRUCTOR = fromHex(
  `0x6020600060006000600073${'c1'.repeat(20)}5af1506000518060005560315760006000fd5b00`,
);
const RULES: Rules = rulesOfFork('istanbul', { isQuorum: true, isPrivacyEnhancements: true });
const HEADER = {
  number: 4,
  timestamp: 1n,
  coinbase: address(9),
  gasLimit: 10_000_000n,
  difficulty: 1n,
  extraData: new Uint8Array(0),
} as unknown as Header;
const PUBLIC_NONCE = 3n;
const PARTY_PROTECTION: PrivacyFlag = 1;

/** The oracle as a private contract that an enhanced transaction created. */
function privateBase(flag: PrivacyFlag): StateBase {
  const start = MemoryReader.fromAlloc([]);
  const world = new PublicWorld(start.reader, 1);
  world.beginTransaction();
  world.createContract(ORACLE);
  world.setNonce(ORACLE, 1n);
  world.setCode(ORACLE, ORACLE_CODE);
  if (flag !== STANDARD_PRIVATE)
    world.setMetadata(ORACLE, { creationHash: CREATION_HASH, flag, managedParties: [] });
  world.finishTransaction(RULES);
  const writes = world.writeSet();
  const trie = start.trie.update(writes);
  trie.root();
  start.reader.apply(writes);
  return { reader: start.reader, trie };
}

const publicBase = () =>
  MemoryReader.fromAlloc([{ address: SENDER, balance: 0n, nonce: PUBLIC_NONCE }]);

function simulate(
  flag: PrivacyFlag,
  of: PrivacyFlag = flag,
  nonce = PUBLIC_NONCE,
): PrivateFindings {
  const gas = { gasLimit: 1_000_000n, gasPrice: 0n, value: 0n };
  return finish(
    simulatePrivate(
      { from: SENDER, to: undefined, nonce, ...gas, payload: CONSTRUCTOR, flag },
      siteOf(of),
    ),
  );
}

const siteOf = (of: PrivacyFlag) => ({
  rules: RULES,
  header: HEADER,
  hashes: () => undefined,
  publicBase: publicBase(),
  privateBase: privateBase(of),
});

it('hands control back while it runs, when its pace says so', () => {
  // JUMPDEST, PUSH1 0, JUMP.
  const payload = Uint8Array.of(0x5b, 0x60, 0x00, 0x56);
  const draft = { from: SENDER, to: undefined, nonce: PUBLIC_NONCE, payload, flag: 0 } as const;
  const work = simulatePrivate(
    { ...draft, gasLimit: 1_000_000n, gasPrice: 0n, value: 0n },
    { ...siteOf(0), pace: gasPace(100_000) },
  );
  let pauses = 0;
  while (!work.next().done) pauses++;
  expect(pauses).toBeGreaterThan(3);
});

/** Runs the creation as a party that received `findings` with the payload. */
function runAt(findings: PrivateFindings, flag: PrivacyFlag, nonce = PUBLIC_NONCE) {
  const base = publicBase();
  const world = new PublicWorld(base.reader, 5);
  const space = new PrivateSpace('private', privateBase(flag), 5);
  world.beginTransaction();
  world.setNonce(SENDER, nonce);
  space.world.beginTransaction();
  const tx = { sender: SENDER, to: undefined, value: 0n, nonce, data: new Uint8Array(64).fill(2) };
  const held = { kind: 'held', payload: CONSTRUCTOR, flag, managedParties: [], ...findings };
  const work = runPrivately(
    space,
    { base, world },
    { ...tx, accessList: [], blobVersionedHashes: [] } as unknown as Transaction,
    held as unknown as HeldPayload,
    blockEnvironment(HEADER, HEADER.coinbase, RULES, () => undefined),
    { gasPrice: 0n, forExecution: 900_000n },
  );
  const effect = finish(work);
  return { effect, kept: space.world.storage(createAddress(SENDER, nonce), 0n) };
}

describe('a constructor that calls a private contract', () => {
  it.each([PARTY_PROTECTION, PRIVATE_STATE_VALIDATION])(
    'with flag %i names it among the affected, and passes at the parties',
    (flag) => {
      const findings = simulate(flag);
      expect(findings.affected.map(toHex)).toEqual([toHex(CREATION_HASH)]);
      expect(findings.execHash !== undefined).toBe(flag === PRIVATE_STATE_VALIDATION);
      expect(runAt(findings, flag)).toMatchObject({ effect: { isFailed: false }, kept: 42n });
      // The findings of GoQuorum, which simulates creations on the public state only.
      const blind = { affected: [], execHash: findings.execHash };
      expect(runAt(blind, flag).effect.fault).toContain('differs from the one returned by Tessera');
    },
  );

  it('of another kind is refused before a payload leaves', () => {
    const mismatch = "sent privacy flag doesn't match all affected contract flags";
    expect(() => simulate(STANDARD_PRIVATE, PARTY_PROTECTION)).toThrow(mismatch);
    expect(() => simulate(PRIVATE_STATE_VALIDATION, PARTY_PROTECTION)).toThrow(mismatch);
    expect(() => simulate(PARTY_PROTECTION, STANDARD_PRIVATE)).toThrow('PrivacyMetadata not found');
  });

  it('is simulated with the nonce that it will have, so that two in one block both hold', () => {
    const [first, second] = [PUBLIC_NONCE, PUBLIC_NONCE + 1n].map((nonce) => ({
      nonce,
      findings: simulate(PRIVATE_STATE_VALIDATION, PRIVATE_STATE_VALIDATION, nonce),
    }));
    expect(equalBytes(first!.findings.execHash!, second!.findings.execHash!)).toBe(false);
    for (const { nonce, findings } of [first!, second!]) {
      expect(runAt(findings, PRIVATE_STATE_VALIDATION, nonce).effect.isFailed).toBe(false);
    }
    expect(runAt(first!.findings, PRIVATE_STATE_VALIDATION, second!.nonce).effect.isFailed).toBe(
      true,
    );
  });

  it('has its root and what it affects told apart', () => {
    const { affected, execHash } = simulate(PRIVATE_STATE_VALIDATION);
    expect(affected.map(({ length }) => length)).toEqual([64]);
    expect(execHash).toHaveLength(32);
    expect(equalBytes(execHash!, ZERO_HASH)).toBe(false);
  });

  it('takes gas as it will where it is known to be private, and COMPAT: finds no contract where it is not', () => {
    const request = { from: SENDER, data: CONSTRUCTOR };
    const site = {
      rules: RULES,
      header: HEADER,
      hashes: () => undefined,
      publicState: publicBase().reader,
      privateState: privateBase(PARTY_PROTECTION).reader,
    };
    const limits = { gasCap: 25_000_000n };
    const gas = estimateGas({ ...request, isPrivate: true }, site, limits);
    expect(call({ ...request, gas, isPrivate: true }, site, limits).kind).toBe('success');
    expect(() => estimateGas(request, site, limits)).toThrow('execution reverted');
    expect(call(request, site, limits).kind).toBe('revert');
  });
});

import { describe, expect, it } from 'vitest';
import { ProgramWriter } from '../../../test/differential/program.ts';
import { eeaKey, signEea } from '../../../test/support/eea.ts';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { toBase64 } from '../base/base64.ts';
import { ZERO_HASH } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { finish } from '../base/pace.ts';
import { Prng } from '../base/prng.ts';
import { decodeEea, openEea, sealEea } from '../privacy/eea.ts';
import type { HeldPayload } from '../privacy/inputs.ts';
import { MemoryReader } from '../state/memory-reader.ts';
import { PublicWorld } from '../state/public-world.ts';
import { EeaRegistry } from './eea-registry.ts';
import { createdBy, eeaFault, isEeaParty, runEea } from './eea-transaction.ts';
import type { BlockEnvironment } from './environment.ts';
import { PrivateSpace } from './private-space.ts';

const RULES = { ...rulesOfFork('istanbul'), isQuorum: true, chainId: 1337n };
const SHARED: BlockEnvironment = {
  rules: RULES,
  block: {
    ...{ number: 1, timestamp: 1n, coinbase: new Uint8Array(20), gasLimit: 10_000_000n },
    ...{ difficulty: 1n, prevRandao: ZERO_HASH, baseFee: 0n, blobBaseFee: 1n },
  },
  blockHash: () => undefined,
  feesTo: new Uint8Array(20),
};
const [A, B, C] = [1, 2, 3].map(eeaKey) as [Uint8Array, Uint8Array, Uint8Array];
/** Deploys a contract that stores its first word and returns it. */
const CREATION = '0x6007600c60003960076000f360003560005500';
const LOOP = '0x5b600056';

function stage() {
  const base = MemoryReader.fromAlloc([]);
  const space = new PrivateSpace('private', base, 1);
  const publicSide = { world: new PublicWorld(base.reader, 1), base };
  const run = (fields: Omit<Parameters<typeof signEea>[0], 'privateFrom'>) => {
    publicSide.world.beginTransaction();
    space.world.beginTransaction();
    const tx = decodeEea(signEea({ privateFrom: A, to: [B], ...fields }));
    const effect = finish(runEea(space, publicSide, tx, SHARED));
    space.world.finishTransaction(RULES);
    return { tx, effect };
  };
  return { space, publicSide, run, registry: new EeaRegistry(space.world) };
}

describe('on a private state', () => {
  it('counts per sender and group, once for each payload', () => {
    const { run, registry, publicSide } = stage();
    const { tx, effect } = run({ data: CREATION });
    expect(effect.isFailed).toBe(false);
    expect(toHex(createdBy(tx)!)).not.toBe(toHex(tx.sender));
    expect(registry.groupOf(createdBy(tx)!)).not.toBe(0n);
    const again = run({ data: CREATION }).effect;
    expect([again.isFailed, again.fault]).toEqual([true, 'Private transaction nonce too low']);
    expect(run({ nonce: 5 }).effect.fault).toBe('Private transaction nonce incorrect');
    expect(registry.nonce(tx.sender, tx.groupId)).toBe(1n);
    expect(registry.nonce(tx.sender, decodeEea(signEea({ privateFrom: A, to: [C] })).groupId)).toBe(
      0n,
    );
    expect(publicSide.world.nonce(tx.sender)).toBe(0n);
  });

  it('a failed one counts too, and leaves nothing else', () => {
    const { run, registry } = stage();
    const { tx, effect } = run({ data: LOOP, gas: 100_000 });
    expect([effect.isFailed, effect.fault]).toEqual([true, 'out of gas']);
    expect(registry.nonce(tx.sender, tx.groupId)).toBe(1n);
    expect(registry.groupOf(createdBy(tx)!)).toBe(0n);
  });

  it('stays within its group', () => {
    const { run, registry, space } = stage();
    const { tx } = run({ data: CREATION });
    const contract = createdBy(tx)!;
    const call = { contract: toHex(contract), data: `0x${'00'.repeat(31)}2a` };
    const strayed = run({ ...call, to: [B, C] });
    expect([strayed.effect.isFailed, space.world.storage(contract, 0n)]).toEqual([true, 0n]);
    expect(registry.nonce(strayed.tx.sender, strayed.tx.groupId)).toBe(1n);
    expect(run({ ...call, nonce: 1 }).effect.isFailed).toBe(false);
    expect(space.world.storage(contract, 0n)).toBe(42n);
  });
});

describe('who runs it', () => {
  const held = (fields: Partial<HeldPayload> = {}): HeldPayload => ({
    ...{ kind: 'held', payload: fromHex('0x'), flag: 0, affected: [], execHash: undefined },
    ...{ managedParties: [toBase64(B)], senderKey: toBase64(A), ...fields },
  });
  const toParties = decodeEea(signEea({ privateFrom: A, to: [B] }));
  const toGroup = decodeEea(signEea({ privateFrom: A, to: C }));

  it('nobody, where the manager knows another sender or group', () => {
    expect(eeaFault(toParties, held(), RULES)).toBeUndefined();
    expect(eeaFault(toParties, held({ senderKey: toBase64(C) }), RULES)).toMatch(/Private from/);
    expect(eeaFault(toGroup, held(), RULES)).toMatch(/group does not exist/);
    const privacyGroupId = toBase64(C);
    expect(eeaFault(toGroup, held({ privacyGroupId }), RULES)).toBeUndefined();
    expect(eeaFault(toParties, held(), { ...RULES, chainId: 1n })).toBe('Wrong chainId');
  });

  it('members only, each in their own private state', () => {
    expect(isEeaParty(toParties, held())).toBe(true);
    expect(isEeaParty(toParties, held({ managedParties: [toBase64(C)] }))).toBe(false);
    expect(isEeaParty(toParties, held({ managedParties: [] }))).toBe(true);
    expect(isEeaParty(toParties, held({ managedParties: [] }), () => true)).toBe(false);
    expect(isEeaParty(toParties, held(), (key) => key === toBase64(C))).toBe(false);
    expect(isEeaParty(toGroup, held(), (key) => key === toBase64(B))).toBe(true);
  });
});

describe('hostile ones', () => {
  it('never throw, never touch the public state, and count once each', () => {
    let successes = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const prng = new Prng(seed);
      const { run, registry, publicSide } = stage();
      const program = () => toHex(ProgramWriter.random(prng));
      const made = run({ data: program() });
      const contract = toHex(createdBy(made.tx)!);
      const { effect, tx } = run({
        nonce: 1,
        data: program(),
        ...(prng.chance(0.7) ? { contract } : {}),
      });
      if (publicSide.world.writeSet().accounts.size > 0)
        throw new Error(`seed ${seed} changes the public state`);
      expect(registry.nonce(tx.sender, tx.groupId)).toBe(2n);
      if (!effect.isFailed) successes++;
    }
    expect(successes).toBeGreaterThan(15);
  });

  it('bytes of any kind in an envelope are a transaction, a text that says no, or another’s', () => {
    const good = sealEea(decodeEea(signEea({ privateFrom: A, to: [B], data: CREATION })));
    for (let seed = 1; seed <= 500; seed++) {
      const prng = new Prng(seed);
      const bytes = good.slice(0, prng.chance(0.3) ? prng.below(good.length) : good.length);
      for (let i = prng.below(4); i > 0 && bytes.length > 0; i--)
        bytes[prng.below(bytes.length)] = prng.below(256);
      const opened = openEea(bytes);
      if (opened === undefined || typeof opened === 'string') continue;
      expect(toHex(opened.raw)).toBe(toHex(bytes.subarray(good.length - opened.raw.length)));
      eeaFault(opened, { senderKey: '' } as HeldPayload, RULES);
    }
  });
});

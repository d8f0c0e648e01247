/**
 * Digests of private transactions at their parties: alike where their history is, and told to
 * nobody else.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Party, PrivateNetwork, PSI } from '../../../../../test/support/private-parties.ts';
import { fromBase64, toBase64 } from '../../../../core/base/base64.ts';
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import { payloadHashOf } from '../../../../core/privacy/marker.ts';
import { BlockAudit } from './block-audit.ts';
import { PrivateDigests } from './private-digests.ts';

/** Every call adds 1 to slot 0. */
const COUNTER_CODE = '0x6860005460010160005560005260096017f3';

let network: PrivateNetwork;
let one: Party;
let two: Party;
let three: Party;
beforeEach(async () => {
  network = new PrivateNetwork();
  await network.start();
  [one, two, three] = network.parties as [Party, Party, Party];
});
afterEach(() => network.stop());

async function sent(to: readonly Party[], contract?: Address): Promise<Hash32> {
  const what = contract
    ? { to: contract, data: Uint8Array.of(1) }
    : { data: fromHex(COUNTER_CODE) };
  const hash = await one.send(what, to);
  await network.until(
    () => [one, two, three].every((party) => isRun(party, hash)),
    'all have run the block',
  );
  return hash;
}

function isRun({ node: { chain } }: Party, hash: Hash32): boolean {
  const place = chain.store.transactionByHash(hash);
  return place !== undefined && chain.store.cursor({ kind: 'private', psi: PSI }) >= place.block;
}

/** By payload, in Base64, what a party reports. */
async function reportOf({ node: { chain }, manager }: Party) {
  const compare = () => Promise.reject(new Error('not in this test'));
  const known = Object.assign(Object.create(manager), { compare });
  const audit = new BlockAudit({ chain, manager: known, psis: [PSI], psiOf: () => PSI });
  const digests = new PrivateDigests(known);
  for (let number = 1; number <= chain.head().number; number++)
    await audit.look(number, 'deep', (block) => digests.add(block));
  const rows = digests
    .reportOf(PSI)
    .map(({ payload, digest, parties }) => [
      toBase64(payload),
      { digest: toHex(digest), parties: parties.map(toBase64).sort() },
    ]);
  return new Map<string, { digest: string; parties: string[] }>(rows as never);
}

function payloadOf(hash: Hash32): string {
  const { store } = one.node.chain;
  const { block, index } = store.transactionByHash(hash)!;
  return toBase64(payloadHashOf(store.block(block)!.transactions[index]!.data));
}

const keysOf = (...parties: Party[]) => parties.map(({ key }) => key).sort();

it('are alike at parties of the same history, and name them alone', async () => {
  const ofTwo = one.receipt(await sent([two]))!.contractAddress!;
  const ofThree = one.receipt(await sent([three]))!.contractAddress!;
  const calls = [await sent([two], ofTwo), await sent([three], ofThree)].map(payloadOf);
  const [atOne, atTwo, atThree] = [await reportOf(one), await reportOf(two), await reportOf(three)];
  expect([atOne, atTwo, atThree].map(({ size }) => size)).toEqual([4, 2, 2]);
  for (const [payload, told] of [...atTwo, ...atThree]) expect(atOne.get(payload)).toEqual(told);
  expect(atTwo.get(calls[0]!)!.parties).toEqual(keysOf(one, two));
  expect(atThree.get(calls[1]!)!.parties).toEqual(keysOf(one, three));
});

it('are told to no party of the transaction that lacks one of those before', async () => {
  const contract = one.receipt(await sent([two, three]))!.contractAddress!;
  await sent([two], contract);
  const last = payloadOf(await sent([two, three], contract));
  const [atOne, atTwo, atThree] = [await reportOf(one), await reportOf(two), await reportOf(three)];
  expect(atOne.get(last)).toEqual(atTwo.get(last));
  expect(atOne.get(last)!.parties).toEqual(keysOf(one, two));
  expect(atThree.get(last)!.digest).not.toBe(atOne.get(last)!.digest);
});

it('differ behind a payload that one party never had', async () => {
  const contract = one.receipt(await sent([two]))!.contractAddress!;
  const before = payloadOf(await sent([two], contract));
  network.managers.setEmptied(two.key, true);
  const lost = payloadOf(await sent([two], contract));
  network.managers.lose(two.key, fromBase64(lost));
  network.managers.setEmptied(two.key, false);
  const after = payloadOf(await sent([two], contract));
  const [atOne, atTwo] = [await reportOf(one), await reportOf(two)];
  expect(atTwo.get(before)).toEqual(atOne.get(before));
  expect(atTwo.has(lost)).toBe(false);
  expect(atTwo.get(after)!.parties).toEqual(keysOf(one, two));
  expect(atTwo.get(after)!.digest).not.toBe(atOne.get(after)!.digest);
});

it('are not made of what the state does not rest on any more', async () => {
  const contract = one.receipt(await sent([two]))!.contractAddress!;
  network.managers.setEmptied(two.key, true);
  await sent([two], contract);
  network.managers.setEmptied(two.key, false);
  const after = payloadOf(await sent([two], contract));
  expect((await reportOf(two)).has(after)).toBe(false);
});

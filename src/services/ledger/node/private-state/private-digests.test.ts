/**
 * Digests of private transactions at their parties: equal if the history is, and not sent to any
 * other node.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Party, PrivateNetwork, PSI } from '../../../../../test/support/private-parties.ts';
import { fromBase64, toBase64 } from '../../../../core/base/base64.ts';
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';
import { payloadHashOf } from '../../../../core/privacy/marker.ts';
import { BlockAudit, type TracedBlock } from './block-audit.ts';
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

/** What a party reports about each payload, by its hash in Base64. */
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

it('are sent to no party of the transaction that lacks one of those before', async () => {
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

it('are of so many transactions, the newest and those that are asked for, and name so many parties', async () => {
  const participants = async (payload: Uint8Array) =>
    Array.from({ length: payload[0] === 0xff ? 32 : 31 }, (_, at) => toBase64(keyOf(at)));
  const manager = { compare: () => Promise.reject(new Error('not here')), participants };
  const digests = new PrivateDigests(manager as unknown as Manager);
  const add = (number: number, payload: Uint8Array) => {
    const trace = { existed: new Map(), written: new Set<string>(), outcome: keyOf(0) };
    const runs = [{ index: 0, payloads: [payload], sender: toBase64(keyOf(99)), trace }];
    const block = { psi: PSI, number, isAsRecorded: true, written: new Set(), runs };
    return digests.add(block as unknown as TracedBlock);
  };
  for (let number = 1; number <= 300; number++) await add(number, payloadNumbered(number));
  digests.trim([payloadNumbered(3)]);
  const told = digests.reportOf(PSI);
  expect(told.map(({ number }) => number)).toEqual([
    3,
    ...Array.from({ length: 256 }, (_, at) => 45 + at),
  ]);
  expect(told[0]!.parties).toHaveLength(32);
  await add(301, new Uint8Array(64).fill(0xff));
  expect(digests.reportOf(PSI).map(({ number }) => number)).not.toContain(301);
});

it('ask the manager for the parties of 64 transactions together', async () => {
  let [asked, most] = [0, 0];
  const participants = async () => {
    most = Math.max(most, ++asked);
    await new Promise(setImmediate);
    asked--;
    return [toBase64(keyOf(1))];
  };
  const manager = { compare: () => Promise.reject(new Error('not here')), participants };
  const digests = new PrivateDigests(manager as unknown as Manager);
  const trace = { existed: new Map(), written: new Set<string>(), outcome: keyOf(0) };
  const runs = Array.from({ length: 150 }, (_, index) => ({
    ...{ index, payloads: [payloadNumbered(index)], sender: toBase64(keyOf(99)), trace },
  }));
  const block = { psi: PSI, number: 1, isAsRecorded: true, written: new Set(), runs };
  await digests.add(block as unknown as TracedBlock);
  expect(most).toBe(64);
  expect(digests.reportOf(PSI).map(({ payload }) => payload)).toEqual(
    runs.map(({ payloads }) => payloads[0]),
  );
});

const keyOf = (fill: number) => new Uint8Array(32).fill(fill);

function payloadNumbered(number: number): Uint8Array {
  const payload = new Uint8Array(64);
  new DataView(payload.buffer).setUint32(4, number);
  return payload;
}

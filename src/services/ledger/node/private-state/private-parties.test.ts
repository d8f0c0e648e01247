/** Private transactions in one block, as their parties see them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Party, PrivateNetwork, PSI } from '../../../../../test/support/private-parties.ts';
import { setInput } from '../../../../../test/support/store-contract.ts';
import { toBase64 } from '../../../../core/base/base64.ts';
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import type { PrivacyFlag } from '../../../../core/privacy/inputs.ts';

/** Every call adds 1 to slot 0. */
const COUNTER_CODE = '0x6860005460010160005560005260096017f3';

let network: PrivateNetwork;
let one: Party;
let two: Party;
let stranger: Party;
beforeEach(async () => {
  network = new PrivateNetwork();
  await network.start();
  [one, two, stranger] = network.parties as [Party, Party, Party];
});
afterEach(() => network.stop());

const blockOf = (hash: Hash32) => one.node.chain.store.transactionByHash(hash)!.block;
const statuses = (party: Party, hashes: readonly Hash32[]) =>
  hashes.map((hash) => party.receipt(hash)?.status);

function rootOf(party: Party, number: number): string {
  return toHex(party.node.chain.store.privateRecord(PSI, number)!.root);
}

function isDone(party: Party, hash: Hash32): boolean {
  const { store } = party.node.chain;
  const place = store.transactionByHash(hash);
  return place !== undefined && store.cursor({ kind: 'private', psi: PSI }) >= place.block;
}

async function untilAllHave(hashes: readonly Hash32[]): Promise<void> {
  await network.until(
    () => [one, two].every((party) => hashes.every((hash) => isDone(party, hash))),
    'the parties have run them',
  );
}

/** Sends all transactions before the next block; resolves when the parties have run them. */
async function sendQuickly(sends: readonly (() => Promise<Hash32>)[]): Promise<Hash32[]> {
  const hashes: Hash32[] = [];
  for (const send of sends) hashes.push(await send());
  await untilAllHave(hashes);
  expect(new Set(hashes.map(blockOf)).size).toBe(1);
  return hashes;
}

async function counter(
  flag: PrivacyFlag,
): Promise<{ contract: Address; count(): Promise<Hash32> }> {
  const created = await one.send({ data: fromHex(COUNTER_CODE) }, [two], flag);
  await untilAllHave([created]);
  const contract = one.receipt(created)!.contractAddress!;
  const call = { to: contract, data: Uint8Array.of(1) };
  return { contract, count: () => one.send(call, [two], flag) };
}

it('COMPAT: under state validation the second of two quick sends fails, at all parties alike, and one by one they pass', async () => {
  const { contract, count } = await counter(3);
  const hashes = await sendQuickly([count, count]);
  for (const party of [one, two]) {
    expect(statuses(party, hashes)).toEqual([1, 0]);
    expect(party.slot(contract)).toBe(1n);
  }
  expect(rootOf(one, blockOf(hashes[0]!))).toBe(rootOf(two, blockOf(hashes[0]!)));
  expect(statuses(two, await sendQuickly([count]))).toEqual([1]);
  expect(two.slot(contract)).toBe(2n);
});

it('under state validation quick sends pass whose end does not depend on what was before', async () => {
  const contract = await network.contract(one, [two], 3);
  const set = (value: number) => () =>
    one.send({ to: contract, data: fromHex(setInput(value)) }, [two], 3);
  expect(statuses(two, await sendQuickly([set(1), set(2)]))).toEqual([1, 1]);
  expect(two.slot(contract)).toBe(2n);
});

it.each([0, 1] as const)(
  'with flag %i each sees what private ones before it in the block wrote, past public ones',
  async (flag) => {
    const { contract, count } = await counter(flag);
    const pay = () => one.sender.send({ ...one.args({ to: one.account }, []), private: undefined });
    const hashes = await sendQuickly([count, pay, count, pay, count]);
    expect(statuses(one, hashes)).toEqual([1, undefined, 1, undefined, 1]);
    expect([one, two].map((party) => party.slot(contract))).toEqual([3n, 3n]);
    expect(stranger.slot(contract)).toBeUndefined();
  },
);

it('the root of a payload and what it affects reach its parties under their own names, and no log', async () => {
  const contract = await network.contract(one, [two], 3);
  const creation = one.metadata(contract)!.creationHash;
  const { affected, execHash, payload } = one.sent.at(-1)!;
  expect(toHex(payload)).toBe(setInput(42));
  expect(affected.map(toHex)).toEqual([toHex(creation)]);
  expect(execHash).toHaveLength(32);
  for (const party of [one, two]) {
    const answers = await party.manager.ask([{ kind: 'payload', hash: lastHash() }]);
    expect([...answers.values()]).toMatchObject([{ kind: 'held', affected, execHash }]);
  }
  const said = network.said.join();
  for (const bytes of [creation, execHash!, payload]) {
    expect(said).not.toContain(toHex(bytes).slice(2));
    expect(said).not.toContain(toBase64(bytes));
  }
});

/** Hash of the payload of the newest private transaction. */
function lastHash(): Uint8Array {
  const { store } = one.node.chain;
  for (let number = one.node.chain.head().number; ; number--) {
    const last = store.block(number)!.transactions.findLast(({ isPrivate }) => isPrivate);
    if (last) return last.data;
  }
}

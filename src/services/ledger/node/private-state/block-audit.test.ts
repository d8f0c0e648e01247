/** A payload that arrived too late, or was lost, as the audit of its block reports it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Party, PrivateNetwork, PSI } from '../../../../../test/support/private-parties.ts';
import { setInput } from '../../../../../test/support/store-contract.ts';
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import type { PrivacyFlag } from '../../../../core/privacy/inputs.ts';
import { BlockAudit, type Depth } from './block-audit.ts';

/** Every call adds 1 to slot 0, without a log. */
const COUNTER_CODE = '0x6860005460010160005560005260096017f3';

let network: PrivateNetwork;
let one: Party;
let two: Party;
beforeEach(async () => {
  network = new PrivateNetwork();
  await network.start();
  [one, two] = network.parties as [Party, Party];
});
afterEach(() => network.stop());

function auditOf({ node, manager }: Party): BlockAudit {
  return new BlockAudit({ chain: node.chain, manager, psis: [PSI], psiOf: () => PSI });
}

async function faultsOf(party: Party, depth: Depth) {
  const faults = [];
  for (let number = 1; number <= party.node.chain.head().number; number++) {
    faults.push(...(await auditOf(party).look(number, depth)));
  }
  return faults.map(({ kind, transaction }) => [kind, toHex(transaction.hash)]);
}

const DEPTHS: readonly Depth[] = ['quick', 'deep'];

async function untilRun(party: Party, hash: Hash32): Promise<void> {
  const { chain } = party.node;
  await network.until(() => {
    const place = chain.store.transactionByHash(hash);
    return place !== undefined && chain.store.cursor({ kind: 'private', psi: PSI }) >= place.block;
  }, 'the block is run');
}

async function counter(flag: PrivacyFlag): Promise<Address> {
  const created = await one.send({ data: fromHex(COUNTER_CODE) }, [two], flag);
  for (const party of [one, two]) await untilRun(party, created);
  return one.receipt(created)!.contractAddress!;
}

it.each(DEPTHS)('finds nothing where all payloads were there (%s)', async (depth) => {
  for (const flag of [0, 1, 3] as const) await network.contract(one, [two], flag);
  await counter(0);
  for (const party of network.parties) expect(await faultsOf(party, depth)).toEqual([]);
});

it.each(DEPTHS)('names the transaction whose payload came too late (%s)', async (depth) => {
  const contract = await counter(0);
  const call = { to: contract, data: Uint8Array.of(1) };
  network.managers.setEmptied(two.key, true);
  const late = await one.send(call, [two]);
  for (const party of [one, two]) await untilRun(party, late);
  network.managers.setEmptied(two.key, false);
  const after = await one.send(call, [two]);
  for (const party of [one, two]) await untilRun(party, after);
  expect([one, two].map((party) => party.slot(contract))).toEqual([2n, 1n]);
  expect(await faultsOf(two, depth)).toEqual([['missed', toHex(late)]]);
  expect(await faultsOf(one, depth)).toEqual([]);
});

it.each(DEPTHS)('finds a late one among others of its block (%s)', async (depth) => {
  const [first, second] = [await counter(0), await counter(0)];
  const send = (to: Address) => one.send({ to, data: Uint8Array.of(1) }, [two]);
  network.managers.setEmptied(two.key, true);
  const late = await send(first);
  const place = () => two.node.chain.store.transactionByHash(late);
  await untilRun(two, late);
  expect(place()).toBeDefined();
  network.managers.setEmptied(two.key, false);
  const fine = await send(second);
  await untilRun(two, fine);
  expect(await faultsOf(two, depth)).toEqual([['missed', toHex(late)]]);
});

it('finds a creation that was missed', async () => {
  network.managers.setEmptied(two.key, true);
  const late = await one.send({ data: fromHex(COUNTER_CODE) }, [two]);
  await untilRun(two, late);
  network.managers.setEmptied(two.key, false);
  for (const depth of DEPTHS) {
    expect(await faultsOf(two, depth)).toEqual([['missed', toHex(late)]]);
  }
});

it('tells a payload that is gone from one that was missed, and both from one that is not ours', async () => {
  const contract = await network.contract(one, [two], 0);
  const set = { to: contract, data: fromHex(setInput(7)) };
  const last = await one.send(set, [two]);
  await untilRun(two, last);
  network.managers.setEmptied(two.key, true);
  const kinds = (await faultsOf(two, 'deep')).map(([kind]) => kind);
  expect(new Set(kinds)).toEqual(new Set(['lost']));
  const [, , stranger] = network.parties as [Party, Party, Party];
  expect(await faultsOf(stranger, 'deep')).toEqual([]);
});

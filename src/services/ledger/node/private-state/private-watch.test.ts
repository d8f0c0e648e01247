/**
 * What the watch over the private states reports, and when: about its own blocks, and about results
 * of the manager's comparison with its peers.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Party, PrivateNetwork, PSI } from '../../../../../test/support/private-parties.ts';
import type { Hash32 } from '../../../../core/base/bytes.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import type { PeerComparison, StateRoots } from '../../../../core/privacy/manager-port.ts';
import { PrivateWatch } from './private-watch.ts';

const HASH = new Uint8Array(64).fill(7);
const NOTHING: PeerComparison = { arrivals: '', missing: [], differing: [] };
/** Every call adds 1 to slot 0, without a log. */
const COUNTER_CODE = '0x6860005460010160005560005260096017f3';

let network: PrivateNetwork;
let one: Party;
let two: Party;
let compared: PeerComparison;
let told: readonly StateRoots[];
let said: string[];
let watch: PrivateWatch;
beforeEach(async () => {
  network = new PrivateNetwork();
  await network.start();
  [one, two] = network.parties as [Party, Party];
  compared = NOTHING;
  told = [];
  said = [];
});
afterEach(async () => {
  watch.stop();
  await network.stop();
});

function watchOver({ node, manager }: Party, membersOf = () => undefined as string[] | undefined) {
  const compare = async (states: readonly StateRoots[]) => {
    told = states;
    return compared;
  };
  watch = new PrivateWatch({
    ...{ chain: node.chain, events: node.events, psis: [PSI], psiOf: () => PSI, membersOf },
    manager: Object.assign(Object.create(manager), { compare }),
    ...{ cursor: () => node.follower!.cursor(), clock: network.time, timers: network.time },
    log: (level, message) => {
      if (level !== 'debug') said.push(`${level}: ${message}`);
    },
  });
  watch.start();
}

async function untilRun(party: Party, hash: Hash32): Promise<number> {
  const { chain } = party.node;
  const place = () => chain.store.transactionByHash(hash);
  const isRun = () => chain.store.cursor({ kind: 'private', psi: PSI }) >= place()!.block;
  await network.until(() => place() !== undefined && isRun(), 'the block is run');
  return place()!.block;
}

async function missedBlock(): Promise<number> {
  network.managers.setEmptied(two.key, true);
  const late = await one.send({ data: fromHex(COUNTER_CODE) }, [two]);
  const number = await untilRun(two, late);
  network.managers.setEmptied(two.key, false);
  return number;
}

it('names the block whose payload came too late, once, and is silent before it comes', async () => {
  watchOver(two);
  const number = await missedBlock();
  await network.until(() => watch.looked >= number, 'it was checked');
  expect(watch.firstBad).toMatchObject({ kind: 'missed', psi: PSI, number });
  expect(watch.isDiverged).toBe(true);
  await network.time.pass(60_000);
  expect(said).toEqual([
    'error: Private state has diverged: a payload arrived after its block was run without it',
  ]);
});

it('looks at all blocks again when the manager says that something has come', async () => {
  network.managers.setEmptied(two.key, true);
  const late = await one.send({ data: fromHex(COUNTER_CODE) }, [two]);
  const number = await untilRun(two, late);
  watchOver(two);
  await network.until(() => watch.looked >= number, 'it was checked');
  expect(watch.isDiverged).toBe(false);
  network.managers.setEmptied(two.key, false);
  compared = { ...NOTHING, arrivals: 'news' };
  await network.until(() => watch.isDiverged, 'it is noticed');
  expect(watch.firstBad).toMatchObject({ number, kind: 'missed' });
});

it('begins at the oldest block whose states are there', async () => {
  const number = await missedBlock();
  Object.defineProperty(two.node.chain.store, 'firstState', { value: number });
  const later = await untilRun(two, await one.send({ data: fromHex(COUNTER_CODE) }, [two]));
  watchOver(two);
  await network.until(() => watch.looked >= later, 'it was checked');
  expect(watch.firstBad).toBeUndefined();
});

it('says what peers have, and which of them has another private state', async () => {
  watchOver(two);
  compared = { ...NOTHING, missing: [{ hash: HASH, peer: 'http://one' }] };
  await network.until(() => watch.missing.length > 0, 'a payload is missing');
  expect(watch.isDiverged).toBe(false);
  compared = { ...NOTHING, differing: [{ number: 16, peer: 'http://one' }] };
  await network.until(() => watch.isDiverged, 'it has diverged');
  expect(said).toEqual([
    'warn: A payload is missing that, according to a peer, is for this node',
    'error: A peer that is party to the same payloads has a different private state',
  ]);
  compared = NOTHING;
  await network.until(() => !watch.isDiverged, 'it is over');
});

it('finds a state that its payloads do not lead to, though each of them was there', async () => {
  await network.contract(one, [two], 0);
  const { store } = two.node.chain;
  const recorded = store.privateResult.bind(store);
  store.privateResult = (psi, number) => {
    const found = recorded(psi, number);
    if (!found) return undefined;
    const failed = [...found.receipts].map(([index, each]) => [index, { ...each, status: 0 }]);
    return { ...found, receipts: new Map(failed as never) };
  };
  watchOver(two);
  await network.until(() => watch.isDiverged, 'it is noticed');
  expect(watch.firstBad?.kind).toBe('differs');
});

it('tells digests of its transactions, keeps one that differs, and says which', async () => {
  await network.contract(one, [two], 0);
  watchOver(two);
  await network.until(() => (told[0]?.digests?.length ?? 0) >= 2, 'digests are told');
  const [digest] = told[0]!.digests!;
  expect(digest!.parties.map((key) => Buffer.from(key).toString('base64')).sort()).toEqual(
    [one.key, two.key].sort(),
  );
  const { number, payload } = digest!;
  compared = { ...NOTHING, differing: [{ number, peer: 'http://one', payload }] };
  await network.until(() => watch.isDiverged, 'it has diverged');
  expect(said).toEqual([
    'error: A peer that is party to the same payloads has a different private state',
  ]);
  expect(watch.digests.historyOf(PSI, payload)).toBeDefined();
});

it('reports the keys of each private state; of a single one nothing', async () => {
  const states: (string[] | undefined)[] = [undefined, [two.key]];
  for (const members of states) {
    watchOver(two, () => members);
    const from = two.node.chain.head().number;
    await network.until(() => two.node.follower!.cursor() > from + 32, 'blocks are run');
    await network.until(() => told.length > 0, 'roots are told');
    const [state] = told as [StateRoots];
    expect(state.roots.length).toBeGreaterThan(0);
    expect(state.roots.every(({ number }) => number % 16 === 0)).toBe(true);
    expect(state.psi).toBe(members ? PSI : undefined);
    expect(state.keys?.map((key) => Buffer.from(key).toString('base64'))).toEqual(members);
    watch.stop();
    told = [];
  }
});

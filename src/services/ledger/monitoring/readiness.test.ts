import { expect, it } from 'vitest';
import { chainConfigFromJson } from '../../../core/chain/genesis.ts';
import { type ReadinessParts, readiness } from './readiness.ts';

const HEAD = 1_000;
const SECRET = new Uint8Array(32).fill(0xab);

const EMPTY_PERIOD_SECONDS = 300;

interface Scene {
  readonly highest?: number;
  readonly agreementMs?: number;
  readonly chainMs?: number;
  readonly peers?: number;
  readonly cursor?: number;
  readonly abstention?: string;
  readonly managerFault?: string;
  readonly firstBad?: number;
  readonly isDiverged?: boolean;
  readonly blockPeriodMs?: number;
  /** Time since the next block was due. */
  readonly lateMs?: number;
  readonly upMs?: number;
  readonly hasLeader?: boolean;
  readonly keyFault?: string;
}

function look(scene: Scene, ignoredReasons: readonly string[] = []) {
  const { highest, agreementMs = 0, chainMs = 0, peers = 3, cursor = HEAD } = scene;
  const { abstention, managerFault, firstBad, isDiverged = false, blockPeriodMs = 1_000 } = scene;
  const { lateMs = 0, upMs = 1e9, hasLeader, keyFault } = scene;
  const qbft = {
    xblockperiodmilliseconds: blockPeriodMs,
    emptyblockperiodseconds: EMPTY_PERIOD_SECONDS,
  };
  const parts = {
    node: {
      chain: {
        head: () => ({ number: HEAD, header: { timestamp: 7_000n } }),
        config: chainConfigFromJson({ qbft }),
      },
      follower: { cursor: () => cursor },
      bft: { abstention, isRunning: true },
    },
    admin: {
      syncing: () => (highest === undefined ? undefined : { highestBlock: highest }),
      peers: () => Array.from({ length: peers }),
      raft: hasLeader === undefined ? undefined : { hasLeader: () => hasLeader },
    },
    config: { rpc: { ignoredReasons }, consensus: { defaults: {} } },
    hasConfiguredPeers: true,
    watch: { longest: { ms: chainMs, ownMs: chainMs } },
    agreementWatch: { longest: { ms: agreementMs, ownMs: agreementMs } },
    pulse: { fault: managerFault },
    keyPulse: { fault: keyFault },
    privateWatch: {
      firstBad: firstBad && {
        ...{ kind: 'missed', psi: 'private', number: firstBad, hash: SECRET },
        transaction: { hash: SECRET, to: SECRET },
      },
      isDiverged,
    },
  };
  const { status, body } = readiness(parts as unknown as ReadinessParts, {
    nowMs: (7_000 + EMPTY_PERIOD_SECONDS) * 1_000 + lateMs,
    upMs,
  });
  const { ready, reasons } = JSON.parse(String(body));
  expect(status).toBe(ready ? 200 : 503);
  return { ready, reasons: reasons.map((each: { reason: string }) => each.reason), body };
}

it.each([
  ['behind', { highest: HEAD + 16 }, { highest: HEAD + 17 }],
  ['lag', { agreementMs: 1_000 }, { agreementMs: 1_001 }],
  ['lag', { chainMs: 1_000 }, { chainMs: 1_001 }],
  ['peers', { peers: 1 }, { peers: 0 }],
  ['nodekey', {}, { keyFault: 'no answer' }],
  ['private', { cursor: HEAD - 16 }, { cursor: HEAD - 17 }],
  [
    'behind',
    { highest: HEAD + 80, blockPeriodMs: 200 },
    { highest: HEAD + 81, blockPeriodMs: 200 },
  ],
  ['manager', {}, { managerFault: 'nothing is listening there' }],
  ['diverged', {}, { isDiverged: true }],
  ['diverged', {}, { firstBad: 7 }],
  ['quorum', { lateMs: 60_000 }, { lateMs: 60_001 }],
  ['quorum', { lateMs: 1e9, upMs: 60_000 }, { lateMs: 1e9, upMs: 60_001 }],
  ['quorum', { hasLeader: true }, { hasLeader: false }],
  ['votes', {}, { abstention: 'the file "votes" is missing or empty' }],
] as const)('%s: ready at the bound %o, and not behind it %o', (reason, good, bad) => {
  expect(look(good)).toMatchObject({ ready: true, reasons: [] });
  expect(look(bad)).toMatchObject({ ready: false, reasons: [reason] });
  // An operator may exclude the reason from the result; the answer still lists it.
  expect(look(bad, [reason])).toMatchObject({ ready: true, reasons: [reason] });
  expect(look({ ...bad, peers: 0, highest: HEAD + 99 }, [reason]).ready).toBe(false);
});

it('names the first bad block, and does not show its transaction', () => {
  const { body } = look({ firstBad: 7 });
  expect(body).toContain('private state has diverged at block 7');
  expect(body).not.toMatch(/abab|q6ur/);
});

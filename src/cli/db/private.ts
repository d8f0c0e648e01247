/** `quorate db private-check` and `quorate db private-repair`. */
import { toBase64 } from '../../core/base/base64.ts';
import { toHex } from '../../core/base/hex.ts';
import { steadyClock } from '../../io/host/clock.ts';
import { systemEffort } from '../../io/host/effort.ts';
import { systemTimers } from '../../io/host/timers.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { resolveManagerConfig } from '../../io/ptm-client/config.ts';
import { connectManager } from '../../io/ptm-client/connect.ts';
import { managerFlags } from '../../services/ledger/config/manager-flags.ts';
import { privateStatesOf } from '../../services/ledger/config/private-states.ts';
import type {
  FaultKind,
  PrivateFault,
} from '../../services/ledger/node/private-state/block-audit.ts';
import { PrivateCheck, type PrivateReport } from '../../services/ledger/offline/private-check.ts';
import { openChain } from '../../services/ledger/store/data.ts';
import { stderrLog } from '../log.ts';

/** Exit status: faults were found and reported. */
const FOUND_EXIT_CODE = 2;
const INFO_VERBOSITY = 3;

const WORDS: Readonly<Record<FaultKind, string>> = {
  missed: 'the payload arrived after the block was run without it',
  lost: 'the payload was run and is gone from the manager; private state is right',
  differs: 'the payloads give a different private state',
};

export interface DbOutcome {
  readonly text: string;
  readonly exitCode: number;
}

export function privateCheck(options: ParsedOptions): Promise<DbOutcome> {
  return withCheck(options, async (check) => {
    const report = await check.check();
    return { text: told(report), exitCode: isWell(report) ? 0 : FOUND_EXIT_CODE };
  });
}

export function privateRepair(options: ParsedOptions): Promise<DbOutcome> {
  return withCheck(options, async (check) => {
    const before = await check.check();
    const first = await check.repair(before);
    if (first === undefined) {
      return { text: told(before), exitCode: isWell(before) ? 0 : FOUND_EXIT_CODE };
    }
    const after = await check.check(first);
    const text = `${told(before)}\nRan private state again from block ${first} to ${after.head}.\n${told(after)}`;
    return { text, exitCode: isWell(after) ? 0 : FOUND_EXIT_CODE };
  });
}

async function withCheck(
  options: ParsedOptions,
  work: (check: PrivateCheck) => Promise<DbOutcome>,
): Promise<DbOutcome> {
  const log = stderrLog(INFO_VERBOSITY);
  const opened = await openChain(options.string('datadir')!, { log });
  try {
    const config = resolveManagerConfig(process.env.PRIVATE_CONFIG, managerFlags(options));
    const manager = await connectManager(config, { say: log });
    try {
      const privateStates = await privateStatesOf(opened.genesis, manager);
      const host = { clock: steadyClock, timers: systemTimers, effort: systemEffort, log };
      return await work(new PrivateCheck({ opened, manager, privateStates, ...host }));
    } finally {
      manager.close();
    }
  } finally {
    await opened.close();
  }
}

function isWell({ faults, missing }: PrivateReport): boolean {
  return faults.length === 0 && missing.length === 0;
}

function told(report: PrivateReport): string {
  const { blocks, first: from, head, faults, missing, hasAskedPeers } = report;
  const peers = hasAskedPeers
    ? 'after its peers were asked for the payloads that they share'
    : 'its peers were not asked: only a Quorate manager does that';
  const first = faults.find(({ kind }) => kind !== 'lost');
  const older =
    from === 1
      ? []
      : [
          `Blocks before ${from} were not checked: this node has no states of them. If they were pruned, "quorate db reindex --gcmode archive" brings them back.`,
        ];
  return [
    ...older,
    `Reran ${blocks} blocks with private transactions, up to block ${head}, with the payloads that the manager holds; ${peers}.`,
    ...missing.map(
      ({ hash, peer }) =>
        `payload ${toBase64(hash)}: ${peer} says that it is for this manager, but no one sends it`,
    ),
    ...faults.map(line),
    first
      ? `The first bad block is ${first.number}: run quorate db private-repair with the node stopped.`
      : faults.length > 0
        ? 'Private state is right. Recover the payloads (quorate ptm recover) before it has to be rebuilt.'
        : 'Private state matches its payloads.',
  ].join('\n');
}

function line({ kind, psi, number, transaction, hash }: PrivateFault): string {
  const to = transaction.to ? `to ${toHex(transaction.to)}` : 'a creation';
  return `block ${number} (${psi}): transaction ${toHex(transaction.hash)}, ${to}, payload ${toBase64(hash)}: ${WORDS[kind]}`;
}

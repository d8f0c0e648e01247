/** The report of `quorate migrate datadir`. */
import type { MigrationReport } from '../../services/ledger/migration/migrate-datadir.ts';
import type { GethSource } from '../../services/ledger/migration/source.ts';

interface Terms {
  readonly source: GethSource;
  readonly target: string;
  /** A private transaction manager was named. */
  readonly isPrivate: boolean;
}

type Row = readonly [what: string, count: number];

export function differenceOf({ comparison, copyCheck }: MigrationReport) {
  return copyCheck?.difference ?? comparison?.difference;
}

export function migrationText(report: MigrationReport, terms: Terms): string {
  const { head, base, genesis, files, isWhole } = report;
  const { source, target } = terms;
  const lines = [...workDone(report), `Head: ${head.number} 0x${head.hash}`];
  if (genesis.isFileOlder) {
    lines.push(
      `The configuration in ${source.genesisFile} is not the one with which the node ran: that of the database is used.`,
    );
  }
  lines.push(...files.kept.map((name) => `Kept in the target although it differs: ${name}`));
  if (report.raft) {
    const { term, commit, entries } = report.raft;
    lines.push(
      `Raft member: term ${term}, ${entries} entries, committed up to ${commit}. It remains the same member.`,
    );
  }
  lines.push(...pendingText(report, source), ...table(report, terms.isPrivate));
  const difference = differenceOf(report);
  if (difference) {
    lines.push(
      `DIFFERENT at block ${difference.block}: ${difference.text}. ${cureOf(report, terms)}`,
    );
  } else if (isWhole) {
    if (base !== undefined) {
      lines.push(
        `States are available from block ${base} on; for older ones the node answers "not migrated". --execute creates all of them.`,
      );
    }
    if (report.votesFrom !== undefined) {
      lines.push(
        `If it is a validator, it votes from block ${report.votesFrom} on. Where all validators move at once, compare the head above first: do not start one that is behind the highest.`,
      );
    }
    lines.push(
      'Callbacks of eth_sendTransactionAsync go only to this machine and to the caller; --rpc.callback-hosts names other hosts. Other differences: docs/known-differences.md',
      `Start it: quorate node --datadir ${target}`,
    );
  } else {
    const way = base === undefined ? ' --execute' : '';
    lines.push(
      `Interrupted. The same command continues: quorate migrate datadir ${source.folder} --datadir ${target}${way}`,
    );
  }
  return lines.join('\n');
}

function workDone({ copied, imported, base }: MigrationReport): string[] {
  const lines: string[] = [];
  if (copied) {
    const { blocks, transactions, elapsedMs, statesMs, states } = copied;
    const rate = (count: number, ms: number) => Math.round((count * 1_000) / Math.max(ms, 1));
    lines.push(
      `Copied ${blocks} blocks with ${transactions} transactions in ${seconds(elapsedMs)} s (${rate(transactions, elapsedMs)} transactions/s).`,
    );
    if (states) {
      const { accounts, slots } = states;
      lines.push(
        `Copied the states of block ${base}: ${accounts} accounts and ${slots} slots in ${seconds(statesMs)} s (${rate(accounts + slots, statesMs)}/s).`,
      );
    }
    if (states && states.unnamed > 0) {
      lines.push(
        'The source kept only hashes of its addresses and slots (--cache.preimages=false): all of them can be read, but not listed (debug_dumpBlock, debug_accountRange, debug_storageRangeAt).',
      );
    }
  }
  if (imported.blocks > 0 || base === undefined) {
    const { blocks, transactions, elapsedMs } = imported;
    lines.push(
      `Executed ${blocks} blocks with ${transactions} transactions in ${seconds(elapsedMs)} s.`,
    );
  }
  return lines;
}

function pendingText({ pending }: MigrationReport, source: GethSource): string[] {
  if (!pending) return [];
  const { waiting, mined, damagedAt } = pending;
  const lines: string[] = [];
  if (waiting > 0) {
    lines.push(
      `Pending transactions of its clients: ${waiting}. The node keeps sending them (${mined} more of its journal are in blocks).`,
    );
  }
  if (damagedAt !== undefined) {
    lines.push(
      `${source.pending} is torn or damaged at byte ${damagedAt}: GoQuorum would have lost the rest too. Senders of transactions that no block has must send them again.`,
    );
  }
  return lines;
}

function cureOf({ copyCheck }: MigrationReport, { isPrivate, source, target }: Terms): string {
  if (copyCheck?.difference)
    return `Delete ${target} and start again; if the difference remains, copy ${source.folder} again, or use that of another member.`;
  return isPrivate
    ? 'Does the manager have all payloads ("quorate ptm check")? The target is not started before this is solved.'
    : 'Give the manager of this node (--ptm.url): without it this chain has no private state.';
}

function table(
  { copyCheck, comparison, payloads }: MigrationReport,
  isPrivate: boolean,
): readonly string[] {
  const rows: Row[] = [];
  if (copyCheck) {
    rows.push(
      ['blocks: hash, transactions, receipts', copyCheck.blocks],
      [`accounts, of all states at block ${copyCheck.base}`, copyCheck.accounts],
      ['storage slots, of all states', copyCheck.slots],
      ['private states, by their roots', copyCheck.privateStates],
      ['private contracts, with their code', copyCheck.privateContracts],
      ['private storage slots', copyCheck.privateSlots],
    );
  }
  if (comparison) {
    rows.push(
      ['blocks: hash, public state, receipts', comparison.blocks],
      ['transactions', comparison.transactions],
      ['private transactions', comparison.privateTransactions],
      ['private state roots', comparison.privateRoots],
    );
  }
  if (comparison && isPrivate) {
    rows.push(
      ['private contracts, with their code', comparison.privateContracts],
      ['private storage slots', comparison.privateSlots],
    );
  }
  if (rows.length === 0) return [];
  if (payloads) {
    rows.push(['payloads of private transactions', payloads.named]);
    if (payloads.held !== undefined) rows.push(['  of them at the manager', payloads.held]);
  }
  return [
    'Compared with the source:',
    ...rows.map(([what, count]) => `  ${what.padEnd(44)}${String(count).padStart(12)}`),
  ];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

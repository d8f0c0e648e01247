/** `quorate db verify`: checks everything that a stopped node has on disk, without changing it. */
import { toBase64 } from '../../core/base/base64.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { timeLeft } from '../../io/telemetry/time-left.ts';
import { type VerifyReport, verifyData } from '../../services/ledger/offline/verify.ts';
import { DATADIR_ROWS } from '../../services/ledger/options/chain.ts';
import { type CheckReport, checkPtm } from '../../services/ptm/check.ts';
import { ptmConfig } from '../../services/ptm/config.ts';
import { PTM_CONFIG_ROWS } from '../../services/ptm/options.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { tellCheck } from '../ptm/check.ts';
import { CONFIG_SECRETS } from '../ptm/secrets.ts';

/** Exit status: damage was found. 1 means that the command failed. */
const DAMAGED_EXIT_CODE = 2;
const PROGRESS_MS = 5_000;
const WARNINGS = 2;

export const dbVerifyCommand: Command = {
  name: 'db verify',
  about:
    "Reads all of a stopped node's data without changing it, and reports what is damaged, where, and how to repair it: block log, index, index of accounts, states, private states, votes, journal, Raft log, genesis file; with --configfile the store of its private transaction manager too. Exit status 0: intact, 2: damaged, 1: the check failed.",
  examples: [
    {
      does: 'after a crash of the disk, or before a move',
      line: 'quorate db verify --datadir data',
    },
    {
      does: "with the private transaction manager's store, for a script",
      line: 'quorate db verify --datadir data --configfile config.json --json',
    },
  ],
  rows: [
    ...DATADIR_ROWS,
    {
      flag: 'raftlogdir',
      type: 'string',
      about: 'Location of the folder raft, as given to the node',
      group: 'Raft',
    },
    ...PTM_CONFIG_ROWS,
    {
      flag: 'json',
      type: 'boolean',
      default: false,
      about: 'Print one JSON object instead of text',
      group: 'Output',
    },
  ],
  async run(options) {
    await installCrypto();
    const report = await verifyData(options.string('datadir')!, {
      raftFolder: options.string('raftlogdir'),
      progress: progressLines(),
    });
    const manager = await managerOf(options);
    if (options.boolean('json')) {
      console.log(JSON.stringify({ ...report, ...(manager ? { manager: plain(manager) } : {}) }));
    } else {
      tellReport(report);
    }
    const isManagerWhole = !manager || tellManager(manager, options.boolean('json'));
    return report.isWhole && isManagerWhole ? 0 : DAMAGED_EXIT_CODE;
  },
};

async function managerOf(options: ParsedOptions): Promise<CheckReport | undefined> {
  if (options.string('configfile') === undefined) return undefined;
  const say = stderrLog(WARNINGS);
  const config = await ptmConfig(options, { command: 'db verify', say, secrets: CONFIG_SECRETS });
  return checkPtm(config, { say, env: process.env });
}

function tellReport({ isWhole, findings, leftOut, checked }: VerifyReport): void {
  for (const { file, offset, height, what, cure, isNote } of findings) {
    const at = offset === undefined ? '' : `, byte ${offset}`;
    const block = height === undefined ? '' : ` (block ${height})`;
    console.log(`${isNote ? 'note' : 'DAMAGED'}: ${file}${at}${block}: ${what}`);
    console.log(`  ${cure}`);
  }
  for (const { file, count } of leftOut) console.log(`and ${count} more in ${file}`);
  const { records, logBytes, head, indexRows, accountEntries, accounts, slots } = checked;
  const { votes, journalEntries, raftRecords } = checked;
  console.log(
    `Read ${records} records of the block log (${logBytes} bytes) up to block ${head}, ${indexRows} rows of the index, ${accountEntries} entries of the index of accounts, ${accounts} accounts and ${slots} slots, ${votes} votes, ${journalEntries} journal entries, ${raftRecords} Raft records.`,
  );
  console.log(isWhole ? 'Everything is intact.' : 'It is damaged: see above.');
}

/** Returns whether the manager's payloads are intact. */
function tellManager(report: CheckReport, isQuiet: boolean): boolean {
  if (!isQuiet) return tellCheck(report) === 0;
  return [report.payloads, report.raw].every(
    ({ disordered, unopened, damaged }) => disordered + unopened + damaged === 0,
  );
}

function plain({ findings, ...counts }: CheckReport) {
  return { ...counts, findings: findings.map((one) => ({ ...one, hash: toBase64(one.hash) })) };
}

/** Writes a line to standard error every few seconds; each step has its own rate. */
function progressLines(): (step: string, done: number, of: number) => void {
  let next = performance.now() + PROGRESS_MS;
  let current = { step: '', startMs: 0 };
  return (step, done, of) => {
    const nowMs = performance.now();
    if (step !== current.step) current = { step, startMs: nowMs };
    if (nowMs < next) return;
    next = nowMs + PROGRESS_MS;
    const part = done / Math.max(1, of);
    const elapsedMs = nowMs - current.startMs;
    const rate = ((100_000 * part) / Math.max(elapsedMs, 1)).toFixed(1);
    const left = timeLeft(elapsedMs, part);
    process.stderr.write(`${step}: ${Math.floor(100 * part)} %, ${rate} %/s, time left: ${left}\n`);
  };
}

/** `quorate db`: an operator's actions on a stopped node's data. */
import { fail } from '../../core/base/errors.ts';
import { memoryFrom } from '../../core/consensus/bft/memory-loss.ts';
import { PRUNED_FORMAT_VERSION, upgradedFormat } from '../../core/store/format.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { steadyClock } from '../../io/host/clock.ts';
import { systemEffort } from '../../io/host/effort.ts';
import { systemTimers } from '../../io/host/timers.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { resolveManagerConfig } from '../../io/ptm-client/config.ts';
import { connectManager } from '../../io/ptm-client/connect.ts';
import { hasAccountIndex } from '../../io/storage/account-folder.ts';
import { readFormat } from '../../io/storage/data-folder.ts';
import { managerFlags } from '../../services/ledger/config/manager-flags.ts';
import { importedPrivateStates } from '../../services/ledger/config/private-states.ts';
import { indexAccounts } from '../../services/ledger/offline/index-accounts.ts';
import { ACCOUNT_INDEX_ROWS, DATADIR_ROWS } from '../../services/ledger/options/chain.ts';
import { MANAGER_ROWS } from '../../services/ledger/options.ts';
import {
  type GcMode,
  type OpenChain,
  openChain,
  storeFolder,
} from '../../services/ledger/store/data.ts';
import { resetRaftLog } from '../../services/ledger/store/raft-log.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { type DbOutcome, privateCheck, privateRepair } from './private.ts';

const INFO_VERBOSITY = 3;

type Action = (options: ParsedOptions) => Promise<string | DbOutcome>;

const ACTIONS: Readonly<Record<string, Action>> = {
  reindex,
  'reset-votes': resetVotes,
  'reset-raft': resetRaft,
  'private-check': privateCheck,
  'private-repair': privateRepair,
};

export const dbCommand: Command = {
  name: 'db',
  about:
    "Repairs a stopped node's data. reindex rebuilds everything except the block log from it, with the states of all blocks or of the newest ones (--gcmode); with --index.accounts, or if the folder has one, the index of accounts too, for which it runs blocks again. reset-votes is for a validator that has lost its vote file: it votes again from the height that you give, at which you know that it has not voted yet. reset-raft restarts a Raft cluster, with all members stopped: each forgets its log, and keeps its chain. private-check runs every block with private transactions again with the payloads that the private transaction manager now has, after it has asked its peers, and reports the first bad block; private-repair rewinds the private state to before that block and continues from there.",
  operands: 'reindex|reset-votes|reset-raft|private-check|private-repair',
  operandsMax: 1,
  examples: [
    { does: 'rebuild the index', line: 'quorate db reindex --datadir data' },
    {
      does: 'bring back the states that --gcmode full has pruned',
      line: 'quorate db reindex --datadir data --gcmode archive',
    },
    {
      does: 'make an index of accounts, before the node runs with it',
      line: 'quorate db reindex --datadir data --index.accounts --ptm.url http://127.0.0.1:9101',
    },
    {
      does: 'let a validator vote again that has lost its votes, from block 172 on',
      line: 'quorate db reset-votes --datadir data --height 172',
    },
    {
      does: 'restart a Raft cluster: on each member, with all of them stopped',
      line: 'quorate db reset-raft --datadir data',
    },
    {
      does: 'check whether the private state matches its payloads',
      line: 'quorate db private-check --datadir data --ptm.url http://127.0.0.1:9101',
    },
  ],
  rows: [
    ...DATADIR_ROWS,
    ...MANAGER_ROWS,
    ...ACCOUNT_INDEX_ROWS,
    {
      flag: 'gcmode',
      type: 'string',
      choices: ['archive', 'full'],
      about:
        'reindex: the states that the index shall have, of all blocks (archive) or of the newest 128 (full); not given: as the folder was left. With the index of accounts, which needs all states, a node prunes at its next start',
      group: 'Index',
    },
    {
      flag: 'height',
      type: 'number',
      about: 'reset-votes: the first block that this validator has not voted on',
      group: 'Votes',
    },
    {
      flag: 'raftlogdir',
      type: 'string',
      about: 'reset-raft: location of the folder raft, as given to the node',
      group: 'Raft',
    },
  ],
  async run(options) {
    const action = ACTIONS[options.positional[0] ?? ''];
    if (!action) {
      throw fail('OPTION_UNKNOWN', `name an action: quorate db ${Object.keys(ACTIONS).join('|')}`);
    }
    await installCrypto();
    const outcome = await action(options);
    const { text, exitCode } =
      typeof outcome === 'string' ? { text: outcome, exitCode: 0 } : outcome;
    console.log(text);
    return exitCode;
  },
};

async function reindex(options: ParsedOptions): Promise<string> {
  const folder = options.string('datadir')!;
  const hasAccounts = options.boolean('index.accounts') || hasAccountIndex(storeFolder(folder));
  const chain = await openChain(folder, {
    reindex: true,
    // That of accounts needs all states. The next start of a node that prunes drops them again.
    gcmode: hasAccounts ? 'archive' : gcmodeOf(options, folder),
    log: stderrLog(INFO_VERBOSITY),
    accounts: hasAccounts ? 'new' : undefined,
  });
  try {
    const { number } = chain.store.head()!;
    const accounts = hasAccounts ? await reindexAccounts(chain, options) : '';
    return `Rebuilt the index up to block ${number}${accounts}`;
  } finally {
    await chain.close();
  }
}

/** As the folder was left, unless the flag is given. */
function gcmodeOf(options: ParsedOptions, folder: string): GcMode {
  const given = options.string('gcmode');
  if (given !== undefined) return given as GcMode;
  const format = readFormat(storeFolder(folder));
  const isPruned = format !== undefined && upgradedFormat(format) === PRUNED_FORMAT_VERSION;
  return isPruned ? 'full' : 'archive';
}

async function reindexAccounts(opened: OpenChain, options: ParsedOptions): Promise<string> {
  const log = stderrLog(INFO_VERBOSITY);
  const config = resolveManagerConfig(process.env.PRIVATE_CONFIG, managerFlags(options));
  const manager = await connectManager(config, { say: log });
  try {
    const { isQuorum } = opened.genesis.config;
    const privateStates = await importedPrivateStates(opened.genesis, manager);
    const host = { clock: steadyClock, timers: systemTimers, effort: systemEffort, log };
    await indexAccounts({ opened, manager, privateStates, ...host });
    const isPartial = isQuorum && !manager.isInUse;
    const later =
      ', public transactions only: a node with a private transaction manager adds the private ones when it runs';
    const { callsFrom } = opened.accounts!;
    const calls = callsFrom > 1 ? `, internal calls from block ${callsFrom} on` : '';
    return `, and that of accounts${calls}${isPartial ? later : ''}`;
  } finally {
    manager.close();
  }
}

async function resetVotes(options: ParsedOptions): Promise<string> {
  const height = options.number('height');
  if (height === undefined) {
    throw fail(
      'OPTION_VALUE_MISSING',
      'name the first block that this validator has not voted on: quorate db reset-votes --height N',
    );
  }
  const log = stderrLog(INFO_VERBOSITY);
  const chain = await openChain(options.string('datadir')!, { log });
  try {
    const { number } = chain.store.head()!;
    if (height <= number) {
      throw fail(
        'OPTION_VALUE_INVALID',
        `--height ${height} is already on the chain, whose head is block ${number}: use ${number + 1} or more`,
      );
    }
    await chain.votes.remember(memoryFrom(height));
  } finally {
    await chain.close();
  }
  return `This validator votes from block ${height} on`;
}

async function resetRaft(options: ParsedOptions): Promise<string> {
  const dataDirectory = options.string('datadir')!;
  // Opening the chain locks the folder against other processes.
  const chain = await openChain(dataDirectory, { log: stderrLog(INFO_VERBOSITY) });
  try {
    const { number } = chain.store.head()!;
    resetRaftLog(storeFolder(dataDirectory), options.string('raftlogdir'));
    return `The next start of this member creates a new Raft log, after block ${number}`;
  } finally {
    await chain.close();
  }
}

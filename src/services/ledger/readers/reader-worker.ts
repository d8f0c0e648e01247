/** A reader thread: opens the node's store read-only, and answers jobs until it is stopped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseGenesis } from '../../../core/chain/genesis.ts';
import {
  residentPrivateStates,
  SINGLE_PRIVATE_STATE,
} from '../../../core/privacy/private-states.ts';
import { ChainReplica } from '../../../core/store/chain-replica.ts';
import { installCrypto } from '../../../io/crypto/crypto.ts';
import { steadyClock } from '../../../io/host/clock.ts';
import { openDataReader } from '../../../io/storage/data-reader.ts';
import { serveTasks, threadLog, threadSettings } from '../../../io/threads/thread.ts';
import { openViews } from '../view/open-views.ts';
import type { ReadAnswer, ReaderThreadSettings, ReadJob } from './job.ts';
import { Reader } from './reader.ts';

/** More blocks than a node keeps: searches for logs are repeated over the same ones. */
const CACHED = { blocks: 2_048, bytes: 8 * 1024 * 1024 };
const TRIE_MEMORY = { bytes: 16 * 1024 * 1024, depth: 2 };

const { folder, tenants, looks, limits } = threadSettings<ReaderThreadSettings>();
await installCrypto();
const { config } = parseGenesis(readFileSync(join(folder, 'genesis.json'), 'utf8'));
const data = openDataReader(folder);
const chain = new ChainReplica({
  log: data.log,
  kv: data.kv,
  onDamage: data.noteDamage,
  dialect: config.isQuorum ? 'quorum' : 'ethereum',
  cached: CACHED,
  trieMemory: TRIE_MEMORY,
});
const states = tenants ? residentPrivateStates(tenants) : SINGLE_PRIVATE_STATE;
const reader = new Reader({
  chain,
  viewOf: openViews({ chain, config, states, looks }),
  hasPrivateStates: config.isQuorum,
  limits,
  clock: steadyClock,
  log: threadLog,
});
serveTasks<ReadJob, ReadAnswer>(async (job, { shouldStop }) => {
  data.refresh();
  const result = await reader.run(job, shouldStop);
  const bytes = result.kind === 'reply' && typeof result.reply !== 'string' && result.reply;
  return { result, transfer: bytes ? [bytes.buffer as ArrayBuffer] : [] };
});

/**
 * The recorded data folder of a GoQuorum node: 32 blocks, 20 of them in its ancient store, with
 * private states.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { type PrivateAnswer, type PrivateQuery, queryKey } from '../../src/core/privacy/inputs.ts';
import type { ConnectedManager } from '../../src/io/ptm-client/connected-manager.ts';
import { filesBelow, OWN_VECTORS, plainOrPacked, readJson } from '../vectors/folders.ts';
import { RECORDED_MANAGER } from './recorded-connected.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/datadir');

export interface ExpectedDatadir {
  readonly head: number;
  readonly hash: string;
  readonly privateStateRoot: string;
  readonly accounts: Readonly<Record<string, { readonly balance: string; readonly nonce: string }>>;
  readonly contracts: Readonly<Record<string, ExpectedContract>>;
  readonly payloads: Readonly<
    Record<string, { readonly hex: string; readonly payload: string; readonly privacyFlag: 0 | 1 }>
  >;
  readonly privacyManagerKeys: readonly string[];
}

interface ExpectedContract {
  readonly private: boolean;
  readonly code: string;
  readonly slot0: string;
}

export function expectedDatadir(): ExpectedDatadir {
  return readJson(plainOrPacked(join(RECORDING, 'expected.json')));
}

/**
 * Unpacks the recording, or another one below `goquorum`; returns the folder to use as `--datadir`.
 */
export function gethDatadir(below: string, recording = 'datadir/datadir'): string {
  mkdirSync(below, { recursive: true });
  execFileSync('tar', ['xzf', join(OWN_VECTORS, 'goquorum', `${recording}.tar.gz`), '-C', below]);
  return join(below, 'datadir');
}

/** A hash over the name and content of every file. */
export function folderHash(folder: string): string {
  const hash = createHash('sha256');
  for (const path of filesBelow(folder, () => true)) hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

/** The node's manager: has every payload except `without` (the hash in hex). */
export function datadirManager(without?: string): ConnectedManager {
  const { payloads, privacyManagerKeys } = expectedDatadir();
  const held = new Map(Object.values(payloads).map((payload) => [payload.hex, payload]));
  const answer = ({ kind, hash }: PrivateQuery): PrivateAnswer => {
    const found = held.get(toHex(hash));
    if (kind !== 'payload' || !found || found.hex === without) return { kind: 'notParty' };
    return {
      kind: 'held',
      payload: fromHex(found.payload),
      flag: found.privacyFlag,
      affected: [],
      execHash: undefined,
      managedParties: [privacyManagerKeys[0]!],
      senderKey: privacyManagerKeys[0]!,
    };
  };
  return {
    ...RECORDED_MANAGER,
    mandatory: async () => [],
    ask: async (queries) => new Map(queries.map((query) => [queryKey(query), answer(query)])),
  };
}

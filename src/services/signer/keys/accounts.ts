/**
 * Loads the accounts of the signing proxy from their key sources, and reloads them while it runs.
 */

import { availableParallelism } from 'node:os';
import { fail } from '../../../core/base/errors.ts';
import type { Log, Metrics } from '../../../core/base/ports.ts';
import type { SigningAccounts } from '../../../core/signing/account-signer.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { type KeySigner, SealedSigner } from '../../../io/keys/key-signer.ts';
import { Gate, inParallel } from '../../../io/threads/parallel.ts';
import { type CloudParts, Clouds } from './clouds.ts';
import { KeyRing, type LoadedKey } from './key-ring.ts';
import {
  awsKeysOf,
  azureKeysOf,
  hexFolder,
  type KeySource,
  keystoreFolder,
  type LoadContext,
  namedKeys,
  tomlFolder,
  withoutDuplicates,
  yamlFolder,
} from './key-sources.ts';
import { PublicKeyIndex } from './public-key-index.ts';
import type { KeySettings } from './settings.ts';

/**
 * Decrypting a standard keystore takes 256 MiB and a second of CPU time; Node has four worker
 * threads, and file access needs some of them.
 */
const UNLOCKS_AT_ONCE_MAX = 3;
const UNLOCKS_WAITING_MAX = 10_000;
const RELOAD_TIMEOUT_MS = 30 * 60_000;

export interface AccountsDeps {
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** The process's environment, which may contain credentials of clouds. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: the system's clock and timers, and packages by import(). */
  readonly clouds?: Partial<CloudParts> | undefined;
}

export interface ReloadReport {
  readonly loaded: number;
  readonly errors: number;
}

export interface SourceHealth {
  /** The source's name in Web3Signer's /healthcheck. */
  readonly id: string;
  readonly loaded: number;
  readonly errors: number;
}

export interface HealthReport {
  readonly isUp: boolean;
  readonly sources: readonly SourceHealth[];
  /** Whether loading failed as a whole. */
  readonly unexpected: boolean;
}

export interface OpenAccounts {
  readonly accounts: SigningAccounts;
  signers(): Iterable<KeySigner>;
  /**
   * Reads all sources again, then replaces all accounts in one step. Rejects, and changes nothing,
   * when a source cannot be read at all.
   */
  reload(): Promise<ReloadReport>;
  health(): HealthReport;
  /** Wipes every key. */
  close(): void;
}

/** Rejects with SIGNER_START_FAILED when a named key or folder cannot be loaded. */
export async function openAccounts(
  settings: KeySettings,
  deps: AccountsDeps,
): Promise<OpenAccounts> {
  const opened = new Accounts(settings, deps);
  await opened.start();
  return opened;
}

class Accounts implements OpenAccounts {
  readonly accounts = new KeyRing();
  private readonly settings: KeySettings;
  private readonly deps: AccountsDeps;
  private readonly context: LoadContext;
  private readonly sources: readonly KeySource[];
  private sourceHealth: readonly SourceHealth[] = [];
  private isUnexpected = false;
  private isClosed = false;

  constructor(settings: KeySettings, deps: AccountsDeps) {
    this.settings = settings;
    this.deps = deps;
    this.sources = sourcesOf(settings);
    this.context = {
      log: deps.log,
      settings,
      gate: new Gate({
        width: Math.min(UNLOCKS_AT_ONCE_MAX, availableParallelism()),
        waitingMax: UNLOCKS_WAITING_MAX,
      }),
      publicKeys: new PublicKeyIndex(settings.publicKeysFile, deps.log),
      clouds: new Clouds({
        env: deps.env ?? {},
        clock: systemClock,
        timers: systemTimers,
        ...deps.clouds,
      }),
      onFailure: (error) => deps.log('error', 'Cannot sign', { error }),
    };
  }

  async start(): Promise<void> {
    try {
      await this.load();
    } catch (cause) {
      this.close();
      const text = `Failed to construct a signer from supplied arguments. Cause: ${reasonOf(cause)}`;
      throw fail('SIGNER_START_FAILED', text, { cause });
    }
  }

  signers(): Iterable<KeySigner> {
    return this.accounts.signers();
  }

  async reload(): Promise<ReloadReport> {
    const limitMs = this.settings.reloadTimeoutMs ?? RELOAD_TIMEOUT_MS;
    let timer: NodeJS.Timeout | undefined;
    const cancelled = { is: false };
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        cancelled.is = true;
        reject(fail('RELOAD_TIMEOUT', `the reload took longer than ${limitMs / 60_000} minutes`));
      }, limitMs);
      timer.unref();
    });
    try {
      return await Promise.race([this.load(cancelled), late]);
    } catch (error) {
      this.isUnexpected = true;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  health(): HealthReport {
    const hasErrors = this.sourceHealth.some(({ errors }) => errors > 0);
    return {
      isUp: !hasErrors && !this.isUnexpected,
      sources: this.sourceHealth,
      unexpected: this.isUnexpected,
    };
  }

  close(): void {
    this.isClosed = true;
    this.accounts.replace([]);
    this.context.clouds.connections.close();
  }

  private async load(cancelled = { is: false }): Promise<ReloadReport> {
    const health = new Map<string, SourceHealth>();
    const found: LoadedKey[] = [];
    const { connections } = this.context.clouds;
    connections.mark();
    try {
      for (const source of this.sources) {
        const part = await source.load(this.context);
        for (const key of part.keys) found.push(key);
        const before = health.get(source.id) ?? { loaded: 0, errors: 0 };
        health.set(source.id, {
          id: source.id,
          loaded: before.loaded + part.keys.length,
          errors: before.errors + part.errors,
        });
      }
      if (cancelled.is || this.isClosed) throw fail('RELOAD_CANCELLED', 'the reload was cancelled');
    } catch (error) {
      for (const { signer } of found) signer.forget();
      throw error;
    }
    const keys = this.accounts.merged(withoutDuplicates(found, this.deps.log));
    this.accounts.replace(this.settings.unlocksAtStart ? await this.unlocked(keys, health) : keys);
    connections.sweep();
    this.sourceHealth = [...health.values()];
    this.isUnexpected = false;
    this.deps.metrics?.gauge('signing_signers_loaded_count', this.accounts.size);
    this.deps.log('info', 'Keys are loaded', { accounts: this.accounts.size });
    const errors = this.sourceHealth.reduce((sum, each) => sum + each.errors, 0);
    return { loaded: this.accounts.size, errors };
  }

  /** Keys that need no unlocking, or that could be unlocked. */
  private async unlocked(
    keys: readonly LoadedKey[],
    health: Map<string, SourceHealth>,
  ): Promise<LoadedKey[]> {
    const good: LoadedKey[] = [];
    await inParallel(keys, UNLOCKS_AT_ONCE_MAX, async (key) => {
      try {
        if (key.signer instanceof SealedSigner) await key.signer.unlock();
        good.push(key);
      } catch (error) {
        key.signer.forget();
        const id = 'v3-keystores-bulk-loading';
        const { loaded, errors } = health.get(id) ?? { loaded: 1, errors: 0 };
        health.set(id, { id, loaded: loaded - 1, errors: errors + 1 });
        this.deps.log('error', 'Keystore cannot be unlocked', { error });
      }
    });
    return good;
  }
}

function sourcesOf(settings: KeySettings): KeySource[] {
  const { keys, configPath, tomlPath, keystores, hexPath, azure, awsKms } = settings;
  const sources: KeySource[] = [];
  if (keys && keys.length > 0) sources.push(namedKeys(keys));
  if (configPath !== undefined) {
    sources.push(yamlFolder(configPath, settings.isConfigPathImplied === true));
  }
  if (tomlPath !== undefined) sources.push(tomlFolder(tomlPath));
  if (keystores) sources.push(keystoreFolder(keystores));
  if (hexPath !== undefined) sources.push(hexFolder(hexPath));
  if (azure) sources.push(azureKeysOf(azure));
  if (awsKms) sources.push(awsKeysOf(awsKms));
  return sources;
}

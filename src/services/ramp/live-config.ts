/**
 * The current configuration file: read at startup, and again when it changes. An invalid file
 * changes nothing.
 */
import { statSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { repeatedPath } from '../../core/base/json-object.ts';
import type { Log } from '../../core/base/ports.ts';
import { pairOf, type RampConfig, type Switches } from '../../core/ramp/config.ts';
import { readConfig } from '../../core/ramp/read-config.ts';
import { readText } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';

const LOOK_MS = 1_000;

export class LiveConfig {
  private readonly file: string;
  private readonly log: Log;
  private readonly canSell: boolean;
  private readonly changed: (config: RampConfig) => void;
  private readonly timer: NodeJS.Timeout;
  private held: { readonly config: RampConfig; readonly changedAtMs: number };
  private own: Switches = { buy: false, sell: false, crypto: [], payments: [] };
  private merged: RampConfig;
  private seen: string;

  /**
   * Throws RAMP_CONFIG_INVALID. Without `canSell` sells are off, whatever the file says. `changed`:
   * called with each new configuration.
   */
  constructor(
    { file, canSell, log }: { file: string; canSell: boolean; log: Log },
    changed: (config: RampConfig) => void,
  ) {
    this.file = file;
    this.canSell = canSell;
    this.log = log;
    this.changed = changed;
    this.seen = stampOf(file) ?? '';
    this.held = this.read();
    this.merged = this.merge();
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  get config(): RampConfig {
    return this.merged;
  }

  /** Switches of the file combined with those of the operator. */
  get paused(): Switches {
    return this.held.config.paused;
  }

  get ownPaused(): Switches {
    return this.own;
  }

  /** Sets the operator's switches: what they or the file pause is paused. */
  pause(own: Switches): void {
    this.own = own;
    this.merged = this.merge();
  }

  private merge(): RampConfig {
    const { config } = this.held;
    const { paused } = config;
    const { own } = this;
    return {
      ...config,
      paused: {
        ...{ buy: paused.buy || own.buy, sell: paused.sell || own.sell },
        crypto: [...new Set([...paused.crypto, ...own.crypto])],
        payments: [...new Set([...paused.payments, ...own.payments])],
      },
    };
  }

  /** When the file was changed, in Unix milliseconds. */
  get changedAtMs(): number {
    return this.held.changedAtMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Reads the file again if it has changed. */
  look(): void {
    const stamp = stampOf(this.file);
    // Editors remove the file for a moment while they save.
    if (stamp === undefined || stamp === this.seen) return;
    this.seen = stamp;
    try {
      this.held = this.read();
      this.merged = this.merge();
    } catch (error) {
      this.log('error', 'The new configuration is not used', { err: (error as Error).message });
      return;
    }
    this.log('info', 'The configuration has changed', { file: this.file });
    this.changed(this.held.config);
  }

  private read(): { config: RampConfig; changedAtMs: number } {
    let json: unknown;
    try {
      const text = readText(this.file);
      json = JSON.parse(text);
      const repeated = repeatedPath(text);
      if (repeated !== undefined) throw new Error(`${repeated} is given twice`);
    } catch (cause) {
      const why = `${this.file} cannot be read: ${reasonOf(cause)}`;
      throw fail('RAMP_CONFIG_INVALID', why, { cause, data: { path: this.file } });
    }
    const changedAtMs = Math.floor(statSync(this.file).mtimeMs);
    const config = readConfig(json, this.file);
    const { features } = config;
    const sells = this.canSell ? {} : { sell: false, sellQuotes: false };
    return { config: { ...config, features: { ...features, ...sells } }, changedAtMs };
  }
}

/** All prices that quotes under this configuration need. */
export function pricePairs({ crypto, fiat }: RampConfig): readonly string[] {
  const pairs = fiat.flatMap(({ id }) => crypto.map((each) => pairOf(each.id, id)));
  return [...pairs, ...fiat.filter(({ id }) => id !== 'USD').map(({ id }) => pairOf(id, 'USD'))];
}

function stampOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`;
}

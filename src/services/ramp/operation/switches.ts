/**
 * The operator's kill switches, in the store besides those of the offer: all instances apply them.
 */
import type { Log } from '../../../core/base/ports.ts';
import type { Switches } from '../../../core/ramp/config.ts';
import type { Database } from '../../../io/database/database.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import type { LiveConfig } from '../live-config.ts';

const NAME = 'switches';
const LOOK_MS = 1_000;

export class KillSwitches {
  private readonly database: Database;
  private readonly live: LiveConfig;
  private readonly log: Log;
  private readonly task: RepeatedTask;
  private text = '';

  constructor(parts: { database: Database; live: LiveConfig; log: Log }) {
    this.database = parts.database;
    this.live = parts.live;
    this.log = parts.log;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: LOOK_MS,
      failed: (err) => parts.log('error', 'Switches are not read', { err }),
    });
  }

  /** Resolves when the stored switches are applied. */
  start(): Promise<void> {
    return this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  async switches(): Promise<{ file: Switches; own: Switches }> {
    await this.look();
    return { file: this.live.paused, own: this.live.ownPaused };
  }

  /** `by`: for the log. Existing orders continue. */
  async setSwitches(own: Switches, by: string): Promise<void> {
    const { buy, sell, crypto, payments } = own;
    const text = JSON.stringify({ buy, sell, crypto, payments });
    await this.database.query(
      `INSERT INTO setting (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [NAME, text],
    );
    this.log('warn', 'An operator has set the switches', { by, switches: text });
    await this.look();
  }

  private async look(): Promise<undefined> {
    const [row] = await this.database.query('SELECT value FROM setting WHERE name = $1', [NAME]);
    const text = row ? String(row.value) : '';
    if (text === this.text) return;
    this.text = text;
    this.live.pause(JSON.parse(text));
  }
}

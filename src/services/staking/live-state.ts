/**
 * A running service's copy of its store, kept up to date with changes made by other instances and
 * by commands.
 */
import type { Clock, Log } from '../../core/base/ports.ts';
import { revisionOf } from '../../io/database/audit-trail.ts';
import type { Database } from '../../io/database/database.ts';
import type { Admin } from './admin.ts';
import { Clients } from './token/clients.ts';
import { Revocations } from './token/revocations.ts';
import { type RotationPlan, SigningKeys } from './token/signing-keys.ts';

const POLL_MS = 1_000;

export interface LiveParts {
  readonly database: Database;
  readonly seal: Buffer;
  readonly admin: Admin;
  readonly clock: Clock;
  readonly log: Log;
  readonly rotation: Omit<RotationPlan, 'nowMs'>;
  /** Age at which a key is replaced; 0: never. */
  readonly rotateMs: number;
  /** Called when an operator added this client, or gave it a new secret. */
  readonly clientChanged: (id: string) => void;
}

export class LiveState {
  readonly clients: Clients;
  readonly keys: SigningKeys;
  readonly revocations: Revocations;
  private readonly parts: LiveParts;
  private revision = -1;
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;

  constructor(parts: LiveParts) {
    this.parts = parts;
    this.clients = new Clients(parts.database);
    this.keys = new SigningKeys(parts.database, parts.seal);
    this.revocations = new Revocations(parts.database);
  }

  /** Reads everything, creates the first signing key, then polls for changes every second. */
  async start(): Promise<void> {
    await this.refresh();
    await this.rotateWhenDue();
    const poll = () => {
      // Sends no second query to a slow store before it has answered the first.
      this.polling ??= this.poll().finally(() => {
        this.polling = undefined;
      });
    };
    this.timer = setInterval(poll, POLL_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.polling;
  }

  /** Applies the changes since the last call. */
  async refresh(): Promise<void> {
    const { database, clock, clientChanged } = this.parts;
    const revision = await revisionOf(database);
    if (revision === this.revision) return;
    for (const id of await this.clients.refresh(this.revision)) clientChanged(id);
    await this.revocations.refresh(this.revision, clock.nowMs());
    await this.keys.refresh();
    this.revision = revision;
  }

  private async poll(): Promise<void> {
    try {
      await this.refresh();
      await this.rotateWhenDue();
    } catch (error) {
      this.parts.log('error', 'The store does not answer', { err: error });
    }
  }

  private async rotateWhenDue(): Promise<void> {
    const { admin, clock, log, rotateMs, rotation, seal } = this.parts;
    const newest = this.keys.newest();
    const age = newest ? clock.nowMs() - newest.createdAt : 0;
    if (newest && (rotateMs === 0 || age < rotateMs)) return;
    const plan = { ...rotation, ...(newest ? {} : { leadMs: 0 }) };
    const kid = await admin.rotateSigningKey(seal, plan, { whenNewest: newest?.kid });
    if (kid !== undefined) log('info', 'A new signing key', { kid });
    await this.refresh();
  }
}

/** A copy of the stored clients in memory, so that a token request needs no database query. */
import type { Database, Row } from '../../../io/database/database.ts';

export interface Client {
  readonly id: string;
  readonly name: string;
  /** Audiences are compared exactly. */
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** Whether it may introspect its audiences' tokens, as a resource server does. */
  readonly mayIntrospect: boolean;
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
  readonly secrets: readonly ClientSecret[];
}

export interface ClientSecret {
  readonly number: number;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

export function liveHashes(client: Client, nowMs: number): readonly string[] {
  return client.secrets
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > nowMs)
    .map(({ hash }) => hash);
}

export class Clients {
  private readonly database: Database;
  private readonly byId = new Map<string, Client>();
  private audiences: ReadonlySet<string> = new Set();

  constructor(database: Database) {
    this.database = database;
  }

  /** Undefined for unknown and for disabled clients. */
  find(id: string): Client | undefined {
    const client = this.byId.get(id);
    return client?.disabledAt === undefined ? client : undefined;
  }

  /** Whether any client was registered for this audience. */
  knowsAudience(audience: string): boolean {
    return this.audiences.has(audience);
  }

  /** Applies changes after that revision; returns the ids of the changed clients. */
  async refresh(since: number): Promise<readonly string[]> {
    const changed = await readClients(this.database, since);
    for (const client of changed) this.byId.set(client.id, client);
    this.audiences = new Set([...this.byId.values()].flatMap((client) => client.audiences));
    return changed.map(({ id }) => id);
  }
}

/** Clients created or changed after a revision, by name. */
export async function readClients(database: Database, since = -1): Promise<readonly Client[]> {
  const rows = await database.query('SELECT * FROM client WHERE revision > $1 ORDER BY name, id', [
    since,
  ]);
  const secrets = await database.query(
    `SELECT s.* FROM client_secret s JOIN client c ON c.id = s.client_id
     WHERE c.revision > $1 ORDER BY s.number`,
    [since],
  );
  return rows.map((row) => clientOf(row, secrets));
}

function clientOf(row: Row, secrets: readonly Row[]): Client {
  const id = String(row.id);
  return {
    id,
    name: String(row.name),
    audiences: JSON.parse(String(row.audiences)) as string[],
    scopes: JSON.parse(String(row.scopes)) as string[],
    mayIntrospect: Number(row.may_introspect) === 1,
    createdAt: Number(row.created_at),
    disabledAt: row.disabled_at === null ? undefined : Number(row.disabled_at),
    secrets: secrets
      .filter((secret) => secret.client_id === id)
      .map((secret) => ({
        number: Number(secret.number),
        hash: String(secret.hash),
        createdAt: Number(secret.created_at),
        expiresAt: secret.expires_at === null ? undefined : Number(secret.expires_at),
      })),
  };
}

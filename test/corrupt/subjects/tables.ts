/** The content of a service's database, table by table. */
import { createHash } from 'node:crypto';
import type { Database } from '../../../src/io/database/database.ts';
import type { Content } from '../subject.ts';

export async function contentOf(database: Database): Promise<Content> {
  const content: Record<string, string> = {};
  const tables = await database.query(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
  );
  for (const { name } of tables) {
    const rows = await database.query(`SELECT * FROM ${String(name)}`);
    content[String(name)] = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  }
  return content;
}

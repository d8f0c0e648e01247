/** Damages a database file while nobody has it open. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Database } from '../../src/io/database/database.ts';

/**
 * Writes the setting a=right into an open store, closes it, and overwrites the value in its file.
 * Returns a function that restores the file.
 */
export async function damage(database: Database, path: string): Promise<() => void> {
  await database.query("INSERT INTO setting (name, value) VALUES ('a', 'right')");
  await database.close();
  const whole = readFileSync(path);
  const bytes = Buffer.from(whole);
  bytes.write('wrong', bytes.indexOf('right'));
  writeFileSync(path, bytes);
  return () => writeFileSync(path, whole);
}

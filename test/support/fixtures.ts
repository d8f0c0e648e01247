/**
 * Folders written by older versions of this program: test/fixtures/VERSION/NAME.json.br, each a map
 * of path to content.
 */
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const FIXTURES = join(import.meta.dirname, '../fixtures');

/** Base64; filled up with zeros to `size`. */
type Content = string | { readonly content: string; readonly size: number };

export function unpackFixture(version: string, name: string, folder: string): void {
  const bytes = readFileSync(join(FIXTURES, version, `${name}.json.br`));
  const files = JSON.parse(brotliDecompressSync(bytes).toString()) as Record<string, Content>;
  for (const [path, packed] of Object.entries(files)) {
    const file = join(folder, path);
    const content = typeof packed === 'string' ? packed : packed.content;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(content, 'base64'), { mode: 0o600 });
    if (typeof packed !== 'string') truncateSync(file, packed.size);
  }
}

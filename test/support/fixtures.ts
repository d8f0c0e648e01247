/** Folders that older versions of this program wrote: test/fixtures/VERSION/NAME.json.br, each a map of path to content. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const FIXTURES = join(import.meta.dirname, '../fixtures');

export function unpackFixture(version: string, name: string, folder: string): void {
  const packed = readFileSync(join(FIXTURES, version, `${name}.json.br`));
  const files = JSON.parse(brotliDecompressSync(packed).toString()) as Record<string, string>;
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(content, 'base64'), { mode: 0o600 });
  }
}

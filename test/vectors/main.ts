/**
 * `npm run vectors -- DIR`: runs every vector file of the known kinds below a folder with the
 * layout of `shared/vectors`.
 */
import { resolve } from 'node:path';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { OWN_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { OWED_LATER, VECTOR_KINDS } from './kinds.ts';

const FAILURES_SHOWN_MAX = 20;

async function main(): Promise<number> {
  const root = resolve(process.argv[2] ?? OWN_VECTORS);
  await installCrypto();
  let passed = 0;
  let failed = 0;
  console.log(`vectors below ${root}\n`);
  for (const kind of VECTOR_KINDS) {
    const files = kind.find(root);
    const tally = new Tally();
    for (const file of files) {
      try {
        await kind.run(file, tally);
      } catch (error) {
        tally.fail(file, `cannot be run: ${(error as Error).message}`);
      }
    }
    passed += tally.passed;
    failed += tally.failures.length;
    console.log(
      `${kind.name}: ${files.length} files found and run, ${tally.passed} passed, ${tally.failures.length} failed`,
    );
    for (const failure of tally.failures.slice(0, FAILURES_SHOWN_MAX)) {
      console.log(`  FAIL ${failure.name}: ${failure.why}`);
    }
  }
  for (const owed of OWED_LATER) {
    const files = owed.find(root);
    console.log(`${owed.name}: ${files.length} files found, no check for them yet`);
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();

/**
 * `tsx test/differential/evm.ts --count N --seed S`: our EVM against @ethereumjs/evm on random
 * programs; with `--loops`, its loop in WebAssembly against the one in TypeScript.
 */
import { parseArgs } from 'node:util';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { differenceAt, loopDifferenceAt } from './compare-evm.ts';

const DIFFERENCES_SHOWN_MAX = 10;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
      loops: { type: 'boolean', default: false },
    },
  });
  await installCrypto();
  const count = Number(values.count);
  const seed = Number(values.seed);
  console.log(`${count} programs from seed ${seed}`);
  let differences = 0;
  for (let i = 0; i < count; i++) {
    const difference = values.loops ? loopDifferenceAt(seed + i) : await differenceAt(seed + i);
    if (difference === undefined) continue;
    if (++differences <= DIFFERENCES_SHOWN_MAX) console.log(difference);
  }
  console.log(`${count - differences} alike, ${differences} different`);
  return differences === 0 ? 0 : 1;
}

process.exitCode = await main();

/** `npm run corrupt -- --seed N --count N`: damages a data folder and starts on it; status 1 when an outcome is wrong. */
import { parseArgs } from 'node:util';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { runCorruptions } from './corrupt.ts';
import { COMBINATIONS } from './damage.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: String(4 * COMBINATIONS) },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 20));
const count = Number(values.count);
await installCrypto();
console.log(`${count} damages, seed ${seed}`);
const { whole, mended, refused, faults } = await runCorruptions(count, seed, console.log);
console.log(
  `${count} damages: ${whole} started whole, ${mended} mended by themselves, ${refused} refused with file and command, ${faults.length} faults`,
);
for (const fault of faults) console.log(fault);
process.exit(faults.length === 0 ? 0 : 1);

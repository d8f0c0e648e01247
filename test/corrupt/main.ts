/**
 * `npm run corrupt -- --seed N --rounds N --subjects node,raft,manager,signer,staking,ramp`:
 * damages every stored file, at every place, in every way, and opens its store; exits with 1 when
 * an outcome is wrong.
 */
import { parseArgs } from 'node:util';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { runCorruptions } from './corrupt.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: '2' },
    subjects: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 20));
await installCrypto();
console.log(`seed ${seed}`);
const { whole, mended, refused, faults } = await runCorruptions({
  seed,
  rounds: Number(values.rounds),
  subjects: values.subjects?.split(','),
  say: console.log,
});
console.log(
  `${whole + mended + refused + faults.length} damages: ${whole} started whole, ${mended} repaired themselves, ${refused} refused with file and command, ${faults.length} faults`,
);
for (const fault of faults) console.log(fault);
process.exit(faults.length === 0 ? 0 : 1);

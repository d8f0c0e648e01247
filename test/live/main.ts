/**
 * Tests on live networks. REFERENCE_GETH=FILE names GoQuorum's binary.
 *
 * npm run live -- [recorded] [KINDS]
 *   replays the recorded private cases on a network whose managers are all ours
 * npm run live -- devnet
 *   replays them on the devnet's chain
 * npm run live -- mixed [--qbft N] [--ibft N] [--transition N,M] [--raft N] [--permissions N]
 *   networks of two nodes of ours and two of GoQuorum
 * npm run live -- migrate [NETWORK]
 *   four members of GoQuorum that migrate to Quorate under load, and two of them back
 */
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { runMigrations } from './migrate/command.ts';
import { runMixed } from './mixed/command.ts';
import { runRecorded } from './recorded.ts';

await installCrypto();
const [first, ...rest] = process.argv.slice(2);
if (first === 'mixed') process.exitCode = await runMixed(rest);
else if (first === 'migrate') process.exitCode = await runMigrations(rest);
else process.exitCode = await runRecorded(first === 'recorded' ? rest : process.argv.slice(2));

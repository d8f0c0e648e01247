/** `npm run kill -- N [SEED]`: N kills under load. */
import { runKills } from './kill.ts';

const count = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 32));
console.log(`${count} kills, seed ${seed}`);
const report = await runKills(count, seed, console.log);
console.log(
  `${report.kills} kills, ${report.acknowledged} acknowledged transactions, block ${report.head}: nothing lost`,
);

/**
 * One manager in a process of its own, for the bench: `ptm-process.ts FOLDER NUMBER PEER…`; prints
 * its URLs, and its memory on request.
 */
import { createInterface } from 'node:readline';
import { openLmdbKv } from '../src/io/storage/lmdb-kv.ts';
import { PTM_TABLES } from '../src/services/ptm/manager/kv-store.ts';
import { testPtm } from '../test/support/ptm.ts';

const [folder, number, ...peers] = process.argv.slice(2);
const kv = openLmdbKv({ path: `${folder}/${number}`, tables: PTM_TABLES });
const { q2tUrl, p2pUrl, key, close } = await testPtm(Number(number), peers, {
  kv,
  q2tPath: `${folder}/${number}.ipc`,
});
console.log(JSON.stringify({ q2tUrl, p2pUrl, key }));
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'memory') {
    const { user, system } = process.cpuUsage();
    console.log(
      JSON.stringify({ rssBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 }),
    );
  }
  if (line === 'stop') break;
}
await close();
process.exit(0);

/**
 * Opens payload stores as a manager does, reads everything in each, and writes a row; prints one
 * line per store: `read-store.ts FOLDER…`. A process of its own, because a damaged file may crash
 * it.
 */
import { openStore } from '../../src/services/ptm/open-store.ts';

const clock = { nowMs: () => 0 };

for (const dataFolder of process.argv.slice(2)) {
  try {
    console.log(`opened ${await readAll(dataFolder)}`);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    console.log(`refused ${code}: ${message}`);
  }
}

async function readAll(dataFolder: string): Promise<number> {
  const { store, close } = await openStore({ dataFolder }, clock, () => undefined, {});
  let count = 0;
  for (let page = await store.page(64); page.length > 0; ) {
    for (const [hash] of page) {
      await store.get(hash).catch((error: Error) => {
        if (!error.message.includes('quorate ptm repair')) throw error;
      });
      count++;
    }
    page = await store.page(64, page.at(-1)![0]);
  }
  for (let page = await store.rawPage(64); page.length > 0; ) {
    page = await store.rawPage(64, page.at(-1)![0]);
  }
  for (const recipient of await store.owedRecipients()) await store.owedTo(recipient, 10);
  await store.owe([{ recipient: new Uint8Array(32), hash: new Uint8Array(64) }]);
  await close();
  return count;
}

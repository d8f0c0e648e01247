import { afterEach, describe, expect, it } from 'vitest';
import { MINUTE_MS, ValidatorNetwork } from '../../../../test/support/validator-network.ts';
import { GENESIS } from '../../../../test/support/validator-transfers.ts';
import type { Log } from '../../../core/base/ports.ts';
import { memoryFrom } from '../../../core/consensus/bft/memory-loss.ts';
import { VoteFile } from '../../../core/store/vote-file.ts';

let network: ValidatorNetwork;
afterEach(() => network.stop());

describe('a network with a validator that has lost its file of votes', () => {
  /**
   * Stops all validators at a height above 0, deletes the last one's vote files, and restarts
   * `back`. Resolves with the messages that the last one logs from then on, and its disk.
   */
  async function lost(files: readonly string[], back: readonly number[]) {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(3);
    const disks = network.nodes.map(({ disk }) => disk);
    await network.stop();
    for (const file of files) disks[3]!.dropSlots(file);
    const told: string[] = [];
    const log = (level: string, message: string) => {
      if (message.startsWith('This validator')) told.push(`${level}: ${message}`);
    };
    for (const index of back) {
      const more = index === 3 ? { log } : {};
      network.nodes.push(await network.node(index, { disk: disks[index]!, ...more }));
    }
    return { told, disk: disks[3]! };
  }

  const ABSTAINS = 'error: This validator abstains until it has seen a block decided';
  const ALL = ['votes', 'votes-written'];

  it.each([
    ['deleted', ALL],
    ['deleted, but for the note of what was written', ['votes']],
  ])('%s: it abstains until it has seen a block decided, then votes again', async (_, files) => {
    const { told } = await lost(files, [0, 1, 2, 3]);
    await network.reach(8);
    expect(told).toEqual([ABSTAINS, 'info: This validator votes again']);
    const [away] = network.nodes.splice(0, 1);
    await away!.stop();
    await network.reach(12);
  });

  it('abstains too where the file is an older copy', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start();
    await network.reach(2);
    const { disk } = network.nodes[3]!;
    const copy = [0, 1].map((slot) => disk.slots('votes').read(slot)!.slice());
    await network.reach(20);
    const [victim] = network.nodes.splice(3, 1);
    await victim!.stop();
    disk.dropSlots('votes-written');
    for (const [slot, bytes] of copy.entries()) await disk.slots('votes').write(slot, [bytes]);
    const reasons: unknown[] = [];
    const log: Log = (_, message, fields) => {
      if (message.startsWith('This validator')) reasons.push(fields?.reason);
    };
    network.nodes.push(await network.node(3, { disk, log }));
    await network.reach(24);
    expect(reasons).toEqual([expect.stringMatching(/older than the chain/), undefined]);
  });

  it('does not make up a quorum, until its operator says what it has not voted on', async () => {
    const { told, disk } = await lost(ALL, [0, 1, 3]);
    const height = () => network.nodes[0]!.chain.head().number;
    const head = height();
    await network.time.pass(5 * MINUTE_MS);
    expect([height(), told]).toEqual([head, [ABSTAINS]]);
    const [amnesiac] = network.nodes.splice(2, 1);
    await amnesiac!.stop();
    const votes = new VoteFile(disk.slots('votes'), disk.slots('votes-written'));
    await votes.remember(memoryFrom(head + 1));
    network.nodes.push(await network.node(3, { disk }));
    await network.reach(head + 3, network.nodes, 5 * MINUTE_MS);
  });
});

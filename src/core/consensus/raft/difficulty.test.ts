import { expect, it } from 'vitest';
import { filesBelow, OWN_VECTORS } from '../../../../test/vectors/folders.ts';
import {
  BLOCKS_FILE,
  genesisOf,
  readBlocks,
  recordingOf,
} from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../base/hex.ts';
import { decodeBlock } from '../../chain/block.ts';
import { rulesAt } from '../../chain/rules.ts';
import { raftDifficulty } from './difficulty.ts';

it('is what GoQuorum has filled in, block by block', () => {
  const [file] = filesBelow(
    OWN_VECTORS,
    (path) => /consensus\/raft\//.test(path) && BLOCKS_FILE.test(path),
  );
  const { config } = genesisOf(recordingOf(file!));
  const headers = readBlocks(file!).map(({ rlp }) => decodeBlock(fromHex(rlp)).header);
  expect(headers.length).toBeGreaterThan(5);
  for (const [at, header] of headers.entries()) {
    if (at === 0) continue;
    const rules = rulesAt(config, header.number, header.timestamp);
    expect(raftDifficulty(headers[at - 1]!, header.timestamp, rules)).toBe(header.difficulty);
  }
});

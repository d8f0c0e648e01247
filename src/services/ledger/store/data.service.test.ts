/** The effects of a genesis file on a data folder that is empty, or already has a chain. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { genesisFile } from '../../../../test/support/genesis-file.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { blockOf } from '../../../core/chain/block.ts';
import { writesOfAlloc } from '../../../core/state/memory-reader.ts';
import { openChain } from './data.ts';

const VALIDATORS = [`0x${'11'.repeat(20)}`];
const folder = scratchFolder('quorate-data-');

function genesis(name: string, config: object, change: object = {}): string {
  const file = join(folder, `${name}.json`);
  const whole = genesisFile({ engine: 'qbft', validators: VALIDATORS, config });
  writeFileSync(file, JSON.stringify({ ...whole, ...change }));
  return file;
}

/** A chain of the first block and one more. */
async function grown(name: string): Promise<string> {
  const place = join(folder, name);
  const chain = await openChain(place, { genesisFile: genesis('first', {}) });
  expect(chain.outcome).toBe('begun');
  const { header, hash } = chain.store.head()!;
  const block = blockOf(
    { ...header, number: 1, parentHash: hash },
    { transactions: [], uncles: [] },
  );
  const writes = writesOfAlloc([]);
  await chain.store.append({ block, receipts: [], writes, hasPrivateWork: false });
  await chain.close();
  return place;
}

const keptIn = (place: string) => readFileSync(join(place, 'quorate/genesis.json'), 'utf8');

it('a chain that has grown keeps its id, and the configuration that it had', async () => {
  const place = await grown('id');
  const before = keptIn(place);
  await expect(
    openChain(place, { genesisFile: genesis('other', { chainId: 999 }) }),
  ).rejects.toMatchObject({
    code: 'GENESIS_MISMATCH',
    message: expect.stringMatching(
      /^mismatching EIP155 chain ID in database \(have 1337, want 999, rewindto 998\)\. .*up to 1: change only what comes after/,
    ),
  });
  expect(keptIn(place)).toBe(before);
  const chain = await openChain(place);
  expect(chain.genesis.config.chainId).toBe(1337n);
  await chain.close();
});

it('takes over what a file changes above the head, and says whether it did', async () => {
  const place = await grown('transitions');
  const later = genesis('later', { transitions: [{ block: 50, blockperiodseconds: 2 }] });
  for (const outcome of ['changed', 'same']) {
    const chain = await openChain(place, { genesisFile: later });
    expect(chain.outcome).toBe(outcome);
    await chain.close();
  }
  expect(JSON.parse(keptIn(place)).config.transitions).toHaveLength(1);
});

it("recognises GoQuorum's data folder, and says what can be done today", async () => {
  const place = join(folder, 'goquorum');
  mkdirSync(join(place, 'geth/chaindata'), { recursive: true });
  await expect(openChain(place)).rejects.toMatchObject({
    code: 'GENESIS_MISSING',
    message: expect.stringContaining('holds a chain of GoQuorum (geth/chaindata)'),
  });
  const chain = await openChain(place, { genesisFile: genesis('beside', {}) });
  expect(chain.outcome).toBe('begun');
  await chain.close();
});

it('refuses a chain that could never make a block before anything is written', async () => {
  const place = join(folder, 'broken');
  const broken = genesis('broken', {}, { extraData: '0x1234' });
  await expect(openChain(place, { genesisFile: broken })).rejects.toMatchObject({
    code: 'GENESIS_INVALID',
    message: expect.stringContaining('invalid extra data format: the 2 bytes of extraData'),
  });
  expect(existsSync(place)).toBe(false);
});

import { createMPT } from '@ethereumjs/mpt';
import { describe, expect, it } from 'vitest';
import { stripLeadingZeros } from '../../../test/support/scalars.ts';
import {
  filesBelow,
  OWN_VECTORS,
  publicVectorsFor,
  READS_PUBLIC_VECTORS,
  readBytes,
  readJson,
  readText,
} from '../../../test/vectors/folders.ts';
import { BLOCKS_FILE, readBlocks, recordingOf } from '../../../test/vectors/goquorum-blocks.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { bigIntToBytes } from '../base/quantity.ts';
import { encodeRlp } from '../base/rlp.ts';
import { decodeBlock, encodeBlock } from './block.ts';
import { type GenesisAccount, genesisBlock, genesisFromJson, parseGenesis } from './genesis.ts';

const CONTRACT = `0x${'7777'.padStart(40, '0')}`;

/** State root, computed by an independent trie implementation. */
async function rootOf(alloc: readonly GenesisAccount[]): Promise<Uint8Array> {
  const trie = await createMPT({ useKeyHashing: true });
  for (const { address, nonce, balance, code, storage } of alloc) {
    const slots = await createMPT({ useKeyHashing: true });
    for (const [slot, value] of storage) await slots.put(slot, encodeRlp(stripLeadingZeros(value)));
    const account = [
      bigIntToBytes(nonce),
      bigIntToBytes(balance),
      storage.length > 0 ? slots.root() : EMPTY_ROOT,
      code.length > 0 ? keccak256(code) : EMPTY_CODE_HASH,
    ];
    await trie.put(address, encodeRlp(account));
  }
  return trie.root();
}

async function blockZero(file: string) {
  const genesis = parseGenesis(readText(file));
  const root = await rootOf(genesis.alloc);
  return { genesis, block: genesisBlock(genesis, () => root) };
}

const HASHES: Record<string, string> = {
  'public-chain': '0x63a1a9e0bbb29ff7f1ae7d76f775a22a59a0ab9e0f150c0ae80fa8c64aaaf710',
  'private-chain': '0xc423d1ff1e4a1978e8137c37eda336f7bf46e33d65ab7c398ea66a1c32d052a8',
};

describe('genesis files of GoQuorum', () => {
  it.each(Object.entries(HASHES))('%s has the recorded hash', async (chain, hash) => {
    const { block } = await blockZero(`${OWN_VECTORS}/goquorum/${chain}/genesis.json`);
    expect(toHex(block.hash)).toBe(hash);
  });

  it('give the parent of the first recorded block', async () => {
    const folder = `${OWN_VECTORS}/goquorum/consensus`;
    let count = 0;
    for (const file of filesBelow(folder, (path) => BLOCKS_FILE.test(path))) {
      const first = readBlocks(file).find(({ number }) => number === 1);
      if (!first?.rlp) continue;
      const { block } = await blockZero(`${recordingOf(file)}/genesis.json`);
      expect(toHex(decodeBlock(fromHex(first.rlp)).header.parentHash)).toBe(toHex(block.hash));
      count++;
    }
    expect(count).toBeGreaterThan(5);
  });

  it('are block 0 of the recorded chains', async () => {
    for (const chain of ['public', 'private', 'gas-price', 'mps']) {
      const folder = `${OWN_VECTORS}/goquorum/${chain}-chain`;
      const { block } = await blockZero(`${folder}/genesis.json`);
      const [recorded] = readBlocks(`${folder}/chain/blocks.jsonl.gz`);
      expect(toHex(block.hash)).toBe(recorded!.hash);
      expect(toHex(encodeBlock(block))).toBe(recorded!.rlp);
    }
  });
});

describe('genesis files of Ethereum', () => {
  it('give the recorded blocks', READS_PUBLIC_VECTORS, async (context) => {
    const root = publicVectorsFor(context);
    const tests = readJson(`${root}/public/core-tests/GenesisTests/basic_genesis_tests.json`);
    for (const test of Object.values<any>(tests)) {
      for (const account of Object.values<any>(test.alloc)) account.balance ??= account.wei;
      const genesis = genesisFromJson({
        ...test,
        timestamp: test.timestamp === '0x' ? 0 : test.timestamp,
        config: { ethash: {} },
      });
      const stateRoot = await rootOf(genesis.alloc);
      expect(toHex(encodeBlock(genesisBlock(genesis, () => stateRoot)))).toBe(`0x${test.result}`);
    }
    for (const year of ['london-2023', 'cancun-2024', 'osaka-2026']) {
      const folder = `${root}/public/execution-apis/${year}`;
      const { block } = await blockZero(`${folder}/genesis.json`);
      const chain = readBytes(`${folder}/chain.rlp`);
      expect(chain.includes(Buffer.from(block.hash))).toBe(true);
    }
  });
});

const BASE = { gasLimit: '0x1', difficulty: 1, alloc: {} };
const refusal = (file: unknown): string => {
  try {
    genesisFromJson(file);
  } catch (error) {
    expect((error as { code: string }).code).toBe('GENESIS_INVALID');
    return (error as Error).message;
  }
  return 'accepted';
};

describe('bad genesis files', () => {
  const quorum = (config: object) => ({ ...BASE, config: { isQuorum: true, ...config } });
  const forks = {
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
  };
  it.each([
    [{}, "invalid genesis file: missing required field 'gasLimit' for Genesis"],
    [{ gasLimit: 1 }, "invalid genesis file: missing required field 'difficulty' for Genesis"],
    [
      { gasLimit: 1, difficulty: 1 },
      "invalid genesis file: missing required field 'alloc' for Genesis",
    ],
    [BASE, 'genesis has no chain configuration'],
    [
      quorum({ txnSizeLimit: 16 }),
      'Failed to write genesis block: Genesis transaction size limit must be between 32 and 128',
    ],
    [
      quorum({ maxCodeSizeConfig: [{ block: 0, size: 8 }] }),
      'maxCodeSize data invalid: Genesis max code size must be between 24 and 128',
    ],
    [
      quorum({
        maxCodeSizeConfig: [
          { block: 5, size: 32 },
          { block: 4, size: 64 },
        ],
      }),
      'maxCodeSize data invalid: invalid maxCodeSize detail, block order has to be ascending',
    ],
    [
      quorum({ maxCodeSize: 35 }),
      'maxCodeSize data invalid: maxCodeSize & maxCodeSizeChangeBlock deprecated. Consider using maxCodeSizeConfig',
    ],
    [
      quorum({ ...forks, istanbulBlock: 10, berlinBlock: 5 }),
      'Failed to write genesis block: unsupported fork ordering: istanbulBlock enabled at 10, but berlinBlock enabled at 5',
    ],
    [
      quorum({ eip150Block: 0 }),
      'Failed to write genesis block: unsupported fork ordering: homesteadBlock not enabled, but eip150Block enabled at 0',
    ],
    [
      quorum({ qbft: { validatorcontractaddress: `0x${'11'.repeat(20)}` } }),
      'invalid genesis file: cant combine extraData validators and config.qbft.validatorcontractaddress at the same time',
    ],
    [
      quorum({ transitions: [{ block: 1, algorithm: 'raft' }] }),
      'transitions data invalid: transition algorithm is invalid, should be either `ibft` or `qbft`',
    ],
    [
      quorum({ transitions: [{}] }),
      'transitions data invalid: block number not given in transitions data',
    ],
    [
      quorum({ transitions: [{ block: 3 }, { block: 2 }] }),
      'transitions data invalid: block order should be ascending',
    ],
    [
      quorum({ qbft: {}, transitions: [{ block: 3, algorithm: 'ibft' }] }),
      "transitions data invalid: can't transition from qbft to ibft",
    ],
    [
      quorum({ transitions: [{ block: 3, beneficiaryMode: 'me' }] }),
      'transitions data invalid: beneficiary mode is not valid',
    ],
    [
      {
        ...quorum({
          qbft: { validatorselectionmode: 'contract', validatorcontractaddress: CONTRACT },
        }),
        extraData: `0xe5a0${'00'.repeat(32)}c0c080c0`,
      },
      'invalid smart contract in genesis alloc: no contract code at given address',
    ],
    [
      quorum({ qbft: { validatorcontractaddress: CONTRACT } }),
      'invalid genesis file: cant combine extraData validators and config.qbft.validatorcontractaddress at the same time',
    ],
    [
      quorum({ ibft: { validatorcontractaddress: CONTRACT } }),
      'invalid genesis file: cant combine extraData validators and config.ibft.validatorcontractaddress at the same time',
    ],
    [
      quorum({ transitions: [{ block: 5, validatorcontractaddress: CONTRACT }] }),
      'transitions data invalid: validator selection mode is missing, should specify `contract` when using validatorcontractaddress',
    ],
    [
      quorum({ transitions: [{ block: 5, validatorselectionmode: 'dice' }] }),
      'transitions data invalid: validator selection mode is invalid, should be either `contract` or `blockheader`',
    ],
    [
      quorum({ istanbul: { testQBFTBlock: 3 }, transitions: [{ block: 5, algorithm: 'qbft' }] }),
      "transitions data invalid: can't use transition algorithm and testQBFTBlock at the same time",
    ],
    [
      quorum({ transitions: [{ block: 5, contractsizelimit: 12 }] }),
      'transitions data invalid: transition contract code size must be between 24 and 128',
    ],
    [
      quorum({ transitions: [{ block: 5, transactionSizeLimit: 256 }] }),
      'transitions data invalid: genesis transaction size limit must be between 32 and 128',
    ],
  ])('%j', (file, text) => {
    expect(refusal(file)).toBe(text);
  });

  it('say what to do', () => {
    expect(refusal({ ...BASE, config: { clique: {} } })).toContain('clique is not supported');
    expect(refusal({ ...BASE, config: { ibft2: {} } })).toContain('migrate the network to QBFT');
    expect(refusal({ ...BASE, config: {}, alloc: { '0x12': {} } })).toContain('not an address');
    expect(() => parseGenesis('{bad')).toThrow('invalid genesis file');
  });
});

describe('values', () => {
  it('are exact beyond 2^53 and found in any case', () => {
    const genesis = parseGenesis(
      `{"gaslimit": "0x10", "DIFFICULTY": 340282366920938463463374607431768211456,
        "config": {"CHAINID": 12345678901234567890}, "Alloc": {"${'ab'.repeat(20)}": {"balance": 1000000000000000000001}}}`,
    );
    expect(genesis.header.difficulty).toBe(1n << 128n);
    expect(genesis.config.chainId).toBe(12345678901234567890n);
    expect(genesis.alloc[0]!.balance).toBe(10n ** 21n + 1n);
  });
});

import { createMPT } from '@ethereumjs/mpt';
import { describe, expect, it } from 'vitest';
import { filesBelow, OWN_VECTORS } from '../../../test/vectors/folders.ts';
import {
  BLOCKS_FILE,
  genesisOf,
  readBlocks,
  recordingOf,
} from '../../../test/vectors/goquorum-blocks.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { encodeRlp, RlpReader, RlpWriter } from '../base/rlp.ts';
import { recoverAddress } from '../base/secp256k1.ts';
import { decodeBlock, EncodedBlock, encodeBlock, transactionsRoot, unclesHash } from './block.ts';
import { bloomOfLogs, mergeBlooms } from './bloom.ts';
import { engineAt } from './consensus-rules.ts';
import { deriveRoot } from './derive-root.ts';
import { blockAuthor, commitPreimage, readBftExtra, withCommitSeals } from './extra-data.ts';
import { decodeHeader, encodeHeader } from './header.ts';
import {
  type ConsensusReceipt,
  decodeReceipt,
  encodeReceipt,
  readStoredReceipt,
  receiptsRoot,
  writeStoredReceipt,
} from './receipt.ts';
import { decodeTransaction, encodeTransaction } from './transaction.ts';

/**
 * The recordings whose file of blocks matches `pattern`, each with the folder that has its genesis.
 */
function recordings(pattern: RegExp) {
  return filesBelow(OWN_VECTORS, (path) => pattern.test(path) && BLOCKS_FILE.test(path)).map(
    (file) => ({ recording: recordingOf(file), blocks: readBlocks(file) }),
  );
}

describe('recorded blocks', () => {
  it('re-encode to the same bytes and have the recorded hashes', () => {
    let count = 0;
    for (const { blocks } of recordings(/./)) {
      for (const { rlp, hash } of blocks) {
        if (!rlp || !hash) continue;
        const block = decodeBlock(fromHex(rlp));
        expect(toHex(block.hash)).toBe(hash);
        expect(toHex(encodeBlock(block))).toBe(rlp);
        expect(toHex(encodeHeader(decodeHeader(encodeHeader(block.header))))).toBe(
          toHex(encodeHeader(block.header)),
        );
        expect(toHex(transactionsRoot(block.transactions))).toBe(
          toHex(block.header.transactionsRoot),
        );
        expect(toHex(unclesHash(block.uncles))).toBe(toHex(block.header.unclesHash));
        for (const transaction of block.transactions) {
          expect(toHex(encodeTransaction(transaction))).toBe(toHex(transaction.raw));
        }
        count++;
      }
    }
    expect(count).toBeGreaterThan(15);
  });

  it('are the same as bytes whose body is read when it is asked for', () => {
    for (const { blocks } of recordings(/-chain\//)) {
      for (const { rlp } of blocks) {
        const whole = decodeBlock(fromHex(rlp));
        const asBytes = new EncodedBlock(fromHex(rlp));
        expect(asBytes.hash).toEqual(whole.hash);
        expect(toHex(encodeBlock(asBytes))).toBe(rlp);
        expect(asBytes.transactions.map(({ raw }) => raw)).toEqual(
          whole.transactions.map(({ raw }) => raw),
        );
        expect(asBytes.uncles).toEqual(whole.uncles);
        expect(asBytes.withdrawals).toEqual(whole.withdrawals);
      }
    }
  });

  it('whose body is not a body say so when it is asked for, not before', () => {
    const [{ blocks } = { blocks: [] }] = recordings(/-chain\//);
    const { header } = decodeBlock(fromHex(blocks[0]!.rlp));
    const writer = new RlpWriter(1024);
    writer.list((list) =>
      list.raw(encodeHeader(header)).raw(fromHex('0xc101')).raw(fromHex('0xc0')),
    );
    const block = new EncodedBlock(writer.finish());
    expect(block.header.number).toBe(header.number);
    expect(() => block.transactions).toThrow();
    expect(() => new EncodedBlock(fromHex('0xc101'))).toThrow();
  });

  it('name their transactions and senders as the recorded JSON does', () => {
    for (const { blocks } of recordings(/-chain\//)) {
      for (const { rlp, block: json } of blocks) {
        const { transactions } = decodeBlock(fromHex(rlp));
        for (const [i, transaction] of transactions.entries()) {
          expect(toHex(transaction.hash)).toBe(json.transactions[i].hash);
          expect(toHex(transaction.sender)).toBe(json.transactions[i].from);
          expect(transaction.isPrivate).toBe(['0x25', '0x26'].includes(json.transactions[i].v));
        }
      }
    }
  });

  it('were sealed by the validators that their seals recover to', () => {
    let seals = 0;
    for (const { recording, blocks } of recordings(/consensus\//)) {
      if (recording.includes('raft')) continue;
      const { config } = genesisOf(recording);
      for (const { rlp, signers } of blocks) {
        const { header } = decodeBlock(fromHex(rlp));
        if (header.number === 0) continue;
        const engine = engineAt(config, header.number);
        if (engine !== 'qbft' && engine !== 'ibft') throw new Error('not BFT');
        const extra = readBftExtra(header.extraData)!;
        expect(extra.kind).toBe(engine);
        const round = extra.kind === 'qbft' ? extra.round : 0;
        const preimage = commitPreimage(engine, header, round);
        const committers = extra.seals.map((seal) => toHex(recoverAddress(preimage, seal)!));
        seals += committers.length;
        if (signers?.committers) {
          expect([...committers].sort()).toEqual([...signers.committers].sort());
          expect(toHex(blockAuthor(engine, header)!)).toBe(signers.author);
        }
        const resealed = withCommitSeals(header, round, extra.seals);
        expect(toHex(encodeHeader(resealed))).toBe(toHex(encodeHeader(header)));
      }
    }
    expect(seals).toBeGreaterThan(20);
  });

  it('commit to their receipts', () => {
    let count = 0;
    for (const { blocks } of recordings(/(public|gas-price)-chain\//)) {
      for (const { rlp, receipts } of blocks) {
        const { header, transactions } = decodeBlock(fromHex(rlp));
        if (transactions.some((transaction) => transaction.isPrivate)) continue;
        const own = receipts!.map(receiptOf);
        expect(toHex(receiptsRoot(own))).toBe(toHex(header.receiptsRoot));
        expect(mergeBlooms(own.map(({ bloom }) => bloom))).toEqual(header.bloom);
        for (const receipt of own) {
          expect(bloomOfLogs(receipt.logs)).toEqual(receipt.bloom);
          expect(decodeReceipt(encodeReceipt(receipt))).toEqual(receipt);
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(80);
  });
});

function receiptOf(json: any): ConsensusReceipt {
  return {
    type: Number(json.type) as 0 | 1,
    status: Number(json.status) as 0 | 1,
    cumulativeGasUsed: BigInt(json.cumulativeGasUsed),
    bloom: fromHex(json.logsBloom),
    logs: json.logs.map((log: any) => ({
      address: fromHex(log.address),
      topics: log.topics.map((topic: string) => fromHex(topic)),
      data: fromHex(log.data),
    })),
  };
}

describe('stored receipts', () => {
  it('come back whole', () => {
    const logs = [{ address: new Uint8Array(20).fill(7), topics: [], data: Uint8Array.of(1) }];
    const receipt = {
      type: 1,
      status: 1,
      cumulativeGasUsed: 50_000n,
      gasUsed: 21_000n,
      bloom: bloomOfLogs(logs),
      logs,
      contractAddress: new Uint8Array(20).fill(9),
      revertReason: new Uint8Array(0),
    } as const;
    const writer = new RlpWriter();
    writeStoredReceipt(writer, receipt);
    expect(readStoredReceipt(new RlpReader(writer.finish()))).toEqual(receipt);
  });
});

describe('deriveRoot', () => {
  it.each([0, 1, 2, 3, 16, 17, 127, 128, 129, 300])(
    'equals a trie with %i items',
    async (count) => {
      const items = Array.from({ length: count }, (_, i) =>
        new Uint8Array(1 + ((i * 37) % 90)).fill(i + 1),
      );
      const trie = await createMPT();
      for (const [i, item] of items.entries()) await trie.put(encodeRlp(minimal(i)), item);
      expect(toHex(deriveRoot(items))).toBe(toHex(trie.root()));
    },
  );
});

function minimal(index: number): Uint8Array {
  if (index === 0) return new Uint8Array(0);
  return index < 256 ? Uint8Array.of(index) : Uint8Array.of(index >> 8, index & 255);
}

describe('private transactions', () => {
  it('are v 37/38 on GoQuorum and chain id 1 elsewhere', () => {
    const raw = fromHex(
      '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    );
    const quorum = decodeTransaction(raw);
    expect([quorum.isPrivate, quorum.chainId]).toEqual([true, undefined]);
    const ethereum = decodeTransaction(raw, 'ethereum');
    expect([ethereum.isPrivate, ethereum.chainId]).toEqual([false, 1n]);
    expect(toHex(ethereum.sender)).toBe('0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f');
    expect(toHex(quorum.sender)).not.toBe(toHex(ethereum.sender));
  });
});

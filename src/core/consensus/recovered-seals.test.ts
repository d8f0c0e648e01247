/** Signers that were recovered ahead are those that the check of a header would recover. */
import { expect, it } from 'vitest';
import { bftGenesis, secretKey } from '../../../test/support/bft-chain.ts';
import { EMPTY_BYTES, ZERO_ADDRESS } from '../base/bytes.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../base/secp256k1.ts';
import {
  blockAuthor,
  commitPreimage,
  ibftProposerPreimage,
  withCommitSeals,
  withProposerSeal,
} from '../chain/extra-data.ts';
import type { Header } from '../chain/header.ts';
import type { BftEngine } from '../chain/rules.ts';
import { recoverElsewhere, recoverRows } from '../chain/sender-recovery.ts';
import { sortedValidators } from './bft/validators.ts';
import { committersOf } from './check-seals.ts';
import { RecoveredSeals } from './recovered-seals.ts';

const KEYS = [1, 2, 3, 4].map(secretKey);
const SIGNERS = KEYS.map(addressOfSecretKey);
const VALIDATORS = sortedValidators(SIGNERS);

function sealed(engine: BftEngine, round = 0): Header {
  const { header } = bftGenesis(engine, VALIDATORS, 1000);
  const proposed =
    engine === 'ibft'
      ? withProposerSeal(header, sign65(ibftProposerPreimage(header), KEYS[0]!))
      : header;
  const preimage = commitPreimage(engine, proposed, round);
  const seals = KEYS.map((key) => sign65(preimage, key));
  return withCommitSeals(proposed, round, seals);
}

class Ahead {
  rows = 0;
  here = 0;
  readonly seals = new RecoveredSeals((hash, seal) => {
    this.here++;
    return recoverAddress(hash, seal);
  });

  async look(header: Header, engine: BftEngine): Promise<void> {
    const recover = async (rows: Uint8Array) => {
      this.rows += rows.length / 97;
      return recoverRows(rows);
    };
    await recoverElsewhere(this.seals.of(header, engine), { recover });
  }
}

it.each(['qbft', 'ibft'] as const)('knows all signers of a header of %s, once', async (engine) => {
  const header = sealed(engine);
  const ahead = new Ahead();
  await ahead.look(header, engine);
  const own = engine === 'ibft' ? 1 : 0;
  expect(ahead.rows).toBe(KEYS.length + own);
  const { recover } = ahead.seals;
  const author = blockAuthor(engine, header, recover);
  expect(author).toEqual(engine === 'ibft' ? SIGNERS[0] : ZERO_ADDRESS);
  expect(committersOf(header, engine, recover)).toEqual(SIGNERS);
  expect(ahead.here).toBe(0);
  expect(committersOf(header, engine, recover)).toEqual(SIGNERS);
  expect(ahead.here).toBe(KEYS.length);
});

it('does not take a seal of one header for that of another', async () => {
  const header = sealed('qbft', 1);
  const ahead = new Ahead();
  await ahead.look(header, 'qbft');
  const other = commitPreimage('qbft', header, 2);
  const seal = sign65(commitPreimage('qbft', header, 1), KEYS[0]!);
  expect(ahead.seals.recover(other, seal)).not.toEqual(SIGNERS[0]);
  expect(ahead.here).toBe(1);
});

it('keeps no more signers than an import looks ahead', () => {
  const ahead = new Ahead();
  const seals = Array.from({ length: 9_000 }, (_, at) =>
    new Uint8Array(65).fill(at >> 8).fill(at, 33),
  );
  const header = bftGenesis('qbft', VALIDATORS, 1000).header;
  for (let from = 0; from < seals.length; from += 1_000) {
    const some = withCommitSeals(header, 0, seals.slice(from, from + 1_000));
    for (const signed of ahead.seals.of(some, 'qbft')) signed.keepSender(SIGNERS[0]!);
  }
  const hash = commitPreimage('qbft', header, 0);
  expect(ahead.seals.recover(hash, seals.at(-1)!)).toEqual(SIGNERS[0]);
  expect(ahead.here).toBe(0);
  ahead.seals.recover(hash, seals[0]!);
  expect(ahead.here).toBe(1);
});

it('leaves a header that is malformed, or that has very many seals, to its check', async () => {
  const header = sealed('qbft');
  const many = Array.from({ length: 1_025 }, () => new Uint8Array(65));
  const ahead = new Ahead();
  await ahead.look({ ...header, extraData: EMPTY_BYTES }, 'qbft');
  await ahead.look(withCommitSeals(header, 0, many), 'qbft');
  await ahead.look(withCommitSeals(header, 0, [new Uint8Array(64)]), 'qbft');
  expect(ahead.rows).toBe(0);
});

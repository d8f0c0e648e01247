/** Shared by the consensus kinds: reads recorded chains and messages, and reports differences. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { recoverAddress } from '../../src/core/base/secp256k1.ts';
import { type Block, decodeBlock } from '../../src/core/chain/block.ts';
import type { ConsensusRules } from '../../src/core/chain/consensus-rules.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import type { ConsensusSigner, ValidatorSet } from '../../src/core/consensus/bft/interface.ts';
import { sortedValidators } from '../../src/core/consensus/bft/validators.ts';
import { Schedule } from '../../src/core/consensus/schedule.ts';
import { readJson } from './folders.ts';
import type { Report } from './kind.ts';

/** The files of `names` that exist in `folder`, plain or gzipped. */
export function filesOf(folder: string, names: readonly string[]): string[] {
  return names
    .flatMap((name) => [join(folder, name), join(folder, `${name}.gz`)])
    .filter((file) => existsSync(file));
}

/** Reads a file in `folder`, plain or gzipped. */
export function readBeside(folder: string, name: string): any {
  const [file] = filesOf(folder, [name]);
  if (!file) throw new Error(`${name} is missing in ${folder}`);
  return readJson(file);
}

export function expectEqual(
  report: Report,
  name: string,
  actual: unknown,
  expected: unknown,
): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a === b) report.pass(name);
  else report.fail(name, `got ${a}, want ${b}`.slice(0, 400));
}

export function attempt<T>(run: () => T): { value?: T; error?: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** A validator that only reads: signing throws an error. */
export function reader(address: Address): ConsensusSigner {
  return {
    address,
    sign: () => {
      throw new Error('this validator only reads');
    },
    recover: recoverAddress,
  };
}

export interface RecordedChain {
  readonly blocks: readonly Block[];
  /** The entries as recorded. */
  readonly entries: readonly any[];
  rulesAt(height: number): ConsensusRules;
}

export function readChain(folder: string): RecordedChain {
  const { config } = genesisFromJson(readBeside(folder, 'genesis.json'));
  const entries: any[] = readBeside(folder, 'blocks.json');
  const blocks = entries.map(({ rlp }) => decodeBlock(fromHex(rlp)));
  // The period came from the command line, as on every legacy chain.
  const schedule = new Schedule(config, config.istanbul ? { blockPeriodSeconds: 1 } : {});
  return { blocks, entries, rulesAt: (height) => schedule.rulesAt(height) };
}

export function addresses(texts: readonly string[]): ValidatorSet {
  return sortedValidators(texts.map(fromHex));
}

export function hexOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && toHex(bytes);
}

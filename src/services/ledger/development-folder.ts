/**
 * The data folder of a chain for development (`--dev`): its genesis, and a marker file. A folder
 * with the marker opens only for development, one without it never does.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, equalBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { toHex } from '../../core/base/hex.ts';
import { encodeRlp } from '../../core/base/rlp.ts';
import { addressOfSecretKey } from '../../core/base/secp256k1.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import { readBftExtra } from '../../core/chain/extra-data.ts';
import type { Genesis } from '../../core/chain/genesis.ts';
import { isThere } from '../../io/host/files.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import type { LedgerConfig } from './config.ts';
import { readNodeKey } from './keys/node-key.ts';
import { storeFolder } from './store/data.ts';
import { keptGenesis } from './store/kept-genesis.ts';

const MARK = 'development';
const CHAIN_ID = 1337;
const TEN_THOUSAND_ETHER = `0x${(10n ** 22n).toString(16)}`;
const ZERO_WORD = new Uint8Array(32);
const ISTANBUL_MIX_HASH = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365';
const BERLIN_AND_BEFORE = [
  ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'],
  ...['istanbul', 'muirGlacier', 'berlin'],
].map((fork) => [`${fork}Block`, 0]);

/**
 * Text of the genesis that a new chain in this folder begins with, unless a file is given;
 * undefined: the folder already contains a chain. Throws DEVELOPMENT_FOLDER if that is not one for
 * development.
 */
export function developmentGenesis(
  config: LedgerConfig,
  keys: readonly Uint8Array[],
): string | undefined {
  const folder = storeFolder(config.dataFolder);
  const mark = join(folder, MARK);
  const isBegun = keptGenesis(folder) !== undefined;
  if (isBegun && !isThere(mark))
    throw fail(
      'DEVELOPMENT_FOLDER',
      `--dev: ${config.dataFolder} holds a chain that is not for development. Name another --datadir, or none`,
    );
  if (isBegun) return undefined;
  makeFolder(folder, 0o700);
  writeFileSync(mark, 'A chain for development: quorate node --dev\n');
  const validator = addressOfSecretKey(readNodeKey(config));
  const isMps = config.development!.members.length > 0;
  return JSON.stringify(genesisOf(validator, keys.map(addressOfSecretKey), isMps));
}

/** Throws DEVELOPMENT_GENESIS unless this node is the only validator of the chain. */
export function checkOwnChain({ config, header }: Genesis, validator: Address): void {
  const validators = readBftExtra(header.extraData)?.validators ?? [];
  const isAlone = validators.length === 1 && equalBytes(validators[0]!, validator);
  if (engineAt(config, 1) === 'qbft' && isAlone) return;
  throw fail(
    'DEVELOPMENT_GENESIS',
    `--dev: the genesis file must be of a QBFT chain whose only validator is this node, ${toHex(validator)}. Without --genesis the node makes its own`,
  );
}

/** Throws DEVELOPMENT_FOLDER for a folder whose chain is one for development. */
export function refuseDevelopmentFolder({ dataFolder }: LedgerConfig): void {
  if (!isThere(join(storeFolder(dataFolder), MARK))) return;
  throw fail(
    'DEVELOPMENT_FOLDER',
    `${dataFolder} holds a chain for development, on which senders need no signature: start it with --dev, or name another --datadir`,
  );
}

/** A QBFT chain of one validator, with all forks and free gas. */
function genesisOf(validator: Uint8Array, funded: readonly Uint8Array[], isMps: boolean): object {
  const extraData = encodeRlp([ZERO_WORD, [validator], [], new Uint8Array(0), []]);
  return {
    config: {
      chainId: CHAIN_ID,
      ...Object.fromEntries(BERLIN_AND_BEFORE),
      isQuorum: true,
      isMPS: isMps,
      txnSizeLimit: 128,
      maxCodeSizeConfig: [{ block: 0, size: 128 }],
      privacyEnhancementsBlock: 0,
      privacyPrecompileBlock: 0,
      enableGasPriceBlock: 0,
      quorate: { londonBlock: 0, shanghaiBlock: 0, cancunBlock: 0 },
      qbft: { policy: 0, epochLength: 30_000, ceil2Nby3Block: 0, blockPeriodSeconds: 1 },
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: '0x3b9aca00',
    difficulty: '0x1',
    mixHash: ISTANBUL_MIX_HASH,
    coinbase: toHex(new Uint8Array(20)),
    extraData: toHex(extraData),
    alloc: Object.fromEntries(funded.map((each) => [toHex(each), { balance: TEN_THOUSAND_ETHER }])),
  };
}

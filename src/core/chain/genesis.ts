/**
 * Genesis files of GoQuorum, Besu and go-ethereum -> chain configuration, first accounts, block 0
 * (GoQuorum core/genesis.go).
 */
import {
  type Address,
  EMPTY_BYTES,
  equalBytes,
  type Hash32,
  isZeroBytes,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../base/bytes.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import { bigIntToFixed } from '../base/quantity.ts';
import { readEthereumConfig } from './besu-config.ts';
import { type Block, blockOf, EMPTY_UNCLES_HASH } from './block.ts';
import { checkBlockTimes } from './block-times.ts';
import { EMPTY_BLOOM } from './bloom.ts';
import type { ChainConfig, GenesisFormat } from './chain-config.ts';
import { type BftEngine, consensusAt } from './consensus-rules.ts';
import { decodeQbftExtra } from './extra-data.ts';
import { INITIAL_BASE_FEE_WEI } from './fees.ts';
import { checkGoquorumConfig, readGoquorumConfig } from './goquorum-config.ts';
import type { Header } from './header.ts';
import { genesisFault, JsonFields, parseGenesisJson, wordOf } from './json-fields.ts';
import { rulesAt } from './rules.ts';

const DEFAULT_GAS_LIMIT = 800_000_000n;

export interface GenesisAccount {
  readonly address: Address;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  /** Slots with a value other than zero. */
  readonly storage: readonly (readonly [slot: Hash32, value: Hash32])[];
}

export interface Genesis {
  readonly config: ChainConfig;
  readonly alloc: readonly GenesisAccount[];
  /** Block 0 without its state root; `difficulty` is also the first total difficulty. */
  readonly header: Omit<Header, 'stateRoot'>;
}

/**
 * Reads the text of a genesis file. `format` overrules the guess for files that fit more than one
 * client.
 */
export function parseGenesis(text: string, format?: GenesisFormat): Genesis {
  return genesisFromJson(parseGenesisJson(text), format);
}

/** Reads a parsed genesis file. Throws GENESIS_INVALID. */
export function genesisFromJson(json: unknown, format?: GenesisFormat): Genesis {
  const file = new JsonFields(json, '');
  const required = readRequired(file);
  const configFields = file.object('config');
  if (!configFields) throw genesisFault('genesis has no chain configuration');
  const config = readConfig(configFields, format ?? formatOf(configFields), file.value('config'));
  if (config.format === 'goquorum') checkGoquorumConfig(configFields, config);
  const alloc = readAlloc(file, config.format);
  const header = readHeaderFields(file, config, required);
  if (config.isQuorum) {
    checkValidatorContract(config, header.extraData);
    checkContractCode(config, alloc);
  }
  return { config, alloc, header };
}

/** Block 0; `stateRoot` computes the root of the first accounts. */
export function genesisBlock(
  genesis: Genesis,
  stateRoot: (alloc: readonly GenesisAccount[]) => Hash32,
): Block {
  const header: Header = { ...genesis.header, stateRoot: stateRoot(genesis.alloc) };
  const body = { transactions: [], uncles: [] };
  return blockOf(header, header.withdrawalsRoot ? { ...body, withdrawals: [] } : body);
}

/**
 * A `config` object alone, as stored in an existing database, without the checks of `init`. Throws
 * GENESIS_INVALID.
 */
export function chainConfigFromJson(json: unknown, format?: GenesisFormat): ChainConfig {
  const fields = new JsonFields(json, 'config');
  return readConfig(fields, format ?? formatOf(fields), json);
}

function readConfig(config: JsonFields, format: GenesisFormat, source: unknown): ChainConfig {
  if (config.has('clique')) {
    throw genesisFault(
      'invalid genesis file: config.clique: clique is not supported; start a new chain with config.qbft and carry the accounts over',
    );
  }
  const chain =
    format === 'goquorum'
      ? readGoquorumConfig(config, config.boolean('isQuorum') ?? true)
      : readEthereumConfig(config, format);
  checkBlockTimes(chain);
  return { ...chain, source };
}

/** Keys that only GoQuorum's files have. */
const GOQUORUM_KEYS = [
  'isQuorum',
  'istanbul',
  'ibft',
  'txnSizeLimit',
  'maxCodeSize',
  'maxCodeSizeConfig',
  'qip714Block',
  'privacyEnhancementsBlock',
  'privacyPrecompileBlock',
  'enableGasPriceBlock',
  'isMPS',
  'quorate',
];

/**
 * Files with `isQuorum: false` are for chains without GoQuorum's extensions, but their keys have
 * GoQuorum's meaning.
 */
function formatOf(config: JsonFields): GenesisFormat {
  const qbft = config.object('qbft');
  const isGoquorum =
    GOQUORUM_KEYS.some((key) => config.has(key)) ||
    Array.isArray(config.value('transitions')) ||
    qbft?.has('policy') === true ||
    qbft?.has('ceil2Nby3Block') === true;
  if (isGoquorum) return 'goquorum';
  return qbft || config.has('ibft2') ? 'besu' : 'ethereum';
}

function readRequired(file: JsonFields): { gasLimit: bigint; difficulty: bigint } {
  const gasLimit = file.quantity('gasLimit', 64);
  const difficulty = file.quantity('difficulty');
  if (gasLimit === undefined) throw missing('gasLimit');
  if (difficulty === undefined) throw missing('difficulty');
  if (!file.has('alloc')) throw missing('alloc');
  if (file.quantity('number')) {
    throw genesisFault("Failed to write genesis block: can't commit genesis block with number > 0");
  }
  return { gasLimit, difficulty };
}

function missing(name: string): Error {
  return genesisFault(`invalid genesis file: missing required field '${name}' for Genesis`);
}

function readHeaderFields(
  file: JsonFields,
  config: ChainConfig,
  { gasLimit, difficulty }: { gasLimit: bigint; difficulty: bigint },
): Omit<Header, 'stateRoot'> {
  const timestamp = file.quantity('timestamp', 64) ?? 0n;
  return {
    parentHash: file.hash('parentHash') ?? ZERO_HASH,
    unclesHash: EMPTY_UNCLES_HASH,
    coinbase: file.address('coinbase') ?? ZERO_ADDRESS,
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    bloom: EMPTY_BLOOM,
    difficulty,
    number: 0,
    gasLimit: gasLimit === 0n && config.format === 'goquorum' ? DEFAULT_GAS_LIMIT : gasLimit,
    gasUsed: file.quantity('gasUsed', 64) ?? 0n,
    timestamp,
    extraData: file.bytes('extraData') ?? EMPTY_BYTES,
    mixHash: file.hash('mixHash') ?? ZERO_HASH,
    nonce: bigIntToFixed(file.quantity('nonce', 64) ?? 0n, 8),
    ...readLaterFields(file, config, timestamp),
  };
}

function readLaterFields(
  file: JsonFields,
  config: ChainConfig,
  timestamp: bigint,
): Partial<Header> {
  const rules = rulesAt(config, 0, timestamp);
  if (!rules.isLondon) return {};
  const isOurs = config.format === 'goquorum';
  return {
    baseFeePerGas: file.quantity('baseFeePerGas') ?? (isOurs ? 0n : INITIAL_BASE_FEE_WEI),
    ...(rules.isShanghai ? { withdrawalsRoot: EMPTY_ROOT } : {}),
    ...(rules.isCancun
      ? {
          blobGasUsed: file.quantity('blobGasUsed', 64) ?? 0n,
          excessBlobGas: file.quantity('excessBlobGas', 64) ?? 0n,
          parentBeaconBlockRoot: file.hash('parentBeaconBlockRoot') ?? ZERO_HASH,
        }
      : {}),
  };
}

function readAlloc(file: JsonFields, format: GenesisFormat): GenesisAccount[] {
  return (file.entries('alloc') ?? []).map(([key, value]) => {
    const digits = key.replace(/^0[xX]/, '');
    if (!/^[0-9a-fA-F]{40}$/.test(digits)) {
      throw genesisFault(`invalid genesis file: alloc: "${key}" is not an address`);
    }
    const address = wordOf(digits)!.slice(12);
    const fields = new JsonFields(value, `alloc.${key}`);
    const balance = fields.quantity('balance');
    if (balance === undefined && format === 'goquorum') {
      throw genesisFault(
        "invalid genesis file: missing required field 'balance' for GenesisAccount",
      );
    }
    return {
      address,
      balance: balance ?? 0n,
      nonce: fields.quantity('nonce', 64) ?? 0n,
      code: fields.bytes('code') ?? EMPTY_BYTES,
      storage: readStorage(fields),
    };
  });
}

function readStorage(account: JsonFields): (readonly [Hash32, Hash32])[] {
  const storage: (readonly [Hash32, Hash32])[] = [];
  for (const [key, value] of account.entries('storage') ?? []) {
    const slot = wordOf(key);
    const word = wordOf(value);
    if (!slot || !word) {
      throw genesisFault(
        `invalid genesis file: ${account.path}: invalid hex storage key/value "${slot ? String(value) : key}"`,
      );
    }
    if (!isZeroBytes(word)) storage.push([slot, word]);
  }
  return storage;
}

/** Validators may be in the extra data or in a contract, but not in both. */
function checkValidatorContract(config: ChainConfig, extraData: Uint8Array): void {
  // COMPAT: also checked for an `ibft` block, where no file with a contract passes.
  if (config.ibft?.validatorContract) throw contractFault('ibft');
  if (config.qbft?.validatorContract && !namesNobody(extraData)) throw contractFault('qbft');
}

function namesNobody(extraData: Uint8Array): boolean {
  try {
    return decodeQbftExtra(extraData).validators.length === 0;
  } catch {
    return false;
  }
}

function contractFault(engine: BftEngine): Error {
  return genesisFault(
    `invalid genesis file: cant combine extraData validators and config.${engine}.validatorcontractaddress at the same time`,
  );
}

/** Without code at the contract, GoQuorum fails at the first block and never makes it. */
function checkContractCode(config: ChainConfig, alloc: readonly GenesisAccount[]): void {
  const { validatorContract } = consensusAt(config, 0);
  if (!validatorContract) return;
  const account = alloc.find(({ address }) => equalBytes(address, validatorContract));
  if (account && account.code.length > 0) return;
  throw genesisFault('invalid smart contract in genesis alloc: no contract code at given address');
}

/**
 * Signed transactions: official TransactionTests, EIP examples, eth-account and ethers collections.
 */
import { basename } from 'node:path';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { intrinsicGas } from '../../src/core/chain/intrinsic-gas.ts';
import { type Rules, rulesAt } from '../../src/core/chain/rules.ts';
import {
  checkSigner,
  fieldsOf,
  signTransaction,
  type UnsignedTransaction,
} from '../../src/core/chain/signing.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  encodeTransaction,
  signingHashOf,
} from '../../src/core/chain/transaction.ts';
import { filesBelow, readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

const FILES = [
  /public\/core-tests\/TransactionTests\.json(\.gz)?$/,
  /public\/transactions\/(eip155-example|typed-signed)\.json$/,
  /public\/ethers\/(typed-)?transactions\.json\.gz$/,
];

export const transactions: VectorKind = {
  name: 'transactions',
  find: (root) => filesBelow(root, (path) => FILES.some((pattern) => pattern.test(path))),
  run(file, report) {
    const json = readJson(file);
    const name = basename(file);
    if (name.startsWith('TransactionTests')) runOfficial(json, report);
    else if (name === 'eip155-example.json') runExample(json, report);
    else if (name === 'typed-signed.json') runAccount(json, report);
    else if (name.startsWith('typed-')) runEthersTyped(json, report);
    else runEthersLegacy(json, report);
  },
};

const FORK_KEYS = [
  'homesteadBlock',
  'eip150Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'berlinBlock',
  'londonBlock',
  'mergeNetsplitBlock',
] as const;

const FORK_NAMES: Record<string, number> = {
  Frontier: 0,
  Homestead: 1,
  EIP150: 2,
  EIP158: 3,
  Byzantium: 4,
  Constantinople: 5,
  ConstantinopleFix: 6,
  Istanbul: 7,
  Berlin: 8,
  London: 9,
  Paris: 10,
  Shanghai: 10,
  Cancun: 10,
};

function rulesOf(fork: string): Rules {
  const count = FORK_NAMES[fork];
  if (count === undefined) throw new Error(`unknown fork ${fork}`);
  const config: Record<string, unknown> = { chainId: 1, ethash: {} };
  for (const key of FORK_KEYS.slice(0, count)) config[key] = 0;
  if (fork === 'Shanghai' || fork === 'Cancun') config.shanghaiTime = 0;
  if (fork === 'Cancun') config.cancunTime = 0;
  const genesis = genesisFromJson({ config, gasLimit: 1, difficulty: 1, alloc: {} });
  return rulesAt(genesis.config, 0, 0n);
}

/** Faults that do not depend on state, besides format and signature. */
function statelessFault(tx: DecodedTransaction, rules: Rules): string | undefined {
  if (tx.nonce >= 2n ** 64n - 1n) return 'nonce too big';
  if (tx.gasLimit * tx.maxFeePerGas >= 2n ** 256n) return 'gas price product overflows';
  if (tx.type >= 2 && tx.maxPriorityFeePerGas > tx.maxFeePerGas) return 'tip above fee';
  if (rules.isShanghai && !tx.to && tx.data.length > 49_152) return 'init code too large';
  return BigInt(intrinsicGas(tx, rules)) > tx.gasLimit ? 'intrinsic gas too low' : undefined;
}

function runOfficial(json: Record<string, any>, report: Report): void {
  const rules = new Map(Object.keys(FORK_NAMES).map((fork) => [fork, rulesOf(fork)]));
  for (const [name, test] of Object.entries(json)) {
    for (const [fork, expected] of Object.entries<any>(test.result)) {
      check(report, `${name} ${fork}`, () => {
        const got = officialOutcome(test.txbytes, rules.get(fork)!);
        if (expected.exception) {
          if (got.fault === undefined) throw new Error(`accepted, not ${expected.exception}`);
          return;
        }
        if (got.fault !== undefined) throw new Error(`refused: ${got.fault}`);
        same(got.hash, expected.hash);
        same(got.sender, expected.sender);
        same(got.gas, Number(expected.intrinsicGas));
      });
    }
  }
}

function officialOutcome(txbytes: string, rules: Rules) {
  try {
    const tx = decodeTransaction(fromHex(txbytes), 'ethereum');
    const sender = toHex(checkSigner(tx, rules));
    const gas = intrinsicGas(tx, rules);
    return { fault: statelessFault(tx, rules), hash: toHex(tx.hash), sender, gas };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function runExample(json: any, report: Report): void {
  check(report, 'EIP-155 example', () => {
    const unsigned = unsignedOf(json.transaction);
    const body = decodeTransaction(fromHex(json.raw), 'ethereum');
    same(toHex(signingHashOf({ ...fieldsOf(body), chainId: 1n })), json.signingHash);
    same(toHex(body.signingHash()), json.signingHash);
    same(toHex(body.sender), json.address.toLowerCase());
    const signed = signTransaction(unsigned, fromHex(json.privateKey), { chainId: 1n });
    same(toHex(signed.raw), json.raw);
  });
}

function runAccount(json: any, report: Report): void {
  for (const [i, test] of json.cases.entries()) {
    check(report, `${test.kind} ${i}`, () => {
      const tx = decodeTransaction(fromHex(test.raw), 'ethereum');
      same(toHex(tx.hash), test.hash);
      same(toHex(tx.sender), json.address.toLowerCase());
      same(tx.r, BigInt(test.r));
      same(tx.s, BigInt(test.s));
      same(toHex(encodeTransaction(tx)), test.raw);
      const chainId = BigInt(test.transaction.chainId);
      const signed = signTransaction(unsignedOf(test.transaction), fromHex(json.privateKey), {
        chainId,
      });
      same(toHex(signed.raw), test.raw);
    });
  }
}

function runEthersLegacy(json: any[], report: Report): void {
  for (const test of json) {
    check(report, test.name, () => {
      const key = fromHex(test.privateKey);
      const unsigned = unsignedOf(test);
      if (unsigned.gasLimit! >= 2n ** 64n) {
        refuses(() => decodeTransaction(fromHex(test.signedTransaction)));
        return;
      }
      for (const [chainId, expected] of [
        [undefined, test.signedTransaction],
        [5n, test.signedTransactionChainId5],
      ] as const) {
        same(toHex(signTransaction(unsigned, key, { chainId }).raw), expected);
        const tx = decodeTransaction(fromHex(expected), 'ethereum');
        same(toHex(tx.sender), test.accountAddress.toLowerCase());
        same(tx.chainId, chainId);
      }
    });
  }
}

function runEthersTyped(json: any[], report: Report): void {
  for (const test of json) {
    check(report, test.name, () => {
      const tx = decodeTransaction(fromHex(test.signed), 'ethereum');
      const key = fromHex(test.key);
      same(toHex(tx.sender), toHex(addressOfSecretKey(key)));
      same(toHex(signTransaction(unsignedOf(test.tx), key).raw), test.signed);
      same(toHex(encodeTransaction(tx)), test.signed);
    });
  }
}

function unsignedOf(json: any): UnsignedTransaction {
  const type = Number(json.type ?? 0) as 0 | 1 | 2;
  const price = big(json.maxFeePerGas ?? json.gasPrice);
  return {
    type,
    chainId: type === 0 ? undefined : BigInt(json.chainId ?? 0),
    nonce: big(json.nonce),
    gasPrice: price,
    maxFeePerGas: price,
    maxPriorityFeePerGas: big(json.maxPriorityFeePerGas),
    gasLimit: big(json.gas ?? json.gasLimit),
    to: json.to && json.to !== '0x' ? fromHex(json.to) : undefined,
    value: big(json.value),
    data: fromHex(json.data ?? '0x'),
    accessList: accessListOf(json.accessList),
  };
}

/** ethers writes zero as 0x. */
function big(value: string | number | undefined): bigint {
  return value === undefined || value === '0x' ? 0n : BigInt(value);
}

function accessListOf(json: any) {
  const entries = Array.isArray(json)
    ? json
    : Object.entries(json ?? {}).map(([address, storageKeys]) => ({ address, storageKeys }));
  return entries.map((entry: any) => ({
    address: fromHex(entry.address ?? entry[0]),
    slots: (entry.storageKeys ?? entry[1]).map((slot: string) => fromHex(slot)),
  }));
}

function check(report: Report, name: string, run: () => void): void {
  try {
    run();
    report.pass(name);
  } catch (error) {
    report.fail(name, (error as Error).message);
  }
}

/** Ethereum's gas limits have 64 bits; some of ethers' random ones have more. */
function refuses(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    same((error as { code?: string }).code, 'RLP_INVALID');
    return;
  }
  throw new Error('was not refused');
}

function same(got: unknown, expected: unknown): void {
  if (got !== expected) throw new Error(`${String(got)} is not ${String(expected)}`);
}

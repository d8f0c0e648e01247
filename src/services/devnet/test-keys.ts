/**
 * Publicly known keys: those of quorum-dev-quickstart, of quorum-examples, and of the mnemonic of
 * Hardhat and Anvil. Their users' scripts work here unchanged. Never fund them elsewhere.
 */
import { fromHex, toHex } from '../../core/base/hex.ts';
import { keccak256 } from '../../core/base/keccak.ts';
import { addressOfSecretKey } from '../../core/base/secp256k1.ts';
import { MNEMONIC_KEYS } from '../../core/base/test-mnemonic.ts';

export interface Account {
  readonly address: string;
  readonly privateKey: string;
}

/** `accounts` a, b and c of quorum-dev-quickstart `smart_contracts/scripts/keys.js`. */
const QUICKSTART_KEYS = [
  '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63',
  '0xc87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3',
  '0xae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f',
];

/** member1 to member3 and rpcnode of quorum-dev-quickstart `smart_contracts/scripts/keys.js`. */
const NODE_KEYS = [
  '0x8bbbb1b345af56b560a5b20bd4b0ed1cd8cc9958a16262bc75118453cb546df7',
  '0x4762e04d10832808a0aebdaa79c12de54afbe006bfffd228b3abcc494fe986f9',
  '0x61dced5af778942996880120b303fc11ee28cc8e5036d2fdff619b5675ded3f0',
  '0x60bbe10a196a4e71451c0f6e9ec9beab454c2a5ac0542aa5b8b733ff5719fec3',
];

export interface ManagerKey {
  /** Both keys in base64. */
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * `tm.key` of member1 to member3 in quorum-dev-quickstart `config/nodes`; the fourth is
 * `examples/7nodes/keys/tm4.key` of quorum-examples, whose first three are the same.
 */
export const MANAGER_KEYS: readonly ManagerKey[] = [
  {
    publicKey: 'BULeR8JyUWhiuuCMU/HLA0Q5pzkYT+cHII3ZKBey3Bo=',
    privateKey: 'Wl+xSyXVuuqzpvznOS7dOobhcn4C5auxkFRi7yLtgtA=',
  },
  {
    publicKey: 'QfeDAys9MPDs2XHExtc84jKGHxZg/aj52DTh0vtA3Xc=',
    privateKey: 'nDFwJNHSiT1gNzKBy9WJvMhmYRkW3TzFUmPsNzR6oFk=',
  },
  {
    publicKey: '1iTZde/ndBHvzhcl7V68x44Vx7pl8nwx9LqnM/AfJUg=',
    privateKey: 'tMxUVR8bX7aq/TbpVHc2QV3SN2iUuExBwefAuFsO0Lg=',
  },
  {
    publicKey: 'oNspPPgszVUFw0qmGFfWwh1uxVUXgvBxleXORHj07g8=',
    privateKey: 'grQjd3dBp4qFs8/5Jdq7xjz++aUx/LXAqISFyPWaCRw=',
  },
];

/** Accounts held by node 1 and the signing proxy. */
export function testAccounts(): Account[] {
  return [...QUICKSTART_KEYS, ...MNEMONIC_KEYS].map(accountOf);
}

export function isOfMnemonic({ privateKey }: Account): boolean {
  return MNEMONIC_KEYS.includes(privateKey);
}

/** Two accounts that only node `index` holds; the second never has funds. */
export function nodeAccounts(index: number): { readonly rich: Account; readonly poor: Account } {
  const poor = toHex(madeKey(`account without funds ${index + 1}`));
  return { rich: accountOf(NODE_KEYS[index]!), poor: accountOf(poor) };
}

/** This devnet's own key, the same on every machine, so that a restart finds the same network. */
export function madeKey(name: string): Uint8Array {
  return keccak256(new TextEncoder().encode(`quorate devnet test ${name}`));
}

function accountOf(privateKey: string): Account {
  return { address: toHex(addressOfSecretKey(fromHex(privateKey))), privateKey };
}

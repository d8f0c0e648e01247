import { bls12_381 } from '@noble/curves/bls12-381.js';
import { Interface } from 'ethers';
import { describe, expect, it } from 'vitest';
import { ETHER, environmentOf, SENDER, worldOf } from '../../../test/support/evm.ts';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { execute } from '../evm/interpreter.ts';
import {
  type Deposit,
  depositCall,
  isSignedDeposit,
  signDeposit,
  withdrawalCredentials,
} from './deposit.ts';
import { DEPOSIT_CONTRACT_ABI, DEPOSIT_CONTRACT_CODE } from './deposit-contract.ts';
import { childKey, masterKey, validatorKey, validatorsKey } from './validator-keys.ts';

/** Deposit files that staking-deposit-cli wrote and their owners published. */
const PUBLISHED = [
  {
    pubkey:
      'b0210e4333812d669b178443b77e1674329e2eeeae17e6b9d7ef6cb8723c8b269de7e152b42445d5ea8d5f582ca45cd7',
    owner: '010000000000000000000000f0179dec45a37423ead4fad5fcb136197872ead9',
    signature:
      '96b504aec4ced4d680a01a2cde40632809744f967657f4aa31d4bc77701dbeb68e86441999b3559c505e5644eed9c350091af39e3e319befe4a76e796856095912938046ce567ed39a56df13b8f31e9e83b93ca774a9f983b9c0eb673c7f7a4a',
    root: 'aa9bb085dc0410d2013cff51e98ae2a41a81512a0676fbe0397c3cd997f1fb87',
    fork: '01017000',
  },
  {
    pubkey:
      '9080aebef302c8f30c90d6b9e6dfe8249179c5f61e7b99df323f535927ef5ee3e83a4fa87bbe87dcf5c77baaac3a23ca',
    owner: '010000000000000000000000000a0660fc6c21b6c8638c56f7a8bbe22dcc9000',
    signature:
      'b55ccc58ae59450bee99ba39b43ab820509f30944b91d6fb225eb6329537ad2f39a0b5708e692d13b26270e7980ad7f105de2c7630f757154840423858366cc51c2b5da57e7b6142816deecd2f3e35dcfb50a79c73558294c428af97c0178f90',
    root: '046d9ad74df0cb689cf830ea6a4350920440a5f113a1c5c18ca3c0e351766a05',
    fork: '00001020',
  },
];
const GWEI = 32_000_000_000n;
const FORK = Uint8Array.of(0, 0, 0, 0);
const SEED = new Uint8Array(32).fill(7);

describe('deposits', () => {
  it.each(PUBLISHED)('of staking-deposit-cli are valid: $pubkey', (each) => {
    const deposit: Deposit = {
      pubkey: fromHex(each.pubkey),
      withdrawalCredentials: fromHex(each.owner),
      amountGwei: GWEI,
      signature: fromHex(each.signature),
      root: fromHex(each.root),
    };
    const fork = fromHex(each.fork);
    expect(isSignedDeposit(deposit, fork)).toBe(true);
    expect(isSignedDeposit({ ...deposit, amountGwei: GWEI - 1n }, fork)).toBe(false);
    expect(isSignedDeposit(deposit, FORK)).toBe(false);
    expect(withdrawalCredentials(fromHex(each.owner.slice(24)))).toEqual(fromHex(each.owner));
    // The contract computes the root itself, and accepts only the same root from the tool.
    expect(put(deposit)).toBe(true);
    expect(put({ ...deposit, signature: new Uint8Array(96) })).toBe(false);
  });

  it('are signed by keys along the standard path, and taken by the contract', () => {
    const parent = validatorsKey(SEED);
    const secret = validatorKey(parent, 3);
    const owner = withdrawalCredentials(new Uint8Array(20).fill(9));
    const deposit = signDeposit(secret, { withdrawalCredentials: owner, amountGwei: GWEI }, FORK);
    expect(isSignedDeposit(deposit, FORK)).toBe(true);
    const abi = new Interface(DEPOSIT_CONTRACT_ABI);
    const { pubkey, signature, root } = deposit;
    expect(toHex(depositCall(deposit))).toBe(
      abi.encodeFunctionData('deposit', [pubkey, owner, signature, root]),
    );
    expect(put(deposit)).toBe(true);
    const key = bls12_381.longSignatures.getPublicKey(secret).toBytes(true);
    expect(withdrawalCredentials(key)[0]).toBe(0);
  });

  it('derives keys as EIP-2333 does', () => {
    const seed =
      'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04';
    const master = masterKey(fromHex(seed));
    expect(BigInt(toHex(master))).toBe(
      6083874454709270928345386274498605044986640685124978867557563392430687146096n,
    );
    expect(BigInt(toHex(childKey(master, 0)))).toBe(
      20397789859736650942317412262472558107875392172444076792671091975210932703118n,
    );
  });
});

/** Whether a new contract accepts the deposit; checks its count, or the text of its error. */
function put(deposit: Deposit): boolean {
  const abi = new Interface(DEPOSIT_CONTRACT_ABI);
  const rules = rulesOfFork('istanbul');
  const world = worldOf([{ address: SENDER, balance: 100n * ETHER }]);
  const call = (to: Uint8Array | undefined, data: Uint8Array, value = 0n) =>
    execute(
      { caller: SENDER, to, value, data, gas: 5_000_000n },
      environmentOf(world, rules, { origin: SENDER }),
    );
  const at = call(undefined, fromHex(DEPOSIT_CONTRACT_CODE)).createdAddress;
  const result = call(at, depositCall(deposit), deposit.amountGwei * 10n ** 9n);
  const count = call(at, fromHex(abi.encodeFunctionData('get_deposit_count')));
  const [number] = abi.decodeFunctionResult('get_deposit_count', toHex(count.output));
  const isTaken = result.kind === 'success';
  expect(number).toBe(isTaken ? '0x0100000000000000' : '0x0000000000000000');
  if (!isTaken)
    expect(toHex(result.output)).toContain(
      toHex(new TextEncoder().encode('reconstructed')).slice(2),
    );
  return isTaken;
}

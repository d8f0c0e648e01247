/**
 * The guarantees of the privacy flags for four members, against outsiders and careless parties too
 * (GoQuorum private/engine).
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import {
  type RpcReceipt,
  startTestDevnet,
  type TestDevnet,
  untilMined,
} from '../support/devnet.ts';
import { readStore } from '../support/private-transactions.ts';
import { STORE_CODE, setInput, word } from '../support/store-contract.ts';

const GAS = '0x47b760';
const PROTECTED = 1;
const MANDATORY = 2;
const VALIDATED = 3;

let net: TestDevnet;
/** One account per node. */
let accounts: readonly string[];

beforeAll(async () => {
  net = await startTestDevnet();
  accounts = await Promise.all(
    net.rpc.map(async (rpc, at) => {
      if (at === 0) return net.accounts[0]!.address;
      const account = await rpc.call<string>('personal_newAccount', 'test');
      await rpc.call('personal_unlockAccount', account, 'test', 0);
      return account;
    }),
  );
});
afterAll(() => net?.close());

interface Terms {
  readonly at: number;
  readonly parties: readonly number[];
  readonly flag?: number;
  readonly mandatory?: readonly number[];
}

function send({ at, parties, flag, mandatory }: Terms, fields: { to?: string; data: string }) {
  const keys = (nodes: readonly number[]) => nodes.map((node) => net.keys[node]);
  return net.rpc[at]!.call<string>('eth_sendTransaction', {
    ...{ from: accounts[at], gas: GAS, privateFor: keys(parties), privacyFlag: flag },
    ...(mandatory ? { mandatoryFor: keys(mandatory) } : {}),
    ...fields,
  });
}

async function deployed(terms: Terms): Promise<string> {
  const hash = await send(terms, { data: STORE_CODE });
  return (await everywhere(hash))[terms.at]!.contractAddress!;
}

async function setTo(value: number, to: string, terms: Terms): Promise<readonly string[]> {
  const receipts = await everywhere(await send(terms, { to, data: setInput(value) }));
  return receipts.map(({ status }) => status);
}

function everywhere(hash: string): Promise<readonly RpcReceipt[]> {
  return Promise.all(net.rpc.map((rpc) => untilMined(rpc, hash)));
}

async function expectValues(to: string, wanted: readonly (number | undefined)[]): Promise<void> {
  const expected = wanted.map((value) => (value === undefined ? '0x' : word(value)));
  let seen: readonly string[] = [];
  await until(`${to} holds ${wanted.join()}`, async () => {
    seen = await Promise.all(net.rpc.map((_, at) => readStore(net, at, to)));
    return seen.every((value, at) => value === expected[at]);
  });
}

it('party protection: a non-party changes nothing, with any flag', async () => {
  const contract = await deployed({ at: 0, parties: [3], flag: PROTECTED });
  const own = { at: 0, parties: [3], flag: PROTECTED };
  expect(await setTo(42, contract, own)).toEqual(['0x1', '0x1', '0x1', '0x1']);
  // Accepted, because its sender knows no contract there; it fails on nodes that have the contract.
  expect(await setTo(9, contract, { at: 2, parties: [0] })).toEqual(['0x0', '0x1', '0x1', '0x1']);
  await expectValues(contract, [42, undefined, undefined, 42]);
  const stranger = send(
    { at: 2, parties: [0], flag: PROTECTED },
    { to: contract, data: setInput(9) },
  );
  await expect(stranger).rejects.toThrow('contract not found. cannot transact');
  for (const flag of [0, VALIDATED]) {
    const other = send({ at: 0, parties: [3], flag }, { to: contract, data: setInput(9) });
    await expect(other).rejects.toThrow(
      "sent privacy flag doesn't match all affected contract flags",
    );
  }
});

it('state validation: a transaction goes to all parties or is refused', async () => {
  const all = { at: 0, parties: [1, 3], flag: VALIDATED };
  const contract = await deployed(all);
  await setTo(7, contract, all);
  await expectValues(contract, [7, 7, undefined, 7]);
  for (const parties of [[1], [1, 2, 3]]) {
    const other = send({ ...all, parties }, { to: contract, data: setInput(8) });
    await expect(other).rejects.toThrow('Recipients mismatched for Affected Txn');
  }
  expect(await setTo(9, contract, { at: 2, parties: [1] })).toEqual(['0x1', '0x0', '0x1', '0x1']);
  await setTo(10, contract, { ...all, at: 3, parties: [0, 1] });
  await expectValues(contract, [10, 10, undefined, 10]);
});

it('mandatory parties: they receive every transaction, others only those addressed to them', async () => {
  const all = { at: 0, parties: [1, 3], flag: MANDATORY, mandatory: [3] };
  const contract = await deployed(all);
  for (const at of [0, 1, 3]) {
    const told = await net.rpc[at]!.call('eth_getContractPrivacyMetadata', contract);
    expect(told).toMatchObject({ privacyFlag: MANDATORY, mandatoryFor: [net.keys[3]] });
  }
  const refused = async (terms: Partial<Terms>, text: string) =>
    expect(send({ ...all, ...terms }, { to: contract, data: setInput(1) })).rejects.toThrow(text);
  await refused({ mandatory: [] }, 'missing mandatory recipients data');
  await refused({ flag: PROTECTED }, 'mandatory recipients are only applicable for PrivacyFlag=2');
  await refused({ parties: [1] }, 'mandatory recipients not included in the participant list');
  await refused({ mandatory: [1] }, 'Privacy metadata mismatched with Affected Txn');
  await setTo(5, contract, { ...all, parties: [3] });
  await expectValues(contract, [5, 0, undefined, 5]);
});

/**
 * Two tenants of one node, identified by their access tokens: neither sees what the other keeps
 * private, whatever private state they name.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { partyGroup } from '../../src/core/privacy/eea.ts';
import type { ServedApi } from '../../src/services/ledger/serve.ts';
import { type Conversation, overHttp, overWebSocket } from '../support/callers.ts';
import { canariesIn, canary, canaryContract } from '../support/canaries.ts';
import { until } from '../support/conditions.ts';
import { signEea } from '../support/eea.ts';
import { sealEnvelope } from '../support/private-transactions.ts';
import { probeEveryMethod } from '../support/probes.ts';
import { type TestPtm, testKey } from '../support/ptm.ts';
import { ALL_APIS, type RpcNode } from '../support/rpc-node.ts';
import { STORE_CODE } from '../support/store-contract.ts';
import type { Target } from '../support/target.ts';
import { startTenants, type Tenants } from '../support/tenants.ts';
import { traceEverything } from '../support/tracing-probes.ts';

const APIS = `${ALL_APIS},eea,priv,quorumExtension,rpc,trace`;

const argument = canary('argument');
const returned = canary('returned');
const stored = canary('stored');
const topic = canary('topic');
const reverted = canary('reverted');
const grouped = canary('grouped');
const ALL = [argument, returned, stored, topic, reverted, grouped];

let both: Tenants;
let ptm: TestPtm;
let node: RpcNode;
let api: ServedApi;
let from: string;
let tokens: Record<'PS1' | 'PS2' | 'other' | 'hosted' | 'foreign' | 'none', string>;
let targets: Target[];

beforeAll(async () => {
  both = await startTenants(['--http.api', APIS, '--ws', '--ws.port', '0', '--ws.api', APIS]);
  ({ ptm, node, api, from } = both);
  tokens = {
    PS1: await both.token(`psi://PS1?node.eoa=${from}&self.eoa=0x0`),
    PS2: await both.token('psi://PS2?node.eoa=0x0&self.eoa=0x0'),
    other: await both.token(`psi://PS1?node.eoa=${from}&self.eoa=${from}`),
    hosted: await both.token(`psi://PS1?node.eoa=${from}`),
    foreign: await both.token(`psi://PS1?node.eoa=0x${'12'.repeat(20)}`),
    none: await both.token(),
  };
  targets = await privateHistory();
});

afterAll(() => both?.close());

function bearer(token: string, psi?: string) {
  return { authorization: `Bearer ${token}`, ...(psi ? { 'quorum-psi': psi } : {}) };
}

async function call(talk: Conversation, method: string, ...params: unknown[]): Promise<any> {
  const { result, error } = JSON.parse(await talk.ask(method, params));
  if (error) throw new Error(error.message);
  return result;
}

function untilMined(talk: Conversation, hash: string): Promise<any> {
  return until(
    `${hash} is mined`,
    async () => (await call(talk, 'eth_getTransactionReceipt', hash)) ?? undefined,
  );
}

async function privateHistory(): Promise<Target[]> {
  const tenant = overHttp(api.httpUrl!, bearer(tokens.PS1));
  const send = async (fields: object): Promise<any> => {
    const args = { from, gas: '0x200000', privateFor: [], ...fields };
    const hash = await call(tenant, 'eth_sendTransaction', args);
    return untilMined(tenant, hash);
  };
  const words = (...all: { hex: string }[]) => `0x${all.map(({ hex }) => hex).join('')}`;
  const created = await send({ data: canaryContract(argument, returned) });
  const to = created.contractAddress;
  const receipts = [
    created,
    await send({ to, data: words(stored, topic) }),
    await send({ to, data: words(reverted, topic, reverted) }),
  ];
  expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x1', '0x0']);
  const eea = await eeaHistory(tenant);
  return Promise.all(
    [...receipts, ...eea].map(async (receipt) => ({
      hash: hashOf(receipt),
      blockNumber: receipt.blockNumber,
      blockHash: receipt.blockHash,
      blockRlp: await call(tenant, 'debug_getRawBlock', receipt.blockNumber),
      contract: receipt.commitmentHash ? eea[0].contractAddress : to,
      ...(receipt.commitmentHash ? { group: group(), groupKeys: [ptm.key, []] as const } : {}),
      payload: (await call(tenant, 'eth_getTransactionByHash', hashOf(receipt))).input,
      raw: await call(tenant, 'eth_getRawTransactionByHash', hashOf(receipt)),
      from: receipt.from,
      envelope: await sealEnvelope(ptm.q2tUrl!, argument.hex, ptm.key),
      management: to,
      filter: await call(tenant, 'eth_newFilter', { fromBlock: '0x0' }),
    })),
  );
}

/** For an EEA transaction, the hash of its marker. */
const hashOf = (receipt: any): string => receipt.commitmentHash ?? receipt.transactionHash;
const tenantKey = () => Uint8Array.from(Buffer.from(ptm.key, 'base64'));
const group = () => Buffer.from(partyGroup([tenantKey()])).toString('base64');

/** Deploys and calls a contract of the tenant's own group. Resolves with the private receipts. */
async function eeaHistory(tenant: Conversation): Promise<any[]> {
  const send = async (fields: object) => {
    const raw = toHex(signEea({ privateFrom: tenantKey(), ...fields }));
    const hash = await call(tenant, 'eea_sendRawTransaction', raw);
    await untilMined(tenant, hash);
    return call(tenant, 'priv_getTransactionReceipt', hash);
  };
  const created = await send({ data: canaryContract(argument, returned) });
  const data = `0x${grouped.hex}${topic.hex}`;
  return [created, await send({ nonce: 1, contract: created.contractAddress, data })];
}

const probe = (talk: Conversation) => probeEveryMethod(talk, targets, ALL);

it('shows a tenant’s private data to them', async () => {
  const shown = await probe(overHttp(api.httpUrl!, bearer(tokens.PS1)));
  expect(new Set(shown.map((each) => each.split(' ')[0]))).toEqual(
    new Set(ALL.map(({ name }) => name)),
  );
  expect(shown).toContain('argument by eth_decryptQuorumPayload');
  expect(shown).toContain('stored by debug_traceTransaction');
});

it.each([
  ['the other tenant', 'PS2', undefined],
  ['the other tenant naming this one’s state', 'PS2', 'PS1'],
  ['the other tenant naming the state of outsiders', 'PS2', 'empty'],
  ['a caller without a state', 'none', undefined],
  ['a caller without a state naming one', 'none', 'PS1'],
] as const)('shows nothing of it to %s', async (_, who, psi) => {
  expect(await probe(overHttp(api.httpUrl!, bearer(tokens[who], psi)))).toEqual([]);
});

it('shows nothing of it to the other tenant by any tracer or tracing script', async () => {
  const one = overHttp(api.httpUrl!, bearer(tokens.PS1));
  const everybodys = { hash: targets[0]!.hash, contract: from };
  const seen = await traceEverything(one, targets.slice(0, 2), everybodys, ALL);
  for (const method of ['debug_traceTransaction', 'debug_traceBlock', 'trace_transaction'])
    expect(seen).toContain(`stored by ${method}`);
  for (const psi of [undefined, 'PS1']) {
    const talk = overHttp(api.httpUrl!, bearer(tokens.PS2, psi));
    expect([psi, await traceEverything(talk, targets, everybodys, ALL)]).toEqual([psi, []]);
  }
});

it('shows nothing of it to the other tenant over WebSocket, subscriptions included', async () => {
  const talk = await overWebSocket(`${api.webSocketUrl}/?PSI=PS2`, bearer(tokens.PS2));
  await talk.ask('eth_subscribe', ['logs', {}]);
  const tenant = overHttp(api.httpUrl!, bearer(tokens.PS1));
  // One of the probes has stopped the miner.
  await node.call('miner_start');
  const own = await overWebSocket(api.webSocketUrl!, bearer(tokens.PS1));
  await own.ask('eth_subscribe', ['logs', {}]);
  const data = `0x${stored.hex}${topic.hex}`;
  const args = { from, to: targets[0]!.contract, data, gas: '0x200000', privateFor: [] };
  const hash = await call(tenant, 'eth_sendTransaction', args);
  await until('its party hears of it', () => canariesIn([topic], own.heard.join()).length > 0);
  await untilMined(tenant, hash);
  expect(await probe(talk)).toEqual([]);
  expect(canariesIn(ALL, talk.heard.join('\n'))).toEqual([]);
  own.close();
  talk.close();
});

it('extends a contract from one tenant to the other, each with their own account and key', async () => {
  await node.call('miner_start');
  const second = new Uint8Array(32).fill(11);
  const recipient = toHex(await node.accounts.importKey(second, 'test'));
  await node.accounts.unlock(addressOfSecretKey(second), 'test', 0);
  const [one, two] = [tokens.PS1, tokens.PS2].map((token) =>
    overHttp(api.httpUrl!, bearer(token)),
  ) as [Conversation, Conversation];
  const [keyOne, keyTwo] = (await Promise.all([1, 2].map(testKey))).map((key) => key.publicKey);
  const deployed = await call(one, 'eth_sendTransaction', {
    ...{ from, gas: '0x200000', privateFor: [] },
    data: STORE_CODE,
  });
  const { contractAddress } = await untilMined(one, deployed);
  const code = await call(one, 'eth_getCode', contractAddress, 'latest');
  expect(code.length).toBeGreaterThan(100);
  expect(await call(two, 'eth_getCode', contractAddress, 'latest')).toBe('0x');
  const asked = await call(
    one,
    'quorumExtension_extendContract',
    ...[contractAddress, keyTwo, recipient, { from, privateFor: [keyTwo] }],
  );
  const { contractAddress: manager } = await untilMined(one, asked);
  await until('the initiator has voted', async () => {
    const active = await call(two, 'quorumExtension_activeExtensionContracts');
    return active.some((each: any) => each.managementContractAddress === manager);
  });
  const approve = (talk: Conversation, account: string, keys: object) =>
    call(talk, 'quorumExtension_approveExtension', manager, true, { from: account, ...keys });
  await expect(approve(one, recipient, { privateFor: [keyTwo] })).rejects.toThrow('not authorized');
  await expect(
    approve(two, recipient, { privateFrom: keyOne, privateFor: [keyOne] }),
  ).rejects.toThrow('not authorized');
  await approve(two, recipient, { privateFor: [keyOne] });
  await until('the other tenant has the contract', async () => {
    return (await call(two, 'eth_getCode', contractAddress, 'latest')) === code;
  });
});

it('sends EEA transactions with a tenant’s own key, for the signers that their token names', async () => {
  const raw = (nonce: number) => toHex(signEea({ privateFrom: tenantKey(), nonce, data: '0x00' }));
  const ask = (token: string) => overHttp(api.httpUrl!, bearer(token));
  await expect(call(ask(tokens.PS2), 'eea_sendRawTransaction', raw(2))).rejects.toThrow(
    'Private from does not match enclave public key',
  );
  await expect(call(ask(tokens.other), 'eea_sendRawTransaction', raw(2))).rejects.toThrow(
    'not authorized',
  );
  const signer = `0x${'00'.repeat(20)}`;
  expect(await call(ask(tokens.PS2), 'priv_getTransactionCount', signer, group())).toBe('0x0');
  const addresses = [ptm.key];
  const made = { name: '', description: '', addresses };
  await expect(call(ask(tokens.PS2), 'priv_createPrivacyGroup', made)).rejects.toThrow(
    'CreatePrivacyGroupShouldIncludeSelf',
  );
  const id = await call(ask(tokens.PS1), 'priv_createPrivacyGroup', made);
  expect(await call(ask(tokens.PS2), 'priv_findPrivacyGroup', addresses)).toEqual([]);
  await expect(call(ask(tokens.PS2), 'priv_deletePrivacyGroup', id)).rejects.toThrow();
  expect(await call(ask(tokens.PS1), 'priv_findPrivacyGroup', addresses)).toHaveLength(1);
});

it('resends for a tenant whose token names accounts of the node only', async () => {
  const tenant = overHttp(api.httpUrl!, bearer(tokens.hosted));
  const other = overHttp(api.httpUrl!, bearer(tokens.PS2));
  await node.call('miner_stop');
  const nonce = await call(tenant, 'eth_getTransactionCount', from, 'pending');
  const args = { from, nonce, gas: '0x200000', privateFor: [], data: STORE_CODE };
  const hash = await call(tenant, 'eth_sendTransaction', args);
  const { input } = await call(tenant, 'eth_getTransactionByHash', hash);
  const again = [{ ...args, data: input }, '0x0', '0x210000'];
  const hosted = overHttp(api.httpUrl!, bearer(tokens.foreign));
  await expect(call(hosted, 'eth_resend', ...again)).rejects.toThrow('not authorized');
  await expect(call(other, 'eth_resend', ...again)).rejects.toThrow();
  // Allowed; but without gas prices nobody can offer more, which the pool requires for a
  // replacement.
  await expect(call(tenant, 'eth_resend', ...again)).rejects.toThrow('underpriced');
  await node.call('miner_start');
  expect((await untilMined(tenant, hash)).status).toBe('0x1');
});

it('refuses all calls without a token', async () => {
  const { error } = JSON.parse(await overHttp(api.httpUrl!).ask('eth_blockNumber', []));
  expect(error).toEqual({ code: -32001, message: 'missing access token' });
});

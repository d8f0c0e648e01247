import { afterAll, describe, expect, it } from 'vitest';
import { closeProxies, eea, play, secret } from '../../../../test/support/played-proxy.ts';
import { memoryProxy, nodeAnswer, upstreamOf } from '../../../../test/support/signing-proxy.ts';
import { A, ACCOUNT, B, G, KEY, TO, transfer } from '../../../../test/support/signing-vectors.ts';
import { MAIL } from '../../../../test/support/typed-data.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';
import type { Guard, Intent } from '../../../core/signing/guard.ts';
import { EVERYBODY, OPEN_GUARD } from './open-guard.ts';

afterAll(closeProxies);

describe('transactions with known bytes', () => {
  const { proxy, sent } = play({
    payloads: { storeRaw: () => Promise.resolve(new Uint8Array(64).fill(0xab)) },
  });
  it.each<[string, object, string]>([
    [
      'legacy',
      transfer,
      '0xf862078083015f9094627306090abab3a6e1400e9345bc60c78a8bef570180820a95a082205c4396176dde710b20c9237858b5ad93eac4aa4aff8d60900302e4f15231a0038fa406ae3a9df0a5d13f530ebae532e9bba48329274de3f35761ac7315a056',
    ],
    [
      'creation',
      { from: ACCOUNT, nonce: '0x0', data: '0x6001600155' },
      '0xf853808083015f908080856001600155820a95a094388a959dd10e76f12aee9991fbfc12ad6451c0b187e4645971cfef8a3d211ca074d4e38fba2e46c91e3bf734251a9dbd5036527cc7d9a2a417b2b2c2c154b634',
    ],
    [
      'type 2',
      { ...transfer, maxPriorityFeePerGas: '0x1', maxFeePerGas: '0x2' },
      '0x02f86582053907010283015f9094627306090abab3a6e1400e9345bc60c78a8bef570180c001a077f87ed12395d2bb5b8afadbaa131798f06f04d830591be2b6135e1c4327fb97a07209ca3a06dfd25e09eff0f95f1f6f5465f40e11ec76c4ff882e8bdc99cc8b5e',
    ],
    [
      'private',
      { ...transfer, value: '0x0', data: '0x01', privateFor: [B] },
      '0xf8a1078083015f9094627306090abab3a6e1400e9345bc60c78a8bef5780b840abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab26a02b8197db646a577f50882d786ae87c895b43864f75f4149c27643df159caa0c7a04664905cb6f1a53c9839e5e17d1636f16d70ff0990602c66c3343019af462ab5',
    ],
  ])('%s', async (_, fields, raw) => {
    await proxy.call('eth_sendTransaction', fields);
    expect(sent.at(-1)![0]).toBe(raw);
  });

  it('EEA to parties, and to a group', async () => {
    await proxy.call('eea_sendTransaction', { ...eea, privateFor: [B] });
    expect(sent.at(-1)).toEqual([
      '0xf8b2078083015f9094627306090abab3a6e1400e9345bc60c78a8bef5780821234820a95a05bf3a05085e247f70aec010c947a43ed0d8bb13f9a2b2da6623b55e4abf55f31a0698583944f016eb7935c867cccdf04c75be0c2496e1902b4c0bb6a5d7a47d3f1a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486ae1a02a8d9b56a0fe9cd94d60be4413bcb721d3a7be27ed8e28b3a6346df874ee141b8a72657374726963746564',
    ]);
    await proxy.call('eea_sendTransaction', { ...eea, to: undefined, privacyGroupId: G });
    expect(sent.at(-1)).toEqual([
      '0xf89d078083015f908080821234820a96a0d75f20ec0c707bdfae5c0f8cdb1a7174f4f5bb8dd3f088f446d20627d033ca3ca0552679ce1693485a360f1db2fff8f65636064241837c3e36b288bddd1cd62ec3a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486aa00f200e885ff29e973e2576b6600181d1b0a2b5294e30d9be4a1981ffb33a0b8c8a72657374726963746564',
    ]);
  });

  it('messages and typed data, by every name', async () => {
    const signature =
      '0x69774c6a7147c7a6534ea8047aeeb5cffdc807fcc1bec7d0b6858846b7e78cc878d506ae571f27f4d38271a5dec6629dcceb0bca94a75e4c902d36fa55bda78b1b';
    expect((await proxy.call('eth_sign', ACCOUNT, '0x2eadbe1f')).result).toBe(signature);
    expect((await proxy.call('personal_sign', '0x2eadbe1f', ACCOUNT)).result).toBe(signature);
    const mail =
      '0xf7f08763e17702fedd696749f2bc7fc2437c7f6b64b5423b147ab42c9bf6d5cd5cbc1dca60bbc42158f80dd0c062e025be85f27aadb33448c356c1f251268bfc1b';
    for (const data of [MAIL, JSON.stringify(MAIL)])
      for (const method of ['eth_signTypedData', 'eth_signTypedData_v4'])
        expect((await proxy.call(method, ACCOUNT, data, 'more')).result).toBe(mail);
  });
});

describe('what a transaction may look like', () => {
  const { proxy, sent } = play();
  const error = async (fields: unknown, method = 'eth_sendTransaction') =>
    (await proxy.call(method, fields)).error;

  it.each<[string, object]>([
    ['gas', { gas: '0x' }],
    ['gas', { gas: '' }],
    ['gas', { gas: -1 }],
    ['gas', { gas: '-1' }],
    ['gas', { gas: '0x10000000000000000' }],
    ['gas', { gas: 1.5 }],
    ['value', { value: 2 ** 60 }],
    ['value', { value: '0X1' }],
    ['value', { value: `0x1${'0'.repeat(64)}` }],
    ['gasPrice', { gasPrice: {} }],
    ['nonce', { nonce: 'one' }],
    ['to', { to: '0x1234' }],
    ['to', { to: `0x${'gg'.repeat(20)}` }],
    ['to', { to: 7 }],
    ['data', { data: 'hello' }],
    ['data and input', { data: '0x01', input: '0x02' }],
    ['gas and gasLimit', { gas: 1, gasLimit: 2 }],
    ['maxFeePerGas', { maxPriorityFeePerGas: 1 }],
    ['larger', { maxPriorityFeePerGas: 2, maxFeePerGas: 1 }],
    ['type', { type: 2 }],
    ['type 3', { type: 3 }],
    ['type 4', { type: 4 }],
    ['unknown member "authorizationList"', { authorizationList: [] }],
    ['unknown member "blobVersionedHashes"', { blobVersionedHashes: [] }],
    ['type', { type: 0, accessList: [] }],
    ['accessList', { accessList: [{ address: TO, storageKeys: ['0x1'] }] }],
    ['unknown member "gaz"', { gaz: 1 }],
    ['privateFor', { privacyFlag: 1 }],
    ['privateFor', { privateFrom: A }],
    ['restriction', { ...secret, restriction: 'unrestricted' }],
    ['privacyFlag', { ...secret, privacyFlag: 4 }],
    ['base64', { ...secret, privateFor: ['x'] }],
    ['needs data', { privateFor: [B], value: 0 }],
    ['no access list', { ...secret, accessList: [{ address: TO, storageKeys: [] }] }],
    ['larger', { ...secret, maxPriorityFeePerGas: 2, maxFeePerGas: 1 }],
    ['from', { from: '' }],
    ['from', { from: null }],
  ])('names what is wrong: %s in %j', async (what, change) => {
    const found = await error({ ...transfer, ...change });
    expect([found.code, found.message]).toEqual([-32602, 'Invalid params']);
    expect(found.data.reason).toContain(what);
  });

  it('another chain, a stranger, and value in private transactions have errors of their own', async () => {
    expect(await error({ ...transfer, chainId: '0x1' })).toMatchObject({
      code: -32000,
      message: 'Wrong chainId',
    });
    const stranger = { code: -32000, message: 'No unlocked account matches the Sender' };
    expect(await error({ ...transfer, from: '0xnobody' })).toEqual(stranger);
    expect(await error({ ...transfer, data: '0x01', privateFor: [B] })).toMatchObject({
      code: -30200,
    });
    for (const change of [
      { value: 1 },
      { privateFrom: null },
      { restriction: null },
      { privateFor: [B], privacyGroupId: G },
      {},
    ])
      expect(await error({ ...eea, ...change }, 'eea_sendTransaction')).toMatchObject({
        code: -32602,
      });
    expect(sent).toEqual([]);
  });

  it('takes decimals, numbers, missing prefixes, input, a list of accesses, and the defaults', async () => {
    const address = ACCOUNT.slice(2).toUpperCase();
    const key = `0x${'01'.repeat(32)}`;
    await proxy.call('eth_sendTransaction', {
      ...{
        from: address,
        to: TO.slice(2),
        nonce: '7',
        value: 1,
        gas: null,
        input: '0x0',
        data: null,
      },
      ...{ chainId: 1337, type: '0x1', accessList: [{ address: TO, storageKeys: [key] }] },
    });
    const decoded = decodeTransaction(fromHex(sent.at(-1)![0] as string));
    expect(toHex(decoded.sender)).toBe(ACCOUNT);
    expect(decoded).toMatchObject({
      type: 1,
      nonce: 7n,
      value: 1n,
      gasLimit: 90_000n,
      gasPrice: 0n,
    });
    expect([toHex(decoded.data), toHex(decoded.accessList[0]!.slots[0]!)]).toEqual(['0x00', key]);
    await proxy.call('eth_sendTransaction', {
      ...transfer,
      nonce: 8,
      maxFeePerGas: 9,
      gasPrice: 1,
    });
    const fees = { type: 2, maxFeePerGas: 9n, maxPriorityFeePerGas: 0n };
    expect(decodeTransaction(fromHex(sent.at(-1)![0] as string))).toMatchObject(fees);
  });

  it('what is private goes with its terms; without a manager the node is asked to store the payload', async () => {
    const terms = { privateFrom: A, privateFor: [B], privacyFlag: 2, mandatoryFor: [B] };
    const stored: unknown[] = [];
    const upstream = upstreamOf(({ method, params }) => {
      stored.push([method, params]);
      return { result: `0x${'cd'.repeat(64)}` };
    });
    const { proxy: own } = { proxy: memoryProxy({ keys: [KEY], chainId: 1337n, upstream }) };
    await own.call('eth_sendTransaction', { ...transfer, value: null, data: '0x01', ...terms });
    expect(stored[0]).toEqual(['goquorum_storeRaw', ['0x01']]);
    expect((stored[1] as any)[1][1]).toEqual(terms);
    own.close();
  });

  it('eth_signTransaction: the next nonce unless it is given, which stays free', async () => {
    const { nonce: _, ...free } = transfer;
    const raws = [
      await proxy.call('eth_signTransaction', free),
      await proxy.call('eth_signTransaction', free),
    ];
    expect(raws[0].result).toBe(raws[1].result);
    expect(decodeTransaction(fromHex(raws[0].result)).nonce).toBe(5n);
    const strict = play({ strictNonce: true }).proxy;
    expect((await strict.call('eth_signTransaction', free)).error.code).toBe(-32602);
    const plain = { ...transfer, value: 0, data: '0x01', privateFor: [B] };
    expect((await proxy.call('eth_signTransaction', plain)).error.data.reason).toContain('64-byte');
  });
});

describe('what never reaches the node', () => {
  const smuggled = [
    ...['eth_signTypedData_v3', 'eth_sendTransactionAsync', 'eth_resend', 'eth_sign ', 'ETH_SIGN'],
    ...['Eth_SendTransaction', 'eth.sendTransaction', '\u200beth_sign', 'personal_sendTransaction'],
    ...['personal_unlockAccount', 'account_signTransaction', 'quorumExtension_extendContract'],
    ...['ledgerPermission_addNewOrg', 'eea_sendTransaction\n', 'eth_sign\u0000'],
    ...['istanbul_propose', 'istanbul_discard', 'raft_addPeer', 'raft_removePeer', 'admin_addPeer'],
    ...['miner_stop', 'debug_setHead', 'debug_writeMemProfile', 'quorumPermission_approveOrg'],
    ...['ledgerExtension_cancelExtension', 'engine_forkchoiceUpdatedV3', 'eth', 'net_', 'none'],
  ];
  it.each(smuggled)('%j', async (method) => {
    const { proxy, calls } = play();
    const { error } = await proxy.call(method, transfer);
    expect(error.code).toBe(-32604);
    expect(error.data.reason).toContain('--forward');
    expect(calls).toEqual([]);
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"net_version","method":"eth_sign"}',
    '{"jsonrpc":"2.0","id":1,"method":"net_version","Method":"eth_sendTransaction"}',
    '{"jsonrpc":"2.0","id":1,"METHOD":"eth_sendTransaction"}',
    '{"jsonrpc":"2.0","id":1,"method":"net_version","m\\u0065thod":"eth_sign"}',
    '[{"jsonrpc":"2.0","id":1,"method":"x","params":[],"Params":[]}]',
  ])('%s', async (text) => {
    const { proxy, calls } = play();
    expect((await proxy.send(text)).body).toContain('-32600');
    expect(calls).toEqual([]);
  });

  it('members that JSON-RPC does not have are left out on the way', async () => {
    const texts: string[] = [];
    const upstream = {
      post: async ({ body }: { body: string }) => {
        texts.push(body);
        return nodeAnswer(200, '{}');
      },
    };
    const { proxy } = play({ upstream });
    await proxy.send(
      '{"jsonrpc":"2.0", "id":1,"extra":{"method":"eth_sign"},"method":"net_version"}',
    );
    expect(texts).toEqual(['{"jsonrpc":"2.0","method":"net_version","id":1}']);
  });

  it('methods that the operator names pass', async () => {
    const { proxy } = play({ forwarded: ['quorumExtension_extendContract', 'admin_*'] });
    for (const method of ['quorumExtension_extendContract', 'admin_peers', 'admin_addPeer'])
      expect((await proxy.call(method)).result).toContain('from the node');
    expect((await proxy.call('quorumExtension_approveExtension')).error.code).toBe(-32604);
  });
});

describe('batches', () => {
  const call = (id: unknown, method: string, ...params: unknown[]) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  });

  it('each element goes its own way, in order; notifications get no answer', async () => {
    const { proxy, sent } = play();
    const { nonce: _, ...free } = transfer;
    const { status, body } = await proxy.send([
      call('a', 'eth_accounts'),
      call(2, 'net_version'),
      call(3, 'eth_sendTransaction', free),
      call(4, 'eth_sendTransaction', free),
      { jsonrpc: '2.0', method: 'net_version' },
      call(5, 'personal_unlockAccount'),
      7,
      call(6.5, 'eth_sign', ACCOUNT),
    ]);
    const answers = JSON.parse(body) as any[];
    expect([status, answers.map(({ id }) => id)]).toEqual([200, ['a', 2, 3, 4, 5, null, 6.5]]);
    expect(answers[0].result).toEqual([ACCOUNT]);
    expect(answers[1].result).toBe('net_version from the node');
    expect(answers.slice(4).map(({ error }) => error.code)).toEqual([-32604, -32700, -32602]);
    const nonces = sent.map(([raw]) => Number(decodeTransaction(fromHex(raw as string)).nonce));
    expect(nonces).toEqual([5, 6]);
  });

  it('an empty one and one that is too long are refused', async () => {
    const { proxy } = play();
    expect((await proxy.send([])).body).toContain('-32600');
    expect((await proxy.send(Array.from({ length: 10_001 }, () => 1))).body).toContain('-32600');
  });

  it('the answer has a bound, but says what became of each transaction', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const upstream = upstreamOf(({ method }) => ({
      result: method === 'net_version' ? long : 'sent',
    }));
    const { proxy } = play({ upstream });
    const calls = Array.from({ length: 100 }, (_, id) =>
      call(id, id % 20 === 19 ? 'eth_sendRawTransaction' : 'net_version'),
    );
    const answers = JSON.parse((await proxy.send(calls)).body) as any[];
    const of = (result: string) => answers.filter((answer) => answer.result === result).length;
    expect(answers.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
    expect(of(long)).toBe(32);
    // Three were processed before the answer reached its limit.
    expect(of('sent')).toBe(3);
    expect(answers.at(-1).error.code).toBe(-32600);
  });

  it('a node that answers garbage spoils only its own element', async () => {
    const { proxy } = play({ upstream: upstreamOf(() => nodeAnswer(200, '<html>')) });
    const answers = JSON.parse(
      (await proxy.send([call(1, 'net_version'), call(2, 'health_status')])).body,
    );
    expect(answers.map(({ error, result }: any) => error?.code ?? result)).toEqual([-32603, 'OK']);
  });
});

describe('the guard', () => {
  it('is asked before anything is signed, and told what became of it', async () => {
    const records: [Intent, string][] = [];
    const guard: Guard = {
      ...OPEN_GUARD,
      check: (_, { value = 0n }) =>
        value > 1n ? { kind: 'forbidden', code: -1, message: 'too much' } : undefined,
      record: (_, intent, outcome) => void records.push([intent, outcome]),
    };
    const { proxy, sent } = play({ guard });
    const refused = await proxy.call('eth_sendTransaction', { ...transfer, value: 2 });
    expect(refused.error).toEqual({ code: -1, message: 'too much' });
    expect(sent).toEqual([]);
    const { result } = await proxy.call('eth_sendTransaction', {
      ...transfer,
      data: '0x0102030405',
    });
    await proxy.call('eth_sign', ACCOUNT, 'hello');
    expect(records.map(([, outcome]) => outcome)).toEqual(['too much', result, 'signed']);
    expect(records[1]![0]).toMatchObject({
      ...{ account: ACCOUNT, to: TO, value: 1n, gas: 90_000n, selector: '0x01020304' },
      kind: 'transaction',
    });
  });

  it('gets every byte of short data: one to three are not a call without data', async () => {
    const selectors: unknown[] = [];
    const guard: Guard = {
      ...OPEN_GUARD,
      record: (_, { selector }) => void selectors.push(selector),
    };
    const { proxy } = play({ guard });
    const { nonce: _, ...free } = transfer;
    for (const data of ['0x', '0x01', '0x0102', '0x010203'])
      await proxy.call('eth_sendTransaction', { ...free, data });
    expect(selectors).toEqual([undefined, '0x01', '0x0102', '0x010203']);
  });

  it('hides accounts that a caller may not use, and methods that they may not call', async () => {
    const { proxy } = play();
    const nobody = {
      ...EVERYBODY,
      mayUse: () => false,
      mayCall: (method: string) => method !== 'net_version',
    };
    const ask = async (method: string, ...params: unknown[]) => {
      const reply = await proxy.send({ jsonrpc: '2.0', id: 1, method, params }, nobody);
      return [reply.status, JSON.parse(reply.body)] as const;
    };
    expect((await ask('eth_accounts'))[1].result).toEqual([]);
    expect((await ask('eth_sign', ACCOUNT, 'x'))[1].error.message).toContain('No unlocked account');
    expect((await ask('net_version'))[0]).toBe(403);
  });
});

it('the address of the test key', () => {
  expect(toHex(addressOfSecretKey(KEY))).toBe(ACCOUNT);
});

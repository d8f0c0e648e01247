/** Tenants of one node on a recorded chain with `isMPS`: each sees its own private state. */
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signPrivate } from '../../../../test/support/private-transactions.ts';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { contentsOf } from '../../../../test/support/recorded-manager.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { AccessToken } from '../../../core/access/access-token.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import { residentPrivateStates } from '../../../core/privacy/private-states.ts';
import { type Access, NO_ACCESS_CONTROL, OPEN } from '../../../io/rpc/access.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/mps-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz')).filter(
  ({ number }) => number > 0,
);
const HEAD = BLOCKS.at(-1)!;
const KEYS = readJson(join(RECORDING, 'keys.json')).nodes.find(
  (each: { name: string }) => each.name === 'node1',
);

const PRECOMPILE = '0x000000000000000000000000000000000000007a';

let node: RpcNode;

beforeAll(async () => {
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: fromHex(KEYS.nodeKey),
    manager: await recordedManager(RECORDING, 'node1'),
    privateStates: residentPrivateStates([...KEYS.groups, { name: 'PS3', members: [] }]),
    access: {
      authenticate: NO_ACCESS_CONTROL,
      tls: undefined,
      isMultitenant: true,
      reload: undefined,
      close: () => {},
    },
  });
  for (const { rlp } of BLOCKS) await node.node.chain.commit(decodeBlock(fromHex(rlp)), 'group');
  await until(() => node.node.follower!.cursor() === HEAD.number, 'private states follow');
  const account = await node.accounts.importKey(fromHex(KEYS.accountKey), 'test');
  await node.accounts.unlock(account, 'test', 0);
}, 60_000);
afterAll(() => node.close());

function ask(psi: string | undefined, method: string, ...params: readonly unknown[]) {
  return askWith(OPEN, psi, method, ...params);
}

async function askWith(
  access: Access,
  psi: string | undefined,
  method: string,
  ...params: readonly unknown[]
) {
  const caller = { transport: 'ipc', psi, access, remote: 'test' } as const;
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = JSON.parse(await node.dispatcher.handle(request, caller));
  return error ? error.message : result;
}

it('names the caller’s private state, or refuses it', async () => {
  expect(await ask('PS1', 'eth_getPSI')).toBe('PS1');
  expect(await ask('PS2', 'eth_getPSI')).toBe('PS2');
  const unknown = (psi: string) => `unable to find private state for context psi ${psi}`;
  expect(await ask(undefined, 'eth_getPSI')).toBe(unknown('private'));
  expect(await ask('NOPE', 'eth_getPSI')).toBe(unknown('NOPE'));
  const who = `0x${'11'.repeat(20)}`;
  expect(await ask('NOPE', 'eth_getBalance', who, 'latest')).toBe(unknown('NOPE'));
  expect(await ask('empty', 'eth_getBalance', who, 'latest')).toBe(unknown('empty'));
  expect(await ask('NOPE', 'eth_getLogs', { fromBlock: '0x0' })).toBe(unknown('NOPE'));
  expect(await ask(undefined, 'eth_blockNumber')).toBe(`0x${HEAD.number.toString(16)}`);
});

it('has the recorded root of each tenant at every block', async () => {
  let count = 0;
  for (const { number, privateStateRootsByPSI = {} } of BLOCKS) {
    for (const psi of ['PS1', 'PS2']) {
      const root = privateStateRootsByPSI[`node1/${psi}`];
      if (root === undefined) continue;
      count++;
      expect(await ask(psi, 'debug_privateStateRoot', `0x${number.toString(16)}`)).toBe(root);
    }
  }
  expect(count).toBeGreaterThan(40);
});

it('has as default root that of the state without any transaction, for every caller', async () => {
  const head = `0x${HEAD.number.toString(16)}`;
  const [one, two, own] = await Promise.all([
    ask('PS1', 'debug_defaultStateRoot', head),
    ask('PS2', 'debug_defaultStateRoot', head),
    ask('PS1', 'debug_privateStateRoot', head),
  ]);
  expect(two).toBe(one);
  expect(one).toMatch(/^0x[0-9a-f]{64}$/);
  expect(Object.values(HEAD.privateStateRootsByPSI!)).toContain(own);
  expect(Object.values(HEAD.privateStateRootsByPSI!)).not.toContain(one);
});

it('keeps a filter to the tenant who made it, in the words of GoQuorum', async () => {
  const id = await ask('PS1', 'eth_newFilter', { fromBlock: '0x1' });
  expect((await ask('PS1', 'eth_getFilterLogs', id)).length).toBeGreaterThan(0);
  expect(await ask('PS2', 'eth_getFilterLogs', id)).toBe('filter not found for PS2');
  expect(await ask('PS2', 'eth_getFilterChanges', id)).toBe('filter not found');
  expect(await ask('PS2', 'eth_uninstallFilter', id)).toBe(false);
  expect(await ask('PS2', 'eth_getFilterLogs', '0x1')).toBe('filter not found');
  expect(await ask('PS1', 'eth_uninstallFilter', id)).toBe(true);
});

it('opens payloads and markers only for their tenants, whichever tenant asked first', async () => {
  const [one, two] = KEYS.groups.map((group: { members: string[] }) => group.members[0]);
  const contents = contentsOf(RECORDING);
  const counts = { held: 0, foreign: 0, markers: 0 };
  for (const { rlp } of BLOCKS) {
    for (const transaction of decodeBlock(fromHex(rlp)).transactions) {
      const digest = toHex(transaction.data);
      const held = contents[digest];
      if (!held?.parties.includes('node1')) continue;
      const isMarker = toHex(transaction.to ?? new Uint8Array(0)) === PRECOMPILE;
      for (const [psi, key] of [
        ['PS1', one],
        ['PS2', two],
        ['PS3', undefined],
      ]) {
        const isHeld = held.recipients.includes(key);
        counts[isHeld ? 'held' : 'foreign']++;
        expect(await ask(psi, 'eth_getQuorumPayload', digest)).toBe(isHeld ? held.payload : '0x');
        for (const name of [
          'eth_getPrivateTransactionByHash',
          'eth_getPrivateTransactionReceipt',
        ]) {
          const answer = await ask(psi, name, toHex(transaction.hash));
          if (isMarker && isHeld) expect(answer).toMatchObject({ from: expect.any(String) });
          else expect(answer).toBeNull();
        }
        if (isMarker) counts.markers++;
      }
    }
  }
  expect(counts.held).toBeGreaterThan(15);
  expect(counts.foreign).toBeGreaterThan(15);
  expect(counts.markers).toBe(3);
});

it('tells parties of a private contract the same as GoQuorum does', async () => {
  const contract = '0x383da4d7826437536091dc092a4c340aa159c013';
  const creation = decodeBlock(fromHex(BLOCKS.find(({ number }) => number === 18)!.rlp));
  const { data } = creation.transactions[0]!;
  expect(await ask('PS1', 'eth_getContractPrivacyMetadata', contract)).toEqual({
    creationTxHash: Buffer.from(data).toString('base64'),
    privacyFlag: 1,
  });
  expect(await ask('PS2', 'eth_getContractPrivacyMetadata', contract)).toContain('extra data');
});

it('sends for a tenant with its own keys only', async () => {
  const [one, two] = KEYS.groups.map((group: { members: string[] }) => group.members[0]);
  const send = (privateFrom: string | undefined) =>
    ask('PS1', 'eth_sendTransaction', {
      from: KEYS.account,
      data: '0x00',
      gas: '0x100000',
      privateFrom,
      privateFor: [],
    });
  expect(await send(two)).toBe(
    `The PrivateFrom (${two}) address does not match the specified private state (PS1) `,
  );
  expect(await send(one)).toBe('private transaction manager is not in use');
  expect(await send(undefined)).toBe('private transaction manager is not in use');
});

it('a tenant whose group has no keys sends nothing, and reads what a stranger reads', async () => {
  const args = { from: KEYS.account, data: '0x00', gas: '0x100000', privateFor: [] };
  expect(await ask('PS3', 'eth_sendTransaction', args)).toBe(
    'The PrivateFrom () address does not match the specified private state (PS3) ',
  );
  expect(await ask('PS3', 'eth_fillTransaction', args)).toContain('address does not match');
  expect(await ask('PS3', 'debug_privateStateRoot', 'latest')).toBe(
    await ask('PS1', 'debug_defaultStateRoot', 'latest'),
  );
  const logs = async (psi: string) => (await ask(psi, 'eth_getLogs', { fromBlock: '0x1' })).length;
  expect(await logs('PS3')).toBeLessThan(await logs('PS1'));
  const group = Buffer.alloc(32, 1).toString('base64');
  expect(await ask('PS3', 'priv_createPrivacyGroup', { addresses: [group] })).toBe(
    'CreatePrivacyGroupShouldIncludeSelf',
  );
  expect(await ask('PS3', 'priv_deletePrivacyGroup', group)).toBe('Privacy is not enabled');
});

it('lists the recorded extension between two tenants, and null for no tenant', async () => {
  const recorded = {
    contractExtended: '0x2f9b7d44d9e3ebe39e51dc40629a089d7be8edff',
    initiator: '0x7dd4024ab3d1981797dc84f544832e12f0982de1',
    recipient: '0xbb836cb62e5fd01c94f55110fbb3cc953d04912b',
    managementContractAddress: '0x8f6cf8d809166ef54a2c47e28f929029dc33bb13',
    recipientPtmKey: 'Fknqg0M1AoT40570oHnowtdoF/jbjx94ZZGhSEl+TxM=',
    creationData:
      'UqpLygRpzB7WD06WAY5W7iZPYQ+2OMGfWLjqGQKss5Y+vjaHY9zd/+NoXmurO56WTwr0gnWcd/lME+bulp0sTw==',
  };
  const active = (psi: string | undefined) => ask(psi, 'quorumExtension_activeExtensionContracts');
  expect(await active('PS1')).toEqual([recorded]);
  expect(await active('PS2')).toEqual([recorded]);
  expect(await active(undefined)).toBeNull();
  expect(await ask(undefined, 'ledgerExtension_activeExtensionContracts')).toEqual([]);
});

describe('a tenant with a token', () => {
  const [one, two] = KEYS.groups.map((group: { members: string[] }) => group.members[0]);
  const holder = (...scopes: string[]): Access => ({
    kind: 'token',
    token: new AccessToken(Number.MAX_SAFE_INTEGER, ['rpc://*_*', ...scopes]),
  });
  const PASSED = 'private transaction manager is not in use';
  const DENIED = 'not authorized';
  const stranger = new Wallet(`0x${'42'.repeat(32)}`);
  const raw = signPrivate(stranger.privateKey, {
    nonce: 0,
    to: `0x${'11'.repeat(20)}`,
    data: `0x${'22'.repeat(64)}`,
  });

  it('reads the state that it is granted, and no other', async () => {
    const tenant = holder('psi://PS1');
    expect(await askWith(tenant, undefined, 'eth_getPSI')).toBe('PS1');
    expect(await askWith(tenant, 'PS2', 'eth_getPSI')).toBe(DENIED);
    expect(await askWith(holder('psi://NOPE'), 'NOPE', 'eth_getPSI')).toBe(
      'unable to find private state for context psi NOPE',
    );
  });

  it.each(['eth_sendTransaction', 'eth_signTransaction', 'personal_sendTransaction'])(
    'acts by %s with the accounts of this node that it is granted',
    async (name) => {
      const args = {
        from: KEYS.account,
        data: '0x00',
        gas: '0x100000',
        gasPrice: '0x0',
        nonce: '0x0',
        privateFor: [],
      };
      const rest = name.startsWith('personal') ? ['test'] : [];
      const send = (...scopes: string[]) => askWith(holder(...scopes), 'PS1', name, args, ...rest);
      expect(await send('psi://PS1')).toBe(DENIED);
      expect(await send('psi://PS1?self.eoa=0x0')).toBe(DENIED);
      expect(await send(`psi://PS1?node.eoa=${stranger.address}`)).toBe(DENIED);
      expect(await send('psi://PS1', `psi://PS2?node.eoa=${KEYS.account}`)).toBe(DENIED);
      expect(await send(`psi://PS1?node.eoa=${KEYS.account}`)).toBe(PASSED);
    },
  );

  it('signs elsewhere for the accounts that it is granted', async () => {
    for (const name of ['eth_sendRawPrivateTransaction', 'eth_distributePrivateTransaction']) {
      const send = (scope: string) => askWith(holder(scope), 'PS1', name, raw, { privateFor: [] });
      expect(await send('psi://PS1?node.eoa=0x0')).toBe(DENIED);
      expect(await send(`psi://PS1?self.eoa=${KEYS.account}`)).toBe(DENIED);
      expect(await send('psi://PS1?self.eoa=0x0')).toBe(PASSED);
      expect(await send(`psi://PS1?self.eoa=${stranger.address}`)).toBe(PASSED);
    }
    const plain = (scope: string) => askWith(holder(scope), 'PS1', 'eth_sendRawTransaction', raw);
    expect(await plain('psi://PS1')).toBe(DENIED);
    expect(await plain('psi://PS1?self.eoa=0x0')).toMatch(/^0x/);
  });

  it('is not asked for public transactions', async () => {
    const args = { from: KEYS.account, to: KEYS.account, gas: '0x5208' };
    expect(await askWith(holder('psi://PS1'), 'PS1', 'eth_sendTransaction', args)).toMatch(/^0x/);
  });

  it('extends contracts with the accounts and keys that it is granted', async () => {
    const manager = '0x8f6cf8d809166ef54a2c47e28f929029dc33bb13';
    const vote = (scope: string, privateFrom: string | undefined) =>
      askWith(holder(scope), 'PS1', 'quorumExtension_approveExtension', manager, true, {
        from: KEYS.account,
        privateFrom,
        privateFor: [two],
      });
    const granted = `psi://PS1?node.eoa=${KEYS.account}`;
    expect(await vote('psi://PS1', one)).toBe(DENIED);
    expect(await vote(granted, two)).toBe(DENIED);
    expect(await vote(granted, 'AAAA')).toBe(DENIED);
    expect(await vote(granted, one)).not.toBe(DENIED);
    expect(await vote(granted, undefined)).not.toBe(DENIED);
    for (const name of ['cancelExtension', 'generateExtensionApprovalUuid']) {
      const args = { from: KEYS.account, privateFor: [two] };
      const rest = name === 'cancelExtension' ? [args] : [KEYS.account, args];
      const asked = await askWith(
        holder('psi://PS1'),
        'PS1',
        `quorumExtension_${name}`,
        manager,
        ...rest,
      );
      expect(asked).toBe(DENIED);
    }
  });
});

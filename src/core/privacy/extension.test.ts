import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../../test/support/recorded-manager.ts';
import { OWN_VECTORS } from '../../../test/vectors/folders.ts';
import { abiAddressAt, abiStringAt, encodeAbi } from '../base/abi.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { ActiveExtensions, formatStateDump, readExtensionLog, uuidPayload } from './extension.ts';
import { managementBytecode } from './management-bytecode.ts';
import { deployment, finishCall, sharedStateCall, voteCall } from './management-contract.ts';
import { parseStateDump } from './state-shared.ts';

const RECORDED = Object.values(contentsOf(join(OWN_VECTORS, 'goquorum/private-chain'))).map(
  ({ payload }) => fromHex(payload),
);
const CODE_BYTES = managementBytecode().length;
const selector = (signature: string) =>
  toHex(keccak256(new TextEncoder().encode(signature)).slice(0, 4));
const startsWith = (bytes: Uint8Array, start: string) => toHex(bytes).startsWith(start);

describe('calls of the management contract are the recorded ones', () => {
  it('deployments', () => {
    const found = RECORDED.filter(
      (bytes) => bytes.length > CODE_BYTES && toHex(bytes).startsWith(toHex(managementBytecode())),
    );
    expect(found.length).toBeGreaterThanOrEqual(7);
    for (const bytes of found) {
      const data = bytes.subarray(CODE_BYTES);
      const toExtend = abiAddressAt(data, 0)!;
      const recipient = abiAddressAt(data, 1)!;
      const recipientKey = abiStringAt(data, 2)!;
      expect(deployment({ toExtend, recipient, recipientKey })).toEqual(bytes);
    }
  });

  it('votes, shares and ends', () => {
    const votes = RECORDED.filter((bytes) => startsWith(bytes, selector('doVote(bool,string)')));
    const shares = RECORDED.filter((bytes) =>
      startsWith(bytes, selector('setSharedStateHash(string)')),
    );
    const ends = RECORDED.filter((bytes) => startsWith(bytes, selector('finish()')));
    expect([votes.length, shares.length, ends.length].every((count) => count > 0)).toBe(true);
    for (const bytes of votes) {
      const vote = bytes[35] === 1;
      expect(voteCall(vote, abiStringAt(bytes.subarray(4), 1)!)).toEqual(bytes);
    }
    for (const bytes of shares)
      expect(sharedStateCall(abiStringAt(bytes.subarray(4), 0)!)).toEqual(bytes);
    for (const bytes of ends) expect(finishCall()).toEqual(bytes);
  });
});

describe('what goes through the manager', () => {
  const isJson = (start: string) => (bytes: Uint8Array) =>
    Buffer.from(bytes.subarray(0, 64)).toString('latin1').startsWith(start);

  it('state dumps, byte for byte', () => {
    const dumps = RECORDED.filter(isJson('{"0x'));
    expect(dumps.length).toBeGreaterThanOrEqual(5);
    for (const bytes of dumps) {
      const { state } = Object.values(JSON.parse(Buffer.from(bytes).toString()))[0] as any;
      const { address, balance, nonce, code, storage } = parseStateDump(bytes)![0]!;
      const account = {
        balance,
        nonce,
        storageRoot: fromHex(state.root),
        codeHash: fromHex(state.codeHash),
      };
      const slots = [...storage].map(([slot, value]) => ({ slot, value })).reverse();
      expect(formatStateDump({ address, account, code, storage: slots })).toEqual(bytes);
    }
  });

  it('a dump of an account without code and storage names neither', () => {
    const bytes = formatStateDump({
      address: new Uint8Array(20),
      account: {
        balance: 5n,
        nonce: 0n,
        storageRoot: new Uint8Array(32),
        codeHash: new Uint8Array(32),
      },
      code: new Uint8Array(0),
      storage: [],
    });
    const zeros = '0'.repeat(64);
    expect(Buffer.from(bytes).toString()).toBe(
      `{"0x${'0'.repeat(40)}":{"state":{"balance":"5","nonce":0,"root":"${zeros}","codeHash":"${zeros}"}}}`,
    );
  });

  it('envelopes of voters', () => {
    const envelopes = RECORDED.filter(isJson('{"senderKey"'));
    expect(envelopes.length).toBeGreaterThanOrEqual(10);
    for (const bytes of envelopes)
      expect(uuidPayload(JSON.parse(Buffer.from(bytes).toString()))).toEqual(bytes);
  });
});

describe('logs of a management contract', () => {
  const manager = new Uint8Array(20).fill(1);
  const toExtend = new Uint8Array(20).fill(2);
  const recipient = new Uint8Array(20).fill(3);
  const topic = (signature: string) => keccak256(new TextEncoder().encode(signature));
  const created = topic('NewContractExtensionContractCreated(address,string,address)');
  const finished = topic('ExtensionFinished()');

  it('begin and end extensions', () => {
    const data = encodeAbi([toExtend, 'key', recipient]);
    const event = readExtensionLog({ address: manager, topics: [created], data });
    expect(event).toEqual({
      kind: 'created',
      manager,
      terms: { toExtend, recipient, recipientKey: 'key' },
    });
    expect(
      readExtensionLog({ address: manager, topics: [finished], data: new Uint8Array(0) }),
    ).toEqual({ kind: 'finished', manager });
  });

  it('are nothing else', () => {
    const data = encodeAbi([toExtend, 'key', recipient]);
    expect(readExtensionLog({ address: manager, topics: [], data })).toBeUndefined();
    expect(
      readExtensionLog({ address: manager, topics: [created, created], data }),
    ).toBeUndefined();
    expect(
      readExtensionLog({ address: manager, topics: [created], data: data.subarray(0, 100) }),
    ).toBeUndefined();
    expect(readExtensionLog({ address: manager, topics: [toExtend], data })).toBeUndefined();
  });

  it('make the list of active ones', () => {
    const extension = {
      manager,
      toExtend,
      recipient,
      recipientKey: 'key',
      initiator: toExtend,
      creationHash: new Uint8Array(64),
    };
    const active = new ActiveExtensions([extension]);
    expect(active.of(toExtend)).toEqual([extension]);
    expect(active.of(recipient)).toEqual([]);
    expect(active.end(recipient)).toBe(false);
    expect(active.end(manager)).toBe(true);
    expect(active.list()).toEqual([]);
  });
});

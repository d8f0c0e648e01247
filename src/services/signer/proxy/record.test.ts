/** A signature that cannot be recorded is not sent. */
import { expect, it } from 'vitest';
import { memoryProxy, upstreamOf } from '../../../../test/support/signing-proxy.ts';
import { KEY } from '../../../../test/support/signing-vectors.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { addressOfSecretKey } from '../../../core/base/secp256k1.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';
import { OPEN_GUARD } from './open-guard.ts';

const ACCOUNT = toHex(addressOfSecretKey(KEY));

it('while the audit log cannot be written, no signature leaves and no nonce is lost', async () => {
  let isBroken = false;
  const guard = {
    ...OPEN_GUARD,
    record: () =>
      isBroken
        ? Promise.reject(fail('AUDIT_FAILED', 'the audit log /var/x cannot be written'))
        : Promise.resolve(),
  };
  const nonces: bigint[] = [];
  const upstream = upstreamOf(({ method, params }) => {
    if (method === 'eth_getTransactionCount') return { result: `0x${nonces.length.toString(16)}` };
    const raw = fromHex(String(params[0]));
    nonces.push(decodeTransaction(raw).nonce);
    return { result: toHex(keccak256(raw)) };
  });
  const proxy = memoryProxy({ keys: [KEY], chainId: 1337n, upstream, guard });
  const send = () => proxy.call('eth_sendTransaction', { from: ACCOUNT, to: ACCOUNT });
  expect((await send()).result).toBeDefined();
  isBroken = true;
  for (const told of [
    await send(),
    await proxy.call('eth_sign', ACCOUNT, '0xab'),
    await proxy.call('eth_signTransaction', { from: ACCOUNT, to: ACCOUNT }),
  ]) {
    expect(told.result).toBeUndefined();
    expect(told.error.code).toBe(-32603);
    expect(JSON.stringify(told)).not.toContain('/var/x');
  }
  expect(nonces).toEqual([0n]);
  isBroken = false;
  expect((await send()).result).toBeDefined();
  expect((await send()).result).toBeDefined();
  expect(nonces).toEqual([0n, 1n, 2n]);
  proxy.close();
});

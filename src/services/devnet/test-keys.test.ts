import { createPrivateKey, createPublicKey } from 'node:crypto';
import { computeAddress, HDNodeWallet, Mnemonic } from 'ethers';
import { expect, it } from 'vitest';
import { TEST_MNEMONIC, TEST_MNEMONIC_PATH } from '../../core/base/test-mnemonic.ts';
import { MANAGER_KEYS, nodeAccounts, testAccounts } from './test-keys.ts';

/** DER of an X25519 key in PKCS #8, without the key's 32 bytes (RFC 8410). */
const PKCS8_X25519 = '302e020100300506032b656e04220420';

it('the test accounts are those of the quickstart, then ten of the mnemonic', () => {
  const accounts = testAccounts();
  expect(accounts.slice(0, 3).map(({ address }) => address)).toEqual([
    '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    '0x627306090abab3a6e1400e9345bc60c78a8bef57',
    '0xf17f52151ebef6c7334fad080c5704d77216b732',
  ]);
  const mnemonic = Mnemonic.fromPhrase(TEST_MNEMONIC);
  const derived = Array.from({ length: 10 }, (_, index) =>
    HDNodeWallet.fromMnemonic(mnemonic, `${TEST_MNEMONIC_PATH}${index}`),
  );
  expect(accounts.slice(3)).toEqual(
    derived.map(({ address, privateKey }) => ({ address: address.toLowerCase(), privateKey })),
  );
});

it('the accounts of the nodes are those of the quickstart, each with a poor one beside it', () => {
  const each = [0, 1, 2, 3].map(nodeAccounts);
  expect(each.map(({ rich }) => rich.address)).toEqual([
    '0xf0e2db6c8dc6c681bb5d6ad121a107f300e9b2b5',
    '0xca843569e3427144cead5e4d5999a3d0ccf92b8e',
    '0x0fbdc686b912d7722dc86510934589e0aaf3b55a',
    '0xc9c913c8c3c1cd416d80a0abf475db2062f161f6',
  ]);
  const all = [...testAccounts(), ...each.flatMap(({ rich, poor }) => [rich, poor])];
  expect(new Set(all.map(({ address }) => address)).size).toBe(21);
  for (const { address, privateKey } of all)
    expect(computeAddress(privateKey).toLowerCase()).toBe(address);
});

it('the keys of the managers are pairs', () => {
  for (const { publicKey, privateKey } of MANAGER_KEYS) {
    const der = Buffer.concat([
      Buffer.from(PKCS8_X25519, 'hex'),
      Buffer.from(privateKey, 'base64'),
    ]);
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    const { x } = key.export({ format: 'jwk' });
    expect(Buffer.from(x!, 'base64url').toString('base64')).toBe(publicKey);
  }
});

import { describe, expect, it } from 'vitest';
import { keySettings } from '../config/keys.ts';
import { parseSignerOptions } from '../options.ts';
import { keysFromOptions } from './from-options.ts';

function keysOf(line: string, env: Record<string, string> = {}) {
  const options = parseSignerOptions(line.split(' '), env);
  return keysFromOptions(keySettings(options, options.positional[0]), 'data');
}

describe('keys that options name', () => {
  it("of Web3Signer's eth1", () => {
    expect(
      keysOf(
        '--key-config-path keys eth1 --keystores-path stores --keystores-passwords-path words --azure-vault-enabled --azure-vault-name v --azure-vault-auth-mode user_assigned_managed_identity --azure-client-id id --azure-tags a=b|c=d --aws-kms-enabled --aws-kms-auth-mode ENVIRONMENT --aws-kms-region eu-west-1 --aws-kms-tag x=y --hex-keys-path hex --keystores-unlock-at-start',
      ),
    ).toMatchObject({
      configPath: 'keys',
      keys: undefined,
      keystores: { path: 'stores', passwords: { kind: 'folder', path: 'words' } },
      azure: {
        access: { mode: 'USER_ASSIGNED_MANAGED_IDENTITY', clientId: 'id', vaultName: 'v' },
        tags: { a: 'b', c: 'd' },
      },
      awsKms: { access: { mode: 'ENVIRONMENT', region: 'eu-west-1' }, tags: { x: 'y' } },
      hexPath: 'hex',
      unlocksAtStart: true,
      publicKeysFile: 'data/public-keys',
    });
    expect(() => keysOf('eth1 --azure-vault-enabled --azure-client-id x')).toThrow(
      /--azure-vault-name, --azure-client-secret, --azure-tenant-id/,
    );
    expect(() => keysOf('eth1 --aws-kms-enabled')).toThrow(
      /--aws-kms-region, --aws-kms-access-key-id, --aws-kms-secret-access-key/,
    );
    expect(() => keysOf('eth1 --aws-kms-enabled --aws-kms-auth-mode x')).toThrow(
      /one of SPECIFIED, ENVIRONMENT/,
    );
    expect(() => keysOf('eth1 --azure-vault-enabled --azure-vault-auth-mode x')).toThrow(
      /one of CLIENT_SECRET/,
    );
  });

  it("of EthSigner's subcommands", () => {
    expect(keysOf('multikey-signer --directory keys').tomlPath).toBe('keys');
    const rows: readonly [string, object][] = [
      ['raw-signer --key 12', { kind: 'raw', hex: '12' }],
      [
        'file-based-signer -k a.json -p b.txt',
        { kind: 'keystore', path: 'a.json', password: { path: 'b.txt', take: 'firstLine' } },
      ],
      [
        'hashicorp-signer --auth-file t --tls-known-server-file k',
        {
          kind: 'hashicorp',
          host: 'localhost',
          port: 8200,
          tls: true,
          keyPath: '/v1/secret/data/ethsignerSigningKey',
          keyName: 'value',
          login: { method: 'TOKEN_FILE', path: 't' },
          trust: { kind: 'ALLOWLIST', path: 'k' },
        },
      ],
      [
        'azure-signer --key-vault-name v --key-name k --client-id c --tenant-id t --client-secret-path s',
        {
          kind: 'azureKey',
          keyName: 'k',
          access: { mode: 'CLIENT_SECRET', vaultName: 'v', clientSecretPath: 's' },
        },
      ],
    ];
    for (const [line, wanted] of rows) expect(keysOf(line).keys).toMatchObject([wanted]);
  });
});

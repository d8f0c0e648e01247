import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';
import { awsStandIn, azureStandIn, vaultStandIn } from '../../../test/support/key-clouds.ts';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import {
  EXPORTED,
  EXPORTS,
  exportedSqlite,
  exportText,
  type TesseraFolder,
  tesseraFolder,
} from '../../../test/support/tessera-export.ts';
import { fromBase64 } from '../../core/base/base64.ts';
import { formatKeyFile } from '../../core/payload/key-file.ts';
import { lockKey } from '../../io/sodium/key-lock.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { readTesseraConfig } from '../../services/ptm/config.ts';
import { startPtm } from '../../services/ptm/start.ts';

const PATIENCE_MS = 60_000;
const VAULT_TOKEN = 'canary-5ec2e7-0123456789';

/** Name and hash of every file, none of which a migration may change. */
function fingerprint(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

async function migrate({ config, folder }: TesseraFolder, ...flags: string[]) {
  const target = join(folder, '..', 'ptm');
  const run = await commandRun(
    ...['migrate', 'manager', '--configfile', config, '--ptmdir', target, '--verbosity', '0'],
    ...flags,
  );
  return { ...run, target, text: run.lines.join('\n') };
}

/** Starts the migrated manager, and requests every payload from it. */
async function expectServed(target: string): Promise<void> {
  const file = join(target, 'config.json');
  const { config } = await readTesseraConfig(file, [
    'serverConfigs[0].serverAddress=http://127.0.0.1:0',
  ]);
  const running = await startPtm(config, { env: process.env });
  try {
    for (const [hash, payload] of Object.entries(EXPORTED.clear)) {
      const url = `${running.q2tUrl}/transaction/${encodeURIComponent(hash)}`;
      const found = (await (await fetch(url)).json()) as { payload: string };
      expect(found.payload).toBe(payload);
    }
    const raw = `${running.q2tUrl}/transaction/${encodeURIComponent(EXPORTED.raw)}?isRaw=true`;
    expect(await (await fetch(raw)).json()).toMatchObject({
      payload: Buffer.from('raw').toString('base64'),
    });
  } finally {
    await running.close();
  }
}

describe.each(EXPORTS)('from the export %s', (name) => {
  it('brings every payload over, and serves it', { timeout: PATIENCE_MS }, async () => {
    const tessera = tesseraFolder(name);
    const before = fingerprint(tessera.folder);
    const { status, text, target } = await migrate(tessera, '--dump', tessera.dump);
    expect(status, text).toBe(0);
    expect(text).toMatch(/^ {2}payloads +11$/m);
    expect(text).toMatch(/private state validation +2$/m);
    expect(text).toMatch(/payloads on which others depend +2$/m);
    expect(text).toContain('Payloads: 11 whole. Raw payloads: 1 whole.');
    expect(text).toContain(`Start it: quorate ptm --configfile ${target}/config.json`);
    expect(fingerprint(tessera.folder)).toEqual(before);
    const written = JSON.parse(readFileSync(join(target, 'config.json'), 'utf8'));
    expect(written.serverConfigs[0].serverAddress).toBe(`unix:${tessera.folder}/tm.ipc`);
    expect([written.jdbc, written.disablePeerDiscovery]).toEqual([undefined, false]);
    await expectServed(target);
  });
});

it('reads SQLite as it is', { timeout: PATIENCE_MS }, async () => {
  const tessera = tesseraFolder('sqlite', { jdbc: { url: 'jdbc:sqlite:payloads.db' } });
  exportedSqlite(join(tessera.folder, 'payloads.db'));
  const before = fingerprint(tessera.folder);
  const { status, text, target } = await migrate(tessera);
  expect(status, text).toBe(0);
  expect(fingerprint(tessera.folder)).toEqual(before);
  await expectServed(target);
});

it('opens keys of every kind: locked with Argon2, in a vault', {
  timeout: PATIENCE_MS,
}, async () => {
  const [one, two] = EXPORTED.keys;
  const crypto = await loadEnclaveCrypto();
  const entropy = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };
  const light = { variant: 'i', iterations: 1, memory: 1_024, parallelism: 1 } as const;
  const locked = await lockKey(fromBase64(one!.privateKey), 'pässword', light, crypto, entropy);
  const vault = await vaultStandIn({
    ...{ rootToken: VAULT_TOKEN, roleId: 'role', secretId: 'secret-id', jwt: 'a.b.c' },
    secrets: { '/v1/secret/data/tm': { pub: two!.publicKey, key: two!.privateKey } },
  });
  const tessera = tesseraFolder('h2-2.1.214', {
    keys: {
      passwordFile: 'passwords',
      keyVaultConfigs: [{ keyVaultType: 'HASHICORP', properties: { url: vault.url } }],
      keyData: [
        { privateKeyPath: 'locked.key', publicKeyPath: 'locked.pub' },
        {
          ...{ hashicorpVaultSecretEngineName: 'secret', hashicorpVaultSecretName: 'tm' },
          ...{ hashicorpVaultPublicKeyId: 'pub', hashicorpVaultPrivateKeyId: 'key' },
        },
      ],
    },
  });
  const put = (name: string, text: string) => writeFileSync(join(tessera.folder, name), text);
  put('locked.key', formatKeyFile(locked));
  put('locked.pub', one!.publicKey);
  put('passwords', 'pässword\n\n');
  vi.stubEnv('HASHICORP_TOKEN', VAULT_TOKEN);
  try {
    const before = fingerprint(tessera.folder);
    const { status, text, target } = await migrate(tessera, '--dump', tessera.dump);
    expect(status, text).toBe(0);
    expect(text).toContain('Payloads: 11 whole. Raw payloads: 1 whole.');
    expect(fingerprint(tessera.folder)).toEqual(before);
    await expectServed(target);
    put('passwords', 'wrong\n\n');
    rmSync(target, { recursive: true });
    const wrong = await migrate(tessera, '--dump', tessera.dump);
    expect([wrong.status === 0, existsSync(target)]).toEqual([false, false]);
    expect(wrong.text).toMatch(/keys\.keyData\[0\].*the password does not open/);
    expect(text + wrong.text).not.toContain(VAULT_TOKEN);
  } finally {
    vi.unstubAllEnvs();
    vault.close();
  }
});

describe("keys in a cloud's vault, as Tessera names them", () => {
  const [one, two] = EXPORTED.keys;
  const secrets = { 'tm-pub': one!.publicKey, 'tm-key': one!.privateKey };
  const region = 'eu-west-1';
  const AZURE = {
    AZURE_TENANT_ID: 'tenant',
    AZURE_CLIENT_ID: 'client',
    AZURE_CLIENT_SECRET: VAULT_TOKEN,
  };
  const AWS = {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'AKIDTEST',
    AWS_SECRET_ACCESS_KEY: VAULT_TOKEN,
  };
  const azureKey = { azureVaultPublicKeyId: 'tm-pub', azureVaultPrivateKeyId: 'tm-key' };
  const azure = () =>
    azureStandIn({
      ...{ tenant: 'tenant', clientId: 'client', clientSecret: VAULT_TOKEN },
      ...{ keys: [], secrets },
    });
  const aws = () =>
    awsStandIn({
      ...{ region, accessKeyId: 'AKIDTEST', secretAccessKey: VAULT_TOKEN, keys: [], secrets },
    });
  const rows = [
    {
      type: 'Azure',
      vault: azure,
      env: AZURE,
      key: azureKey,
      config: (url: string) => ({
        keyVaultConfigs: [{ keyVaultType: 'AZURE', properties: { url } }],
      }),
    },
    {
      type: 'Azure, in the older form',
      vault: azure,
      env: AZURE,
      key: { ...azureKey, azureVaultPublicKeyVersion: 'v1', azureVaultPrivateKeyVersion: 'v2' },
      config: (url: string) => ({ azureKeyVaultConfig: { url } }),
    },
    {
      type: 'AWS',
      vault: aws,
      env: AWS,
      key: { awsSecretsManagerPublicKeyId: 'tm-pub', awsSecretsManagerPrivateKeyId: 'tm-key' },
      config: (endpoint: string) => ({
        keyVaultConfigs: [{ keyVaultType: 'AWS', properties: { endpoint } }],
      }),
    },
  ];

  it.each(rows)('$type', { timeout: PATIENCE_MS }, async ({ vault, env, key, config }) => {
    const standIn = await vault();
    const other = { privateKey: two!.privateKey, publicKey: two!.publicKey };
    const tessera = tesseraFolder('mysql-hex', {
      keys: { ...config(standIn.url), keyData: [key, other] },
    });
    const variables = { ...env, AZURE_AUTHORITY_HOST: standIn.url };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    try {
      const moved = await migrate(tessera, '--dump', tessera.dump);
      expect(moved.status, moved.text).toBe(0);
      expect(moved.text).toContain('Payloads: 11 whole. Raw payloads: 1 whole.');
      await expectServed(moved.target);
      const [first] = Object.keys(env);
      vi.stubEnv(first!, '');
      const without = await migrate(tessera, '--dump', tessera.dump, '--dry-run');
      expect(without.status).not.toBe(0);
      expect(without.text).toMatch(
        new RegExp(`keys\\.keyData\\[0\\]: .* needs the environment variables .*${first}`),
      );
      expect(moved.text + without.text).not.toContain(VAULT_TOKEN);
    } finally {
      vi.unstubAllEnvs();
      standIn.close();
    }
  });
});

describe('PostgreSQL', () => {
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startTestPostgres();
  }, POSTGRES_PATIENCE_MS);
  afterAll(() => postgres?.remove(), POSTGRES_PATIENCE_MS);

  it.for([false, true])(
    'is copied, or stays (%s)',
    { timeout: PATIENCE_MS },
    async (isInPlace, { skip }) => {
      const url = await postgresFor(postgres, { skip }).newDatabase();
      const client = new Client({ connectionString: url });
      await client.connect();
      const rows = exportText('sqlite').toString('latin1');
      await client.query(
        rows
          .replace(/PRAGMA.*;|NUMBER\(\d+\)/g, (found) => (found[0] === 'P' ? '' : 'BIGINT'))
          .replace(/X'/g, "'\\x")
          .replace(/BLOB/g, 'BYTEA')
          .replace(/ VARCHAR /g, ' VARCHAR(100) '),
      );
      await client.end();
      const tessera = tesseraFolder('sqlite', {
        jdbc: { url: `jdbc:${url.replace('postgres:', 'postgresql:')}` },
      });
      const { status, text, target } = await migrate(tessera, ...(isInPlace ? ['--in-place'] : []));
      expect(status, text).toBe(0);
      expect(existsSync(join(target, 'data'))).toBe(!isInPlace);
      await expectServed(target);
    },
  );
});

describe('what it refuses, with the way on', () => {
  const refused = async (tessera: TesseraFolder, why: string | RegExp, ...flags: string[]) => {
    const { status, text, target } = await migrate(tessera, ...flags);
    expect(text).toMatch(why);
    expect(status).not.toBe(0);
    expect(existsSync(target)).toBe(false);
    return text;
  };

  it('prints the export of H2 and MySQL', async () => {
    await refused(
      tesseraFolder('sqlite'),
      /org\.h2\.tools\.Script -url "jdbc:h2:\.\/h2" -user USER/,
    );
    const url = 'jdbc:mysql://db.internal:3307/payloads?useSSL=true';
    await refused(
      tesseraFolder('sqlite', { jdbc: { url, password: 'hidden' } }),
      /mysqldump --single-transaction --hex-blob -h db\.internal -P 3307 -u USER -p payloads > tessera\.sql/,
    );
    await refused(
      tesseraFolder('sqlite', { jdbc: { url: 'jdbc:oracle:thin:@x' } }),
      /kind oracle is not read.*ptm recover/,
    );
    await refused(tesseraFolder('sqlite'), /--in-place is for PostgreSQL/, '--in-place');
  });

  it('a Tessera that runs', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as { port: number };
    const tessera = tesseraFolder('mysql-hex');
    const override = ['--override', `serverConfigs[1].serverAddress=http://127.0.0.1:${port}`];
    await refused(
      tessera,
      /Tessera still answers at 127\.0\.0\.1:\d+: stop it first/,
      '--dump',
      tessera.dump,
      ...override,
    );
    const dry = await migrate(tessera, '--dry-run', '--dump', tessera.dump, ...override);
    expect([dry.status, dry.text]).toEqual([0, expect.stringContaining('Nothing was written.')]);
    server.close();
  });

  it('a damaged payload, unless it is to be left out', {
    timeout: PATIENCE_MS,
  }, async () => {
    const tessera = tesseraFolder('mysql-hex');
    const text = readFileSync(tessera.dump, 'latin1');
    const at = text.indexOf('INSERT INTO `ENCRYPTED_TRANSACTION`') + 200;
    const flipped = text[at] === '0' ? '1' : '0';
    writeFileSync(tessera.dump, text.slice(0, at) + flipped + text.slice(at + 1), 'latin1');
    await refused(tessera, /dump\.sql: the payload \S+ is damaged/, '--dump', tessera.dump);
    const left = await migrate(tessera, '--dump', tessera.dump, '--without-damaged');
    expect(left.status, left.text).toBe(0);
    expect(left.text).toMatch(/skipped: damaged +1$/m);
    expect(left.text).toContain('quorate ptm recover');
    const again = await migrate(tessera, '--dump', tessera.dump);
    expect(again.text).toMatch(/the folder .* is not empty/);
  });

  it('a key that does not open', async () => {
    const tessera = tesseraFolder('mysql-hex');
    writeFileSync(join(tessera.folder, 'two.key'), readFileSync(tessera.config));
    const text = await refused(tessera, /keys\.keyData\[1\]/, '--dump', tessera.dump);
    expect(text).not.toContain(EXPORTED.keys[0]!.privateKey);
  });
});

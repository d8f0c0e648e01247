import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';
import { testSecretKey } from '../../../test/support/genesis-file.ts';
import { azureStandIn, vaultStandIn } from '../../../test/support/key-clouds.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { bareHex, fromHex, toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey } from '../../core/base/secp256k1.ts';
import { encryptKey } from '../../io/keys/keystore.ts';
import { signerConfig } from '../../services/signer/config.ts';
import { parseSignerOptions } from '../../services/signer/options.ts';
import { startSigner } from '../../services/signer/start.ts';

const PATIENCE_MS = 60_000;
const SECRET = 'canary-5ec2e7-0123456789';
const folder = scratchFolder('migrate-signer-');
const at = (name: string) => join(folder, name);
const addresses: string[] = [];

/** Two keys in EthSigner's form, in `toml`, and in Web3Signer's form, in `yaml`. */
beforeAll(async () => {
  for (const name of ['toml', 'yaml']) mkdirSync(at(name));
  writeFileSync(at('password'), 'a password\n');
  for (const number of [1, 2]) {
    const secret = fromHex(testSecretKey(number));
    const address = bareHex(addressOfSecretKey(secret));
    addresses.push(`0x${address}`);
    const keystore = await encryptKey(secret, 'a password', { light: true });
    writeFileSync(at(`${address}.json`), JSON.stringify(keystore));
    writeFileSync(
      at(`toml/${address}.toml`),
      `[signing]\ntype = "file-based-signer"\nkey-file = "../${address}.json"\npassword-file = "../password"\n`,
    );
    writeFileSync(
      at(`yaml/${number}.yaml`),
      `type: file-raw\nkeyType: SECP256K1\nprivateKey: "${toHex(secret)}"\n`,
    );
  }
  addresses.sort();
}, PATIENCE_MS);

async function migrate(...argv: string[]) {
  const { status, lines } = await commandRun('migrate', 'signer', ...argv);
  return { status, text: lines.join('\n') };
}

/** Starts the proxy with the written configuration. */
async function startedWith(file: string, ...rest: string[]) {
  const config = signerConfig(
    parseSignerOptions([`--config-file=${file}`, '--http-listen-port=0', ...rest], {}),
  );
  return startSigner(config, { log: () => {}, version: 'test', env: process.env });
}

it(
  'translates EthSigner on a command line, and compares with the proxy that runs',
  async () => {
    const command = [
      ...['/opt/ethsigner/bin/ethsigner', '--chain-id=1337', '--downstream-http-port', '22000'],
      ...['--vertx-worker-pool-size=40', 'multikey-signer', '--directory', at('toml')],
    ];
    const first = await migrate('--out', at('one.yaml'), '--', ...command);
    expect(first.status, first.text).toBe(0);
    expect(first.text).toContain(`--multikey-signer.directory=${at('toml')}   (command line)`);
    expect(first.text).toMatch(/^Without effect: --vertx-worker-pool-size: /m);
    expect(first.text).toContain('Keys: 2 loaded');
    expect(first.text).toContain(
      `Start it: quorate signer --config-file ${at('one.yaml')} multikey-signer`,
    );
    expect(statSync(at('one.yaml')).mode & 0o077).toBe(0);
    const proxy = await startedWith(at('one.yaml'), 'multikey-signer');
    try {
      expect(proxy.accounts).toEqual(addresses);
      const old = ['--old', `http://127.0.0.1:${proxy.port}`];
      const same = await migrate(...old, '--', command.join(' '));
      expect(same.text).toContain('The old proxy has the same accounts.');
      const [, file] = addresses;
      const one = `ethsigner --chain-id=1337 --downstream-http-port=1 file-based-signer -k ${at(`${file!.slice(2)}.json`)} -p '${at('password')}'`;
      const fewer = await migrate(...old, '--', one);
      expect(fewer.text).toContain(
        `DIFFERENT: the old proxy has ${addresses[0]}, which is missing here`,
      );
      expect(fewer.status).toBe(2);
    } finally {
      await proxy.close();
    }
  },
  PATIENCE_MS,
);

it(
  'translates Web3Signer in a systemd unit, with its environment and its own port',
  async () => {
    writeFileSync(
      at('web3signer.env'),
      'WEB3SIGNER_ETH1_CHAIN_ID="1337"\n# a comment\nKEYS=yaml\n',
    );
    writeFileSync(
      at('web3signer.service'),
      [
        ...['[Service]', `WorkingDirectory=${folder}`, `EnvironmentFile=-${at('web3signer.env')}`],
        ...[
          `EnvironmentFile=-${at('absent.env')}`,
          'Environment="WEB3SIGNER_DATA_PATH=state" OTHER=x',
        ],
        ...[`ExecStart=/opt/web3signer/bin/web3signer --key-store-path=\${KEYS} \\`, '  eth1 \\'],
        '  --downstream-http-port=22000',
      ].join('\n'),
    );
    const { status, text } = await migrate(
      '--unit',
      at('web3signer.service'),
      '--out',
      at('two.yaml'),
    );
    expect(status, text).toBe(0);
    expect(text).toContain(`--key-config-path=${at('yaml')}   (command line)`);
    expect(text).toContain('--chain-id=1337   (environment)');
    expect(text).toContain("--http-listen-port=9000   (Web3Signer's own default)");
    expect(text).toContain(`--data-path=${at('state')}   (environment)`);
    const proxy = await startedWith(at('two.yaml'), 'eth1');
    expect(proxy.accounts).toEqual(addresses);
    await proxy.close();
  },
  PATIENCE_MS,
);

it(
  "reads a unit as systemd does: lists of options, drop-ins, its environment's order",
  async () => {
    const unit = at('ethsigner@main.service');
    writeFileSync(at('one.env'), 'export CHAIN=1\nKEYS=\'to#ml\'\nOPTIONS="--chain-id=$CHAIN"\n');
    writeFileSync(at('two.env'), 'KEYS=toml\nOPTIONS=--http-listen-port=18611 --chain-id=1337\n');
    writeFileSync(
      unit,
      [
        ...['[Service]', 'Environment=KEYS=nowhere NAME=%i', 'ExecStart=/opt/other/old'],
        `WorkingDirectory=-${folder}`,
        `EnvironmentFile=${at('one.env')}`,
        `EnvironmentFile=${at('two.env')}`,
      ].join('\n'),
    );
    mkdirSync(`${unit}.d`);
    writeFileSync(
      join(`${unit}.d`, 'override.conf'),
      [
        ...['[Service]', 'ExecStart='],
        `ExecStart=/bin/sh -c 'exec /opt/ethsigner/bin/ethsigner $OPTIONS $EXTRA --downstream-http-port=1 multikey-signer -d "\${KEYS}"'`,
      ].join('\n'),
    );
    const { status, text } = await migrate('--unit', unit);
    expect(status, text).toBe(0);
    expect(text).toContain(`--multikey-signer.directory=${at('toml')}   (command line)`);
    expect(text).toContain('--http-listen-port=18611   (command line)');
    expect(text).toContain('Keys: 2 loaded');
    rmSync(`${unit}.d`, { recursive: true });
    const line = `ExecStart=/opt/ethsigner/bin/ethsigner $OPTIONS $EXTRA --downstream-http-port=1 multikey-signer -d \${KEYS}`;
    const own = (more: string) =>
      writeFileSync(
        unit,
        `[Service]\n${line}\nWorkingDirectory=${folder}\nEnvironmentFile=${at('two.env')}\n${more}`,
      );
    own('Environment=KEYS=nowhere\n');
    const plain = await migrate('--unit', unit);
    expect(plain.text).toContain(`--multikey-signer.directory=${at('toml')}   (command line)`);
    expect(plain.status, plain.text).toBe(0);
    own('Environment=KEYS=%h/keys\n');
    const other = await migrate('--unit', unit);
    expect([other.status, other.text]).toEqual([
      2,
      expect.stringMatching(/has %h, which only systemd knows: .*--pid/),
    ]);
  },
  PATIENCE_MS,
);

it('translates a compose file: mounts, ports, names of the inner network', async () => {
  writeFileSync(
    at('docker-compose.yml'),
    `services:
  node: { image: "quorumengineering/quorum:24.4.1" }
  signer:
    image: consensys/web3signer:25.9.0
    command: --key-store-path=/keys eth1 --downstream-http-host=node
    environment: [WEB3SIGNER_ETH1_CHAIN_ID=1337]
    volumes: ["./yaml:/keys:ro", "named:/data"]
    ports: ["127.0.0.1:18545:9000"]
`,
  );
  const { status, text } = await migrate('--compose', at('docker-compose.yml'));
  expect(status, text).toBe(0);
  expect(text).toContain(`--key-config-path=${at('yaml')}`);
  expect(text).toContain('--http-listen-port=18545   (published by the container)');
  expect(text).toContain('--http-listen-host=127.0.0.1   (published by the container)');
  expect(text).toContain(
    '--downstream-http-host=node is a name inside the network of the containers',
  );
  expect(text).toContain('Keys: 2 loaded');
  const other = await migrate('--compose', at('docker-compose.yml'), '--service', 'node');
  expect(other.text).toContain('no service of it called node runs ethsigner or web3signer');
});

it('reads a compose file as Compose does: variables, merged parts, env_file, secrets', async () => {
  const file = at('compose.yaml');
  const [one] = addresses;
  writeFileSync(at('.env'), 'TAG=22.1.3 # the last\nLISTEN=8545\nKEY_FILE=unknown\n');
  writeFileSync(at('signer.env'), 'ETHSIGNER_CHAIN_ID=1\nOPTIONS=--downstream-http-port=1\n');
  writeFileSync(at('more.env'), 'ETHSIGNER_CHAIN_ID=1337\n');
  const write = (extra: string) =>
    writeFileSync(
      file,
      `x-shared: &shared
  image: "consensys/ethsigner:\${TAG:?name it}"
  env_file:
    - signer.env
    - path: more.env
    - { path: absent.env, required: false }
services:
  signer:
    <<: *shared
    entrypoint: ["/bin/sh", "-c"]
    command:
      - exec /opt/ethsigner/bin/ethsigner $$OPTIONS --http-listen-port=\${LISTEN} file-based-signer -k /keys/\${KEY_FILE} -p /run/secrets/signer-password
    environment: [MIGRATED_LEVEL, "ETHSIGNER_LOGGING=\${MIGRATED_LEVEL:-INFO}"]
    volumes: [{ type: bind, source: ., target: /keys }]
    ports: [{ target: 8545, published: "18546", host_ip: 127.0.0.1 }]
    secrets: [{ source: password, target: signer-password }]
secrets:
  password: { file: ./password }
${extra}`,
    );
  write('');
  vi.stubEnv('KEY_FILE', `${one!.slice(2)}.json`);
  const { status, text } = await migrate('--compose', file).finally(() => vi.unstubAllEnvs());
  expect(status, text).toBe(0);
  expect(text).toContain(`--file-based-signer.password-file=${at('password')}`);
  expect(text).toContain('--chain-id=1337   (environment)');
  expect(text).toContain('--logging=INFO   (environment)');
  expect(text).toContain('--http-listen-port=18546   (published by the container)');
  expect(text).toContain(`Keys: 1 loaded and opened; each has the stated address\n  ${one}`);
  write(`x-needs: \${NOT_THERE:?set it first}\n`);
  const refused = await migrate('--compose', file);
  expect([refused.status, refused.text]).toEqual([
    2,
    expect.stringContaining('the variable NOT_THERE is not set: set it first'),
  ]);
});

it(
  'loads keys of HashiCorp and Azure, of a folder of EthSigner and of its subcommands',
  async () => {
    const secrets = [4, 5, 6, 7].map((number) => fromHex(testSecretKey(number)));
    const [four, five, six, seven] = secrets.map((secret) => bareHex(addressOfSecretKey(secret)));
    const keyPath = '/v1/secret/data/key';
    const vault = await vaultStandIn({
      ...{ rootToken: SECRET, roleId: 'role', secretId: SECRET, jwt: 'a.b.c' },
      secrets: { [keyPath]: { value: bareHex(secrets[0]!), other: bareHex(secrets[1]!) } },
    });
    const azure = await azureStandIn({
      ...{ tenant: 'tenant', clientId: 'client', clientSecret: SECRET },
      keys: [2, 3].map((index) => ({ name: `key-${index}`, secretKey: secrets[index]! })),
    });
    const { hostname, port } = new URL(vault.url);
    mkdirSync(at('clouds'));
    const toml = (address: string, lines: readonly string[]) =>
      writeFileSync(at(`clouds/${address}.toml`), ['[signing]', ...lines].join('\n'));
    for (const [address, name] of [
      [four, 'value'],
      [five, 'other'],
    ]) {
      toml(address!, [
        ...['type = "hashicorp-signer"', `serverHost = "${hostname}"`, `serverPort = ${port}`],
        ...[`keyPath = "${keyPath}"`, `keyName = "${name}"`, `token = "${SECRET}"`],
        'tlsEnable = false',
      ]);
    }
    toml(six!, [
      ...['type = "azure-signer"', 'key-vault-name = "vault"', 'key-name = "key-2"'],
      ...['client-id = "client"', `client-secret = "${SECRET}"`, 'tenant-id = "tenant"'],
      `endpoint-override = "${azure.url}"`,
    ]);
    vi.stubEnv('AZURE_AUTHORITY_HOST', azure.url);
    writeFileSync(at('token'), `${SECRET}\n`);
    const start = ['--', 'ethsigner', '--chain-id=1337', '--downstream-http-port=1'];
    try {
      const folders = await migrate(
        '--out',
        at('clouds.yaml'),
        ...start,
        'multikey-signer',
        '-d',
        at('clouds'),
      );
      expect(folders.status, folders.text).toBe(0);
      expect(folders.text).toContain('Keys: 3 loaded');
      const proxy = await startedWith(at('clouds.yaml'), 'multikey-signer');
      expect(proxy.accounts).toEqual([four, five, six].map((address) => `0x${address}`).sort());
      await proxy.close();
      const one = await migrate(
        ...['--out', at('vault.yaml'), ...start, 'hashicorp-signer', '--host', hostname],
        ...['--port', port, '--auth-file', at('token'), '--signing-key-path', keyPath],
        '--tls-enabled=false',
      );
      expect(one.status, one.text).toBe(0);
      expect(one.text).toContain('Keys: 1 loaded');
      const single = await startedWith(at('vault.yaml'), 'hashicorp-signer');
      expect(single.accounts).toEqual([`0x${four}`]);
      await single.close();
      // A key whose file is named after another account.
      toml(seven!, [
        ...['type = "azure-signer"', 'key-vault-name = "vault"', 'key-name = "key-2"'],
        ...['client-id = "client"', `client-secret = "${SECRET}"`, 'tenant-id = "tenant"'],
        `endpoint-override = "${azure.url}"`,
      ]);
      const wrong = await migrate(...start, 'multikey-signer', '-d', at('clouds'));
      expect(wrong.status, wrong.text).toBe(2);
      expect(`${folders.text}${one.text}${wrong.text}`).not.toContain(SECRET);
    } finally {
      vi.unstubAllEnvs();
      vault.close();
      azure.close();
    }
  },
  PATIENCE_MS,
);

it.runIf(process.platform === 'linux')('reads a process that runs', async () => {
  const key = testSecretKey(1);
  const argv = [
    'ethsigner',
    '--chain-id=1337',
    '--downstream-http-port=1',
    'raw-signer',
    '--key',
    key,
  ];
  const process_ = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ...argv], {
    env: { ETHSIGNER_HTTP_LISTEN_PORT: '18600' },
  });
  try {
    const { status, text } = await migrate(
      '--pid',
      String(process_.pid),
      '--out',
      at('three.yaml'),
    );
    expect(status, text).toBe(0);
    expect(text).toContain('--http-listen-port=18600   (environment)');
    expect(text).toContain('--raw-signer.key=(hidden)');
    expect(text).not.toContain(key.slice(2));
    expect(readFileSync(at('three.yaml'), 'utf8')).toContain(key);
  } finally {
    process_.kill('SIGKILL');
  }
});

it(
  'says which key is not that of its file, and what it cannot read',
  async () => {
    const [one, two] = addresses.map((address) => address.slice(2));
    mkdirSync(at('wrong'));
    writeFileSync(
      at(`wrong/${one}.toml`),
      `[signing]\ntype = "file-based-signer"\nkey-file = "../${two}.json"\npassword-file = "../password"\n`,
    );
    const line = [
      '--',
      'ethsigner',
      '--chain-id=1',
      '--downstream-http-port=1',
      'multikey-signer',
      '-d',
      at('wrong'),
    ];
    const wrong = await migrate(...line);
    expect(wrong.status, wrong.text).toBe(2);
    expect(wrong.text).toMatch(new RegExp(`belongs to 0x${two}.* named after 0x${one}`));
    const refused: [string[], string][] = [
      [[], 'name one of --unit FILE'],
      [['--', 'geth', '--http'], 'names neither ethsigner nor web3signer'],
      [['--', "ethsigner 'open"], "a quote ' of the command line has no end"],
      [['--', 'ethsigner', '--chain-id=1', '--no-such=1'], '--no-such'],
      [['--old', 'nowhere', '--', 'ethsigner'], 'nowhere is not the URL of a proxy'],
    ];
    for (const [argv, why] of refused) {
      const { status, text } = await migrate(...argv);
      expect([status, text]).toEqual([2, expect.stringContaining(why)]);
    }
  },
  PATIENCE_MS,
);

/**
 * The commands of docs/migration.md, those of its runbook first, in order, on one recorded member:
 * GoQuorum's folder, a Tessera, an EthSigner.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareHex, fromHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { encryptKey } from '../../src/io/keys/keystore.ts';
import { BftProcesses } from '../support/bft-processes.ts';
import { until } from '../support/conditions.ts';
import { PROJECT } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { freePorts } from '../support/free-ports.ts';
import { genesisFile, testSecretKey } from '../support/genesis-file.ts';
import { expectedDatadir, folderHash, gethDatadir } from '../support/geth-datadir.ts';
import { writeQuorateCommand } from '../support/quorate-command.ts';
import '../support/install-crypto.ts';
import { type TestPtm, testPtm } from '../support/ptm.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { scratchFolder } from '../support/scratch.ts';
import { exportedSqlite, tesseraFolder } from '../support/tessera-export.ts';

const PATIENCE_MS = 300_000;
const EXPECTED = expectedDatadir();
const folder = scratchFolder('quorate-runbook-');
const children: ChildProcess[] = [];
let network: BftProcesses;
/** The manager that replaces Tessera. */
let manager: TestPtm;

/** The network that the plan describes; the recorded member is from another one. */
beforeAll(async () => {
  manager = await testPtm(1, []);
  network = await BftProcesses.prepare({
    ...{ folder: join(folder, 'network'), kinds: ['q', 'q', 'q', 'q'] },
    genesis: (validators) => genesisFile({ engine: 'qbft', validators }),
  });
  network.introduce(network.nodes);
  await Promise.all(network.nodes.map((node) => network.begin(node)));
}, PATIENCE_MS);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await network?.stopAll();
  await manager?.close();
});

/** Lines of the sections that are wanted. */
function commandsOf(isWanted: (section: string) => boolean): string[] {
  const page = readFileSync(join(PROJECT, 'docs/migration.md'), 'utf8');
  const sections = page.split(/^## /m).filter(isWanted);
  const blocks = sections.flatMap((text) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)]);
  return blocks.flatMap(([, text]) => text!.trim().split('\n'));
}

const isRunbook = (section: string) => section.startsWith('Runbook');

interface Ports {
  readonly rpc: number;
  readonly peers: number;
  readonly q2t: number;
  readonly proxy: number;
}

async function newPorts(): Promise<Ports> {
  const first = await freePorts();
  return { rpc: first, peers: first + 1, q2t: first + 2, proxy: first + 3 };
}

/** With the hosts and ports of this test. */
function here(line: string, { rpc, peers, q2t, proxy }: Ports): string {
  const own = `http://127.0.0.1:${rpc}`;
  return line
    .replace(/http:\/\/node2:8545 http:\/\/127\.0\.0\.1:8545/, `${own} ${own}`)
    .replace(/http:\/\/node(\d):8545/g, (_all, number) => network.node(Number(number)).url)
    .replace('--http.port 8545', `--http.port ${rpc} --port ${peers} --ipcdisable`)
    .replace('http://127.0.0.1:9101', manager.q2tUrl!)
    .replace(
      'quorate ptm --configfile',
      `quorate ptm --override serverConfigs[0].serverAddress=http://127.0.0.1:${q2t} --configfile`,
    )
    .replace('quorate signer --config', `quorate signer --http-listen-port=${proxy} --config`);
}

it('every command works as written', { timeout: PATIENCE_MS }, async () => {
  const cwd = join(folder, 'member');
  mkdirSync(cwd);
  const sources = await writeMember(cwd);
  const before = sources.map(folderHash);
  const ports = await newPorts();
  const commands = commandsOf(isRunbook).map((line) => here(line, ports));
  expect(commands.length).toBeGreaterThan(11);
  await until(
    'the network makes blocks',
    async () => Number(await network.node(1).rpc.call('eth_blockNumber')) > 1,
  );
  const outputs: string[] = [];
  for (const command of commands) outputs.push(await run(command, cwd, ports));
  const all = outputs.join('\n');
  expect(all).toContain('Step 4 of 4');
  expect(all).toContain(`Head: ${EXPECTED.head} ${EXPECTED.hash}`);
  expect(all).toContain('Nothing differs.');
  expect(all).toContain('Payloads: 11 whole. Raw payloads: 1 whole.');
  expect(all).toContain('Keys: 1 loaded');
  expect(all).toMatch(/Manager: 11 payloads/);
  const block = await rpcClient(`http://127.0.0.1:${ports.rpc}`).call<{ hash: string }>(
    'eth_getBlockByNumber',
    `0x${EXPECTED.head.toString(16)}`,
    false,
  );
  expect(block.hash).toBe(EXPECTED.hash);
  expect(sources.map(folderHash)).toEqual(before);
});

it('so do those of the other sections', { timeout: PATIENCE_MS }, async () => {
  const cwd = join(folder, 'other');
  mkdirSync(cwd);
  await writeMember(cwd);
  exportedSqlite(join(cwd, 'payloads.db'));
  const tessera = JSON.parse(readFileSync(join(cwd, 'tessera.json'), 'utf8'));
  tessera.jdbc.url = 'jdbc:sqlite:payloads.db';
  writeFileSync(join(cwd, 'tessera.json'), JSON.stringify(tessera));
  const flags = '--chain-id=1337 --downstream-http-port=22000 multikey-signer --directory=';
  writeFileSync(
    join(cwd, 'web3signer.service'),
    `[Service]\nWorkingDirectory=${cwd}\nExecStart=/opt/web3signer/bin/web3signer --key-store-path=yaml eth1 --chain-id=1337 --downstream-http-port=22000\n`,
  );
  mkdirSync(join(cwd, 'yaml'));
  writeFileSync(
    join(cwd, 'yaml/key.yaml'),
    `type: file-raw\nkeyType: SECP256K1\nprivateKey: "${testSecretKey(7)}"\n`,
  );
  writeFileSync(
    join(cwd, 'docker-compose.yml'),
    `services:\n  signer:\n    image: consensys/ethsigner:22.1.3\n    command: ${flags}/keys\n    volumes: ["./keys:/keys"]\n`,
  );
  const [ports, others] = [await newPorts(), await newPorts()];
  await run(`quorate signer --http-listen-port=${others.proxy} ${flags}keys &`, cwd, others);
  const argv = ['ethsigner', ...`${flags}${cwd}/keys`.split(' ')];
  const old = endsWithTest(
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ...argv], { stdio: 'ignore' }),
  );
  const oldProxy = `--pid ${old.pid} --old http://127.0.0.1:${others.proxy}`;
  const { url } = network.node(1);
  const commands = commandsOf((section) => !isRunbook(section)).map((line) =>
    here(
      line
        .replace('http://127.0.0.1:8545 http://127.0.0.1:9545', `${url} ${url}`)
        .replace('--samples 10000', '--samples 1000')
        .replace('--pid 4711 --old http://127.0.0.1:8545', oldProxy)
        .replace('/data/geth-node', 'geth-node')
        .replace('=/keys', '=keys')
        .replace('/etc/systemd/system/', '')
        .replace('quorate node', 'quorate node --http --http.port 8545')
        // Each is another way to the same file.
        .replace(/^(?=.*--out signer\.yaml)/, 'rm -f signer.yaml; '),
      ports,
    ).replace(/^quorate (node|ptm|signer) .*/, '$& &'),
  );
  expect(commands.length).toBeGreaterThan(12);
  const outputs: string[] = [];
  for (const command of commands) outputs.push(await run(command, cwd, ports));
  const all = outputs.join('\n');
  expect(all.match(/Keys: 1 loaded/g)?.length).toBe(4);
  expect(all).toContain('The old proxy has the same accounts.');
  expect(all).toContain('Payloads: 11 whole. Raw payloads: 1 whole.');
  expect(all).toContain('Nothing differs.');
});

/**
 * Writes the files of GoQuorum, Tessera and EthSigner under the runbook's names. Resolves with the
 * folders that must not change.
 */
async function writeMember(cwd: string): Promise<string[]> {
  const source = gethDatadir(join(cwd, 'recorded'));
  execFileSync('mv', [source, join(cwd, 'geth-node')]);
  copyFileSync(join(cwd, 'geth-node/genesis.json'), join(cwd, 'genesis.json'));
  const tessera = tesseraFolder('mysql-hex');
  for (const name of ['two.key', 'two.pub'])
    copyFileSync(join(tessera.folder, name), join(cwd, name));
  copyFileSync(tessera.config, join(cwd, 'tessera.json'));
  copyFileSync(tessera.dump, join(cwd, 'tessera.sql'));
  const keys = join(cwd, 'keys');
  mkdirSync(keys);
  const secret = fromHex(testSecretKey(7));
  const keystore = await encryptKey(secret, 'a password', { light: true });
  writeFileSync(join(keys, 'key.json'), JSON.stringify(keystore));
  writeFileSync(join(keys, 'password'), 'a password\n');
  writeFileSync(
    join(keys, `${bareHex(addressOfSecretKey(secret))}.toml`),
    '[signing]\ntype = "file-based-signer"\nkey-file = "key.json"\npassword-file = "password"\n',
  );
  writeFileSync(
    join(cwd, 'ethsigner.service'),
    `[Service]\nWorkingDirectory=${cwd}\nExecStart=/opt/ethsigner/bin/ethsigner --chain-id=1337 --downstream-http-port=22000 multikey-signer --directory=keys\n`,
  );
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeQuorateCommand(bin);
  return [join(cwd, 'geth-node'), keys];
}

async function run(command: string, cwd: string, { rpc, q2t, proxy }: Ports): Promise<string> {
  const up: Readonly<Record<string, () => Promise<unknown>>> = {
    node: () => rpcClient(`http://127.0.0.1:${rpc}`).call('eth_blockNumber'),
    ptm: () => fetch(`http://127.0.0.1:${q2t}/upcheck`),
    signer: () => fetch(`http://127.0.0.1:${proxy}/upcheck`),
  };
  const isServer = command.endsWith('&');
  const line = isServer ? `exec ${command.slice(0, -1)}` : command;
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const child = endsWithTest(
    spawn('sh', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  if (isServer) {
    children.push(child);
    const [, name] = command.split(' ') as [string, string];
    await until(`${command} answers`, async () => {
      if (child.exitCode !== null) throw new Error(output);
      await up[name]!();
      return true;
    });
    return output;
  }
  const status = await new Promise((done) => child.once('close', done));
  expect(status, `${command}\n${output}`).toBe(0);
  return output;
}

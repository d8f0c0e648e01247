/**
 * What blocks of the documentation need beside a devnet: a vault, a payment provider, GoQuorum's
 * folder, a manager with two members. With them the commands run as written, except for what each
 * block leaves to its reader, such as addresses, and for ports and folders.
 */
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './conditions.ts';
import { MAIN, PROJECT } from './devnet.ts';
import { type FakeStripe, STRIPE_SECRET, startFakeStripe } from './fake-stripe.ts';
import { testSecretKey } from './genesis-file.ts';
import { gethDatadir } from './geth-datadir.ts';
import { endsWithProcess } from './own-processes.ts';
import { writeStandIns } from './stand-in-programs.ts';
import { type StandInVault, standInVault } from './stand-in-vault.ts';

export interface Needs {
  readonly vault: StandInVault;
  readonly stripe: FakeStripe;
  /** How a block that needs something is typed in here, by what it needs. */
  readonly here: Readonly<Record<string, (block: string) => string>>;
  close(): Promise<void>;
}

interface Place {
  /** The blocks are typed in here; `.quorate` in it is the devnet's folder. */
  readonly folder: string;
  /** Of programs that are not `quorate`. */
  readonly bin: string;
  /** The first of six free ports. */
  readonly port: number;
}

export async function prepareNeeds({ folder, bin, port }: Place): Promise<Needs> {
  const [vault, stripe] = [await standInVault(new Map()), await startFakeStripe()];
  const { nodes, accounts } = JSON.parse(
    readFileSync(join(folder, '.quorate/devnet.json'), 'utf8'),
  );
  const source = gethDatadir(join(folder, 'recorded'));
  symlinkSync(source, join(folder, 'DIR'));
  copyFileSync(join(source, 'genesis.json'), join(folder, 'genesis.json'));
  symlinkSync(join(PROJECT, 'deploy'), join(folder, 'deploy'));
  writePlugins(folder, vault);
  writeNodeKey(folder);
  writeStripe(folder);
  mkdirSync(join(folder, 'data'));
  const enodes = JSON.stringify(nodes.map(({ enode }: { enode: string }) => enode));
  writeFileSync(join(folder, 'data/static-nodes.json'), enodes);
  // The migrated folder has the chain of the one that GoQuorum would export.
  const exports = 'shift 3; exec quorate export --datadir NEW "$@"';
  writeStandIns(bin, ['prometheus', 'promtool', 'geth'], { geth: exports });
  const manager = await startManager(folder, port);
  const [first, second] = accounts.map(({ address }: { address: string }) => address);
  return {
    ...{ vault, stripe },
    here: {
      addresses: (block) =>
        block.replace('--from 0x…', `--from ${first}`).replace('0x…,0x…', `${first},${second}`),
      configuration: (block) =>
        `${block.trim().replaceAll(' /etc/', ' etc/')} --stripe.url ${stripe.url}`,
      goquorum: (block) => block,
      key: (block) =>
        block
          .replaceAll('8555', `${port + 2}`)
          .replace(/^quorate signer .*$/m, `QUORATE_MOMENT= $& > signer.log 2>&1 &\n${WHEN_UP}`)
          .replace(' ...', ' --datadir keyless --genesis genesis.json\nkill $!'),
      machines: (block) =>
        block
          .replaceAll('10.0.0.7', '127.0.0.1')
          .replace(/(?<=enode:\/\/)\.\.\.(?=@)/, /enode:\/\/(\w+)@/.exec(nodes[0].enode)![1]!)
          .replaceAll(/--datadir (\w)\b/g, '$& --genesis genesis.json'),
      network: (block) =>
        block.includes('--dev.members')
          ? block
              .replace('http://127.0.0.1:9101', manager.url)
              .replace('alice=8545,bob=8546', `alice=${port + 3},bob=${port + 4}`)
          : block,
      prometheus: (block) => block,
      vault: (block) =>
        block
          .replace('HASHICORP_ROLE_ID=... HASHICORP_SECRET_ID=...', ROLE)
          .replaceAll('file:///data/', `file://${folder}/`),
    },
    async close() {
      vault.close();
      manager.end();
      await stripe.close();
    },
  };
}

const ROLE = 'HASHICORP_ROLE_ID=role HASHICORP_SECRET_ID=secret-id';
const WHEN_UP = "until grep -q ' is up ' signer.log; do kill -0 $!; sleep 0.1; done";

function writePlugins(folder: string, vault: StandInVault): void {
  mkdirSync(join(folder, 'accounts'));
  const authentication = {
    roleId: 'env://HASHICORP_ROLE_ID',
    secretId: 'env://HASHICORP_SECRET_ID',
    approlePath: 'env://HASHICORP_APPROLE',
  };
  const accountDirectory = `file://${join(folder, 'accounts')}`;
  const config = { vault: vault.url, kvEngineName: 'kv', accountDirectory, authentication };
  const account = { name: 'quorum-account-plugin-hashicorp-vault', version: '0.2.0', config };
  writeFileSync(join(folder, 'plugins.json'), JSON.stringify({ providers: { account } }));
  writeFileSync(join(folder, 'key.txt'), testSecretKey(9).replace('0x', ''));
}

function writeNodeKey(folder: string): void {
  mkdirSync(join(folder, 'node-keys'));
  const key = `type: file-raw\nkeyType: SECP256K1\nprivateKey: "${testSecretKey(8)}"\n`;
  writeFileSync(join(folder, 'node-keys/node.yaml'), key);
}

/** The offer of docs/ramp.md, with Stripe as docs/ramp.md says. */
function writeStripe(folder: string): void {
  const page = readFileSync(join(PROJECT, 'docs/ramp.md'), 'utf8');
  const [, offer] = /^```\w+ file=ramp\.json\n([\s\S]*?)^```$/m.exec(page)!;
  writeFileSync(join(folder, 'ramp.json'), offer!.replaceAll('"sandbox"', '"stripe"'));
  writeFileSync(join(folder, 'aggregator-hash-secret'), '5a'.repeat(32));
  mkdirSync(join(folder, 'etc/quorate'), { recursive: true });
  writeFileSync(join(folder, 'etc/quorate/stripe-key'), 'sk_test_of_these_tests');
  writeFileSync(join(folder, 'etc/quorate/stripe-webhook'), STRIPE_SECRET);
}

/** With the groups alice and bob. */
async function startManager(folder: string, port: number) {
  const names = ['alice', 'bob'];
  const keygen = [MAIN, 'ptm', 'keygen', '-filename', names.join()];
  execFileSync(process.execPath, keygen, { cwd: folder, stdio: 'pipe' });
  const url = `http://127.0.0.1:${port}`;
  const peers = `http://127.0.0.1:${port + 1}`;
  const config = {
    serverConfigs: [
      { app: 'Q2T', enabled: true, serverAddress: url },
      { app: 'P2P', enabled: true, serverAddress: peers },
    ],
    peer: [{ url: peers }],
    keys: {
      keyData: names.map((name) => ({
        privateKeyPath: `${name}.key`,
        publicKeyPath: `${name}.pub`,
      })),
    },
    features: { enableMultiplePrivateStates: true },
    residentGroups: names.map((name) => ({
      ...{ name, description: name },
      members: [readFileSync(join(folder, `${name}.pub`), 'utf8').trim()],
    })),
    quorate: { dataDir: 'members' },
  };
  writeFileSync(join(folder, 'members.json'), JSON.stringify(config));
  const args = [MAIN, 'ptm', '--configfile', 'members.json'];
  const child = endsWithProcess(spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' }));
  await until('the manager answers', async () => (await fetch(`${url}/upcheck`)).ok);
  return { url, end: () => void child.kill() };
}

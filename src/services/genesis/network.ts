/**
 * The files of a new network, in the layout of quorum-genesis-tool: a folder for each node, and
 * goQuorum/ with shared files.
 */
import { fail } from '../../core/base/errors.ts';
import { bareHex, toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey, secp256k1 } from '../../core/base/secp256k1.ts';
import { checkStart } from '../../core/chain/check-start.ts';
import { encodeIbftExtra, encodeQbftExtra, ISTANBUL_DIGEST } from '../../core/chain/extra-data.ts';
import { FORKS_FROM_START } from '../../core/chain/forks-from-start.ts';
import { parseGenesis } from '../../core/chain/genesis.ts';
import { encryptKey } from '../../io/keys/keystore.ts';
import { newSecretKey } from '../../io/keys/node-key.ts';
import type { NetworkPlan } from './options.ts';

/** Maximum number of nodes: encrypting each account takes a second. */
const NODES_MAX = 1_000;
const VANITY = new Uint8Array(32);
/** Placeholder for the node's address. */
const HOST = '<HOST>';
/** The accounts of quorum-dev-quickstart, whose keys are public. */
const TEST_ACCOUNTS = [
  'fe3b557e8fb62b89f4916b721be55ceb828dbd73',
  'f17f52151EbEF6C7334FAD080c5704D77216b732',
  '627306090abaB3A6e1400e9345bC60c78a8BEf57',
];
const TEST_FUNDS = {
  balance: '90000000000000000000000',
  comment: 'test account of quorum-dev-quickstart: its key is public, remove it before production',
};

export interface NetworkFile {
  /** Relative to the folder of the network. */
  readonly path: string;
  readonly content: string;
  /** Readable only by its owner. */
  readonly isSecret: boolean;
}

/** Keys of a private transaction manager, in Tessera's files. */
export type ManagerKeys = (password: string | undefined) => Promise<{
  readonly publicKey: string;
  readonly keyFile: string;
}>;

interface NodeKeys {
  readonly folder: string;
  readonly secretKey: Uint8Array;
  readonly accountKey: Uint8Array;
}

/** Throws OPTION_VALUE_INVALID and GENESIS_INVALID. */
export async function makeNetwork(
  plan: NetworkPlan,
  managerKeys: ManagerKeys,
): Promise<NetworkFile[]> {
  checkPlan(plan);
  const bootnodes = keysOf('bootnode', plan.bootnodes);
  const members = keysOf('member', plan.members);
  const validators = keysOf('validator', plan.validators);
  const all = [...validators, ...bootnodes, ...members];
  const genesis = `${JSON.stringify(genesisOf(plan, validators, all), null, 2)}\n`;
  // A genesis that nodes would refuse is not written.
  checkStart(parseGenesis(genesis));
  const enodes = all.map(({ secretKey }) => enodeOf(secretKey));
  const shared = { 'static-nodes': enodes, 'permissioned-nodes': enodes, 'disallowed-nodes': [] };
  const files: NetworkFile[] = [
    open('goQuorum/genesis.json', genesis),
    ...Object.entries(shared).map(([name, list]) =>
      open(`goQuorum/${name}.json`, `${JSON.stringify(list, null, 2)}\n`),
    ),
    open('README.md', readme(plan)),
    open('userData.json', `${JSON.stringify(userData(plan), null, 2)}\n`),
  ];
  for (const keys of all) files.push(...(await nodeFiles(keys, plan.accountPassword)));
  if (plan.hasManagers)
    for (const { folder } of members)
      files.push(...(await managerFiles(folder, plan, managerKeys)));
  return files;
}

function checkPlan(plan: NetworkPlan): void {
  const { bootnodes, validators, members, consensus } = plan;
  const wrong = (flag: string, why: string) => fail('OPTION_VALUE_INVALID', `--${flag}: ${why}`);
  const flags = { bootnodes, validators, members };
  for (const [flag, count] of Object.entries(flags))
    if (count < 0) throw wrong(flag, `${count} is negative`);
  if (bootnodes + validators + members > NODES_MAX)
    throw wrong('validators', `more than ${NODES_MAX} nodes: create them in several runs`);
  if (validators === 0)
    throw wrong(
      'validators',
      'a chain without validators makes no blocks: give 1 or more, preferably 4',
    );
  if (consensus !== 'raft' && plan.difficulty !== 1)
    throw wrong('difficulty', `it must be 1 on a chain of validators, not ${plan.difficulty}`);
}

function keysOf(name: string, count: number): NodeKeys[] {
  return Array.from({ length: count }, (_, at) => ({
    folder: `${name}${at}`,
    secretKey: newSecretKey(),
    accountKey: newSecretKey(),
  }));
}

/** 64 bytes in hex. */
function publicKeyOf(secretKey: Uint8Array): string {
  return bareHex(secp256k1().publicKey(secretKey));
}

function enodeOf(secretKey: Uint8Array): string {
  return `enode://${publicKeyOf(secretKey)}@${HOST}:30303?discport=0&raftport=53000`;
}

function genesisOf(plan: NetworkPlan, validators: readonly NodeKeys[], all: readonly NodeKeys[]) {
  const funded = all.map(({ accountKey }) => [
    toHex(addressOfSecretKey(accountKey)),
    { balance: plan.nodeFunds },
  ]);
  return {
    nonce: '0x0',
    timestamp: '0x58ee40ba',
    extraData: toHex(extraDataOf(plan, validators)),
    gasLimit: plan.gasLimit,
    gasUsed: '0x0',
    number: '0x0',
    difficulty: `0x${plan.difficulty.toString(16)}`,
    coinbase: plan.coinbase,
    mixHash: toHex(ISTANBUL_DIGEST),
    parentHash: toHex(VANITY),
    config: {
      chainId: plan.chainId,
      ...FORKS_FROM_START,
      eip150Hash: toHex(VANITY),
      isQuorum: true,
      maxCodeSizeConfig: [{ block: 0, size: plan.maxCodeSize }],
      txnSizeLimit: plan.txnSizeLimit,
      ...engineOf(plan),
    },
    alloc: {
      ...(plan.hasTestAccounts
        ? Object.fromEntries(TEST_ACCOUNTS.map((address) => [address, TEST_FUNDS]))
        : {}),
      ...Object.fromEntries(funded),
      ...allocOf(plan.alloc),
    },
  };
}

function engineOf(plan: NetworkPlan): object {
  const shared = {
    policy: 0,
    // GoQuorum reads the second; quorum-genesis-tool writes only the first, which has no effect.
    epoch: plan.epochLength,
    epochlength: plan.epochLength,
    ceil2Nby3Block: 0,
    blockperiodseconds: plan.blockPeriod,
    requesttimeoutseconds: plan.requestTimeout,
    ...(plan.blockPeriodMs !== undefined && { xblockperiodmilliseconds: plan.blockPeriodMs }),
    ...(plan.requestTimeoutMs !== undefined && {
      xrequesttimeoutmilliseconds: plan.requestTimeoutMs,
    }),
  };
  if (plan.consensus === 'ibft') return { ibft: shared };
  if (plan.consensus === 'raft') return {};
  return {
    qbft: { ...shared, testQBFTBlock: 0, emptyblockperiodseconds: plan.emptyBlockPeriod },
  };
}

function extraDataOf({ consensus }: NetworkPlan, nodes: readonly NodeKeys[]): Uint8Array {
  if (consensus === 'raft') return VANITY;
  const validators = nodes.map(({ secretKey }) => addressOfSecretKey(secretKey));
  const shared = { vanity: VANITY, validators, seals: [] };
  return consensus === 'ibft'
    ? encodeIbftExtra({ ...shared, proposerSeal: new Uint8Array(0) })
    : encodeQbftExtra({ ...shared, vote: undefined, round: 0 });
}

function allocOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw fail(
    'OPTION_VALUE_INVALID',
    '--alloc: it is not JSON such as {"0x…": {"balance": "100000"}}',
  );
}

async function nodeFiles(keys: NodeKeys, password: string): Promise<NetworkFile[]> {
  const { folder, secretKey, accountKey } = keys;
  // A password stored in a readable file next to the key does not justify a second of key
  // derivation.
  const keystore = await encryptKey(accountKey, password, { light: password === '' });
  const at = (name: string) => `${folder}/${name}`;
  return [
    secret(at('nodekey'), bareHex(secretKey)),
    open(at('nodekey.pub'), publicKeyOf(secretKey)),
    open(at('address'), bareHex(addressOfSecretKey(secretKey))),
    secret(at('accountKeystore'), JSON.stringify(keystore)),
    secret(at('accountPassword'), password),
    secret(at('accountPrivateKey'), toHex(accountKey)),
    open(at('accountAddress'), toHex(addressOfSecretKey(accountKey))),
  ];
}

async function managerFiles(
  folder: string,
  { managerPassword: password }: NetworkPlan,
  managerKeys: ManagerKeys,
): Promise<NetworkFile[]> {
  const isLocked = password !== '';
  const { publicKey, keyFile } = await managerKeys(isLocked ? password : undefined);
  const at = (name: string) => `${folder}/${name}`;
  const config = `${JSON.stringify(managerConfig(isLocked), null, 2)}\n`;
  return [
    secret(at('tessera.key'), keyFile),
    open(at('tessera.pub'), publicKey),
    open(at('tessera-config.json'), config),
    ...(isLocked ? [secret(at('passwordFile.txt'), password)] : []),
  ];
}

function managerConfig(isLocked: boolean): object {
  const server = (app: string, port: number) => ({
    app,
    serverAddress: `http://${HOST}:${port}`,
    communicationType: 'REST',
  });
  return {
    useWhiteList: false,
    jdbc: { username: 'sa', password: '', url: 'jdbc:h2:./data/tm/db', autoCreateTables: true },
    serverConfigs: [server('ThirdParty', 9080), server('Q2T', 9101), server('P2P', 9000)],
    peer: [{ url: `http://${HOST}:9000` }],
    keys: {
      ...(isLocked ? { passwordFile: './passwordFile.txt' } : {}),
      keyData: [{ privateKeyPath: './tessera.key', publicKeyPath: './tessera.pub' }],
    },
    alwaysSendTo: [],
  };
}

/** The settings without passwords, under the names of quorum-genesis-tool. */
function userData(plan: NetworkPlan): object {
  const { accountPassword: _, managerPassword: __, ...settings } = plan;
  const { chainId, blockPeriod, blockPeriodMs, requestTimeoutMs, ...rest } = settings;
  const { hasManagers, hasTestAccounts, nodeFunds, alloc, ...others } = rest;
  return {
    ...others,
    chainID: chainId,
    blockperiod: blockPeriod,
    blockPeriodMilliseconds: blockPeriodMs,
    requestTimeoutMilliseconds: requestTimeoutMs,
    tesseraEnabled: hasManagers,
    quickstartDevAccounts: hasTestAccounts,
    genesisNodeAllocation: nodeFunds,
    prefundedAccounts: alloc,
  };
}

function readme({ consensus, hasManagers }: NetworkPlan): string {
  const flags = consensus === 'raft' ? '--raft --raftport 53000' : '--mine';
  return `# A ${consensus.toUpperCase()} network

| file | what it is |
| --- | --- |
| goQuorum/genesis.json | the chain: the same for all nodes |
| goQuorum/static-nodes.json, permissioned-nodes.json | all nodes: replace ${HOST} by the address of each, then copy the files into the data folders |
| */nodekey | the key of a node: secret, it goes into the node's data folder |
| */nodekey.pub, address | its public key, of the enode URL; its address, of votes |
| */accountKeystore, accountPassword | an account: goes into the folder keystore of the data folder |
| */accountPrivateKey | its key in clear: for wallets, or to be removed |
${hasManagers ? '| member*/tessera.key, tessera.pub, tessera-config.json | keys and configuration of its private transaction manager: quorate ptm --configfile |\n' : ''}
A validator starts with:

    quorate init --datadir data goQuorum/genesis.json
    cp validator0/nodekey goQuorum/static-nodes.json data/
    quorate node --datadir data ${flags} --http
`;
}

function open(path: string, content: string): NetworkFile {
  return { path, content, isSecret: false };
}

function secret(path: string, content: string): NetworkFile {
  return { path, content, isSecret: true };
}

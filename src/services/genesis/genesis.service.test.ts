/**
 * New networks: their files belong together, nodes start with them, and mistakes are reported
 * before anything is written.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { bareHex, fromHex, toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey } from '../../core/base/secp256k1.ts';
import { readBftExtra } from '../../core/chain/extra-data.ts';
import { parseGenesis } from '../../core/chain/genesis.ts';
import { decryptKey } from '../../io/keys/keystore.ts';
import { askAll } from './questions.ts';

const root = scratchFolder('quorate-genesis-');
let networks = 0;

async function made(...argv: string[]) {
  const folder = join(root, `network${networks++}`);
  const flags = ['--outputPath', folder, '--noOutputTimestamp', ...argv];
  const { status, lines } = await commandRun('genesis', ...flags);
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  return { folder, status, text: lines.join('\n'), read };
}

it.each(['qbft', 'ibft', 'raft'])(
  '%s: the files fit together, and init takes them',
  async (name) => {
    const few = ['--validators', '2', '--members', '1', '--bootnodes', '1', '--chainID', '4242'];
    const epoch = ['--epochLength', '777'];
    const { folder, status, read } = await made('--consensus', name, ...few, ...epoch);
    expect(status).toBe(0);
    const nodes = ['validator0', 'validator1', 'bootnode0', 'member0'];
    expect(readdirSync(folder).sort()).toEqual(
      ['README.md', 'goQuorum', 'userData.json', ...nodes].sort(),
    );
    const genesis = JSON.parse(read('goQuorum/genesis.json'));
    expect(genesis.config.chainId).toBe(4242);
    const enodes: string[] = JSON.parse(read('goQuorum/static-nodes.json'));
    expect(JSON.parse(read('goQuorum/permissioned-nodes.json'))).toEqual(enodes);
    for (const [at, node] of nodes.entries()) {
      const address = addressOfSecretKey(fromHex(read(`${node}/nodekey`)));
      expect(bareHex(address)).toBe(read(`${node}/address`));
      const host = '<HOST>:30303?discport=0&raftport=53000';
      expect(enodes[at]).toBe(`enode://${read(`${node}/nodekey.pub`)}@${host}`);
      const key = await decryptKey(JSON.parse(read(`${node}/accountKeystore`)), '');
      expect(toHex(key)).toBe(read(`${node}/accountPrivateKey`));
      expect(genesis.alloc[read(`${node}/accountAddress`)].balance).toBe(
        '1000000000000000000000000000',
      );
      for (const secret of ['nodekey', 'accountKeystore', 'accountPrivateKey', 'accountPassword'])
        expect(statSync(join(folder, node, secret)).mode & 0o777).toBe(0o600);
    }
    const validators = readBftExtra(fromHex(genesis.extraData))?.validators.map(bareHex);
    expect(validators).toEqual(
      name === 'raft' ? undefined : [read('validator0/address'), read('validator1/address')],
    );
    const config = parseGenesis(read('goQuorum/genesis.json')).config;
    expect(config.qbft?.epoch ?? config.ibft?.epoch).toBe(name === 'raft' ? undefined : 777);
    const file = join(folder, 'goQuorum/genesis.json');
    const sound = await commandRun('genesis', 'validate', file);
    expect([sound.status, sound.lines[0]]).toEqual([0, expect.stringContaining('is sound')]);
    const begun = await commandRun('init', '--datadir', join(folder, 'data'), file);
    expect([begun.status, begun.lines.join()]).toEqual([
      0,
      expect.stringContaining('Wrote genesis'),
    ]);
  },
);

it('one validator alone serves with its files', async () => {
  const { folder } = await made('--validators', '1', '--members', '0', '--bootnodes', '0');
  const data = join(folder, 'data');
  await commandRun('init', '--datadir', data, join(folder, 'goQuorum/genesis.json'));
  const flags = ['--nodekey', join(folder, 'validator0/nodekey'), '--port', '0', '--ipcdisable'];
  const { status } = await commandRun('node', '--datadir', data, '--mine', ...flags);
  expect(status).toBe('serving');
});

it('managers: keys in the files of Tessera, and test accounts', async () => {
  const { read } = await made(
    ...['--validators', '1', '--bootnodes', '0', '--members', '1', '--tesseraEnabled'],
    ...['--quickstartDevAccounts', '--alloc', `{"0x${'22'.repeat(20)}":{"balance":"7"}}`],
  );
  expect(JSON.parse(read('member0/tessera.key')).type).toBe('unlocked');
  expect(Buffer.from(read('member0/tessera.pub'), 'base64').length).toBe(32);
  expect(JSON.parse(read('member0/tessera-config.json')).keys.keyData).toHaveLength(1);
  const { alloc } = JSON.parse(read('goQuorum/genesis.json'));
  expect(alloc[`0x${'22'.repeat(20)}`].balance).toBe('7');
  expect(alloc.fe3b557e8fb62b89f4916b721be55ceb828dbd73.balance).toBe('90000000000000000000000');
});

it.each<[readonly string[], string]>([
  [['--validators', '0'], 'a chain without validators makes no blocks'],
  [['--validators', '2000'], 'more than 1000 nodes'],
  [['--difficulty', '5'], 'it must be 1 on a chain of validators, not 5'],
  [['--alloc', '{x'], '--alloc: it is not JSON'],
  [['--alloc', '{"x":{"balance":"1"}}'], 'alloc: "x" is not an address'],
  [['--txnSizeLimit', '500'], 'Genesis transaction size limit must be between 32 and 128'],
  [['--maxCodeSize', '1'], 'Genesis max code size must be between 24 and 128'],
  [['--chainID', '1'], 'Cannot have chain id or network id as 1'],
  [['--gasLimit', 'much'], 'gasLimit is not an unsigned integer'],
  [['--blockPeriodMilliseconds', '20'], 'it takes 50 to 1000 milliseconds'],
  [['--requestTimeoutMilliseconds', '20'], 'it takes 100 to 60000 milliseconds'],
  [
    ['--consensus', 'ibft', '--blockPeriodMilliseconds', '200'],
    'only QBFT makes blocks more often',
  ],
  [['--consensus', 'clique'], 'expected one of qbft, ibft, raft'],
])('%j is refused, and nothing is written', async (argv, why) => {
  const few = argv[0] === '--validators' ? [] : ['--validators', '1'];
  const { folder, status, text } = await made(
    ...few,
    '--members',
    '0',
    '--bootnodes',
    '0',
    ...argv,
  );
  expect(text).toContain(why);
  expect(status).not.toBe(0);
  expect(existsSync(folder)).toBe(false);
});

it('keys are never written over', async () => {
  const one = ['--validators', '1', '--members', '0', '--bootnodes', '0'];
  const { folder, read } = await made(...one);
  const key = read('validator0/nodekey');
  const again = await commandRun(
    ...['genesis', '--outputPath', folder, '--noOutputTimestamp', ...one],
  );
  expect(again.status).toBe(1);
  expect(again.lines.join('\n')).toContain('exists: name another --outputPath');
  expect(read('validator0/nodekey')).toBe(key);
});

it('a mistake in a file is reported with status 1', async () => {
  const { folder, read } = await made('--validators', '1', '--members', '0', '--bootnodes', '0');
  const file = { ...JSON.parse(read('goQuorum/genesis.json')), extraData: '0x00', difficulty: 'x' };
  const path = join(folder, 'bad.json');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(path, JSON.stringify(file));
  const { status, lines } = await commandRun('genesis', 'validate', path);
  expect(status).toBe(1);
  expect(lines.join('\n')).toContain('difficulty is not an unsigned integer');
  expect(lines.join('\n')).toContain('invalid extra data format');
});

it('the questions of quorum-genesis-tool, in its order, so that piped answers mean the same', async () => {
  const asked = async (choice: string) => {
    const prompts: string[] = [];
    const ask = async (prompt: string) => (prompts.push(prompt) === 1 ? choice : '');
    await askAll({ ask, say: () => {} });
    const [menu, ...rest] = prompts.map((prompt) => prompt.split(/: | value|\n\t/));
    return { menu: menu!.slice(2), rest: rest.map(([begin]) => begin) };
  };
  const { menu, rest: qbft } = await asked('3');
  expect(menu).toEqual(['1. IBFT1', '2. IBFT2', '3. QBFT', '4. Clique', '5. RAFT']);
  expect(qbft).toEqual([
    ...['Set your chainID', 'Set your blockperiodseconds', 'Set your emptyblockperiodseconds'],
    ...['Set your requestTimeoutSeconds', 'Set your epoch length', 'Set your difficulty'],
    ...['Set your gas limit', 'Set your coinbase address for rewards', 'Set your max code size'],
    'Set your transaction size limit',
    ...['bootnode', 'validator', 'member'].map(
      (kind) => `Choose number of ${kind} node keys to generate`,
    ),
    ...['Use a private transaction manager?', 'Set the password of its keys'],
    ...['Set your account password', 'Include quorum-dev-quickstart test accounts'],
    'Balance allocated to each nodes',
    "Include JSON format of the prefunded account {'address'",
    'Set your output path for the artifacts',
  ]);
  const onlyQbft = ['Set your emptyblockperiodseconds', 'Balance allocated to each nodes'];
  const ibft = qbft.filter((one) => !onlyQbft.includes(one!));
  expect((await asked('1')).rest).toEqual(ibft);
  expect((await asked('5')).rest).toEqual([ibft[0], ...ibft.slice(4)]);
});

it('flags are written as quorum-genesis-tool reads them', async () => {
  const few = ['--validators', '1', '--members', '1', '--bootnodes', '0'];
  const { status, read } = await made(
    ...['--consensus', 'QBFT', '--tesseraEnabled', 'true', '--quickstartDevAccounts', 'false'],
    ...[...few, '--accountPassword', 'of the test'],
  );
  expect(status).toBe(0);
  const data = JSON.parse(read('userData.json'));
  expect(data).toMatchObject({
    ...{ consensus: 'qbft', chainID: 1337, blockperiod: 5, emptyBlockPeriod: 60 },
    ...{ requestTimeout: 10, epochLength: 30_000, validators: 1, tesseraEnabled: true },
    ...{ quickstartDevAccounts: false, prefundedAccounts: '{}' },
    genesisNodeAllocation: '1000000000000000000000000000',
  });
  expect(JSON.stringify(data)).not.toContain('of the test');
});

it('questions: defaults, answers, what is not understood, an end too early', async () => {
  const talk = (answers: readonly string[]) => {
    const left = [...answers];
    const said: string[] = [];
    return { said, say: (text: string) => said.push(text), ask: async () => left.shift() };
  };
  expect(await askAll(talk(Array(30).fill('')))).toEqual(['--consensus', 'qbft']);
  const other = talk(['9', '4', '1', 'many', '77', ...Array(30).fill('')]);
  expect(await askAll(other)).toEqual(['--consensus', 'ibft', '--chainID=77']);
  expect(other.said).toEqual([
    '"9" is none of them: answer 1, 3 or 5.',
    'nodes refuse such a chain: answer 1, 3 or 5.',
    'Enter a whole number, or nothing for the default.',
  ]);
  const raft = talk(['5', ...Array(9).fill(''), 'y', ...Array(20).fill('')]);
  expect(await askAll(raft)).toEqual(['--consensus', 'raft', '--tesseraEnabled=true']);
  expect(await askAll(talk(['']))).toBeUndefined();
});

/**
 * The console's scripts over recorded replies, compared with what GoQuorum's own console printed
 * for each statement over the same replies.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JsConsole } from './js-console.ts';

interface Golden {
  readonly replies: Readonly<Record<string, unknown>>;
  readonly cases: readonly { readonly exec: string; readonly stdout: string }[];
}

const DATA = new URL('../../../test/vectors/data/goquorum/console.json', import.meta.url);
const { replies, cases } = JSON.parse(readFileSync(DATA, 'utf8')) as Golden;

interface Call {
  readonly id: number;
  readonly method: string;
}

function replyTo({ id, method }: Call): object {
  const result = replies[method];
  if (result !== undefined) return { jsonrpc: '2.0', id, result };
  const message = `the method ${method} does not exist/is not available`;
  return { jsonrpc: '2.0', id, error: { code: -32_601, message } };
}

function openConsole(secrets: string[] = [], onWrite: (text: string) => void = () => {}) {
  const asked: Call[] = [];
  let text = '';
  const console = new JsConsole({
    modules: Object.keys(replies.rpc_modules as object),
    ask(request) {
      const calls = JSON.parse(request) as Call | Call[];
      asked.push(...[calls].flat());
      const reply = Array.isArray(calls) ? calls.map(replyTo) : replyTo(calls);
      return { id: 1, reply: JSON.stringify(reply) };
    },
    write: (piece) => {
      text += piece;
      onWrite(piece);
    },
    askSecret: () => secrets.shift(),
    clearHistory: () => 'history file deleted',
    folder: '/nonexistent',
    isColoured: false,
    guarded: (run) => run(),
  });
  const said = (code: string): string => {
    text = '';
    console.evaluate(code);
    return text;
  };
  return { console, asked, said };
}

/** Here the place of an error has another form than in GoQuorum. */
const withoutPlaces = (text: string): string => text.replace(/^\tat .*\n/gm, '');

describe('statements as GoQuorum 24.4.1 answers them', () => {
  it.each(cases.map(({ exec, stdout }) => [exec, stdout]))('%s', (exec, stdout) => {
    expect(withoutPlaces(openConsole().said(exec))).toBe(stdout);
  });
});

describe('scripts', () => {
  it('keeps what a line has declared for the next, and says where an error came about', () => {
    const { said } = openConsole();
    said('var a = 1; let b = 2; function broken() { throw new TypeError("no") }');
    expect(said('a + b')).toBe('3\n');
    expect(said('broken()')).toBe('TypeError: no\n\tat broken (<eval>:1:49)\n\tat <eval>:1:1\n\n');
  });

  it('reaches nothing of the program around it through what it is given', () => {
    const { said } = openConsole();
    const escapes = [
      'console.log.constructor("return typeof process")()',
      'eth.getBalance.constructor("return typeof process")()',
      'web3.currentProvider.send.constructor("return typeof process")()',
      'admin.sleep.constructor("return typeof process")()',
      'setTimeout(function () {}).constructor.constructor("return typeof process")()',
      'try { loadScript("x") } catch (e) { e.constructor.constructor("return typeof process")() }',
      'try { loadScript({ toString: null }) } catch (e) { e.constructor.constructor("return typeof process")() }',
      'var deep = function () { try { deep() } catch (e) { web3.sha3("a"); throw e } }; try { deep() } catch (e) { e.constructor.constructor("return typeof process")() }',
      'eth.getBlock(1).constructor.constructor("return typeof process")()',
      '__step.constructor("return typeof process")()',
    ];
    for (const way of escapes) expect(said(way), way).toBe('"undefined"\n');
  });

  it('decodes what a contract answers, tuples and text too, and refuses a list that is longer than its data', () => {
    const { said } = openConsole();
    said(`var f = function (outputs, data) {
      eth.call = function () { return data };
      var abi = [{ type: 'function', name: 'f', stateMutability: 'view', inputs: [], outputs: outputs }];
      return eth.contract(abi).at('0x1932c48b2bf8102ba33b4a6b545c32236e342f34').f() }`);
    const word = (value: string): string => value.padStart(64, '0');
    const text = `${word('2')}${'6869'.padEnd(64, '0')}`;
    const tuple = `0x${word('20')}${word('7')}${word('40')}${text}`;
    const outputs = [
      {
        type: 'tuple',
        components: [
          { name: 'n', type: 'uint256' },
          { name: 's', type: 'string' },
        ],
      },
    ];
    expect(said(`f(${JSON.stringify(outputs)}, '${tuple}')`)).toBe('[7, "hi"]\n');
    const list = `0x${word('20')}${word('ffffffff')}`;
    expect(said(`f([{ type: 'uint256[]' }], '${list}')`)).toContain('longer than the data');
    expect(said(`f([{ type: 'uint256' }], '0x')`)).toBe('0\n');
  });

  it('asks for passwords unseen, and sends what was typed', () => {
    const { asked, said } = openConsole(['secret', 'secret', 'one', 'other', 'pass']);
    said('personal.newAccount()');
    expect(asked.at(-1)).toMatchObject({ method: 'personal_newAccount', params: ['secret'] });
    expect(said('personal.newAccount()')).toBe(
      "GoError: passwords don't match!\n\tat <eval>:1:10\n\n",
    );
    const account = '0xed9d02e382b34818e88b88a309c7fe71e65f419d';
    expect(said(`personal.unlockAccount("${account}")`)).toContain(`Unlock account ${account}\n`);
    expect(asked.at(-1)).toMatchObject({ params: [account, 'pass', null] });
    expect(said(`personal.sign("0x01", "${account}")`)).toContain('GoError: prompt aborted');
  });

  it('completes names, with a bracket or a dot behind what is whole', () => {
    const { console } = openConsole();
    expect(console.complete('eth.getBloc')).toEqual([
      'eth.getBlock',
      'eth.getBlockByHash',
      'eth.getBlockByNumber',
      'eth.getBlockNumber',
      'eth.getBlockTransactionCount',
      'eth.getBlockUncleCount',
    ]);
    expect(console.complete('istanbul.propose')).toEqual(['istanbul.propose(']);
    expect(console.complete('istan')).toEqual(['istanbul']);
    expect(console.complete('istanbul')).toEqual(['istanbul.']);
    expect(console.complete('nothing.here')).toEqual([]);
  });

  it('watches a contract that it deploys until its code is there', async () => {
    let told = (_text: string): void => {};
    const deployed = new Promise<string>((resolve) => {
      told = (text) => text.startsWith('deployed') && resolve(text);
    });
    const { console, said } = openConsole([], (text) => told(text));
    const receipt = { contractAddress: '0x1932c48b2bf8102ba33b4a6b545c32236e342f34' };
    Object.assign(replies, {
      eth_getTransactionReceipt: receipt,
      eth_getCode: '0x6060',
      eth_getFilterChanges: [`0x${'11'.repeat(32)}`],
    });
    try {
      said(`eth.contract([]).new({ from: eth.accounts[0], data: '0x6060' }, function (e, c) {
        if (c.address) setTimeout(function () { console.log('deployed', c.address) }, 1) })`);
      expect(await deployed).toContain(receipt.contractAddress);
    } finally {
      console.close();
      Object.assign(replies, { eth_getTransactionReceipt: null, eth_getFilterChanges: [] });
      delete (replies as Record<string, unknown>).eth_getCode;
    }
  });
});

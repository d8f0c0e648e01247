/** The output of `quorate dumpconfig`, read by `--config`, gives the same options again. */
import { expect, it } from 'vitest';
import { parseOptions } from '../../../io/options/options.ts';
import { NODE_ROWS } from '../options.ts';
import { dumpConfig } from './dump-config.ts';
import { translateGethKey } from './geth-config.ts';

const GIVEN: readonly (readonly string[])[] = [
  [],
  ['--networkid=10', '--http', '--http.addr=0.0.0.0', '--http.api=eth,net,istanbul', '--port=0'],
  ['--mine', '--miner.gasprice=1000000000', '--miner.extradata=a "name" = [1]', '--maxpeers=50'],
  ['--http.vhosts=*', '--http.corsdomain=https://a.example,https://b.example', '--nodiscover'],
  ['--ipcdisable', '--raft', '--raftport=50401', '--vm.calltimeout=7', '--txpool.lifetime=90s'],
  ['--ptm.url=http://127.0.0.1:9101', '--ptm.timeout=3', '--unlock=0,1', '--allow-insecure-unlock'],
  ['--rpc.gascap=25000000', '--rpc.txfeecap=0', '--identity=Node1', '--datadir=/data/a b'],
];

const argumentsOf = (options: ReturnType<typeof parseOptions>) =>
  NODE_ROWS.filter(({ flag }) => flag !== 'config').map(({ flag }) => options.asArguments(flag));

it.each(GIVEN.map((argv) => [argv.join(' '), argv]))('"%s" comes back', (_name, argv) => {
  const options = parseOptions(NODE_ROWS, { argv });
  const text = dumpConfig(NODE_ROWS, options);
  const file = { name: 'dumped.toml', text, translate: translateGethKey };
  const again = parseOptions(NODE_ROWS, { argv: [], file });
  expect(argumentsOf(again)).toEqual(argumentsOf(options));
  expect([...again.ignored()]).toEqual([]);
});

it("speaks geth's words, and tells no secret", () => {
  const argv = ['--networkid=10', '--miner.gaslimit=5', `--nodekeyhex=${'1'.repeat(64)}`];
  const text = dumpConfig(NODE_ROWS, parseOptions(NODE_ROWS, { argv }));
  expect(text).toMatch(/^\[Eth\]\n(.+\n)*NetworkId = 10$/m);
  expect(text).toMatch(/^\[Eth\.Miner\]\n(.+\n)*GasCeil = 5$/m);
  expect(text).not.toContain('1'.repeat(64));
});

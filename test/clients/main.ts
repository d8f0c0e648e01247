/** `npm run clients`: plays every client, and writes the table of docs/clients.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { type Client, HEAVY, LIGHT, OTHERS, type Scheme } from './clients.ts';
import { compileContracts } from './contracts.ts';
import { nodeWithKey, proxyWithKey, signingProxy } from './endpoints.ts';
import { type Installed, install } from './install.ts';
import { play } from './play.ts';

const PAGE = join(PROJECT, 'docs/clients.md');
const BEGIN = '<!-- written by `npm run clients` -->';
const END = '<!-- end -->';
const NAMES: Readonly<Record<Scheme, string>> = { http: 'HTTP', ws: 'WebSocket' };

const contracts = compileContracts();
let failures = 0;

/** A row of the table. */
async function tried(net: TestDevnet, client: Client): Promise<string> {
  process.stdout.write(`${client.title}\n`);
  let installed: Installed;
  try {
    installed = await install(client);
  } catch (error) {
    failures++;
    process.stdout.write(`  could not be installed: ${(error as Error).message}\n`);
    return `| ${client.title} | | | | could not be installed |`;
  }
  const results: string[] = [];
  let offered = '';
  for (const open of [nodeWithKey, client.ownKey ? proxyWithKey : signingProxy]) {
    const passed: string[] = [];
    for (const scheme of client.schemes) {
      const endpoint = await open(net);
      const of = { client, installed, endpoint, scheme, contracts };
      const { chainId, nodes } = net.devnet.description;
      try {
        const offer = await play({ ...of, chainId, witness: nodes[1]!.rpc });
        offered = `type ${Number(offer.type)}, ${offer.gasPrice} wei`;
        passed.push(NAMES[scheme]);
      } catch (error) {
        failures++;
        passed.push(`${NAMES[scheme]} **failed**`);
        process.stdout.write(`  ${endpoint.name}, ${scheme}: ${(error as Error).message}\n`);
      }
    }
    results.push(passed.join(', '));
  }
  const heard = client.hears === false ? 'read' : 'read and heard';
  return `| ${client.title} | ${results.join(' | ')} | ${heard} | ${offered} |`;
}

const net = await startTestDevnet({ inProcesses: true });
try {
  const wanted = process.argv.slice(2);
  const all = [...LIGHT, ...HEAVY, ...OTHERS];
  const clients = all.filter(
    ({ folder }) => wanted.length === 0 || wanted.some((name) => folder === name),
  );
  const rows: string[] = [];
  for (const client of clients) rows.push(await tried(net, client));
  const table = [
    '| client | node | signing proxy | events | what it offers by default |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
  if (wanted.length === 0) {
    const page = readFileSync(PAGE, 'utf8');
    const [head] = page.split(BEGIN);
    const [, tail] = page.split(END);
    writeFileSync(PAGE, `${head}${BEGIN}\n${table}\n${END}${tail}`);
  } else process.stdout.write(`${table}\n`);
} finally {
  await net.close();
}
process.exitCode = failures === 0 ? 0 : 1;

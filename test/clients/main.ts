/** `npm run clients`: runs every client, and writes the tables of docs/clients.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { type Client, HEAVY, LIGHT, OTHERS, QUORUM_MODULE, type Scheme } from './clients.ts';
import { compileContracts } from './contracts.ts';
import { nodeWithKey, playAtPriceZero, proxyWithKey, signingProxy } from './endpoints.ts';
import { type Installed, install } from './install.ts';
import { play } from './play.ts';
import { playQuorumModule } from './quorum-module.ts';

const PAGE = join(PROJECT, 'docs/clients.md');
const BEGIN = '<!-- written by `npm run clients` -->';
const END = '<!-- end -->';
const NAMES: Readonly<Record<Scheme, string>> = { http: 'HTTP', ws: 'WebSocket' };

const contracts = compileContracts();
let failures = 0;

function failed(text: string): void {
  failures++;
  process.stdout.write(`  ${text}\n`);
}

/** undefined: it could not be installed. */
async function installed(client: Client): Promise<Installed | undefined> {
  process.stdout.write(`${client.title}\n`);
  try {
    return await install(client);
  } catch (error) {
    failed(`could not be installed: ${(error as Error).message}`);
    return undefined;
  }
}

async function triedAtPriceZero(client: Client, found: Installed): Promise<string> {
  try {
    await playAtPriceZero({ client, installed: found, contracts });
    return 'HTTP';
  } catch (error) {
    failed(`at price 0: ${(error as Error).message}`);
    return '**failed**';
  }
}

/** One row of the table. */
async function tried(net: TestDevnet, client: Client): Promise<string> {
  const found = await installed(client);
  if (!found) return `| ${client.title} | | | | could not be installed | |`;
  const results: string[] = [];
  let offered = '';
  for (const open of [nodeWithKey, client.ownKey ? proxyWithKey : signingProxy]) {
    const passed: string[] = [];
    for (const scheme of client.schemes) {
      const endpoint = await open(net);
      const of = { client, installed: found, endpoint, scheme, contracts };
      const { chainId, nodes } = net.devnet.description;
      try {
        const offer = await play({ ...of, chainId, witness: nodes[1]!.rpc });
        offered = `type ${Number(offer.type)}, ${offer.gasPrice} wei`;
        passed.push(NAMES[scheme]);
      } catch (error) {
        passed.push(`${NAMES[scheme]} **failed**`);
        failed(`${endpoint.name}, ${scheme}: ${(error as Error).message}`);
      }
    }
    results.push(passed.join(', '));
  }
  // The project's own clients are tested by fees.service.test.ts.
  const atZero = client.installation ? await triedAtPriceZero(client, found) : 'by `npm test`';
  const received = client.subscribes === false ? 'read' : 'read and received';
  return `| ${client.title} | ${results.join(' | ')} | ${received} | ${offered} | ${atZero} |`;
}

async function clientTable(clients: readonly Client[]): Promise<string[]> {
  const net = await startTestDevnet({ inProcesses: true });
  try {
    const rows: string[] = [];
    for (const client of clients) rows.push(await tried(net, client));
    return [
      '| client | node | signing proxy | events | what it offers by default | told to offer 0 |',
      '| --- | --- | --- | --- | --- | --- |',
      ...rows,
    ];
  } finally {
    await net.close();
  }
}

async function quorumTable(): Promise<string[]> {
  const found = await installed(QUORUM_MODULE);
  return found ? playQuorumModule(found, failed) : [];
}

const wanted = process.argv.slice(2);
const isWanted = ({ folder }: Client) => wanted.length === 0 || wanted.includes(folder);
const clients = [...LIGHT, ...HEAVY, ...OTHERS].filter(isWanted);
const tables = [
  ...(await clientTable(clients)),
  '',
  ...(isWanted(QUORUM_MODULE) ? await quorumTable() : []),
].join('\n');
if (wanted.length === 0) {
  const page = readFileSync(PAGE, 'utf8');
  const [head] = page.split(BEGIN);
  const [, tail] = page.split(END);
  writeFileSync(PAGE, `${head}${BEGIN}\n${tables}\n${END}${tail}`);
} else process.stdout.write(`${tables}\n`);
process.exitCode = failures === 0 ? 0 : 1;

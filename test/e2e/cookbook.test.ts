/**
 * docs/start.md, the cookbook and pages of reference, typed in as written, on a network of their
 * own: only the ports are others. A line that begins with `#>` is what its block prints.
 */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { topologyOf } from '../../src/services/devnet/topology.ts';
import { until } from '../support/conditions.ts';
import { MAIN, PROJECT } from '../support/devnet.ts';
import {
  PERMISSIONED,
  PERMISSIONED_REFERENCES,
  PREPARED,
  RECIPES,
  REFERENCES,
  type ShellBlock,
  STARTS_DEVNET,
  shellBlocks,
} from '../support/documented-commands.ts';
import { type Needs, prepareNeeds } from '../support/documented-needs.ts';
import { freePorts } from '../support/free-ports.ts';
import { expectedDatadir } from '../support/geth-datadir.ts';
import { writeQuorateCommand } from '../support/quorate-command.ts';
import { scratchFolder } from '../support/scratch.ts';
import { callsIn } from '../support/stand-in-programs.ts';
import { type TraceCollector, traceCollector } from '../support/trace-collector.ts';
import { OWN_VECTORS } from '../vectors/folders.ts';

/** The ports of a node beside the devnet's four. */
const NEW_NODE_PORTS = [21_004, 22_004];
/** Of a new peer of Raft. */
const RAFT_PORT = 53_000;
const GENESIS = join(OWN_VECTORS, 'goquorum/private-chain/genesis.json');
const PACKAGES = ['ethers', 'solc'];

/** A link named geth to the installed command is told from it by its name. */
const AS_GETH = 'case "$0" in */geth) set -- geth "$@";; esac';
/** A command that serves until it is ended is ended as soon as it is up. */
const MOMENT = `case "$QUORATE_MOMENT $1" in
"yes node") set -- "$@" --port "$NODE_PORT" --http.port "$HTTP_PORT" --ws.port "$HTTP_PORT";;
"yes console"|"yes js") set -- "$@" --port "$NODE_PORT"; QUORATE_MOMENT=;;
"yes explorer"|"yes ramp") set -- "$@" --http.port "$HTTP_PORT";;
"yes signer") command=signer; shift; set -- "$command" --http-listen-port "$HTTP_PORT" "$@";;
"yes devnet")
  "${process.execPath}" "${MAIN}" "$@" --wait --folder moment --ports-from "$NET_PORTS"
  exec "${process.execPath}" "${MAIN}" devnet stop --folder moment;;
*) QUORATE_MOMENT=;;
esac
if [ "$QUORATE_MOMENT" = yes ]; then
  : > moment.log
  "${process.execPath}" "${MAIN}" "$@" > moment.log 2>&1 &
  while ! grep -q ' is up ' moment.log; do
    kill -0 $! || { cat moment.log >&2; exit 1; }
    sleep 0.1
  done
  kill $!
  wait $!
  exit
fi`;

const folder = scratchFolder('quorate-cookbook-');
const reference = join(folder, 'reference');
const lonely = scratchFolder('quorate-cookbook-permissioned-');
/** Where blocks are typed in that need more than a devnet. */
const prepared = join(folder, 'prepared');
const bin = join(folder, 'bin');
let needs: Needs;
let collector: TraceCollector;
let bash: (text: string, cwd: string) => Promise<string>;

beforeAll(async () => {
  await installCrypto();
  const portsFrom = await freePorts();
  const newPorts = await freePorts();
  const ports = movedPorts(portsFrom, newPorts);
  const netPorts = await freePorts();
  for (const each of [bin, join(folder, 'node_modules')]) mkdirSync(each, { recursive: true });
  symlinkSync(PROJECT, join(folder, 'node_modules/quorate'));
  for (const name of [...PACKAGES, '.bin']) {
    symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const moved = `case "$QUORATE_MOMENT $1 $2" in " devnet stop") ;; " devnet "*) set -- "$@" --ports-from ${portsFrom};; esac`;
  writeQuorateCommand(bin, `${AS_GETH}\n${moved}\n${MOMENT}`);
  for (const each of [reference, prepared]) {
    mkdirSync(each);
    symlinkSync('../.quorate', join(each, '.quorate'));
  }
  copyFileSync(GENESIS, join(reference, 'genesis.json'));
  bash = async (text, cwd) => {
    const file = join(cwd, 'block.sh');
    writeFileSync(
      file,
      text.replaceAll(/\b\d{4,5}\b/g, (number) => ports.get(number) ?? number),
    );
    const env = {
      ...process.env,
      ...{
        PATH: `${bin}:${join(folder, 'stand-ins')}:${process.env.PATH}`,
        NODE_PORT: `${newPorts + 3}`,
      },
      ...{
        HTTP_PORT: `${newPorts + 2}`,
        QUORATE_MOMENT: [reference, prepared].includes(cwd) ? 'yes' : '',
      },
      NET_PORTS: `${netPorts}`,
    };
    const options = { cwd, env, timeout: 300_000 };
    const running = promisify(execFile)('bash', ['-e', file], options);
    running.child.stdin!.end();
    return (await running).stdout;
  };
  collector = await traceCollector();
  const [traced] = needing(STARTS_DEVNET);
  const start = traced!.text.trim().replace('http://127.0.0.1:4318', collector.url);
  await bash(`${start} --wait > devnet.txt`, folder);
  needs = await prepareNeeds({
    folder: prepared,
    bin: join(folder, 'stand-ins'),
    port: newPorts + 5,
  });
});

afterAll(async () => {
  for (const each of [folder, lonely]) {
    for (const pid of ['node5.pid', 'newcomer.pid']) end(join(each, pid));
    await bash?.('quorate devnet stop > stopped.txt || true', each);
  }
  await needs?.close();
  await collector?.close();
});

it.each(RECIPES)('docs/%s.md', (page) => typeIn(blocksOf(page), folder));

it('has a folder of a node for the pages of reference', async () => {
  await bash('quorate init --datadir data genesis.json', reference);
});

it.each(REFERENCES)('docs/%s.md', (page) =>
  typeIn(blocksOf(page), reference, 'prints what it likes'),
);

it('knows a block for each need', () => {
  for (const need of PREPARED) expect(needing(need).length, need).toBeGreaterThan(0);
  expect(needing(STARTS_DEVNET)).toHaveLength(1);
});

it.each(PREPARED.flatMap((need) => needing(need).map((block) => ({ need, ...block }))))(
  '$page, which needs $need, line $line',
  async ({ need, text }) => {
    await bash(needs.here[need]!(text), prepared);
  },
);

it('left behind what those blocks make', async () => {
  expect([...needs.vault.secrets.keys()].sort()).toEqual(['team/one', 'team/two']);
  expect(needs.stripe.asked).not.toEqual([]);
  expect(existsSync(join(prepared, 'permission-config.json'))).toBe(true);
  const head = await bash('quorate db verify --datadir DIR --json', prepared);
  expect(JSON.parse(head)).toMatchObject({
    isWhole: true,
    checked: { head: expectedDatadir().head },
  });
  await until('traces of the recipes have arrived', () => collector.spans.length > 0);
});

it('prometheus would find its files, and every process that they name', async () => {
  const calls = callsIn(join(folder, 'stand-ins')).filter(({ program }) => program !== 'geth');
  expect(calls.map(({ program }) => program)).toEqual(['prometheus', 'promtool']);
  const [[config], [, , ...tests]] = calls.map(({ args }) => args) as [string[], string[]];
  const { scrape_configs: jobs } = parse(
    readFileSync(join(prepared, config!.replace('--config.file=', '')), 'utf8'),
  );
  const targets = jobs.flatMap(({ metrics_path: path, static_configs: lists }: any) =>
    lists.flatMap((list: any) => list.targets.map((target: string) => `http://${target}${path}`)),
  );
  expect(targets.length).toBeGreaterThan(10);
  for (const url of targets) expect(await (await fetch(url)).text()).toContain('# TYPE ');
  expect(tests.length).toBeGreaterThan(0);
  for (const file of tests) {
    const { rule_files: rules } = parse(readFileSync(join(prepared, file), 'utf8'));
    for (const rule of rules) expect(existsSync(join(prepared, file, '..', rule)), rule).toBe(true);
  }
});

it(`docs/${PERMISSIONED}.md, and ${PERMISSIONED_REFERENCES} before it ends`, async () => {
  await bash('quorate devnet stop > stopped.txt', folder);
  const blocks = blocksOf(PERMISSIONED);
  await typeIn(blocks.slice(0, -1), lonely);
  for (const page of PERMISSIONED_REFERENCES)
    await typeIn(blocksOf(page), lonely, 'prints what it likes');
  await typeIn(blocks.slice(-1), lonely);
});

function needing(need: string): readonly ShellBlock[] {
  return shellBlocks(PROJECT).filter(({ info }) => info === `sh needs=${need}`);
}

interface Block {
  readonly info: string;
  readonly text: string;
}

/** What a page has a test do: files, and commands. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(PROJECT, 'docs', `${page}.md`), 'utf8');
  return [...text.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)]
    .map(([, info, block]) => ({ info: info!, text: block! }))
    .filter(({ info }) => info === 'sh tried' || info.includes(' file='));
}

/** Without `freely` each block prints what its lines with `#>` say, and nothing else. */
async function typeIn(
  blocks: readonly Block[],
  cwd: string,
  freely?: 'prints what it likes',
): Promise<void> {
  for (const { info, text } of blocks) {
    const file = / file=(\S+)$/.exec(info)?.[1];
    if (file !== undefined) {
      writeFileSync(join(cwd, file), text);
      continue;
    }
    const wanted = [...text.matchAll(/^#> (.*)$/gm)].map(([, line]) => line);
    const printed = (await bash(text, cwd)).split('\n').filter((line) => line !== '');
    if (freely && wanted.length === 0) continue;
    expect(printed.map((line) => line.trim())).toEqual(wanted);
  }
}

/** Texts of the documented ports, with those of this test. */
function movedPorts(portsFrom: number, newPorts: number): ReadonlyMap<string, string> {
  const documented = portsOf(topologyOf('', undefined));
  const here = portsOf(topologyOf('', portsFrom));
  const moved = documented.map((port, at) => [`${port}`, `${here[at]}`] as const);
  const added = NEW_NODE_PORTS.map((port, at) => [`${port}`, `${newPorts + at}`] as const);
  return new Map([...moved, ...added, [`${RAFT_PORT}`, `${newPorts + 4}`]]);
}

function portsOf({ nodes, signerPort, stakingPort, rampPort }: ReturnType<typeof topologyOf>) {
  return [...nodes.flatMap(({ ports }) => Object.values(ports)), signerPort, stakingPort, rampPort];
}

function end(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')));
  } catch {
    // It has ended already.
  }
}

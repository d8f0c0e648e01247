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
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { topologyOf } from '../../src/services/devnet/topology.ts';
import { MAIN, PROJECT } from '../support/devnet.ts';
import {
  PERMISSIONED,
  PERMISSIONED_REFERENCES,
  RECIPES,
  REFERENCES,
} from '../support/documented-commands.ts';
import { freePorts } from '../support/free-ports.ts';
import { writeQuorateCommand } from '../support/quorate-command.ts';
import { scratchFolder } from '../support/scratch.ts';
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
let bash: (text: string, cwd: string) => Promise<string>;

beforeAll(async () => {
  await installCrypto();
  const portsFrom = await freePorts();
  const newPorts = await freePorts();
  const ports = movedPorts(portsFrom, newPorts);
  const bin = join(folder, 'bin');
  for (const each of [bin, join(folder, 'node_modules')]) mkdirSync(each, { recursive: true });
  symlinkSync(PROJECT, join(folder, 'node_modules/quorate'));
  for (const name of [...PACKAGES, '.bin']) {
    symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const moved = `case "$1 $2" in "devnet stop") ;; "devnet "*) set -- "$@" --ports-from ${portsFrom};; esac`;
  writeQuorateCommand(bin, `${AS_GETH}\n${moved}\n${MOMENT}`);
  mkdirSync(reference);
  symlinkSync('../.quorate', join(reference, '.quorate'));
  copyFileSync(GENESIS, join(reference, 'genesis.json'));
  bash = async (text, cwd) => {
    const file = join(cwd, 'block.sh');
    writeFileSync(
      file,
      text.replaceAll(/\b\d{4,5}\b/g, (number) => ports.get(number) ?? number),
    );
    const env = {
      ...process.env,
      ...{ PATH: `${bin}:${process.env.PATH}`, NODE_PORT: `${newPorts + 3}` },
      ...{ HTTP_PORT: `${newPorts + 2}`, QUORATE_MOMENT: cwd === reference ? 'yes' : '' },
    };
    const options = { cwd, env, timeout: 300_000 };
    const running = promisify(execFile)('bash', ['-e', file], options);
    running.child.stdin!.end();
    return (await running).stdout;
  };
  await bash('quorate devnet --wait > devnet.txt', folder);
});

afterAll(async () => {
  for (const each of [folder, lonely]) {
    for (const pid of ['node5.pid', 'newcomer.pid']) end(join(each, pid));
    await bash?.('quorate devnet stop > stopped.txt || true', each);
  }
});

it.each(RECIPES)('docs/%s.md', (page) => typeIn(blocksOf(page), folder));

it('has a folder of a node for the pages of reference', async () => {
  await bash('quorate init --datadir data genesis.json', reference);
});

it.each(REFERENCES)('docs/%s.md', (page) =>
  typeIn(blocksOf(page), reference, 'prints what it likes'),
);

it(`docs/${PERMISSIONED}.md, and ${PERMISSIONED_REFERENCES} before it ends`, async () => {
  await bash('quorate devnet stop > stopped.txt', folder);
  const blocks = blocksOf(PERMISSIONED);
  await typeIn(blocks.slice(0, -1), lonely);
  for (const page of PERMISSIONED_REFERENCES)
    await typeIn(blocksOf(page), lonely, 'prints what it likes');
  await typeIn(blocks.slice(-1), lonely);
});

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

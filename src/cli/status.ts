/** `quorate status`. */

import { join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { fail } from '../core/base/errors.ts';
import { isThere, readJson } from '../io/host/files.ts';
import { type DevnetDescription, hostsOf } from '../services/devnet/description.ts';
import { type Paint, statusLines } from '../services/status/lines.ts';
import { lookAtNetwork, type Place } from '../services/status/look.ts';
import type { Command } from './command.ts';

const GROUP = 'Network';
const UNWELL = 1;

export const statusCommand: Command = {
  name: 'status',
  about:
    'Shows the state of a running devnet or of running nodes: height, rate, peers, pool, private state. The exit code is 1 when something is down or not ready.',
  examples: [
    { does: 'the devnet of this folder', line: 'quorate status' },
    {
      does: 'any nodes, for a script',
      line: 'quorate status --node http://127.0.0.1:22000 --json',
    },
  ],
  rows: [
    {
      flag: 'folder',
      type: 'string',
      unit: 'folder',
      default: '.quorate',
      about: 'Folder of the devnet',
      group: GROUP,
    },
    {
      flag: 'node',
      type: 'list',
      default: [],
      about: 'Nodes to query instead of the devnet, as URLs of JSON-RPC',
      group: GROUP,
    },
    {
      flag: 'json',
      type: 'boolean',
      default: false,
      about: 'Print it as JSON',
      group: GROUP,
    },
  ],
  async run(options) {
    const given = options.list('node').map(nodeAt);
    const { nodes, services } =
      given.length > 0
        ? { nodes: given, services: [] }
        : placesOf(descriptionIn(options.string('folder')!));
    const status = await lookAtNetwork(nodes, services);
    if (options.boolean('json')) console.log(JSON.stringify(status, null, 2));
    else for (const line of statusLines(status, paintFor(process.stdout))) console.log(line);
    return status.isWell ? 0 : UNWELL;
  },
};

/** All processes of a devnet that can be queried. */
export function placesOf(description: DevnetDescription): {
  readonly nodes: readonly Place[];
  readonly services: readonly Place[];
} {
  const { nodes, signer, staking, ramp } = description;
  const managers = hostsOf(description);
  return {
    nodes: nodes.map(({ name, rpc }) => ({ name, url: rpc })),
    services: [
      ...managers.map(({ name, ptm }) => ({
        ...{ name: name.replace('node', 'ptm'), url: `${ptm.thirdParty}/upcheck` },
      })),
      { name: 'signer', url: `${signer.rpc}/upcheck` },
      { name: 'staking', url: `${staking.apiUrl}/ready` },
      { name: 'ramp', url: `${ramp.url}/ready` },
    ],
  };
}

/** Throws DEVNET_NOT_RUNNING, FILE_INVALID, FILE_UNREADABLE. */
function descriptionIn(folder: string): DevnetDescription {
  const file = join(resolve(folder), 'devnet.json');
  if (isThere(file)) {
    const found = readJson(file) as DevnetDescription | null;
    const isWhole = found?.nodes && found.signer && found.staking && found.ramp;
    if (isWhole) return found;
    throw fail('DEVNET_NOT_RUNNING', `${file} does not describe a network of this version`);
  }
  throw fail(
    'DEVNET_NOT_RUNNING',
    `no network runs in ${folder}: start one with quorate devnet, or name nodes with --node URL`,
  );
}

function nodeAt(url: string): Place {
  const isGood = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (isGood) return { name: new URL(url).host, url };
  throw fail('OPTION_VALUE_INVALID', `--node: ${url} is not an http:// or https:// URL`);
}

function paintFor(output: NodeJS.WriteStream): Paint {
  const hasColours = output.isTTY === true && output.hasColors();
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    hasColours ? styleText(format, text) : text;
  return { good: paint('green'), bad: paint('red'), head: paint('bold') };
}

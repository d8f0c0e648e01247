/** A permissioned network recorded with GoQuorum: its chain, its keys, and its nodes' answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fromHex } from '../../src/core/base/hex.ts';
import { type Block, decodeBlock } from '../../src/core/chain/block.ts';
import { type Genesis, parseGenesis } from '../../src/core/chain/genesis.ts';
import { type PermissionConfig, parsePermissionConfig } from '../../src/core/permission/config.ts';
import { OWN_VECTORS } from '../vectors/folders.ts';

interface Key {
  readonly priv: string;
  readonly pub: string;
  readonly address: string;
}

export interface RecordedCall {
  readonly comment: string;
  readonly method: string;
  readonly request: string;
  readonly reply: Readonly<Record<string, any>>;
}

export interface RecordedPermissions {
  readonly genesis: Genesis;
  readonly genesisText: string;
  readonly config: PermissionConfig;
  /** From block 1 on. */
  readonly blocks: readonly Block[];
  readonly calls: readonly RecordedCall[];
  /** The keys of the accounts. */
  readonly keys: readonly Key[];
  readonly nodes: readonly Key[];
}

export function recordedPermissions(model: 'v1' | 'v2'): RecordedPermissions {
  const folder = join(OWN_VECTORS, 'goquorum/permission', model);
  const unpacked = (name: string) =>
    gunzipSync(readFileSync(join(folder, `${name}.gz`))).toString();
  const { nodes, guardian, networkAdmins, orgAdmins, users } = JSON.parse(unpacked('keys.json'));
  const genesisText = readFileSync(join(folder, 'genesis.json'), 'utf8');
  const blocks = JSON.parse(unpacked('blocks.json')) as { number: number; rlp: string }[];
  return {
    genesis: parseGenesis(genesisText),
    genesisText,
    config: parsePermissionConfig(readFileSync(join(folder, 'permission-config.json'), 'utf8')),
    blocks: blocks.filter(({ number }) => number > 0).map(({ rlp }) => decodeBlock(fromHex(rlp))),
    calls: callsIn(unpacked('rpc.io')),
    keys: [guardian, ...networkAdmins, ...orgAdmins, ...users],
    nodes,
  };
}

function callsIn(text: string): RecordedCall[] {
  const calls: RecordedCall[] = [];
  let comment = '';
  let request = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('//')) comment = line.slice(3);
    else if (line.startsWith('>>')) request = line.slice(3);
    else if (line.startsWith('<<')) {
      const { method } = JSON.parse(request);
      calls.push({ comment, method, request, reply: JSON.parse(line.slice(3)) });
      comment = '';
    }
  }
  return calls;
}

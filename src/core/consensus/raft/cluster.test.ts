/** Which node may become a member, compared with GoQuorum's recorded answers. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_VECTORS, readText } from '../../../../test/vectors/folders.ts';
import { fromHex } from '../../base/hex.ts';
import { parseEnode } from '../../wire/enode.ts';
import { Cluster } from './cluster.ts';

const RECORDED = readText(join(OWN_VECTORS, 'goquorum/consensus/raft/rpc.io'));

function section(title: string): { request: any; response: any }[] {
  const text = RECORDED.split(/^\/\/ --- /m).find((each) => each.startsWith(title))!;
  const lines = (mark: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${mark} `))
      .map((line) => JSON.parse(line.slice(3)));
  const responses = lines('<<');
  return lines('>>').map((request, at) => ({ request, response: responses[at] }));
}

function clusterOf(members: any[], self: number): Cluster {
  const cluster = new Cluster(self);
  for (const { raftId, nodeId, hostname, p2pPort, raftPort } of members) {
    cluster.set({ raftId, nodeId: fromHex(nodeId), hostname, p2pPort, raftPort });
  }
  return cluster;
}

describe('a cluster', () => {
  const atMinter = section('three nodes; answers of the minter');
  const members = atMinter.find(({ request }) => request.method === 'raft_cluster')!.response
    .result;

  it('refuses applicants as GoQuorum does', () => {
    const cluster = clusterOf(members, 1);
    const tried = section('errors').filter(
      ({ request }) => request.method === 'raft_addPeer' && request.params.length > 0,
    );
    expect(tried.length).toBeGreaterThan(8);
    for (const { request, response } of tried) {
      const [url] = request.params;
      const check = () => cluster.checkApplicant(parseEnode(url), url, false);
      expect(check).toThrow(expect.objectContaining({ message: response.error.message }));
    }
  });

  it('gives the next id, never one of a removed member', () => {
    const cluster = clusterOf(members, 1);
    expect(cluster.nextId()).toBe(4);
    cluster.remove(77);
    expect(cluster.nextId()).toBe(78);
    expect(cluster.replace(cluster.members().slice(0, 2), [3, 77])).toEqual([3]);
    expect(cluster.isRemoved(3)).toBe(true);
    expect(cluster.removedIds).toEqual([3, 77]);
  });

  it('takes host names where they are allowed', () => {
    const cluster = clusterOf(members, 1);
    const id = members[0].nodeId;
    const other = `enode://${id.replace(/^..../, 'ffff')}`;
    const node = { id: other.slice(8), host: 'member4', tcpPort: 23_201, raftPort: 23_251 };
    expect(() => cluster.checkApplicant(node, other, true)).not.toThrow();
    expect(() => cluster.checkApplicant(node, other, false)).toThrow(
      'raft must enable dns to use hostname',
    );
  });
});

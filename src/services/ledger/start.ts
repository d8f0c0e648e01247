/** Starts `quorate node`: composes its parts, starts them in order, and ends them in reverse. */
import { bareHex, toHex } from '../../core/base/hex.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { clientVersion } from '../../io/host/client-version.ts';
import { sayIgnored } from '../../io/options/ignored.ts';
import { composeLedger, type Endings, type LedgerParts, type NodeHost } from './compose.ts';
import type { LedgerConfig } from './config.ts';
import { BlockRate } from './monitoring/block-rate.ts';
import { type NodeState, nodeState } from './monitoring/node-state.ts';
import type { Component } from './node/component.ts';

export type { NodeHost } from './compose.ts';

export interface RunningNode {
  readonly httpUrl: string | undefined;
  readonly webSocketUrl: string | undefined;
  readonly enode: string;
  state(): NodeState;
  close(): Promise<void>;
}

/** Resolves when all parts are serving. On failure, ends the parts that were started. */
export async function startNode(config: LedgerConfig, host: NodeHost): Promise<RunningNode> {
  const ends: Endings = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await serve(config, host, ends)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function serve(
  config: LedgerConfig,
  host: NodeHost,
  ends: Endings,
): Promise<Omit<RunningNode, 'close'>> {
  const { log } = host;
  sayIgnored(config.given, log);
  const crypto = await installCrypto(log);
  const ledger = await composeLedger(config, host, ends);
  const { server, api, parts, info, node } = ledger;
  const rate = new BlockRate(node);
  await startParts(parts, ends);
  await server.start();
  ends.push(() => server.stop());
  ends.push(() => node.peers.flush());
  const served = await api.serve();
  ends.push(() => served.close());
  const { httpUrl, webSocketUrl, graphqlUrl, explorerUrl } = served;
  const { enode } = info();
  log('info', 'Quorate node is up', {
    version: clientVersion(config.identity),
    secp256k1: crypto.secp256k1,
    ...positionOf(ledger),
    manager: ledger.managerName,
    http: httpUrl ?? 'off',
    ws: webSocketUrl ?? 'off',
    ...(graphqlUrl ? { graphql: graphqlUrl } : {}),
    ...(explorerUrl ? { explorer: explorerUrl } : {}),
    enode,
  });
  const state = () => nodeState(node, rate, server.peers().length);
  return { httpUrl, webSocketUrl, enode, state };
}

function positionOf({ node: { chain }, info }: LedgerParts): Readonly<Record<string, unknown>> {
  const { number, hash } = chain.head();
  return {
    chain: chain.config.chainId,
    engine: engineAt(chain.config, number + 1),
    head: number,
    hash: bareHex(hash).slice(0, 12),
    node: toHex(info().address),
  };
}

/** Starts the parts in this order; they end in reverse order. */
async function startParts(parts: readonly Component[], ends: Endings): Promise<void> {
  for (const part of parts) {
    await part.start();
    ends.push(() => part.stop());
  }
}

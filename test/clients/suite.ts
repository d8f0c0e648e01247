/** The tests of a list of clients, on one devnet. */
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import type { Client } from './clients.ts';
import { compileContracts } from './contracts.ts';
import { nodeWithKey, playAtPriceZero, signingProxy } from './endpoints.ts';
import { type Installed, install } from './install.ts';
import { play } from './play.ts';

const ENDPOINTS = [
  { name: 'node', open: nodeWithKey },
  { name: 'signing proxy', open: signingProxy },
];

/**
 * `atOnce`: clients also run at the same time, not only each on all endpoints. `alsoAtPriceZero`:
 * on a network that accepts only price 0, too.
 */
export function describeClients(
  clients: readonly Client[],
  { atOnce, alsoAtPriceZero = false }: { atOnce: boolean; alsoAtPriceZero?: boolean },
): void {
  const contracts = compileContracts();
  let net: TestDevnet;
  beforeAll(async () => {
    net = await startTestDevnet();
  });
  afterAll(() => net?.close());

  describe.each(clients)('$title', { concurrent: atOnce }, (client) => {
    let installed: Installed | undefined;
    let refusal: Error;
    beforeAll(async () => {
      installed = await install(client).catch((error: Error) => {
        refusal = error;
        return undefined;
      });
    });
    beforeEach(({ skip }) => {
      if (!installed) skip(`${client.title} could not be installed: ${refusal.message}`);
    });
    const places = client.schemes.flatMap((scheme) =>
      ENDPOINTS.map((each) => ({ scheme, ...each })),
    );
    const title = 'deploys, upgrades, sends, reads, subscribes: $name, $scheme';
    it.each(places)(title, { concurrent: !client.alone }, async (place) => {
      await play({
        client,
        installed: installed!,
        endpoint: await place.open(net),
        scheme: place.scheme,
        contracts,
        chainId: net.devnet.description.chainId,
        witness: net.devnet.description.nodes[1]!.rpc,
      });
    });
    if (!alsoAtPriceZero) return;
    it('passes at price 0, set as docs/fees.md says', async () => {
      await playAtPriceZero({ client, installed: installed!, contracts });
    });
  });
}

/** Client libraries with their default settings: no fee, gas or nonce is set. The others: npm run test:matrix. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { LIGHT } from '../clients/clients.ts';
import { compileContracts } from '../clients/contracts.ts';
import { nodeWithKey, signingProxy } from '../clients/endpoints.ts';
import { play } from '../clients/play.ts';
import { PROJECT, startTestDevnet, type TestDevnet } from '../support/devnet.ts';

const contracts = compileContracts();
let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet();
});
afterAll(() => net?.close());

const ENDPOINTS = [
  { name: 'node', open: nodeWithKey },
  { name: 'signing proxy', open: signingProxy },
];

describe.concurrent.each(LIGHT)('$title', (client) => {
  const places = client.schemes.flatMap((scheme) => ENDPOINTS.map((each) => ({ scheme, ...each })));
  it.each(places)('deploys, upgrades, sends, reads, hears: $name, $scheme', async (place) => {
    await play({
      client,
      home: join(PROJECT, 'test/clients', client.folder),
      endpoint: await place.open(net),
      scheme: place.scheme,
      contracts,
      chainId: net.devnet.description.chainId,
      witness: net.devnet.description.nodes[1]!.rpc,
    });
  });
});

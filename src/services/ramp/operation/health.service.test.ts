/** `/ready` names each part that does not answer, and is true again once all of them do. */
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import { startFakeStripe } from '../../../../test/support/fake-stripe.ts';
import { endAll, endings, start as startProxy } from '../../../../test/support/proxy-server.ts';
import { startTestRamp, type TestRamp, testOffer } from '../../../../test/support/ramp.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { ask } from '../../../../test/support/staking.ts';

const folder = scratchFolder('quorate-ready-');
afterEach(endAll);

async function started<T extends { close(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const one = await starting;
  endings.push(() => one.close());
  return one;
}

/** A ramp with a proxy and a node, which can be stopped and started again on their ports. */
async function scene(own: readonly ('proxy' | 'node')[] = []) {
  let node = await started(startFakeLedger());
  const nodePort = Number(new URL(node.url).port);
  let proxy = await startProxy({ port: nodePort });
  const proxyPort = proxy.port;
  const argv = ['--ledger.url', `http://127.0.0.1:${proxyPort}`];
  if (own.includes('node')) argv.push('--ledger.ws', `ws://127.0.0.1:${nodePort}`);
  const ramp = await started(startTestRamp(argv));
  return {
    ramp,
    node: {
      end: () => node.close(),
      async start(): Promise<FakeLedger> {
        node = await started(startFakeLedger(nodePort));
        return node;
      },
      running: () => node,
    },
    proxy: {
      port: proxyPort,
      end: () => proxy.close(),
      async start() {
        const serve = { host: '127.0.0.1', port: proxyPort, bodyBytesMax: 1_000_000 };
        const limits = { idleMs: 5_000, drainMs: 5_000, tls: undefined };
        const rest = { forwardsAuthorization: false, routes: [], admit: () => false };
        proxy = await startProxy({ port: nodePort }, { serve: { ...serve, ...limits, ...rest } });
      },
    },
  };
}

const ready = async ({ url }: Pick<TestRamp, 'url'>) => {
  const { status, body } = await ask(`${url}/ready`);
  expect([status, body.status]).toEqual(body.waiting ? [503, 'waiting'] : [200, 'ready']);
  return body.waiting ?? [];
};
const waits = (ramp: TestRamp, ...parts: readonly string[]) =>
  until(`it waits for ${parts.join(', ') || 'nothing'}`, async () => {
    // The previous answer is too old to be used again.
    ramp.clock.offsetMs += 3_000;
    const waiting = await ready(ramp);
    return JSON.stringify(waiting) === JSON.stringify(parts);
  });

it('names the proxy, or the node behind it', async () => {
  const { ramp, node, proxy } = await scene();
  await waits(ramp);
  await proxy.end();
  await waits(ramp, 'proxy');
  await proxy.start();
  await waits(ramp);
  await node.end();
  await waits(ramp, 'node');
  await proxy.end();
  await waits(ramp, 'proxy');
  await proxy.start();
  await waits(ramp, 'node');
  await node.start();
  await waits(ramp);
}, 120_000);

it('asks the node directly if --ledger.ws is its own address', async () => {
  const { ramp, node, proxy } = await scene(['node']);
  await waits(ramp);
  await proxy.end();
  await waits(ramp, 'proxy');
  await node.end();
  await waits(ramp, 'proxy', 'node');
  await proxy.start();
  await waits(ramp, 'node');
  await node.start();
  await waits(ramp);
}, 120_000);

it('names a node or a proxy that accepts connections and never answers', async () => {
  const { ramp, node, proxy } = await scene();
  await waits(ramp);
  // The node accepts requests and never answers them.
  const answers: (() => void)[] = [];
  node.running().delay = () => new Promise<void>((resolve) => answers.push(resolve));
  await waits(ramp, 'node');
  node.running().delay = undefined;
  for (const answer of answers) answer();
  await waits(ramp);
  await proxy.end();
  const silent = createServer((socket) => {
    endings.push(() => socket.destroy());
    // Clients that gave up reset the connection.
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => silent.listen(proxy.port, '127.0.0.1', resolve));
  endings.push(() => silent.close());
  await waits(ramp, 'proxy');
}, 120_000);

it('is served at once when the proxy is silent', async () => {
  let givenUp = 0;
  const silent = createServer((socket) => {
    endings.push(() => socket.destroy());
    socket.on('error', () => {}).on('close', () => givenUp++);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  endings.push(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const argv = ['--ledger.url', `http://127.0.0.1:${port}`];
  const ramp = await started(startTestRamp(argv, testOffer(), undefined, undefined, true));
  expect(givenUp).toBe(0);
  expect(await ready(ramp)).toEqual(['proxy', 'gas price']);
}, 120_000);

it('asks the ledger once for many requests', async () => {
  const { ramp, node } = await scene();
  await waits(ramp);
  // The clock of this ramp is constant from here, so that cached answers remain valid.
  const nowMs = ramp.clock.nowMs();
  ramp.clock.nowMs = () => nowMs + 60_000;
  await ready(ramp);
  const count = () => node.running().seen.filter((each) => each === 'eth_blockNumber').length;
  const before = count();
  await Promise.all(Array.from({ length: 50 }, () => ready(ramp)));
  expect(count()).toBe(before);
}, 120_000);

it('names a payment provider that cannot be reached', async () => {
  const ledger = await started(startFakeLedger());
  const stripe = await started(startFakeStripe());
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, 'sk_test_0123456789');
  const argv = ['--ledger.url', ledger.url, '--stripe.key-file', keyFile];
  const ramp = await started(
    startTestRamp([...argv, '--stripe.url', stripe.url], withStripe(testOffer())),
  );
  await waits(ramp);
  stripe.isAway = true;
  await waits(ramp, 'payments stripe');
  stripe.isAway = false;
  await waits(ramp);
}, 120_000);

function withStripe(offer: any): any {
  for (const payment of offer.payments) payment.adapter = 'stripe';
  return offer;
}

/**
 * The signing proxy as a process of its own, in front of the node on the given port; its journal is
 * on disk. Prints its port.
 */
process.on('SIGTERM', () => process.exit(0));

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex } from '../src/core/base/hex.ts';
import { installCrypto } from '../src/io/crypto/crypto.ts';
import { OPEN_GUARD } from '../src/services/signer/proxy/open-guard.ts';
import { startProxy } from '../src/services/signer/proxy-server.ts';
import { accountsOf } from '../test/support/signing-proxy.ts';

const [port, key] = process.argv.slice(2);
await installCrypto();
const upstream = { host: '127.0.0.1', port: Number(port), path: '/', timeoutMs: 5_000 };
const proxy = await startProxy(
  {
    ...{ chainId: 1337n, dataPath: mkdtempSync(join(tmpdir(), 'quorate-bench-')) },
    ...{ fillsGaps: false, strictNonce: false, estimatesGas: false, forwarded: [] },
    nodeWebSocket: { url: `ws://127.0.0.1:${port}`, options: {} },
    mayConnect: () => true,
    upstream: { ...upstream, connectionsMax: 64, secureAgent: undefined },
    serve: {
      ...{
        host: '127.0.0.1',
        port: 0,
        bodyBytesMax: 1_000_000,
        idleMs: 60_000,
        drainMs: 1_000,
        tls: undefined,
      },
      ...{ forwardsAuthorization: false, routes: [], admit: () => false },
    },
  },
  {
    ...{ accounts: accountsOf([fromHex(key!)]), guard: OPEN_GUARD, payloads: undefined },
    log: () => {},
  },
);
console.log(proxy.port);

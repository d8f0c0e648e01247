import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { holderOf } from './port-holder.ts';

it.skipIf(process.platform !== 'linux')(
  'names who has a port, and nobody once it is free',
  async () => {
    for (const host of ['127.0.0.1', '::']) {
      const server = createServer().listen(0, host);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const holder = holderOf(port);
      expect(holder?.pid).toBe(process.pid);
      expect(holder?.command).toContain('node');
      server.close();
      await once(server, 'close');
      expect(holderOf(port)).toBeUndefined();
    }
  },
);

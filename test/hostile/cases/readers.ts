/** Calls, estimates, traces and logs that would take minutes. */
import type { NodeProcess } from '../../support/node-process.ts';
import type { Case } from '../case.ts';
import { requestUntil } from '../clients.ts';
import { creationOf, loop, push3 } from '../code.ts';
import { create } from '../sending.ts';
import { PAIR } from './inputs.ts';

const ENDLESS = loop('');
/** LOG0 of 1 MiB, 8 gas a byte, until 10M gas are left: without gas there would be no logs. */
const LOGS = `0x5b${push3(0x100000)}6000a0${push3(10_000_000)}5a11600057`;
const NO_LOGS = `0x${'00'.repeat(256)}`;

async function blocksWithLogs({ rpc }: NodeProcess): Promise<number> {
  let count = 0;
  for (let number = Number(await rpc.call('eth_blockNumber')); number > 0; number--) {
    const tag = `0x${number.toString(16)}`;
    const { logsBloom } = await rpc.call<any>('eth_getBlockByNumber', tag, false);
    if (logsBloom !== NO_LOGS) count++;
  }
  if (count === 0) throw new Error('no block has logs');
  return count;
}

export const READER_CASES: readonly Case[] = [
  {
    name: 'eight clients in endless calls of 25M gas',
    group: 'readers',
    isShort: true,
    seconds: 20,
    bounds: { blockShare: 0.9 },
    async attack({ nodes }, isOver) {
      const { rpc } = nodes[0]!;
      const count = await requestUntil(8, isOver, () => {
        return rpc.call('eth_call', { data: ENDLESS, gas: '0x17d7840' }, 'latest');
      });
      return `${count} calls ended`;
    },
  },
  {
    name: 'eth_call of a pairing of 650 pairs',
    group: 'readers',
    async attack({ nodes }, isOver) {
      const { rpc } = nodes[0]!;
      const call = { to: `0x${'00'.repeat(19)}08`, data: `0x${PAIR.repeat(650)}` };
      await requestUntil(4, isOver, () => rpc.call('eth_call', call, 'latest'));
      return undefined;
    },
  },
  {
    name: 'eth_estimateGas of 300 pairs',
    group: 'readers',
    async attack({ nodes }, isOver) {
      const { rpc } = nodes[0]!;
      const call = { data: creationOf(8, PAIR.repeat(300)) };
      await requestUntil(4, isOver, () => rpc.call('eth_estimateGas', call));
      return undefined;
    },
  },
  {
    name: 'debug_traceCall that expands memory, then loops',
    group: 'readers',
    isShort: true,
    async attack({ nodes }, isOver) {
      const { rpc } = nodes[0]!;
      // 2 MB cost 9M gas, and each line of the trace shows them.
      const data = loop('', `6001${push3(0x1fffff)}52`);
      await requestUntil(3, isOver, () => rpc.call('debug_traceCall', { data }, 'latest', {}));
      return undefined;
    },
  },
  {
    name: 'eth_getLogs over blocks with 240 MB of logs',
    group: 'readers',
    bounds: { rounds: 4, gapSeconds: 10 },
    seconds: 40,
    async attack({ nodes }, isOver) {
      const { rpc } = nodes[0]!;
      for (let i = 0; i < 8 && !isOver(); i++) {
        await create(nodes[i % 4]!, LOGS, { gas: 260_000_000n });
      }
      const filter = { fromBlock: '0x0', toBlock: 'latest' };
      await requestUntil(4, isOver, () => rpc.call('eth_getLogs', filter));
      return `${await blocksWithLogs(nodes[1]!)} blocks with logs`;
    },
  },
];

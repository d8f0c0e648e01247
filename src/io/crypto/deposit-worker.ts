/** The thread that deposit-threads.ts starts: takes orders, returns signed deposits. */
import { parentPort, workerData } from 'node:worker_threads';
import {
  type DepositKeys,
  type DepositOrder,
  signOrder,
} from '../../core/staking/deposit-order.ts';
import { sayLoaded } from '../threads/owned-thread.ts';

const keys = workerData as DepositKeys;
parentPort!.on('message', (order: DepositOrder) => {
  parentPort!.postMessage(signOrder(keys, order));
});
sayLoaded();

/** The thread that deposit-threads.ts starts: orders in, signed deposits out. */
import { parentPort, workerData } from 'node:worker_threads';
import { signDeposit } from '../../core/staking/deposit.ts';
import { validatorKey } from '../../core/staking/validator-keys.ts';
import type { DepositKeys, DepositOrder } from './deposit-threads.ts';

const { parent, forkVersion } = workerData as DepositKeys;
parentPort!.on('message', ({ index, ...message }: DepositOrder) => {
  const secret = validatorKey(parent, index);
  parentPort!.postMessage(signDeposit(secret, message, forkVersion));
  secret.fill(0);
});

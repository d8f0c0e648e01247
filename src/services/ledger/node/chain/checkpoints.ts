/**
 * `--emitcheckpoints`: log lines that scripts of GoQuorum networks wait for (GoQuorum
 * log/emit_checkpoint.go).
 */
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import type { Log } from '../../../../core/base/ports.ts';
import { createAddress } from '../../../../core/evm/create-address.ts';
import type { Component } from '../component.ts';
import type { Events } from './events.ts';

export type Checkpoint = (name: string, fields?: Readonly<Record<string, string>>) => void;

export function checkpointLog(log: Log, isOn: boolean): Checkpoint {
  return (name, fields = {}) => {
    if (isOn) log('info', 'QUORUM-CHECKPOINT', { name, ...fields });
  };
}

/** Logs a checkpoint for each transaction that clients of this node send. */
export function sentTransactions(events: Events, emit: Checkpoint): Component {
  let end = () => {};
  return {
    name: 'checkpoints',
    start() {
      end = events.on('submitted', (transaction) => {
        const { hash, nonce, to } = transaction;
        const target = to ?? createAddress(transaction.sender, nonce);
        emit('TX-CREATED', { tx: `0x${bareHex(hash)}`, to: toHex(target) });
      });
    },
    stop: () => end(),
  };
}

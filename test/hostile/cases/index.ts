import type { Case } from '../case.ts';
import { OPCODE_CASES } from './opcodes.ts';
import { PEER_CASES } from './peers.ts';
import { PROPOSER_CASES } from './proposer.ts';
import { READER_CASES } from './readers.ts';
import { RPC_CASES } from './rpc.ts';
import { SOCKET_CASES } from './sockets.ts';
import { TRANSACTION_CASES } from './transactions.ts';

/** The Byzantine proposer comes last, because it takes a validator's place. */
export const CASES: readonly Case[] = [
  ...READER_CASES,
  ...RPC_CASES,
  ...SOCKET_CASES,
  ...PEER_CASES,
  ...TRANSACTION_CASES,
  ...OPCODE_CASES,
  ...PROPOSER_CASES,
];

/**
 * Contract extension: applies the StateShared logs of a private transaction to a private state
 * (GoQuorum extension/privacyExtension/state_setter.go).
 */
import { type Address, equalBytes } from '../base/bytes.ts';
import { EMPTY_CODE_HASH } from '../base/keccak.ts';
import type { Log } from '../chain/receipt.ts';
import { STANDARD_PRIVATE } from '../privacy/flags.ts';
import {
  type HeldPayload,
  type PrivateAnswer,
  type PrivateInputs,
  type PrivateQuery,
  type Psi,
  payloadAnswer,
} from '../privacy/inputs.ts';
import { isEmptyPayloadHash } from '../privacy/marker.ts';
import {
  isManagementContract,
  parseStateDump,
  readStateShared,
  type SharedAccount,
  type StateShared,
} from '../privacy/state-shared.ts';
import type { PrivateSpace } from './private-space.ts';

export interface ExtensionContext {
  readonly inputs: PrivateInputs | undefined;
  /** Private state that a manager key belongs to; undefined for an unknown key. */
  readonly psiOf: (managedParty: string) => Psi | undefined;
  readonly note: (text: string) => void;
}

/**
 * Applies the logs in order. Returns the queries that must be answered first, or [] when done; no
 * error here makes a block invalid. A log counts only if the management contract's code emitted it.
 */
export function applyStateShared(
  space: PrivateSpace,
  logs: readonly Log[],
  context: ExtensionContext,
): readonly PrivateQuery[] {
  let isMetadataUpdated = false;
  for (const log of logs) {
    const shared = readStateShared(log);
    if (shared === undefined || !isManagementContract(space.world.codeHash(log.address))) continue;
    if (!equalBytes(space.world.codeHash(shared.toExtend), EMPTY_CODE_HASH)) {
      if (!isMetadataUpdated) followNewCreation(space, shared);
      isMetadataUpdated = true;
      continue;
    }
    const wanted = receiveState(space, shared, context);
    if (wanted.length > 0) return wanted;
  }
  return [];
}

/** For an existing party: from now on the shared dump counts as the contract's creation. */
function followNewCreation(space: PrivateSpace, { toExtend, dumpHash }: StateShared): void {
  const metadata = space.world.metadata(toExtend);
  if (metadata === undefined || metadata.flag === STANDARD_PRIVATE || dumpHash === undefined)
    return;
  space.world.setMetadata(toExtend, { ...metadata, creationHash: dumpHash });
}

/** For a new party: takes over the contract from the dump, if this state's own vote accepted it. */
function receiveState(
  space: PrivateSpace,
  shared: StateShared,
  context: ExtensionContext,
): readonly PrivateQuery[] {
  const { uuid, dumpHash } = shared;
  if (uuid === undefined) {
    context.note('Extension: State shared by accept never called');
    return [];
  }
  const answers = new Answers(context.inputs);
  const isSender = answers.ask({ kind: 'isSender', hash: uuid });
  if (isSender === undefined) return answers.wanted;
  if (isSender.kind !== 'fact' || !isSender.value) return [];
  const envelope = answers.payload(uuid);
  const opened = answers.ask({ kind: 'opened', hash: uuid });
  const dump = dumpHash === undefined ? NOT_PARTY : answers.payload(dumpHash);
  if (envelope === undefined || opened === undefined || dump === undefined) return answers.wanted;
  if (envelope.kind !== 'held' || context.psiOf(envelope.senderKey) !== space.psi) return [];
  if (opened.kind !== 'held' || !equalBytes(opened.payload, shared.emitter)) {
    context.note('Extension: wrong address in retrieved UUID');
    return [];
  }
  if (dump.kind !== 'held') {
    context.note('Extension: No state shared with us');
    return [];
  }
  takeOver(space, shared, dump, context);
  return [];
}

function takeOver(
  space: PrivateSpace,
  { toExtend, dumpHash }: StateShared,
  dump: HeldPayload,
  context: ExtensionContext,
): void {
  const accounts = parseStateDump(dump.payload);
  if (accounts === undefined) {
    context.note('Extension: Could not unmarshal data');
    return;
  }
  const account = accounts[0];
  if (accounts.length !== 1 || account === undefined || !equalBytes(account.address, toExtend)) {
    context.note('Extension: Account mismatch');
    return;
  }
  writeAccount(space, toExtend, account);
  if (dump.flag !== STANDARD_PRIVATE) {
    space.world.setMetadata(toExtend, {
      creationHash: dumpHash!,
      flag: dump.flag,
      managedParties: dump.managedParties,
    });
  }
}

function writeAccount({ world }: PrivateSpace, address: Address, account: SharedAccount): void {
  world.createContract(address);
  world.subBalance(address, world.balance(address));
  world.addBalance(address, account.balance);
  world.setNonce(address, account.nonce);
  world.setCode(address, account.code);
  for (const [slot, value] of account.storage) world.setStorage(address, slot, value);
}

const NOT_PARTY: PrivateAnswer = { kind: 'notParty' };

/** Looks up answers to queries, and collects the queries without an answer. */
class Answers {
  readonly wanted: PrivateQuery[] = [];
  private readonly inputs: PrivateInputs | undefined;

  constructor(inputs: PrivateInputs | undefined) {
    this.inputs = inputs;
  }

  payload(hash: Uint8Array): PrivateAnswer | undefined {
    const answer = payloadAnswer(this.inputs, hash);
    if (answer === undefined) this.wanted.push({ kind: 'payload', hash });
    return answer;
  }

  ask(query: PrivateQuery): PrivateAnswer | undefined {
    if (isEmptyPayloadHash(query.hash)) return NOT_PARTY;
    const answer = this.inputs?.answer(query);
    if (answer === undefined) this.wanted.push(query);
    return answer;
  }
}

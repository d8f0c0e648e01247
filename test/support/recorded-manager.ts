/** A node's private transaction manager as recorded: its payloads, decrypted with its own keys. */
import { join } from 'node:path';
import sodium from 'libsodium-wrappers';
import { fromBase64 } from '../../src/core/base/base64.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import {
  DEFAULT_PSI,
  EMPTY_PSI,
  type PrivacyFlag,
  type PrivateAnswer,
  type PrivateInputs,
  type PrivateQuery,
  type Psi,
} from '../../src/core/privacy/inputs.ts';
import { plainOrPacked, readJson } from '../vectors/folders.ts';
import type { PrivateNode } from './memory-chain.ts';

interface ManagerKey {
  readonly pub: string;
  readonly priv: string;
}

export interface Held {
  readonly payload: string;
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly privacyFlag: PrivacyFlag;
  readonly affectedContractTransactions: readonly string[];
  readonly execHash: string;
  readonly mandatoryRecipients?: readonly string[];
  readonly parties: readonly string[];
}

interface RecordedNode {
  readonly name: string;
  readonly ptm: ManagerKey;
  readonly managerKeys?: readonly ManagerKey[];
  readonly groups?: readonly { readonly name: string; readonly members: readonly string[] }[];
}

/** The manager of `name`, from `keys.json` and `private/manager-contents.json` of the recording. */
export async function recordedNode(
  recording: string,
  name: string,
  isMps: boolean,
): Promise<PrivateNode> {
  await sodium.ready;
  const nodes: readonly RecordedNode[] = readJson(join(recording, 'keys.json')).nodes;
  const node = nodes.find((candidate) => candidate.name === name)!;
  const groups = new Map<string, Psi>();
  for (const group of node.groups ?? []) {
    for (const member of group.members) groups.set(member, group.name);
  }
  const keys = node.managerKeys ?? [node.ptm];
  const psis = node.groups?.map((group) => group.name) ?? [DEFAULT_PSI];
  return {
    psis: isMps ? [...psis, EMPTY_PSI] : psis,
    inputs: new RecordedManager(contentsOf(recording), name, keys),
    psiOf: (key) => (node.groups ? groups.get(key) : DEFAULT_PSI),
  };
}

/** By payload hash in hex. */
export function contentsOf(recording: string): Record<string, Held> {
  return readJson(plainOrPacked(join(recording, 'private/manager-contents.json')));
}

class RecordedManager implements PrivateInputs {
  private readonly contents: Record<string, Held>;
  private readonly node: string;
  private readonly keys: readonly ManagerKey[];

  constructor(contents: Record<string, Held>, node: string, keys: readonly ManagerKey[]) {
    this.contents = contents;
    this.node = node;
    this.keys = keys;
  }

  answer(query: PrivateQuery): PrivateAnswer {
    const held = this.contents[toHex(query.hash)];
    const isParty = held?.parties.includes(this.node) === true;
    switch (query.kind) {
      case 'payload':
        return isParty ? this.held(held, fromHex(held.payload)) : { kind: 'notParty' };
      case 'isSender':
        return { kind: 'fact', value: isParty && this.keyOf(held.sender) !== undefined };
      case 'opened': {
        const clear = isParty ? this.open(held) : undefined;
        return clear ? this.held(held!, clear) : { kind: 'notParty' };
      }
    }
  }

  private held(held: Held, payload: Uint8Array): PrivateAnswer {
    return {
      kind: 'held',
      payload,
      flag: held.privacyFlag,
      affected: held.affectedContractTransactions.map(fromHex),
      execHash: held.execHash === '' ? undefined : fromBase64(held.execHash),
      managedParties: held.recipients.filter((key) => this.keyOf(key) !== undefined),
      senderKey: held.sender,
    };
  }

  private keyOf(publicKey: string): ManagerKey | undefined {
    return this.keys.find(({ pub }) => pub === publicKey);
  }

  /** Decrypts a payload that this manager sealed for itself (POST /encodedpayload/decrypt). */
  private open(held: Held): Uint8Array | undefined {
    const envelope = JSON.parse(Buffer.from(fromHex(held.payload)).toString('utf8'));
    const sender = this.keyOf(envelope.senderKey);
    if (!sender) return undefined;
    const masterKey = sodium.crypto_box_open_easy(
      fromBase64(envelope.recipientBoxes[0]),
      fromBase64(envelope.recipientNonce),
      fromBase64(envelope.recipientKeys[0]),
      fromBase64(sender.priv),
    );
    return sodium.crypto_secretbox_open_easy(
      fromBase64(envelope.cipherText),
      fromBase64(envelope.cipherTextNonce),
      masterKey,
    );
  }
}

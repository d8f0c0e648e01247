/**
 * Extending private contracts to new parties (GoQuorum extension/api.go): `ledgerExtension_*` and
 * GoQuorum's `quorumExtension_*`, one handler.
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { fail, QuorateError } from '../../../core/base/errors.ts';
import { toHex } from '../../../core/base/hex.ts';
import type { ActiveExtension } from '../../../core/privacy/extension.ts';
import { RpcError } from '../../../io/rpc/method.ts';
import type { ExtensionRequests } from '../node/extension/extension-requests.ts';
import type { ExtensionCaller, ExtensionRules } from '../node/extension/extension-rules.ts';
import { type Context, method } from './context.ts';
import type { JsonObject } from './render.ts';
import { ARRAY, DATA, HASH, orNull, TEXT } from './results.ts';
import { address, bool, named, text } from './shapes.ts';
import { sendArgs } from './transaction-args.ts';

const contract = named('managementContract', address);

function both(action: string): readonly string[] {
  return [`ledgerExtension_${action}`, `quorumExtension_${action}`];
}

function rulesOf(name: string): ExtensionRules {
  return name.startsWith('ledger') ? 'ledger' : 'quorum';
}

/** Runs `work` for the caller; under `ledgerExtension_*` every error text begins with `Error: `. */
async function asCaller<T>(
  { extensions, view, checkActor }: Context,
  name: string,
  work: (requests: ExtensionRequests, caller: ExtensionCaller) => T | Promise<T>,
): Promise<T> {
  const rules = rulesOf(name);
  try {
    if (!extensions) throw fail('PTM_NOT_ENABLED', 'PrivateTransactionManager is not enabled');
    return await work(extensions, { psi: view.knownPsi(), rules, checkActor });
  } catch (error) {
    const isTold = error instanceof QuorateError && error.code !== 'INVARIANT_BROKEN';
    if (rules === 'quorum' || !isTold || error instanceof RpcError) throw error;
    throw fail(error.code, `Error: ${error.message}`, { data: error.data, cause: error });
  }
}

/** `creationData`: hex under `ledgerExtension_*`, base64 under `quorumExtension_*`. */
function render(extension: ActiveExtension, rules: ExtensionRules): JsonObject {
  const { creationHash } = extension;
  return {
    contractExtended: toHex(extension.toExtend),
    initiator: toHex(extension.initiator),
    recipient: toHex(extension.recipient),
    managementContractAddress: toHex(extension.manager),
    recipientPtmKey: extension.recipientKey,
    creationData: rules === 'ledger' ? toHex(creationHash) : toBase64(creationHash),
  };
}

export const extensionMethods = [
  method(both('activeExtensionContracts'), {
    params: [],
    result: orNull(ARRAY),
    about:
      'Active extensions in which this node takes part, as initiator or receiver; quorumExtension_: null for a private state that it does not have.',
    call: (context, _, name) => {
      if (!context.view.isKnownPsi()) return rulesOf(name) === 'ledger' ? [] : null;
      return asCaller(context, name, async (requests, { psi, rules }) =>
        (await requests.active(psi)).map((each) => render(each, rules)),
      );
    },
  }),
  method(both('extendContract'), {
    params: [
      named('toExtend', address),
      named('newRecipientPtmPublicKey', text),
      named('recipientAddress', address),
      sendArgs,
    ],
    result: HASH,
    access: 'send',
    about:
      'Starts extending a private contract to a new party; returns the creation of its management contract.',
    call: (context, [toExtend, recipientKey, recipient, args], name) =>
      asCaller(context, name, async (requests, caller) =>
        toHex(await requests.extend(caller, { toExtend, recipient, recipientKey }, args)),
      ),
  }),
  method(both('approveExtension'), {
    params: [contract, named('vote', bool), sendArgs],
    result: HASH,
    access: 'send',
    about: 'Votes for or against an extension.',
    call: (context, [who, vote, args], name) =>
      asCaller(context, name, async (requests, caller) =>
        toHex(await requests.vote(caller, who, vote, args)),
      ),
  }),
  method(both('cancelExtension'), {
    params: [contract, sendArgs],
    result: HASH,
    access: 'send',
    about: 'Cancels an extension that not all have accepted; for its initiator.',
    call: (context, [who, args], name) =>
      asCaller(context, name, async (requests, caller) =>
        toHex(await requests.cancel(caller, who, args)),
      ),
  }),
  method(both('getExtensionStatus'), {
    params: [contract],
    result: TEXT,
    about: '`ACTIVE` or `DONE`.',
    call: (context, [who], name) =>
      asCaller(context, name, (requests, { psi }) =>
        requests.isFinished(psi, who) ? 'DONE' : 'ACTIVE',
      ),
  }),
  method(both('generateExtensionApprovalUuid'), {
    params: [contract, named('externalSigner', address), sendArgs],
    result: DATA,
    access: 'send',
    about: "The voter's proof for a vote signed elsewhere.",
    call: (context, [who, voter, args], name) =>
      asCaller(context, name, (requests, caller) =>
        requests.approvalUuid(caller, who, voter, args),
      ),
  }),
];

/** The node's key, in this process or at a signing proxy, with everything that signs by it. */
import { bareHex } from '../../core/base/hex.ts';
import type { Log } from '../../core/base/ports.ts';
import { addressOfPublicKey } from '../../core/base/secp256k1.ts';
import { systemTimers } from '../../io/host/timers.ts';
import { openNodeKey } from '../../io/keys/far-node-key.ts';
import type { LedgerConfig } from './config.ts';
import { findNodeKey } from './keys/node-key.ts';
import { consensusSigner } from './keys/node-signer.ts';
import { NodeKeyPulse } from './monitoring/node-key-pulse.ts';
import { patientSigning } from './node/consensus/block-signing.ts';

export async function composeNodeKey(config: LedgerConfig, log: Log) {
  const place = await findNodeKey(config);
  const key = openNodeKey(place);
  const { publicKey } = key;
  const isFar = !(place instanceof Uint8Array);
  return {
    ...{ place, publicKey, nodeId: bareHex(publicKey), address: addressOfPublicKey(publicKey) },
    signer: consensusSigner(place, { timers: systemTimers, arrived: () => undefined }),
    /** undefined: blocks are signed at once, by the key in this process. */
    signBlock: isFar ? patientSigning(key, systemTimers) : undefined,
    /** Asks the proxy now and then whether it still answers; undefined: there is no proxy. */
    pulse: isFar ? new NodeKeyPulse({ key, timers: systemTimers, log }) : undefined,
  };
}

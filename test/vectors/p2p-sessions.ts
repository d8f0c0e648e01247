/** Recorded connections: their handshakes, each frame, and the meaning of every message. */
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { localNodeKey } from '../../src/core/base/node-key.ts';
import {
  ISTANBUL,
  type ProtocolSpec,
  protocolOfCode,
  sharedProtocols,
} from '../../src/core/wire/capabilities.ts';
import { decodeDisconnect, encodeDisconnect } from '../../src/core/wire/disconnect.ts';
import { decodeEth } from '../../src/core/wire/eth.ts';
import { decodeStatus, encodeStatus } from '../../src/core/wire/eth-status.ts';
import { decodeHello, encodeHello, type Hello } from '../../src/core/wire/hello.ts';
import { KeccakState } from '../../src/io/crypto/keccak-wasm.ts';
import { deriveSecrets, openAck, openAuth, type Secrets } from '../../src/io/p2p/handshake.ts';
import { RlpxSession } from '../../src/io/p2p/rlpx-session.ts';
import { nextFrame } from '../support/next-frame.ts';
import type { Report } from './kind.ts';
import { attempt, check } from './p2p-check.ts';

const BYTES_MAX = 16 * 1024 * 1024;

/** The secrets of both sides, from the recorded packets and the initiator's ephemeral key. */
function secretsOf(vector: any): { initiator: Secrets; recipient: Secrets; remote: string } {
  const auth = openAuth(localNodeKey(fromHex(vector.recipientKey)), fromHex(vector.auth));
  const ack = openAck(localNodeKey(fromHex(vector.initiatorKey)), fromHex(vector.ack));
  const initiator = deriveSecrets({
    initiator: true,
    ephemeralKey: fromHex(vector.initiatorEphemeralKey),
    remoteEphemeral: ack.ephemeral,
    initiatorNonce: auth.nonce,
    recipientNonce: ack.nonce,
    auth: fromHex(vector.auth),
    ack: fromHex(vector.ack),
  });
  const recipient = {
    ...initiator,
    egressSeed: initiator.ingressSeed,
    ingressSeed: initiator.egressSeed,
  };
  return { initiator, recipient, remote: toHex(auth.remoteKey) };
}

export function checkRlpx(vectors: any, report: Report): void {
  for (const vector of vectors.vectors) {
    attempt(report, vector.name, () => {
      const { initiator, recipient, remote } = secretsOf(vector);
      const got = [remote, toHex(initiator.aes), toHex(initiator.mac)];
      check(report, vector.name, got, [vector.initiatorPublic, vector.aesSecret, vector.macSecret]);
      const macs = [initiator.egressSeed, initiator.ingressSeed].map((seed) =>
        toHex(new KeccakState(seed).digest()),
      );
      check(report, `${vector.name}: MAC states`, macs, [
        vector.initiatorEgressMac,
        vector.initiatorIngressMac,
      ]);
      const sides: Record<string, RlpxSession> = {
        initiator: new RlpxSession(initiator),
        recipient: new RlpxSession(recipient),
      };
      for (const [i, frame] of vector.frames.entries()) {
        const compressed = i >= 2;
        const sender = sides[frame.from]!;
        const receiver = sides[frame.from === 'initiator' ? 'recipient' : 'initiator']!;
        sender.compressed = compressed;
        receiver.compressed = compressed;
        receiver.push(fromHex(frame.frame));
        const read = nextFrame(receiver, BYTES_MAX);
        check(
          report,
          `${vector.name}: frame ${i}`,
          [read?.code, read && toHex(read.bytes)],
          [frame.code, frame.payload],
        );
        const written = sender.encode(frame.code, fromHex(frame.payload));
        // When two compressors give different lengths, the frames may differ.
        if (!compressed || written.length === fromHex(frame.frame).length) {
          check(report, `${vector.name}: frame ${i} written`, toHex(written), frame.frame);
        }
      }
    });
  }
}

export function checkSessions(vectors: any, report: Report): void {
  for (const session of vectors.sessions)
    attempt(report, session.name, () => checkSession(session, report));
}

function checkSession(session: any, report: Report): void {
  const { initiator, recipient } = secretsOf(session);
  check(report, `${session.name}: secrets`, [initiator.aes, initiator.mac].map(toHex), [
    session.aesSecret,
    session.macSecret,
  ]);
  for (const [from, secrets, stream, skipped] of [
    ['initiator', recipient, session.initiatorStream, session.auth],
    ['recipient', initiator, session.recipientStream, session.ack],
  ] as const) {
    const reader = new RlpxSession(secrets);
    const frames = fromHex(stream).subarray(fromHex(skipped).length);
    for (let at = 0; at < frames.length; at += 1000) reader.push(frames.subarray(at, at + 1000));
    const messages = session.messages.filter((m: any) => m.from === from);
    for (const [i, message] of messages.entries()) {
      reader.compressed = message.snappy;
      const frame = nextFrame(reader, BYTES_MAX);
      // The last message to a node that closed at the same time may be missing or incomplete in the
      // recording.
      if (!frame && from === 'initiator' && i === messages.length - 1) continue;
      check(
        report,
        `${session.name}: ${from} ${i}`,
        [frame?.code, frame && toHex(frame.bytes)],
        [message.code, message.payload],
      );
    }
  }
  checkMeaning(session, report);
}

/**
 * The node announces the same versions of istanbul as we do, and refuses a useless peer in the same
 * cases.
 */
function checkAnnounced(
  session: any,
  peer: Hello,
  node: Hello,
  table: readonly ProtocolSpec[],
  report: Report,
): void {
  const istanbul = node.capabilities.filter(({ name }) => name === 'istanbul');
  const wanted = istanbul.length === 0 ? [] : ISTANBUL.map(({ version }) => version);
  const announced = istanbul.map(({ version }) => version);
  check(report, `${session.name}: versions of istanbul`, announced, wanted);
  const served = table.filter((spec) =>
    node.capabilities.some(({ name, version }) => name === spec.name && version === spec.version),
  );
  const answers = session.messages.filter((m: any) => m.from === 'recipient' && m.code > 0);
  const isUseless = answers.length === 1 && /^0xc?1?03$/.test(answers[0].payload);
  const isNobody = sharedProtocols(served, peer.capabilities).length === 0;
  check(report, `${session.name}: useless`, isNobody, isUseless);
}

/**
 * Everything that GoQuorum itself sent must be understood, and keep its meaning when it is encoded
 * again.
 */
function checkMeaning(session: any, report: Report): void {
  const hellos = session.messages.filter((m: any) => m.code === 0 && m.payload.length > 10);
  if (hellos.length < 2) return;
  const [first, second] = hellos.map((m: any) => decodeHello(fromHex(m.payload)));
  const table = [
    { name: 'eth', version: 65, length: 17 },
    { name: 'eth', version: 66, length: 17 },
    ...ISTANBUL,
    { name: 'snap', version: 1, length: 8 },
  ];
  checkAnnounced(session, first, second, table, report);
  const ours = table.filter((spec) =>
    first.capabilities.some((cap: any) => cap.name === spec.name && cap.version === spec.version),
  );
  const shared = sharedProtocols(ours, second.capabilities);
  for (const [i, message] of session.messages.entries()) {
    if (message.from !== 'recipient') continue;
    const name = `${session.name}: meaning of ${i}`;
    attempt(report, name, () => {
      const bytes = fromHex(message.payload);
      if (message.code === 0)
        check(report, name, toHex(encodeHello(decodeHello(bytes))), message.payload);
      else if (message.code === 1)
        check(report, name, toHex(encodeDisconnect(decodeDisconnect(bytes))), message.payload);
      else if (message.code < 16) check(report, name, message.payload, '0xc0');
      else {
        const protocol = protocolOfCode(shared, message.code);
        if (!protocol) report.fail(name, `code ${message.code} belongs to no protocol`);
        else if (protocol.name !== 'eth')
          check(report, name, message.code - protocol.offset >= 0x11, true);
        else if (message.code === 16)
          check(report, name, toHex(encodeStatus(decodeStatus(bytes))), message.payload);
        else if (protocol.version === 66)
          check(report, name, typeof decodeEth(66, message.code - 16, bytes).kind, 'string');
      }
    });
  }
}

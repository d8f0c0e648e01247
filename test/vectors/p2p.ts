/**
 * Kind `p2p`: handshakes, frames, Hello, eth messages, node URLs, snappy, fork ids, and recorded
 * live sessions.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EMPTY_BYTES } from '../../src/core/base/bytes.ts';
import { bareHex, fromHex, toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { localNodeKey } from '../../src/core/base/node-key.ts';
import { secp256k1 } from '../../src/core/base/secp256k1.ts';
import { formatEnode, parseEnode } from '../../src/core/wire/enode.ts';
import { decodeStatus, encodeStatus } from '../../src/core/wire/eth-status.ts';
import { decodeHello, encodeHello } from '../../src/core/wire/hello.ts';
import { snappyDecode, snappyEncode } from '../../src/core/wire/snappy.ts';
import { KeccakState } from '../../src/io/crypto/keccak-wasm.ts';
import { deriveSecrets, openAck, openAuth } from '../../src/io/p2p/handshake.ts';
import { RlpxSession } from '../../src/io/p2p/rlpx-session.ts';
import { filesBelow, readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';
import { attempt, check } from './p2p-check.ts';
import { checkEip778, checkOwnPackets, checkPackets } from './p2p-discovery.ts';
import {
  checkEthPackets,
  checkForkIds,
  checkReferenceEth,
  checkReferenceForkIds,
} from './p2p-eth.ts';
import { checkRlpx, checkSessions } from './p2p-sessions.ts';

const BYTES_MAX = 16 * 1024 * 1024;

type Runner = (vectors: any, report: Report) => void;

const RUNNERS: Readonly<Record<string, Runner>> = {
  'eip8.json': checkEip8,
  'enr-enode.json': (vectors, report) => {
    checkPublicEnodes(vectors, report);
    checkEip778(vectors, report);
  },
  'discv4-packets.json': checkPackets,
  'discovery.json': checkOwnPackets,
  'eth66-packets.json': checkEthPackets,
  'public/forkid.json': checkForkIds,
  'rlpx.json': checkRlpx,
  'hello-status.json': checkHelloStatus,
  'eth.json': checkReferenceEth,
  'enode-urls.json': checkEnodes,
  'goquorum/forkid.json': checkReferenceForkIds,
  'qbft.json': checkSessions,
  'ibft.json': checkSessions,
  'raft.json': checkSessions,
};

function runnerOf(file: string): Runner | undefined {
  const name = basename(file);
  const source = file.includes('/public/') ? 'public' : 'goquorum';
  return RUNNERS[name] ?? RUNNERS[`${source}/${name}`];
}

export const p2p: VectorKind = {
  name: 'p2p',
  find(root) {
    const folders = ['public/p2p', 'goquorum/consensus/wire/devp2p', 'goquorum/consensus/sessions'];
    const files = folders.flatMap((folder) => filesBelow(join(root, folder), () => true));
    return files.filter((file) => runnerOf(file) !== undefined || /snappy$/.test(file));
  },
  async run(file, report) {
    if (/snappy$/.test(file)) checkSnappyFile(file, report);
    else runnerOf(file)!(readJson(file), report);
  },
};

/** Discovery version 5 and DNS node lists: found, but there is no check for them. */
export const p2pDiscovery: Pick<VectorKind, 'name' | 'find'> = {
  name: 'p2p-discovery',
  find: (root) => [
    ...filesBelow(join(root, 'public/p2p'), (path) => /(discv5|dns-enrtree)\.json$/.test(path)),
  ],
};

function checkEip8(vectors: any, report: Report): void {
  for (const [i, hello] of vectors.devp2pHello.entries()) {
    attempt(report, `hello ${i}`, () => {
      const decoded = decodeHello(fromHex(hello.rlp));
      const id =
        'fda1cff674c90c9a197539fe3dfb53086ace64f83ed7c6eabec741f7f381cc803e52ab2cd55d5569bce4347107a310dfd5f88a010cd2ffd1005ca406f1842877';
      const caps = decoded.capabilities.map((cap) => `${cap.name}/${cap.version}`);
      check(
        report,
        `hello ${i}`,
        [decoded.version, bareHex(decoded.id), caps],
        [55, id, ['eth/61', 'mork/22']],
      );
    });
  }
  const { values, messages, secrets, ingressMacFoo } = vectors.rlpxHandshake;
  const keyA = fromHex(values['Static Key A']);
  const keyB = fromHex(values['Static Key B']);
  const ephemeral = (side: string) =>
    secp256k1().publicKey(fromHex(values[`Ephemeral Key ${side}`]));
  const packets: Record<string, Uint8Array> = {};
  for (const message of messages) {
    const packet = fromHex(message.ciphertext);
    packets[message.name] = packet;
    attempt(report, message.name, () => {
      if (message.name.startsWith('Auth')) {
        const auth = openAuth(localNodeKey(keyB), packet);
        const got = [auth.remoteKey, auth.remoteEphemeral, auth.nonce].map(toHex);
        check(report, message.name, got, [
          toHex(secp256k1().publicKey(keyA)),
          toHex(ephemeral('A')),
          values['Nonce A'],
        ]);
      } else {
        const ack = openAck(localNodeKey(keyA), packet);
        check(report, message.name, [ack.ephemeral, ack.nonce].map(toHex), [
          toHex(ephemeral('B')),
          values['Nonce B'],
        ]);
      }
    });
  }
  const derived = deriveSecrets({
    initiator: false,
    ephemeralKey: fromHex(values['Ephemeral Key B']),
    remoteEphemeral: ephemeral('A'),
    initiatorNonce: fromHex(values['Nonce A']),
    recipientNonce: fromHex(values['Nonce B']),
    auth: packets.Auth2!,
    ack: packets.Ack2!,
  });
  check(report, 'secrets', [derived.aes, derived.mac].map(toHex), [
    secrets['aes-secret'],
    secrets['mac-secret'],
  ]);
  const state = new KeccakState(derived.ingressSeed);
  check(
    report,
    'ingress MAC',
    toHex(state.absorb(new Uint8Array(Buffer.from('foo')))),
    ingressMacFoo,
  );
  checkFrame(vectors.rlpxFrame, report);
  checkPackets(vectors.discv4, report);
}

/** The vector's MACs come from a fake hash, so only the encrypted parts can be compared. */
function checkFrame(vector: any, report: Report): void {
  const secret = keccak256(EMPTY_BYTES);
  const seed = EMPTY_BYTES;
  const session = new RlpxSession({
    aes: secret,
    mac: secret,
    egressSeed: seed,
    ingressSeed: seed,
  });
  const frame = session.encode(vector.msgCode, fromHex(vector.payloadRlp));
  const want = fromHex(vector.frame);
  const parts = (bytes: Uint8Array) => [
    bytes.length,
    toHex(bytes.subarray(0, 16)),
    toHex(bytes.subarray(32, 48)),
  ];
  check(report, 'frame', parts(frame), parts(want));
}

function checkSnappyFile(file: string, report: Report): void {
  const name = basename(file);
  const bytes = new Uint8Array(readFileSync(file));
  if (name.startsWith('baddata')) {
    try {
      snappyDecode(bytes, BYTES_MAX);
      report.fail(name, 'damaged input was accepted');
    } catch {
      report.pass(name);
    }
    return;
  }
  const text = new Uint8Array(
    gunzipSync(readFileSync(file.replace(/rawsnappy$/, 'txt.gz').replace('.txt.txt', '.txt'))),
  );
  attempt(report, name, () => {
    check(report, name, toHex(snappyDecode(bytes, BYTES_MAX)), toHex(text));
    check(
      report,
      `${name} both ways`,
      toHex(snappyDecode(snappyEncode(text), BYTES_MAX)),
      toHex(text),
    );
  });
}

function checkPublicEnodes(vectors: any, report: Report): void {
  for (const { input, result, error } of vectors.urlCases) {
    if (input.startsWith('enr:')) continue;
    // GoQuorum accepts a bare node id, which newer clients refuse.
    if (/^[0-9a-f]{128}$/.test(input)) continue;
    try {
      const node = parseEnode(input);
      const got = [toHex(node.publicKey), node.host ?? null, node.tcpPort, node.udpPort];
      if (error) report.fail(input, `parsed, want ${error}`);
      else
        check(report, input, got, [
          result.publicKey,
          result.hostname ?? result.ip,
          result.tcp,
          result.udp,
        ]);
    } catch (thrown) {
      if (error) report.pass(input);
      else report.fail(input, (thrown as Error).message);
    }
  }
}

function checkEnodes(vectors: any, report: Report): void {
  for (const vector of vectors.vectors) {
    const name = `enode ${vector.input.slice(-40)}`;
    // We resolve names when we dial, not when we parse.
    if (/^lookup /.test(vector.error ?? '')) continue;
    try {
      const node = parseEnode(vector.input);
      const host = node.host ?? '';
      const got = [
        node.id,
        node.raftPort !== undefined,
        host,
        node.tcpPort,
        node.udpPort,
        node.raftPort ?? 0,
        formatEnode(node),
      ];
      const wantHost = vector.host || (vector.ip === '<nil>' ? '' : vector.ip);
      if (vector.error) report.fail(name, `parsed, want ${vector.error}`);
      else
        check(report, name, got, [
          vector.enodeId,
          vector.hasRaftPort,
          wantHost,
          vector.tcp,
          vector.udp,
          vector.raftPort,
          vector.url,
        ]);
    } catch (thrown) {
      check(report, name, (thrown as Error).message, vector.error);
    }
  }
}

function checkHelloStatus(vectors: any, report: Report): void {
  for (const vector of vectors.vectors) {
    if (vector.name.startsWith('qlight')) continue;
    const payload = fromHex(vector.payload);
    attempt(report, vector.name, () => {
      if (vector.caps) {
        const hello = decodeHello(payload);
        const caps = hello.capabilities.map((cap) => `${cap.name}/${cap.version}`);
        const got = [hello.version, hello.clientName, caps, hello.listenPort, toHex(hello.id)];
        check(report, vector.name, got, [
          vector.version,
          vector.clientId,
          vector.caps,
          vector.listenPort,
          vector.nodeId,
        ]);
        check(report, `${vector.name}, written`, toHex(encodeHello(hello)), vector.payload);
        return;
      }
      const status = decodeStatus(payload);
      const got = [
        status.version,
        Number(status.networkId),
        String(status.td),
        toHex(status.head),
        toHex(status.genesis),
        `0x${status.forkId.hash.toString(16).padStart(8, '0')}`,
        Number(status.forkId.next),
      ];
      check(report, vector.name, got, [
        vector.protocolVersion,
        vector.networkId,
        vector.td,
        vector.head,
        vector.genesis,
        vector.forkHash,
        vector.forkNext,
      ]);
      check(report, `${vector.name}, written`, toHex(encodeStatus(status)), vector.payload);
    });
  }
}

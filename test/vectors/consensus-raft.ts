/**
 * Kind `consensus-raft`: GoQuorum's encodings byte for byte, recorded streams between members,
 * seals of recorded blocks.
 */
import { basename, dirname } from 'node:path';
import { concatBytes, equalBytes } from '../../src/core/base/bytes.ts';
import { bareHex, fromHex, toHex } from '../../src/core/base/hex.ts';
import { recoverAddress } from '../../src/core/base/secp256k1.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import { decodeHeader, headerHash } from '../../src/core/chain/header.ts';
import {
  decodeAddress,
  decodeClusterSnapshot,
  encodeAddress,
  encodeClusterSnapshot,
} from '../../src/core/consensus/raft/address.ts';
import {
  decodeRaftSeal,
  encodeRaftSeal,
  raftSealHash,
} from '../../src/core/consensus/raft/block-seal.ts';
import {
  CONF_CHANGE,
  decodeConfChange,
  decodeEntry,
  decodeMessage,
  ENTRY_TYPE,
  encodeConfChange,
  encodeEntry,
  encodeMessage,
  MESSAGE_TYPE,
} from '../../src/core/consensus/raft/messages.ts';
import {
  StreamDecoder,
  type StreamKind,
  streamEncoder,
} from '../../src/core/consensus/raft/stream-codec.ts';
import { expectEqual, filesOf, readBeside } from './consensus-check.ts';
import { filesBelow, readJson } from './folders.ts';
import { BLOCKS_FILE } from './goquorum-blocks.ts';
import type { Report, VectorKind } from './kind.ts';

export const consensusRaft: VectorKind = {
  name: 'consensus-raft',
  find: (root) => [
    ...filesBelow(root, (path) => /\/consensus\/wire\/raft\/encodings\.json(\.gz)?$/.test(path)),
    ...filesBelow(root, (path) =>
      /\/consensus\/raft\/transport\/connections\.json(\.gz)?$/.test(path),
    ),
    ...filesBelow(root, (path) => /\/consensus\/raft\//.test(path) && BLOCKS_FILE.test(path)),
  ],
  run(file, report) {
    const name = basename(file, '.gz');
    if (name === 'encodings.json') checkEncodings(readJson(file).vectors, report);
    else if (name === 'connections.json') checkConnections(readJson(file), report);
    else checkSeals(readJson(file), dirname(file), report);
  },
};

function checkEncodings(vectors: any[], report: Report): void {
  const addresses: any[] = [];
  for (const vector of vectors) {
    const check = (what: string, actual: unknown, expected: unknown) =>
      expectEqual(report, `${vector.name}: ${what}`, actual, expected);
    if (vector.json) {
      addresses.push(vector);
      const address = decodeAddress(fromHex(vector.rlp));
      check('read', { ...address, nodeId: bareHex(address.nodeId) }, inOrder(vector.json));
      check('written', toHex(encodeAddress(address)), vector.rlp);
    } else if (vector.head) checkSnapshot(vector, addresses, check);
    else if (vector.extraData) checkSealVector(vector, check);
    else checkProtobuf(vector, check);
  }
}

type Check = (what: string, actual: unknown, expected: unknown) => void;

function inOrder({ raftId, nodeId, hostname, p2pPort, raftPort }: any): object {
  return { raftId, nodeId, hostname, p2pPort, raftPort };
}

function checkSnapshot(vector: any, addresses: readonly any[], check: Check): void {
  const snapshot = decodeClusterSnapshot(fromHex(vector.rlp));
  check('head', toHex(snapshot.headHash), vector.head);
  check('removed', snapshot.removedIds, vector.removed);
  const hosts = addresses.slice(0, snapshot.addresses.length).map(({ json }) => json.hostname);
  check(
    'hosts',
    snapshot.addresses.map(({ hostname }) => hostname),
    hosts,
  );
  check('written', toHex(encodeClusterSnapshot(snapshot)), vector.rlp);
}

function checkProtobuf(vector: any, check: Check): void {
  const bytes = fromHex(vector.protobuf);
  if (vector.name.startsWith('ConfChange')) {
    const change = decodeConfChange(bytes);
    check('type', change.type, CONF_CHANGE.addNode);
    check('member', decodeAddress(change.context).raftId, change.nodeId);
    check('written', toHex(encodeConfChange(change)), vector.protobuf);
  } else if (vector.index !== undefined) {
    const entry = decodeEntry(bytes);
    check('place', [entry.index, entry.term, entry.type], [vector.index, vector.term, 1]);
    check('written', toHex(encodeEntry(entry)), vector.protobuf);
  } else {
    const message = decodeMessage(bytes);
    check('written', toHex(encodeMessage(message)), vector.protobuf);
    if (vector.size !== undefined) check('size', bytes.length, vector.size);
    if (vector.streamFrame) {
      check('stream', toHex(streamEncoder('msgapp').encode(message)), vector.streamFrame);
    }
    if (vector.pipelineMessageFrame) {
      const frame = toHex(streamEncoder('message').encode(message));
      check('message stream', frame, vector.pipelineMessageFrame);
    }
  }
}

function checkSealVector(vector: any, check: Check): void {
  const header = decodeHeader(fromHex(vector.unsignedHeaderRlp));
  check('signed hash', toHex(headerHash(header)), vector.unsignedHeaderHash);
  check('signed hash again', toHex(raftSealHash(header)), vector.unsignedHeaderHash);
  const seal = decodeRaftSeal(fromHex(vector.extraData));
  check('signature', toHex(seal.signature), vector.signature);
  const id = Number.parseInt(seal.raftIdHex, 16);
  check('id', id, Number(vector.name.split(' ').at(-1)));
  check('written', toHex(encodeRaftSeal(id, seal.signature)), vector.extraData);
  const signer = recoverAddress(raftSealHash(header), seal.signature);
  check('signer', signer && toHex(signer), vector.signer.toLowerCase());
}

/** What members sent over their connections is decoded, and encoded to the same bytes. */
function checkConnections(connections: any[], report: Report): void {
  for (const [number, connection] of connections.entries()) {
    const found = /^(GET|POST) \/raft(?:\/stream\/(msgapp|message)\/(\w+))? /.exec(
      connection.firstLine,
    );
    if (!found) continue;
    const name = `connection ${number} (${connection.firstLine})`;
    const isStream = found[1] === 'GET';
    const body = httpBody(piecesOf(isStream ? connection.response : connection.request));
    if (body === undefined || body.length === 0) continue;
    if (!isStream) {
      const message = decodeMessage(body);
      expectEqual(report, `${name}: posted`, bareHex(encodeMessage(message)), bareHex(body));
    } else checkStream(name, found[2] as StreamKind, body, report);
  }
}

function checkStream(name: string, kind: StreamKind, body: Uint8Array, report: Report): void {
  const decoder = new StreamDecoder(kind, 1, 2);
  const encoder = streamEncoder(kind);
  // Feeding byte by byte gives the same result as feeding all at once.
  const messages = [...body].flatMap((byte) => decoder.push(Uint8Array.of(byte)));
  const whole = new StreamDecoder(kind, 1, 2).push(body);
  expectEqual(report, `${name}: pieces`, messages.length, whole.length);
  const written = concatBytes(...messages.map((message) => encoder.encode(message)));
  const read = withoutHeartbeats(kind, body);
  const shared = read.subarray(0, written.length);
  // The recording may end in the middle of a frame.
  const isEqual = equalBytes(shared, written) && read.length - written.length < 2_000;
  if (isEqual) report.pass(name);
  else report.fail(name, `${messages.length} messages are written differently`);
  for (const { type, entries } of messages) {
    if (type !== MESSAGE_TYPE.append) continue;
    for (const { type: entryType, data } of entries) {
      if (data.length === 0) continue;
      if (entryType === ENTRY_TYPE.normal) decodeBlock(data);
      else decodeConfChange(data);
    }
  }
}

/**
 * Removes the heartbeats between frames; a second decoder that is fed frame by frame finds them.
 */
function withoutHeartbeats(kind: StreamKind, body: Uint8Array): Uint8Array {
  const beat = streamEncoder(kind).heartbeat();
  const kept: Uint8Array[] = [];
  const decoder = new StreamDecoder(kind, 1, 2);
  let start = 0;
  for (let at = 0; at < body.length; at++) {
    const isAtBeat = start === at && equalBytes(body.subarray(at, at + beat.length), beat);
    if (isAtBeat) {
      at += beat.length - 1;
      start = at + 1;
      continue;
    }
    if (decoder.push(body.subarray(at, at + 1)).length === 0) continue;
    kept.push(body.subarray(start, at + 1));
    start = at + 1;
  }
  return concatBytes(...kept);
}

function piecesOf(pieces: readonly { data: string }[]): Uint8Array {
  return concatBytes(...pieces.map(({ data }) => new Uint8Array(Buffer.from(data, 'base64'))));
}

/**
 * The body of an HTTP message, chunked or with a length; undefined if there is none, or the request
 * was refused.
 */
function httpBody(bytes: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end < 0 || /^HTTP\/1\.1 [45]/.test(text)) return undefined;
  const head = text.slice(0, end).toLowerCase();
  const body = bytes.subarray(end + 4);
  if (!head.includes('transfer-encoding: chunked')) {
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    return length <= body.length ? body.subarray(0, length) : undefined;
  }
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    const line = text.indexOf('\r\n', end + 4 + at);
    const size = Number.parseInt(text.slice(end + 4 + at, line), 16);
    if (line < 0 || !(size > 0)) break;
    const start = line + 2 - end - 4;
    chunks.push(body.subarray(start, start + size));
    at = start + size + 2;
  }
  return concatBytes(...chunks);
}

function checkSeals(blocks: any[], folder: string, report: Report): void {
  const keys = filesOf(folder, ['keys.json']).length > 0 ? readBeside(folder, 'keys.json') : {};
  const known = JSON.stringify(keys).toLowerCase();
  for (const { number, rlp, decoded } of blocks) {
    if (number === 0) continue;
    const { header } = decodeBlock(fromHex(rlp));
    const seal = decodeRaftSeal(header.extraData);
    const signer = recoverAddress(raftSealHash(header), seal.signature);
    const expected = decoded?.extra?.signer?.toLowerCase();
    if (expected) {
      expectEqual(report, `block ${number}: signer`, signer && toHex(signer), expected);
      expectEqual(report, `block ${number}: id`, seal.raftIdHex, decoded.extra.raftIdHex);
    } else if (signer && known.includes(bareHex(signer))) {
      report.pass(`block ${number}: signed by a member`);
    }
  }
}

/**
 * The file of a group's compiled code: a checksum of the rest, the length of a list in JSON, the
 * list, the code. V8 does not notice damaged code, but fails in it later.
 */
import { crc32 } from 'node:zlib';

/** What V8 compiled of a chunk. */
export interface Piece {
  /** CRC-32 of the chunk's text. */
  readonly checksum: number;
  readonly code: Buffer;
}

type Row = readonly [name: string, checksum: number, length: number];

/** Bytes of the two numbers at the beginning. */
const HEAD = 8;

export function encodePieces(pieces: ReadonlyMap<string, Piece>): Buffer {
  const rows = [...pieces].map(([name, { checksum, code }]): Row => [name, checksum, code.length]);
  const list = Buffer.from(JSON.stringify(rows));
  const file = Buffer.concat([
    Buffer.alloc(HEAD),
    list,
    ...[...pieces.values()].map(({ code }) => code),
  ]);
  file.writeUInt32BE(list.length, 4);
  file.writeUInt32BE(crc32(file.subarray(4)), 0);
  return file;
}

/** Empty when the file is damaged, or is something else. */
export function decodePieces(file: Buffer): ReadonlyMap<string, Piece> {
  if (file.length < HEAD || file.readUInt32BE(0) !== crc32(file.subarray(4))) return new Map();
  let at = HEAD + file.readUInt32BE(4);
  const rows = JSON.parse(file.toString('utf8', HEAD, at)) as readonly Row[];
  return new Map(
    rows.map(([name, checksum, length]) => {
      const code = file.subarray(at, at + length);
      at += length;
      return [name, { checksum, code }];
    }),
  );
}

/** All that core uses of its host beyond the language: pure text encoding. */
declare class TextEncoder {
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  decode(bytes: Uint8Array): string;
}

/**
 * Payload hashes and transaction hashes follow from random keys, so the recording and this run have
 * different ones. Maps a recorded name to the name in this run; it is bound where it first appears,
 * and must keep its meaning from then on.
 */
const HEX_64_BYTES = /^0x[0-9a-f]{128}$/;
const HEX_32_BYTES = /^0x[0-9a-f]{64}$/;
const BASE64_64_BYTES = /^[A-Za-z0-9+/]{86}==$/;
const TOKENS = /[A-Za-z0-9+/]{86}==|0x[0-9a-f]{128}(?![0-9a-f])/g;

export class Names {
  private readonly live = new Map<string, string>();
  private readonly taken = new Map<string, string>();

  /** The hash in this run of a recorded hash of 32 or 64 bytes, in hex. */
  get(recorded: string): string | undefined {
    return this.live.get(recorded);
  }

  /** Returns false when either name is already bound to another one. */
  bind(recorded: string, live: string): boolean {
    const [known, owner] = [this.live.get(recorded), this.taken.get(live)];
    if (known !== undefined || owner !== undefined) return known === live && owner === recorded;
    this.live.set(recorded, live);
    this.taken.set(live, recorded);
    return true;
  }

  /**
   * Replaces every known name in the text: as hex, as base64, and where hex encodes either as text.
   */
  rewrite(text: string): string {
    if (text.length < 66) return text;
    let result = this.live.get(text) ?? this.rewriteTokens(text);
    if (result !== text || !text.startsWith('0x')) return result;
    for (const [recorded, live] of this.live) {
      if (recorded.length !== 130) continue;
      for (const spell of [bare, textAsHex, base64AsHex])
        result = result.replaceAll(spell(recorded), spell(live));
    }
    return result;
  }

  /**
   * Binds the names at the same places of two texts; false when the texts differ in anything else.
   */
  unify(recorded: string, live: string, mayBind32: boolean): boolean {
    const expected = this.rewrite(recorded);
    if (expected === live) return true;
    if (mayBind32 && HEX_32_BYTES.test(expected) && HEX_32_BYTES.test(live))
      return this.bind(recorded, live);
    const [theirs, ours] = [recorded.match(TOKENS) ?? [], live.match(TOKENS) ?? []];
    if (recorded.replaceAll(TOKENS, '') !== live.replaceAll(TOKENS, '')) return false;
    return theirs.every((token, at) => this.bind(asHex(token), asHex(ours[at] ?? '')));
  }

  private rewriteTokens(text: string): string {
    return text.replaceAll(TOKENS, (token) => {
      const live = this.live.get(asHex(token));
      if (live === undefined) return token;
      return HEX_64_BYTES.test(token) ? live : base64Of(live);
    });
  }
}

function asHex(token: string): string {
  if (!BASE64_64_BYTES.test(token)) return token;
  return `0x${Buffer.from(token, 'base64').toString('hex')}`;
}

function base64Of(hex: string): string {
  return Buffer.from(hex.slice(2), 'hex').toString('base64');
}

function bare(hex: string): string {
  return hex.slice(2);
}

function textAsHex(hex: string): string {
  return Buffer.from(hex).toString('hex');
}

function base64AsHex(hex: string): string {
  return Buffer.from(base64Of(hex)).toString('hex');
}

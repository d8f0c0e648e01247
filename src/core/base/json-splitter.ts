/** Splits a stream of concatenated JSON objects and arrays into the text of each. */

const UNFINISHED_CHARACTERS_MAX = 15 * 1024 * 1024;

export class JsonSplitter {
  private readonly charactersMax: number;
  private pending = '';
  private scanned = 0;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;

  /** `charactersMax`: maximum length of a value that is not yet complete. */
  constructor(charactersMax = UNFINISHED_CHARACTERS_MAX) {
    this.charactersMax = charactersMax;
  }

  /** The values that are now complete; undefined when an incomplete one is too long. */
  push(text: string): string[] | undefined {
    this.pending += text;
    const values: string[] = [];
    let start = 0;
    for (let i = this.scanned; i < this.pending.length; i++) {
      if (!this.isEnd(this.pending.charCodeAt(i))) continue;
      const value = this.pending.slice(start, i + 1);
      if (value.trim() !== '') values.push(value);
      start = i + 1;
    }
    this.pending = this.pending.slice(start);
    this.scanned = this.pending.length;
    if (this.depth === 0 && this.pending.trim() === '') {
      this.pending = '';
      this.scanned = 0;
    }
    return this.pending.length > this.charactersMax ? undefined : values;
  }

  private isEnd(code: number): boolean {
    if (this.isInString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (code === 92) this.isEscaped = true;
      else if (code === 34) this.isInString = false;
      return false;
    }
    if (code === 34) this.isInString = true;
    else if (code === 123 || code === 91) this.depth++;
    else if (code === 125 || code === 93) {
      this.depth = Math.max(0, this.depth - 1);
      return this.depth === 0;
    }
    return code === 10 && this.depth === 0;
  }
}

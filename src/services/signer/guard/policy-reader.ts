/** Reads the members of a policy file (YAML, which includes JSON); errors name the line. */
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { fail } from '../../../core/base/errors.ts';
import { nearest } from '../../../io/options/edit-distance.ts';

const ITEMS_MAX = 10_000;

/** A value with its position in the file. Every method throws SIGNER_POLICY_INVALID. */
export class Place {
  private readonly node: unknown;
  private readonly file: PolicyFile;
  private readonly at: number;

  constructor(file: PolicyFile, node: unknown, at: number) {
    this.file = file;
    this.node = node;
    this.at = (node as Partial<Node> | null)?.range?.[0] ?? at;
  }

  /** Members of a table by name; each name must be in `known`. */
  members(what: string, known: readonly string[]): ReadonlyMap<string, Place> {
    const { node } = this;
    if (!isMap(node)) throw this.wrong(`${what} must be a table of names and values`);
    const found = new Map<string, Place>();
    for (const item of node.items as Pair<Node, Node>[]) {
      const name = String((item.key as { value?: unknown }).value);
      const place = new Place(this.file, item.value, item.key.range?.[0] ?? this.at);
      if (!known.includes(name)) {
        const best = nearest(name, known);
        const guess = best === undefined ? '' : ` (did you mean "${best}"?)`;
        throw new Place(this.file, item.key, this.at).wrong(
          `${what} has no member "${name}"${guess}`,
        );
      }
      found.set(name, place);
    }
    return found;
  }

  list(what: string): readonly Place[] {
    const { node } = this;
    if (!isSeq(node)) throw this.wrong(`${what} must be a list`);
    if (node.items.length > ITEMS_MAX) throw this.wrong(`${what} has more than ${ITEMS_MAX} items`);
    return node.items.map((item) => new Place(this.file, item, this.at));
  }

  /** The text as written in the file: an unquoted address is not read as a number. */
  text(what: string): string {
    const { node } = this;
    if (!isScalar(node) || node.value === null) throw this.wrong(`${what} must be a text`);
    return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
  }

  /** A list of texts; a single text counts as a list of one. */
  texts(what: string): readonly string[] {
    if (!isSeq(this.node)) return [this.text(what)];
    return this.list(what).map((item) => item.text(what));
  }

  boolean(what: string): boolean {
    const { node } = this;
    if (isScalar(node) && typeof node.value === 'boolean') return node.value;
    throw this.wrong(`${what} must be true or false`);
  }

  isBoolean(): boolean {
    return isScalar(this.node) && typeof this.node.value === 'boolean';
  }

  /** Applies `read` to the text; undefined means invalid. */
  parsed<T>(what: string, wanted: string, read: (text: string) => T | undefined): T {
    const value = read(this.text(what).trim());
    if (value === undefined) throw this.wrong(`${what} must be ${wanted}`);
    return value;
  }

  wrong(message: string): Error {
    return this.file.wrong(this.at, message);
  }
}

export class PolicyFile {
  readonly root: Place;
  private readonly name: string;
  private readonly lines = new LineCounter();

  constructor(name: string, text: string) {
    this.name = name;
    const document = parseDocument(text, { lineCounter: this.lines, intAsBigInt: true });
    const [error] = document.errors;
    if (error) throw this.wrong(error.pos[0], error.message.split('\n')[0]!.split(' at line ')[0]!);
    this.root = new Place(this, document.contents, 0);
  }

  wrong(at: number, message: string): Error {
    const { line } = this.lines.linePos(at);
    return fail('SIGNER_POLICY_INVALID', `${this.name}: line ${Math.max(line, 1)}: ${message}`);
  }
}

/**
 * Positions of the parts of a JSON text, so that they can be forwarded unchanged, with the spelling
 * of numbers and strings. The text must be valid.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Span {
  readonly name: string;
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Members of the object that begins at `start`, in order, including duplicates. */
export function membersOf(text: string, start: number): Member[] {
  const members: Member[] = [];
  let at = skipSpace(text, skipSpace(text, start) + 1);
  while (text[at] !== '}') {
    const nameEnd = valueEnd(text, at);
    const raw = text.slice(at, nameEnd);
    const name = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, valueStart);
    members.push({ name, start: valueStart, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

/** Elements of the array in the text. */
export function elementsOf(text: string): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== ']') {
    const end = valueEnd(text, at);
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return elements;
}

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first !== '{' && first !== '[') return wordEnd(text, start);
  let depth = 0;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (code === 123 || code === 91) depth++;
    else if ((code === 125 || code === 93) && --depth === 0) return at + 1;
  }
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Position of the end of a number, true, false or null. */
function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++;
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

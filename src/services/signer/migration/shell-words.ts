/**
 * Splits a command line into words by the rules of a shell, a systemd unit or a compose file:
 * quotes, backslashes, variables.
 */
import { fail } from '../../../core/base/errors.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const BLANK = /\s/;
const VARIABLE = /^\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))/;

/**
 * An unknown variable stays as it is written. Throws OPTION_VALUE_INVALID for an unclosed quote.
 */
export function shellWords(text: string, variables: Variables = {}): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const variable = quote === "'" ? null : VARIABLE.exec(text.slice(at));
    if (variable) {
      const [whole, braced, fallback, plain] = variable;
      word = (word ?? '') + (variables[braced ?? plain ?? ''] ?? fallback ?? whole);
      at += whole.length - 1;
    } else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === '\\' && quote !== "'" && at + 1 < text.length) {
      at++;
      // A backslash before a line end continues the line.
      if (text[at] !== '\n') word = (word ?? '') + text[at];
    } else if (quote === '' && BLANK.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '')
    throw fail('OPTION_VALUE_INVALID', `a quote ${quote} of the command line has no end`);
  if (word !== undefined) words.push(word);
  return words;
}

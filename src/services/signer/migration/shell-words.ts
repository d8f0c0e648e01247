/**
 * Splits a command line into words by the rules of a shell, a systemd unit or a compose file:
 * quotes, backslashes, variables.
 */
import { fail } from '../../../core/base/errors.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const BLANK = /\s/;
const VARIABLE = /^\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))/;

/**
 * An unquoted variable is split at its blanks; an unknown one stays as it is written, or is empty.
 * Throws OPTION_VALUE_INVALID for an unclosed quote.
 */
export function shellWords(
  text: string,
  variables: Variables = {},
  unknown: 'kept' | 'empty' = 'kept',
): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  const end = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const variable = quote === "'" ? null : VARIABLE.exec(text.slice(at));
    if (variable) {
      const [whole, braced, fallback, plain] = variable;
      const value =
        variables[braced ?? plain ?? ''] ?? fallback ?? (unknown === 'kept' ? whole : '');
      const parts = quote === '' ? value.split(/\s+/) : [value];
      for (const [index, part] of parts.entries()) {
        if (index > 0) end();
        if (part !== '') word = (word ?? '') + part;
      }
      at += whole.length - 1;
    } else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === '\\' && quote !== "'" && at + 1 < text.length) {
      at++;
      // A backslash before a line end continues the line.
      if (text[at] !== '\n') word = (word ?? '') + text[at];
    } else if (quote === '' && BLANK.test(character)) end();
    else word = (word ?? '') + character;
  }
  if (quote !== '')
    throw fail('OPTION_VALUE_INVALID', `a quote ${quote} of the command line has no end`);
  end();
  return words;
}

const UNIT_VARIABLE = /\$(?:\$|\{(\w+)\})/g;

/**
 * A command line of a systemd unit: `$NAME` as a word of its own becomes as many words as it has,
 * `${NAME}` stays in its word; an unknown variable is empty (systemd.service(5)). Throws
 * OPTION_VALUE_INVALID for an unclosed quote.
 */
export function unitWords(text: string, variables: Variables): string[] {
  return shellWords(text).flatMap((word) => {
    const alone = /^\$(\w+)$/.exec(word)?.[1];
    if (alone !== undefined) return shellWords(variables[alone] ?? '');
    return [word.replace(UNIT_VARIABLE, (_all, name) => (name ? (variables[name] ?? '') : '$'))];
  });
}

/** The words of `sh -c SCRIPT` are those of its script. Throws OPTION_VALUE_INVALID. */
export function scriptWords(words: readonly string[], variables: Variables): readonly string[] {
  const [shell = '', flag = '', script] = words;
  const isScript = /(?:^|\/)(?:ba|da|a)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag);
  return isScript && script !== undefined ? shellWords(script, variables, 'empty') : words;
}

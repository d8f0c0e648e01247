/** Variables in a compose file (the Compose specification, "Interpolation"). */
import type { Variables } from './shell-words.ts';

const VARIABLE = /\$(?:\$|\{([A-Za-z_]\w*)(?:(:?)([-?+])([^}]*))?\}|([A-Za-z_]\w*))/g;

/**
 * Replaces the variables in every text of a document; an unknown one is empty, and `$$` is a dollar
 * sign. Throws an Error with the text of `${NAME:?text}`.
 */
export function interpolate(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return interpolateText(value, variables);
  if (Array.isArray(value)) return value.map((each) => interpolate(each, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, interpolate(each, variables)]),
  );
}

function interpolateText(text: string, variables: Variables): string {
  return text.replace(VARIABLE, (whole, braced, colon, operator, word, plain) => {
    if (whole === '$$') return '$';
    const name: string = braced ?? plain;
    const value = variables[name];
    const isThere = value !== undefined && (value !== '' || colon !== ':');
    if (operator === '+') return isThere ? word : '';
    if (isThere) return value;
    if (operator === '?') throw new Error(`the variable ${name} is not set: ${word}`);
    return operator === '-' ? word : '';
  });
}

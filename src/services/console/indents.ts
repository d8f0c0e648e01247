/**
 * Number of open brackets in an input, which is complete when there is none (GoQuorum
 * console/console.go, countIndents).
 */
export function openBrackets(input: string): number {
  let open = 0;
  let quote = '';
  let isEscaped = false;
  for (const character of input) {
    if (isEscaped) isEscaped = false;
    else if (quote !== '') {
      if (character === '\\') isEscaped = true;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{' || character === '(') open++;
    else if (character === '}' || character === ')') open--;
  }
  return open;
}

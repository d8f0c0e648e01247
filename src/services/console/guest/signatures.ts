/**
 * How the console's own functions are printed: with their parameters, as geth prints those of web3.
 */
const SIGNATURES = new WeakMap<object, string>();

export function signatureOf(value: object): string | undefined {
  return SIGNATURES.get(value);
}

/** `parameters`: as in a declaration; '' for a function that accepts any. */
export function shown<Value extends object>(value: Value, parameters = ''): Value {
  SIGNATURES.set(value, `function(${parameters})`);
  return value;
}

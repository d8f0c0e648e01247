/**
 * `--override key=value` of Tessera's command line: `jdbc.username=sa`, `peer[1].url=http://…`;
 * takes precedence over the configuration file.
 */
import { fail } from '../../../core/base/errors.ts';

type Container = Record<string, unknown> | unknown[];

const STEP = /^(?:\.?([A-Za-z_]\w*)|\[(\d{1,4})\])/;
const FORBIDDEN: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Changes `root`. Throws PTM_CONFIG_INVALID, whose text does not contain the value. */
export function applyOverrides(root: unknown, overrides: readonly string[]): void {
  for (const override of overrides) {
    const split = override.indexOf('=');
    const path = split < 0 ? override : override.slice(0, split);
    if (split < 1) throw invalid(path, 'it must be key=value');
    set(root as Container, stepsOf(path), override.slice(split + 1), path);
  }
}

function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  let rest = path;
  while (rest !== '') {
    const match = STEP.exec(rest);
    if (!match || (match[1] !== undefined && FORBIDDEN.includes(match[1]))) {
      throw invalid(path, 'the key must be like jdbc.url or peer[0].url');
    }
    steps.push(match[1] ?? Number(match[2]));
    rest = rest.slice(match[0].length);
  }
  return steps;
}

function set(root: Container, steps: readonly (string | number)[], text: string, path: string) {
  let at: Container = root;
  for (const [i, step] of steps.entries()) {
    const fits = Array.isArray(at) ? typeof step === 'number' : typeof step === 'string';
    if (!fits || (Array.isArray(at) && (step as number) > at.length)) {
      throw invalid(path, 'there is no such place in the configuration');
    }
    const place = at as Record<string | number, unknown>;
    if (i === steps.length - 1) {
      place[step] = typed(place[step], text, path);
      return;
    }
    place[step] ??= typeof steps[i + 1] === 'number' ? [] : {};
    const next = place[step];
    if (typeof next !== 'object' || next === null) {
      throw invalid(path, 'there is no such place in the configuration');
    }
    at = next as Container;
  }
}

/**
 * Takes the type of the existing value; without one, `true` and `false` are booleans and everything
 * else is text.
 */
function typed(before: unknown, text: string, path: string): unknown {
  switch (typeof before) {
    case 'boolean':
      if (!/^(true|false)$/i.test(text)) throw invalid(path, 'the value must be true or false');
      return text.toLowerCase() === 'true';
    case 'number':
      if (text.trim() === '' || Number.isNaN(Number(text))) {
        throw invalid(path, 'the value must be a number');
      }
      return Number(text);
    case 'object':
      try {
        return before === null ? text : JSON.parse(text);
      } catch {
        throw invalid(path, 'the value must be JSON, because it replaces a list or an object');
      }
    case 'undefined':
      return /^(true|false)$/.test(text) ? text === 'true' : text;
    default:
      return text;
  }
}

function invalid(path: string, why: string): Error {
  return fail('PTM_CONFIG_INVALID', `--override ${path}: ${why}`);
}

/** Files of environment variables: systemd's `EnvironmentFile=`, a compose file's `env_file`. */
import { readText } from '../../../io/host/files.ts';

const ASSIGNMENT = /^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$/;
const QUOTED = /^(["'])((?:\\.|(?!\1).)*)\1/s;
const INLINE_COMMENT = /(?:^|\s+)#.*$/;

export interface EnvironmentFileTerms {
  /** A missing file counts as an empty one. */
  readonly isOptional: boolean;
  /** Whether a blank and `#` end an unquoted value: so in compose files, not in systemd. */
  readonly hasInlineComments: boolean;
}

/** Throws FILE_UNREADABLE. */
export function environmentFile(
  path: string,
  { isOptional, hasInlineComments }: EnvironmentFileTerms,
): Record<string, string> {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (isOptional) return {};
    throw error;
  }
  const lines = text.replace(/\\\r?\n/g, '').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, written] = ASSIGNMENT.exec(line) ?? [];
      return name === undefined ? [] : [[name, readValue(written!, hasInlineComments)]];
    }),
  );
}

function readValue(written: string, hasInlineComments: boolean): string {
  const [, quote, inside] = QUOTED.exec(written) ?? [];
  if (inside !== undefined) return quote === '"' ? inside.replace(/\\(["\\$`])/g, '$1') : inside;
  return hasInlineComments ? written.replace(INLINE_COMMENT, '') : written;
}

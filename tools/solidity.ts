/** The pinned solc, through its standard JSON interface. */
import { createRequire } from 'node:module';

interface Compiler {
  compile(input: string, callbacks?: { import(path: string): { contents: string } }): string;
  version(): string;
}

export interface Compiled {
  readonly abi: object[];
  readonly evm: { readonly bytecode: { readonly object: string } };
}

const LINE_CHARACTERS = 120;
const solc = createRequire(import.meta.url)('solc') as Compiler;

/** For example `0.8.37+commit.…`. */
export const compilerVersion = (): string => solc.version();

/**
 * Compiles `sources` (file name to text). `imported` returns the text of a file that a source
 * imports. Returns the selected output by file and contract. Throws the compiler's first error.
 */
export function compile(
  sources: Record<string, string>,
  settings: object,
  imported: (path: string) => string = () => '',
): Record<string, Record<string, Compiled>> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      Object.entries(sources).map(([file, content]) => [file, { content }]),
    ),
    settings,
  };
  const callbacks = { import: (path: string) => ({ contents: imported(path) }) };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input), callbacks));
  const [error] = (errors as { severity: string; formattedMessage: string }[]).filter(
    ({ severity }) => severity === 'error',
  );
  if (error) throw new Error(error.formattedMessage);
  return contracts;
}

/** Bytecode as lines of a string array in a module. */
export function hexLines(code: string): string[] {
  const pieces = `0x${code}`.match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g'))!;
  return pieces.map((piece) => `  '${piece}',`);
}

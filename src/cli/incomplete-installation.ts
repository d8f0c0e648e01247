/** A package without its compiled part: the program cannot be loaded. */
import { fail, type QuorateError } from '../core/base/errors.ts';

/**
 * Error texts of node-gyp-build and node-gyp-build-optional-packages, with the package's folder.
 */
const NO_NATIVE_BUILD =
  /^No native build was found for [\s\S]*?from: .*?node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/\s]+)/;

/** An error that says what to do; undefined for any other `error`. */
export function incompleteInstallation(error: unknown): QuorateError | undefined {
  const name = NO_NATIVE_BUILD.exec((error as Error)?.message ?? '')?.[1];
  if (name === undefined) return undefined;
  const machine = `${process.platform}-${process.arch}, Node ${process.versions.node}`;
  return fail(
    'INSTALLATION_INCOMPLETE',
    `the package ${name} is installed without its compiled part for this machine (${machine}). ` +
      `Install with optional packages ("npm ci --include=optional"), or compile it: ` +
      `"npm rebuild ${name}", which needs Python and a C++ compiler`,
  );
}

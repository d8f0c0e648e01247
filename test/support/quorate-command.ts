/** The command `quorate` of this build, for shells that type in what the documentation says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from './devnet.ts';

/** Writes it into `folder`, which belongs on the PATH; `before`: a line of `sh` that runs first. */
export function writeQuorateCommand(folder: string, before = ''): void {
  const text = `#!/bin/sh\n${before}\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
  writeFileSync(join(folder, 'quorate'), text, { mode: 0o755 });
}

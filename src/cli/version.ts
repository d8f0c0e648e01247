/** `quorate version`. */
import { clientVersion, VERSION } from '../io/host/client-version.ts';
import type { Command } from './command.ts';

export const versionCommand: Command = {
  name: 'version',
  about: 'Prints the version.',
  examples: [],
  rows: [],
  async run() {
    console.log(`Quorate ${VERSION}\n${clientVersion(undefined)}`);
    return 0;
  },
};

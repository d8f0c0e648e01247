/** `quorate version`. */
import { clientVersion, VERSION } from '../io/host/client-version.ts';
import type { Command } from './command.ts';

export function versionText(): string {
  return `Quorate ${VERSION}\n${clientVersion(undefined)}`;
}

export const versionCommand: Command = {
  name: 'version',
  about: 'Prints the version.',
  examples: [],
  rows: [],
  async run() {
    console.log(versionText());
    return 0;
  },
};

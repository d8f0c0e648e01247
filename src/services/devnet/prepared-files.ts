/** The files of a devnet, for its processes' command lines and its description. */
import type { GenesisFile } from './genesis-file.ts';

export interface PreparedFiles {
  readonly genesis: GenesisFile;
  readonly password: string;
  /** The signing proxy's folder: its data, its keystores and their password file. */
  readonly signerFolder: string;
  readonly signerKeys: string;
  readonly signerPassword: string;
  readonly stakingFolder: string;
  /** File with the secret of the test client. */
  readonly stakingSecretFile: string;
  readonly stakingSecret: string;
  readonly rampFolder: string;
  /** File with the offer of the ramp. */
  readonly rampOffer: string;
  /** The token of the ramp's operator: for the page /operator, and for scripts. */
  readonly operatorTokenFile: string;
  readonly operatorToken: string;
  /** Base64, by node. */
  readonly ptmPublicKeys: readonly string[];
}

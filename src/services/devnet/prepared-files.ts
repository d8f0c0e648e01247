/** The files of a devnet, for its processes' command lines and its description. */
import type { GenesisFile } from './genesis-file.ts';

export interface PreparedFiles {
  readonly genesis: GenesisFile;
  readonly password: string;
  /** Of the signing proxy: its data, its keystores and the file that opens them. */
  readonly signerFolder: string;
  readonly signerKeys: string;
  readonly signerPassword: string;
  readonly stakingFolder: string;
  /** Holds the secret of the test client. */
  readonly stakingSecretFile: string;
  readonly stakingSecret: string;
  readonly rampFolder: string;
  /** What the ramp offers. */
  readonly rampOffer: string;
  /** Of the ramp's operator: for the page /operator, and for scripts. */
  readonly operatorTokenFile: string;
  readonly operatorToken: string;
  /** Base64, by node. */
  readonly ptmPublicKeys: readonly string[];
}

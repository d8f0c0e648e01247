/**
 * The files of a validator's votes: apart from the data folder, whose index the thread that votes
 * does not need.
 */
import { join } from 'node:path';
import { openSlotFile } from './slot-file.ts';

/** Opens the two files behind a VoteFile. */
export async function openVotes(directory: string) {
  const votes = await openSlotFile(join(directory, 'votes'));
  const votesWritten = await openSlotFile(join(directory, 'votes-written'));
  return {
    votes,
    votesWritten,
    close() {
      votes.close();
      votesWritten.close();
    },
  };
}

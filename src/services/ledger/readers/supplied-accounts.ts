/** The index of accounts as a reader sees it: the main thread has the index, and answers. */
import type { AccountHistory } from '../view/account-history.ts';
import { type AccountAnswer, type AccountQuestion, Lacking } from './job.ts';

export function suppliedAccounts(answer: AccountAnswer | undefined): AccountHistory {
  return {
    page(query) {
      if (answer && 'page' in answer) return answer.page;
      throw new Lacking({ kind: 'accounts', page: query });
    },
    creation(address, upTo) {
      if (answer && 'creation' in answer) return answer.creation;
      throw new Lacking({ kind: 'accounts', creation: { address, upTo } });
    },
  };
}

/** Answers a reader's query; runs on the main thread. */
export function answerOf(accounts: AccountHistory, question: AccountQuestion): AccountAnswer {
  return 'page' in question
    ? { page: accounts.page(question.page) }
    : { creation: accounts.creation(question.creation.address, question.creation.upTo) };
}

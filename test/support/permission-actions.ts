/** All calls of the permission contracts, as plain values. */
export type Action =
  | { readonly name: 'addOrg' | 'approveOrg'; org: string; node: number; account: string }
  | { readonly name: 'addSubOrg'; parent: string; org: string; node: number | undefined }
  | { readonly name: 'updateOrgStatus' | 'approveOrgStatus'; org: string; action: number }
  | { readonly name: 'addNewRole'; role: string; org: string; access: number; isAdmin: boolean }
  | { readonly name: 'removeRole'; role: string; org: string }
  | { readonly name: 'assignAdminRole'; org: string; account: string; role: string }
  | { readonly name: 'approveAdminRole'; org: string; account: string }
  | { readonly name: 'assignAccountRole'; account: string; org: string; role: string }
  | { readonly name: 'updateAccountStatus'; org: string; account: string; action: number }
  | {
      readonly name: 'startBlacklistedAccountRecovery' | 'approveBlacklistedAccountRecovery';
      org: string;
      account: string;
    }
  | { readonly name: 'addNode'; org: string; node: number }
  | { readonly name: 'updateNodeStatus'; org: string; node: number; action: number }
  | {
      readonly name: 'startBlacklistedNodeRecovery' | 'approveBlacklistedNodeRecovery';
      org: string;
      node: number;
    }
  | { readonly name: 'rejectPendingOp' };

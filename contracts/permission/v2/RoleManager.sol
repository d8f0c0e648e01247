// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../RoleRecords.sol";

/// Access: 0 none, 1 transfer, 2 deploy, 3 all, 4 call, 5 transfer and call, 6 transfer and deploy, 7 call and deploy.
contract RoleManager is RoleRecords {
    uint256 private constant TRANSFER = 1;
    uint256 private constant DEPLOY = 2;
    uint256 private constant CALL = 3;

    constructor(address _permUpgradable) RoleRecords(_permUpgradable, 8) {}

    function roleAccess(string memory _roleId, string memory _orgId, string memory _ultParent)
        public
        view
        returns (uint256)
    {
        return accessOf(_roleId, _orgId, _ultParent);
    }

    function transactionAllowed(
        string calldata _roleId,
        string calldata _orgId,
        string calldata _ultParent,
        uint256 _typeOfTxn
    ) external view returns (bool) {
        uint256 access = accessOf(_roleId, _orgId, _ultParent);
        if (access == 3) return true;
        if (_typeOfTxn == TRANSFER) return access == 1 || access == 5 || access == 6;
        if (_typeOfTxn == DEPLOY) return access == 2 || access == 6 || access == 7;
        if (_typeOfTxn == CALL) return access == 4 || access == 5 || access == 7;
        return false;
    }
}

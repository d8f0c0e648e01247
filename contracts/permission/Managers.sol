// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The managers as the implementation of either model calls them.

interface Orgs {
    function setUpOrg(string memory, uint256, uint256) external;
    function addOrg(string memory) external;
    function addSubOrg(string memory, string memory) external;
    function updateOrg(string memory, uint256) external returns (uint256);
    function approveOrgStatusUpdate(string memory, uint256) external;
    function approveOrg(string memory) external;
    function getUltimateParent(string memory) external view returns (string memory);
    function checkOrgStatus(string memory, uint256) external view returns (bool);
    function checkOrgActive(string memory) external view returns (bool);
    function checkOrgExists(string memory) external view returns (bool);
}

interface Roles {
    function addRole(string memory, string memory, uint256, bool, bool) external;
    function removeRole(string memory, string memory) external;
    function isAdminRole(string memory, string memory, string memory) external view returns (bool);
    function roleExists(string memory, string memory, string memory) external view returns (bool);
    function transactionAllowed(string memory, string memory, string memory, uint256) external view returns (bool);
}

interface Accounts {
    function setDefaults(string memory, string memory) external;
    function assignAdminRole(address, string memory, string memory, uint256) external;
    function assignAccountRole(address, string memory, string memory, bool) external;
    function removeExistingAdmin(string memory) external returns (bool, address);
    function addNewAdmin(string memory, address) external returns (bool);
    function updateAccountStatus(string memory, address, uint256) external;
    function getAccountDetails(address)
        external
        view
        returns (address, string memory, string memory, uint256, bool);
    function validateAccount(address, string memory) external view returns (bool);
    function checkOrgAdmin(address, string memory, string memory) external view returns (bool);
}

interface Voters {
    function addVoter(string memory, address) external;
    function deleteVoter(string memory, address) external;
    function addVotingItem(string memory, string memory, string memory, address, uint256) external;
    function processVote(string memory, address, uint256) external returns (bool);
    function rejectVote(string memory, address) external returns (bool);
    function getPendingOpDetails(string memory)
        external
        view
        returns (string memory, string memory, address, uint256);
    function getVotes(string memory) external view returns (address[] memory, uint256[] memory);
}

interface NodeCounts {
    function getNumberOfApprovedNodes(string memory) external view returns (uint256);
}

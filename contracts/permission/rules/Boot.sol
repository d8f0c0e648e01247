// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Standing.sol";

/// The steps of the guardian before the network is booted, and the step between two implementations.
abstract contract Boot is Standing {
    event PermissionsInitialized(bool _networkBootStatus);

    function setPolicy(
        string memory _nwAdminOrg,
        string memory _nwAdminRole,
        string memory _oAdminRole
    ) external onlyInterface beforeBoot {
        require(!exists(adminOrg), "Incorrect network boot status");
        bool isComplete = bytes(_nwAdminOrg).length > 0 && bytes(_nwAdminRole).length > 0;
        require(isComplete && bytes(_oAdminRole).length > 0, "Invalid input");
        require(!same(_nwAdminRole, _oAdminRole), "admin roles must differ");
        adminOrg = _nwAdminOrg;
        adminRole = _nwAdminRole;
        orgAdminRole = _oAdminRole;
    }

    /// From the implementation before this one.
    function setMigrationPolicy(
        string memory _nwAdminOrg,
        string memory _nwAdminRole,
        string memory _oAdminRole,
        bool _networkBootStatus
    ) external beforeBoot {
        require(msg.sender == address(upgradable), "invalid caller");
        adminOrg = _nwAdminOrg;
        adminRole = _nwAdminRole;
        orgAdminRole = _oAdminRole;
        networkBoot = _networkBootStatus;
    }

    function init(uint256 _breadth, uint256 _depth) external onlyInterface beforeBoot {
        orgs.setUpOrg(adminOrg, _breadth, _depth);
        roles.addRole(adminRole, adminOrg, FULL_ACCESS, true, true);
        accounts.setDefaults(adminRole, orgAdminRole);
    }

    function addAdminAccount(address _account) external onlyInterface beforeBoot {
        require(_account != address(0), "Invalid input");
        enrol(_account);
        makeAdmin(_account, adminOrg, adminRole, ACTIVE);
    }

    /// From now on, administrators alone change anything: without one, nobody ever could.
    function updateNetworkBootStatus() external onlyInterface beforeBoot returns (bool) {
        (address[] memory all, ) = council();
        require(all.length > 0, "no network admin account");
        networkBoot = true;
        emit PermissionsInitialized(networkBoot);
        return networkBoot;
    }
}

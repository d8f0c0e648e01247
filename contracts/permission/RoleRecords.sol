// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Managed.sol";

/// Roles of organisations. A role is looked up in the organisation, then in its master; a removed one is gone for good.
abstract contract RoleRecords is Managed {
    struct Role {
        string roleId;
        string orgId;
        uint256 baseAccess;
        bool isVoter;
        bool isAdmin;
        bool active;
    }

    Role[] private roles;
    /// Place in `roles` plus one.
    mapping(bytes32 => uint256) private places;
    uint256 private immutable accessValues;

    event RoleCreated(string _roleId, string _orgId, uint256 _baseAccess, bool _isVoter, bool _isAdmin);
    event RoleRevoked(string _roleId, string _orgId);

    constructor(address _permUpgradable, uint256 values) Managed(_permUpgradable) {
        accessValues = values;
    }

    function addRole(
        string memory _roleId,
        string memory _orgId,
        uint256 _baseAccess,
        bool _isVoter,
        bool _isAdmin
    ) public onlyImplementation {
        require(_baseAccess < accessValues, "invalid access value");
        bytes32 key = keyOf(_roleId, _orgId);
        require(places[key] == 0, "role exists for the org");
        roles.push(Role(_roleId, _orgId, _baseAccess, _isVoter, _isAdmin, true));
        places[key] = roles.length;
        emit RoleCreated(_roleId, _orgId, _baseAccess, _isVoter, _isAdmin);
    }

    function removeRole(string calldata _roleId, string calldata _orgId) external onlyImplementation {
        uint256 place = places[keyOf(_roleId, _orgId)];
        require(place != 0 && roles[place - 1].active, "role does not exist");
        roles[place - 1].active = false;
        emit RoleRevoked(_roleId, _orgId);
    }

    function isVoterRole(string calldata _roleId, string calldata _orgId, string calldata _ultParent)
        external
        view
        onlyImplementation
        returns (bool)
    {
        uint256 place = activePlace(_roleId, _orgId, _ultParent);
        return place != 0 && roles[place - 1].isVoter;
    }

    function isAdminRole(string calldata _roleId, string calldata _orgId, string calldata _ultParent)
        external
        view
        onlyImplementation
        returns (bool)
    {
        uint256 place = activePlace(_roleId, _orgId, _ultParent);
        return place != 0 && roles[place - 1].isAdmin;
    }

    function getRoleDetails(string calldata _roleId, string calldata _orgId)
        external
        view
        returns (
            string memory roleId,
            string memory orgId,
            uint256 accessType,
            bool voter,
            bool admin,
            bool active
        )
    {
        uint256 place = places[keyOf(_roleId, _orgId)];
        if (place == 0 || !roles[place - 1].active) return (_roleId, "", 0, false, false, false);
        return getRoleDetailsFromIndex(place - 1);
    }

    function getRoleDetailsFromIndex(uint256 _rIndex)
        public
        view
        returns (
            string memory roleId,
            string memory orgId,
            uint256 accessType,
            bool voter,
            bool admin,
            bool active
        )
    {
        Role storage role = roles[_rIndex];
        return (role.roleId, role.orgId, role.baseAccess, role.isVoter, role.isAdmin, role.active);
    }

    function getNumberOfRoles() external view returns (uint256) {
        return roles.length;
    }

    function roleExists(string memory _roleId, string memory _orgId, string memory _ultParent)
        public
        view
        returns (bool)
    {
        return activePlace(_roleId, _orgId, _ultParent) != 0;
    }

    /// 0 where there is none, or it was removed.
    function accessOf(string memory roleId, string memory orgId, string memory ultParent)
        internal
        view
        returns (uint256)
    {
        uint256 place = activePlace(roleId, orgId, ultParent);
        return place == 0 ? 0 : roles[place - 1].baseAccess;
    }

    /// A removed role of the organisation itself hides one of its master.
    function activePlace(string memory roleId, string memory orgId, string memory ultParent)
        private
        view
        returns (uint256)
    {
        uint256 place = places[keyOf(roleId, orgId)];
        if (place == 0) place = places[keyOf(roleId, ultParent)];
        return place != 0 && roles[place - 1].active ? place : 0;
    }

    function keyOf(string memory roleId, string memory orgId) private pure returns (bytes32) {
        return keccak256(abi.encode(roleId, orgId));
    }
}

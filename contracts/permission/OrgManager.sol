// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Managed.sol";

/// The tree of organisations. A master organisation stands at level 1 and waits for the network administrators' votes;
/// a sub-organisation is approved at once. Its full id is its parent's, a dot and its own.
contract OrgManager is Managed {
    uint256 private constant PROPOSED = 1;
    uint256 private constant APPROVED = 2;
    uint256 private constant SUSPENSION_PROPOSED = 3;
    uint256 private constant SUSPENDED = 4;
    uint256 private constant REVOCATION_PROPOSED = 5;

    uint256 private constant SUSPEND = 1;
    uint256 private constant ACTIVATE = 2;

    /// What the voters are asked, as VoterManager numbers it.
    uint256 private constant VOTE_ON_SUSPENSION = 2;
    uint256 private constant VOTE_ON_REVOCATION = 3;

    struct Org {
        string orgId;
        string parentId;
        string ultParent;
        uint256 level;
        uint256 status;
        uint256[] children;
    }

    Org[] private orgs;
    /// Place in `orgs` plus one, by hash of the full id.
    mapping(bytes32 => uint256) private places;
    uint256 private depthLimit;
    uint256 private breadthLimit;

    event OrgApproved(string _orgId, string _porgId, string _ultParent, uint256 _level, uint256 _status);
    event OrgPendingApproval(string _orgId, string _porgId, string _ultParent, uint256 _level, uint256 _status);
    event OrgSuspended(string _orgId, string _porgId, string _ultParent, uint256 _level);
    event OrgSuspensionRevoked(string _orgId, string _porgId, string _ultParent, uint256 _level);

    constructor(address _permUpgradable) Managed(_permUpgradable) {}

    /// The first organisation, and the limits of the whole tree.
    function setUpOrg(string calldata _orgId, uint256 _breadth, uint256 _depth) external onlyImplementation {
        require(!checkOrgExists(_orgId), "org exists");
        breadthLimit = _breadth;
        depthLimit = _depth;
        insert(_orgId, Org(_orgId, "", _orgId, 1, APPROVED, new uint256[](0)));
    }

    function addOrg(string calldata _orgId) external onlyImplementation {
        requireName(_orgId);
        require(!checkOrgExists(_orgId), "org exists");
        insert(_orgId, Org(_orgId, "", _orgId, 1, PROPOSED, new uint256[](0)));
    }

    function addSubOrg(string calldata _pOrgId, string calldata _orgId) external onlyImplementation {
        requireName(_orgId);
        string memory fullId = string(abi.encodePacked(_pOrgId, ".", _orgId));
        require(!checkOrgExists(fullId), "org exists");
        Org storage parent = at(_pOrgId);
        require(parent.children.length < breadthLimit, "breadth level exceeded");
        require(parent.level < depthLimit, "depth level exceeded");
        parent.children.push(orgs.length);
        insert(fullId, Org(_orgId, _pOrgId, parent.ultParent, parent.level + 1, APPROVED, new uint256[](0)));
    }

    /// Proposes suspension (1) or its end (2). Returns what the voters are to be asked.
    function updateOrg(string calldata _orgId, uint256 _action) external onlyImplementation returns (uint256) {
        Org storage org = at(_orgId);
        require(_action == SUSPEND || _action == ACTIVATE, "invalid action. operation not allowed");
        require(org.level == 1, "not a master org. operation not allowed");
        bool isSuspension = _action == SUSPEND;
        require(org.status == (isSuspension ? APPROVED : SUSPENDED), "org status does not allow the operation");
        org.status = isSuspension ? SUSPENSION_PROPOSED : REVOCATION_PROPOSED;
        emit OrgPendingApproval(org.orgId, org.parentId, org.ultParent, org.level, org.status);
        return isSuspension ? VOTE_ON_SUSPENSION : VOTE_ON_REVOCATION;
    }

    function approveOrgStatusUpdate(string calldata _orgId, uint256 _action) external onlyImplementation {
        Org storage org = at(_orgId);
        bool isSuspension = _action == SUSPEND;
        require(org.status == (isSuspension ? SUSPENSION_PROPOSED : REVOCATION_PROPOSED), "nothing to approve");
        org.status = isSuspension ? SUSPENDED : APPROVED;
        if (isSuspension) emit OrgSuspended(org.orgId, org.parentId, org.ultParent, org.level);
        else emit OrgSuspensionRevoked(org.orgId, org.parentId, org.ultParent, org.level);
    }

    function approveOrg(string calldata _orgId) external onlyImplementation {
        require(checkOrgStatus(_orgId, PROPOSED), "nothing to approve");
        Org storage org = at(_orgId);
        org.status = APPROVED;
        emit OrgApproved(org.orgId, org.parentId, org.ultParent, org.level, APPROVED);
    }

    function getOrgInfo(uint256 _orgIndex)
        external
        view
        returns (string memory, string memory, string memory, uint256, uint256)
    {
        Org storage org = orgs[_orgIndex];
        return (org.orgId, org.parentId, org.ultParent, org.level, org.status);
    }

    function getOrgDetails(string calldata _orgId)
        external
        view
        returns (string memory, string memory, string memory, uint256, uint256)
    {
        if (!checkOrgExists(_orgId)) return (_orgId, "", "", 0, 0);
        Org storage org = at(_orgId);
        return (org.orgId, org.parentId, org.ultParent, org.level, org.status);
    }

    function getSubOrgIndexes(string calldata _orgId) external view returns (uint256[] memory) {
        return at(_orgId).children;
    }

    function getUltimateParent(string calldata _orgId) external view onlyImplementation returns (string memory) {
        return at(_orgId).ultParent;
    }

    function getNumberOfOrgs() external view returns (uint256) {
        return orgs.length;
    }

    function checkOrgStatus(string memory _orgId, uint256 _orgStatus) public view returns (bool) {
        return checkOrgExists(_orgId) && at(_orgId).status == _orgStatus;
    }

    /// Neither it nor its master is suspended or waits for its approval.
    function checkOrgActive(string memory _orgId) public view returns (bool) {
        if (!checkOrgExists(_orgId)) return false;
        Org storage org = at(_orgId);
        return isActive(org) && isActive(at(org.ultParent));
    }

    function checkOrgExists(string memory _orgId) public view returns (bool) {
        return places[keccak256(bytes(_orgId))] != 0;
    }

    function isActive(Org storage org) private view returns (bool) {
        return org.status == APPROVED || org.status == SUSPENSION_PROPOSED;
    }

    function at(string memory fullId) private view returns (Org storage) {
        uint256 place = places[keccak256(bytes(fullId))];
        require(place != 0, "org does not exist");
        return orgs[place - 1];
    }

    function insert(string memory fullId, Org memory org) private {
        orgs.push(org);
        places[keccak256(bytes(fullId))] = orgs.length;
        if (org.status == PROPOSED) {
            emit OrgPendingApproval(org.orgId, org.parentId, org.ultParent, org.level, org.status);
        } else {
            emit OrgApproved(org.orgId, org.parentId, org.ultParent, org.level, org.status);
        }
    }

    /// Letters, digits, - and _: with a dot in it, an id could pass for that of another level.
    function requireName(string memory orgId) private pure {
        bytes memory text = bytes(orgId);
        require(text.length > 0, "Invalid input");
        for (uint256 i = 0; i < text.length; i++) {
            bytes1 c = text[i];
            bool isLetter = (c >= "a" && c <= "z") || (c >= "A" && c <= "Z");
            bool isOther = (c >= "0" && c <= "9") || c == "-" || c == "_";
            require(isLetter || isOther, "Org id cannot contain special characters");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./Managed.sol";

/// Who votes, and the one item that waits for votes. It is approved by more than half of the voters, and rejected as
/// soon as so many reject it that no majority is left.
contract VoterManager is Managed {
    uint256 private constant NO_VOTE = 0;
    uint256 private constant YES = 1;
    uint256 private constant NO = 2;

    struct Item {
        string orgId;
        string enodeId;
        address account;
        /// 0 none, 1 new organisation, 2 suspension, 3 its end, 4 admin role, 5 recovery of a node, 6 of an account.
        uint256 opType;
    }

    struct Council {
        address[] voters;
        /// Place in `voters` plus one.
        mapping(address => uint256) places;
        Item item;
        /// Counts the items, so that no vote outlives its own.
        uint256 round;
        uint256 yes;
        uint256 no;
        mapping(uint256 => mapping(address => uint256)) votes;
    }

    /// By hash of the organisation's id.
    mapping(bytes32 => Council) private councils;

    event VoterAdded(string _orgId, address _vAccount);
    event VoterDeleted(string _orgId, address _vAccount);
    event VotingItemAdded(string _orgId);
    event VoteProcessed(string _orgId);

    constructor(address _permUpgradable) Managed(_permUpgradable) {}

    function addVoter(string calldata _orgId, address _vAccount) external onlyImplementation {
        Council storage council = councilOf(_orgId);
        require(council.places[_vAccount] == 0, "already a voter");
        council.voters.push(_vAccount);
        council.places[_vAccount] = council.voters.length;
        emit VoterAdded(_orgId, _vAccount);
    }

    /// While nothing waits: a vote that was cast would go on counting.
    function deleteVoter(string calldata _orgId, address _vAccount) external onlyImplementation {
        Council storage council = councilOf(_orgId);
        uint256 place = council.places[_vAccount];
        require(place != 0, "must be a voter");
        require(council.item.opType == 0, "items pending for approval. voter cannot be removed");
        address last = council.voters[council.voters.length - 1];
        council.voters[place - 1] = last;
        council.places[last] = place;
        council.voters.pop();
        council.places[_vAccount] = 0;
        emit VoterDeleted(_orgId, _vAccount);
    }

    function addVotingItem(
        string calldata _authOrg,
        string calldata _orgId,
        string calldata _enodeId,
        address _account,
        uint256 _pendingOp
    ) external onlyImplementation {
        Council storage council = councilOf(_authOrg);
        require(council.item.opType == 0, "items pending for approval. new item cannot be added");
        council.item = Item(_orgId, _enodeId, _account, _pendingOp);
        council.round++;
        council.yes = 0;
        council.no = 0;
        emit VotingItemAdded(_authOrg);
    }

    /// A vote for the item. Returns whether it is approved; then nothing waits any more.
    function processVote(string calldata _authOrg, address _vAccount, uint256 _pendingOp)
        external
        onlyImplementation
        returns (bool)
    {
        Council storage council = councilOf(_authOrg);
        require(council.places[_vAccount] != 0, "must be a voter");
        require(_pendingOp != 0 && council.item.opType == _pendingOp, "nothing to approve");
        require(council.votes[council.round][_vAccount] == NO_VOTE, "cannot double vote");
        council.votes[council.round][_vAccount] = YES;
        council.yes++;
        emit VoteProcessed(_authOrg);
        if (council.yes <= council.voters.length / 2) return false;
        delete council.item;
        return true;
    }

    /// A vote against the item; whoever voted for it may still turn against it. Returns whether it is rejected.
    function rejectVote(string calldata _authOrg, address _vAccount) external onlyImplementation returns (bool) {
        Council storage council = councilOf(_authOrg);
        require(council.places[_vAccount] != 0, "must be a voter");
        require(council.item.opType != 0, "nothing to reject");
        uint256 vote = council.votes[council.round][_vAccount];
        require(vote != NO, "cannot double vote");
        if (vote == YES) council.yes--;
        council.votes[council.round][_vAccount] = NO;
        council.no++;
        emit VoteProcessed(_authOrg);
        uint256 others = council.voters.length - council.no;
        if (others > council.voters.length / 2) return false;
        delete council.item;
        return true;
    }

    function getPendingOpDetails(string calldata _orgId)
        external
        view
        onlyImplementation
        returns (string memory, string memory, address, uint256)
    {
        Item storage item = councilOf(_orgId).item;
        return (item.orgId, item.enodeId, item.account, item.opType);
    }

    /// The voters, and of each: 0 has not voted on what waits, 1 for it, 2 against it.
    function getVotes(string calldata _orgId)
        external
        view
        returns (address[] memory voters, uint256[] memory votes)
    {
        Council storage council = councilOf(_orgId);
        voters = council.voters;
        votes = new uint256[](voters.length);
        if (council.item.opType == 0) return (voters, votes);
        for (uint256 i = 0; i < voters.length; i++) votes[i] = council.votes[council.round][voters[i]];
    }

    function councilOf(string memory orgId) private view returns (Council storage) {
        return councils[keccak256(bytes(orgId))];
    }
}

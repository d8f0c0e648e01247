package quorum;

import static quorum.Calls.result;

import java.math.BigInteger;
import java.util.Set;
import org.web3j.crypto.Credentials;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.quorum.Quorum;
import org.web3j.utils.Numeric;

/** istanbul_*, or raft_*. */
final class Consensus {
    private static final String CANDIDATE = "0x00000000000000000000000000000000000000dd";

    static void istanbul(Calls calls, Network network) throws Exception {
        Quorum quorum = network.node(1).quorum();
        var block = result(network.node(1).core().ethGetBlockByNumber(DefaultBlockParameterName.LATEST, false).send());
        String hash = block.getHash(), number = Numeric.encodeQuantity(block.getNumber());
        int validators = network.nodes.size();
        for (String which : new String[] {"latest", "0x0", number}) {
            calls.call("istanbulGetSignersFromBlock " + (which.equals(number) ? "by number" : which), () ->
                result(quorum.istanbulGetSignersFromBlock(which).send()).getHash().length());
            calls.call("istanbulGetSnapshot " + (which.equals(number) ? "by number" : which), () ->
                result(quorum.istanbulGetSnapshot(which).send()).getValidators().size());
        }
        calls.expect("istanbulGetSignersFromBlockByHash", hash, () ->
            result(quorum.istanbulGetSignersFromBlockByHash(hash).send()).getHash());
        calls.expect("istanbulGetSnapshotAtHash", hash, () -> result(quorum.istanbulGetSnapshotAtHash(hash).send()).getHash());
        calls.expect("istanbulGetValidators", validators, () -> result(quorum.istanbulGetValidators("latest").send()).size());
        calls.expect("istanbulGetValidatorsAtHash", validators, () -> result(quorum.istanbulGetValidatorsAtHash(hash).send()).size());
        calls.expect("istanbulNodeAddress", true, () -> result(quorum.istanbulGetValidators("latest").send())
            .contains(result(quorum.istanbulNodeAddress().send())));
        calls.call("istanbulPropose", () -> result(quorum.istanbulPropose(CANDIDATE, true).send()));
        calls.expect("istanbulCandidates", Set.of(CANDIDATE), () ->
            result(quorum.istanbulCandidates().send()).keySet());
        calls.unreadable("istanbulGetSnapshot with a candidate", CANDIDATE, () -> Calls.until("a vote in a block", () -> {
            result(quorum.istanbulGetSnapshot("latest").send());
            return null;
        }));
        calls.call("istanbulDiscard", () -> result(quorum.istanbulDiscard(CANDIDATE).send()));
        calls.expect("istanbulCandidates after that", Set.of(), () -> result(quorum.istanbulCandidates().send()).keySet());
    }

    static void raft(Calls calls, Network network) throws Exception {
        Quorum quorum = network.node(1).quorum();
        int members = network.nodes.size();
        calls.expect("raftGetCluster", members, () -> result(quorum.raftGetCluster().send()).size());
        String leader = calls.call("raftGetLeader", () -> result(quorum.raftGetLeader().send()));
        calls.expect("raftGetLeader is a member", true, () ->
            result(quorum.raftGetCluster().send()).stream().anyMatch(each -> each.getNodeId().equals(leader)));
        calls.expect("raftGetRole", true, () -> Set.of("minter", "verifier").contains(result(quorum.raftGetRole().send())));
        BigInteger learner = calls.call("raftAddLearner", () -> quorum.raftAddLearner(enode(7)).send().getAddedPeer());
        calls.expect("raftPromoteToPeer", true, () -> result(quorum.raftPromoteToPeer(learner.intValue()).send()));
        calls.call("raftGetCluster with it", () -> Calls.until("one more", () ->
            result(quorum.raftGetCluster().send()).size() == members + 1 ? true : null));
        calls.call("raftRemovePeer", () -> result(quorum.raftRemovePeer(learner.intValue()).send()));
        BigInteger peer = calls.call("raftAddPeer", () -> quorum.raftAddPeer(enode(8)).send().getAddedPeer());
        calls.call("raftRemovePeer again", () -> result(quorum.raftRemovePeer(peer.intValue()).send()));
    }

    /** Of a node that never comes. */
    private static String enode(int key) {
        var pair = Credentials.create(String.format("%064x", key)).getEcKeyPair();
        String id = Numeric.toHexStringNoPrefixZeroPadded(pair.getPublicKey(), 128);
        return "enode://" + id + "@127.0.0.1:2999" + key + "?discport=0&raftport=2998" + key;
    }
}

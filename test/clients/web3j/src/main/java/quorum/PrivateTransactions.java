package quorum;

import static org.web3j.protocol.core.DefaultBlockParameterName.LATEST;
import static quorum.Calls.result;

import java.math.BigInteger;
import java.util.List;
import org.web3j.quorum.PrivacyFlag;
import org.web3j.quorum.methods.request.PrivateTransaction;
import org.web3j.quorum.tx.ClientTransactionManager;

/** Signed by the node: node 1 sends to node 2, and node 3 learns nothing. */
final class PrivateTransactions {
    static final BigInteger GAS = BigInteger.valueOf(1_000_000);

    static void play(Calls calls, Network network) throws Exception {
        Network.Node sender = network.node(1), party = network.node(2), stranger = network.node(3);
        for (PrivacyFlag flag : PrivacyFlag.values()) {
            List<String> mandatory = flag == PrivacyFlag.MANDATORY_FOR ? List.of(party.key()) : null;
            var manager = new ClientTransactionManager(
                sender.quorum(), sender.account(), sender.key(), List.of(party.key()), flag, mandatory);
            String name = "flag " + flag.getValue();
            String created = calls.call(name + ": ClientTransactionManager deploys", () ->
                result(manager.sendTransaction(BigInteger.ZERO, GAS, null, network.code, BigInteger.ZERO, true)));
            String contract = calls.call(name + ": QuorumPollingTransactionReceiptProcessor", () -> Network.mined(sender, created));
            String set = calls.call(name + ": ClientTransactionManager sends", () ->
                result(manager.sendTransaction(BigInteger.ZERO, GAS, contract, Network.set(42), BigInteger.ZERO)));
            calls.expect(name + ": the sender's state", 42L, () -> Network.value(sender, set, contract));
            calls.expect(name + ": the party's state", 42L, () -> Network.value(party, set, contract));
            calls.expect(name + ": a stranger's state", 0L, () -> Network.value(stranger, set, contract));
            calls.expect(name + ": sendCall", true, () ->
                manager.sendCall(contract, Network.VALUE, LATEST).endsWith("2a"));
            calls.expect(name + ": getCode", true, () -> manager.getCode(contract, LATEST).getCode().length() > 2);
            calls.expect(name + ": ethGetQuorumTransactionReceipt", false, () ->
                result(sender.quorum().ethGetQuorumTransactionReceipt(set).send()).isPrivacyMarkerTransaction());
            var transaction = calls.call(name + ": ethGetTransactionByHash", () ->
                result(sender.quorum().ethGetTransactionByHash(set).send()));
            calls.expect(name + ": quorumGetPrivatePayload", Network.set(42), () ->
                result(party.quorum().quorumGetPrivatePayload(transaction.getInput()).send()));
            calls.expect(name + ": quorumGetPrivatePayload of a stranger", "0x", () ->
                result(stranger.quorum().quorumGetPrivatePayload(transaction.getInput()).send()));
            metadata(calls, name + ": quorumGetContractPrivacyMetadata", sender, contract, flag);
        }
        calls.call("ethSendTransaction", () -> Network.mined(sender, result(sender.quorum().ethSendTransaction(
            new PrivateTransaction(sender.account(), null, GAS, null, BigInteger.ZERO, network.code, sender.key(),
                List.of(party.key()))).send())));
    }

    /** The model has no `mandatoryFor`, which GoQuorum adds for flag 2. */
    private static void metadata(Calls calls, String name, Network.Node node, String contract, PrivacyFlag flag) {
        var request = node.quorum().quorumGetContractPrivacyMetadata(contract);
        if (flag == PrivacyFlag.STANDARD_PRIVATE) calls.refused(name, "no account extra data", request::send);
        else if (flag == PrivacyFlag.MANDATORY_FOR) calls.unreadable(name, "mandatoryFor", request::send);
        else calls.expect(name, flag, () -> {
            var metadata = result(request.send());
            if (metadata.getCreationTxHash().length != 64) throw new IllegalStateException("no hash of 64 bytes");
            return metadata.getPrivacyFlag();
        });
    }
}

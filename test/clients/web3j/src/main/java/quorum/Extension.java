package quorum;

import static quorum.Calls.result;
import static quorum.Calls.until;

import java.math.BigInteger;
import java.util.List;
import org.web3j.quorum.PrivacyFlag;
import org.web3j.quorum.extension.ActiveExtensionInfo;
import org.web3j.quorum.methods.request.PrivateTransaction;

/** A private contract of nodes 1 and 2 is extended to node 3. */
final class Extension {
    private final Calls calls;
    private final Network.Node owner;
    private final Network.Node joining;
    private final String contract;
    private final String set;

    Extension(Calls calls, Network network) throws Exception {
        this.calls = calls;
        owner = network.node(1);
        joining = network.node(3);
        List<String> parties = List.of(network.node(2).key());
        contract = Network.mined(owner, send(null, network.code, parties));
        set = send(contract, Network.set(9), parties);
        Network.mined(owner, set);
    }

    void play() throws Exception {
        String management = extend();
        calls.expect("quorumExtensionGetExtensionStatus", "ACTIVE", () -> status(owner, management));
        calls.expect("quorumExtensionGenerateExtensionApprovalUuid", true, () ->
            result(joining.quorum().quorumExtensionGenerateExtensionApprovalUuid(management, joining.account(),
                request(joining, owner)).send()).length() > 0);
        calls.refused("quorumExtensionApproveExtension by a stranger", "not acceptor", () ->
            owner.quorum().quorumExtensionApproveExtension(management, true,
                new PrivateTransaction(other(owner), null, null, null, null, null, owner.key(), List.of(joining.key()),
                    PrivacyFlag.PARTY_PROTECTION)).send());
        calls.call("quorumExtensionApproveExtension", () ->
            result(joining.quorum().quorumExtensionApproveExtension(management, true, request(joining, owner)).send()));
        calls.call("the extension is done", () ->
            until("DONE", () -> status(owner, management).equals("DONE") ? true : null));
        calls.call("the state has come over", () ->
            until("9", () -> Network.value(joining, set, contract) == 9 ? true : null));
    }

    void cancel() throws Exception {
        String management = extend();
        calls.call("quorumExtensionCancelExtension", () ->
            result(owner.quorum().quorumExtensionCancelExtension(management, request(owner, joining)).send()));
        calls.call("the extension is gone", () -> until("no extension", () -> active(owner) == null ? true : null));
    }

    private String extend() throws Exception {
        calls.call("quorumExtensionExtendContract", () -> result(owner.quorum().quorumExtensionExtendContract(
            contract, joining.key(), joining.account(), request(owner, joining)).send()));
        ActiveExtensionInfo info = calls.call("quorumExtensionActiveExtensionContracts", () ->
            until("an extension", () -> active(owner)));
        calls.expect("contractExtended", contract, () -> info.getContractExtended().toLowerCase());
        calls.expect("recipientPtmKey", joining.key(), info::getRecipientPtmKey);
        until("the other side knows", () -> active(joining));
        return info.getManagementContractAddress();
    }

    private static ActiveExtensionInfo active(Network.Node node) throws Exception {
        var list = result(node.quorum().quorumExtensionActiveExtensionContracts().send());
        return list == null || list.isEmpty() ? null : list.get(0);
    }

    private static String status(Network.Node node, String management) throws Exception {
        return result(node.quorum().quorumExtensionGetExtensionStatus(management).send());
    }

    private static String other(Network.Node node) throws Exception {
        var accounts = result(node.quorum().ethAccounts().send());
        return accounts.get(accounts.size() - 1);
    }

    private static PrivateTransaction request(Network.Node from, Network.Node to) {
        return new PrivateTransaction(from.account(), null, null, null, null, null, from.key(), List.of(to.key()),
            PrivacyFlag.PARTY_PROTECTION);
    }

    private String send(String to, String data, List<String> parties) throws Exception {
        return result(owner.quorum().ethSendTransaction(new PrivateTransaction(owner.account(), null, PrivateTransactions.GAS,
            to, BigInteger.ZERO, data, owner.key(), parties, PrivacyFlag.PARTY_PROTECTION)).send());
    }
}

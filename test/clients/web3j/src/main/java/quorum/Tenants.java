package quorum;

import static quorum.Calls.result;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.List;
import org.web3j.protocol.core.Request;
import org.web3j.protocol.core.Response;
import org.web3j.quorum.methods.request.PrivateTransaction;

/** Two tenants of one node, told apart by their tokens: the task's nodes are the same one, as each of them sees it. */
final class Tenants {
    public static final class Name extends Response<String> {}

    static void play(Calls calls, Network network, JsonNode task) throws Exception {
        Network.Node first = network.node(1), second = network.node(2);
        for (int i = 0; i < 2; i++) {
            Network.Node tenant = network.nodes.get(i);
            String own = task.get("nodes").get(i).get("privateState").asText();
            String other = task.get("nodes").get(1 - i).get("privateState").asText();
            calls.expect("eth_getPSI of " + own, own, () -> result(psi(tenant).send()));
            calls.call(own + " may not name " + other, () -> {
                tenant.service().addHeader("Quorum-PSI", other);
                try {
                    return psi(tenant).send().getError().getMessage();
                } finally {
                    tenant.service().getHeaders().remove("Quorum-PSI");
                }
            });
        }
        String created = calls.call("ethSendTransaction", () -> result(first.quorum().ethSendTransaction(
            new PrivateTransaction(first.account(), null, PrivateTransactions.GAS, null, BigInteger.ZERO, network.code,
                first.key(), List.of())).send()));
        String contract = Network.mined(first, created);
        String set = result(first.quorum().ethSendTransaction(new PrivateTransaction(first.account(), null,
            PrivateTransactions.GAS, contract, BigInteger.ZERO, Network.set(5), first.key(), List.of())).send());
        calls.expect("the tenant's state", 5L, () -> Network.value(first, set, contract));
        calls.expect("another tenant's state", 0L, () -> Network.value(second, set, contract));
        String input = result(first.quorum().ethGetTransactionByHash(set).send()).getInput();
        calls.expect("quorumGetPrivatePayload", Network.set(5), () ->
            result(first.quorum().quorumGetPrivatePayload(input).send()));
        calls.expect("quorumGetPrivatePayload of another tenant", "0x", () ->
            result(second.quorum().quorumGetPrivatePayload(input).send()));
        calls.refused("ethSendTransaction from another tenant's account", "not authorized", () ->
            second.quorum().ethSendTransaction(new PrivateTransaction(first.account(), null, PrivateTransactions.GAS, contract,
                BigInteger.ZERO, Network.set(6), second.key(), List.of())).send());
    }

    private static Request<?, Name> psi(Network.Node node) {
        return new Request<>("eth_getPSI", List.of(), node.service(), Name.class);
    }
}

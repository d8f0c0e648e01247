package quorum;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.web3j.crypto.Credentials;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.methods.request.Transaction;
import org.web3j.protocol.http.HttpService;
import org.web3j.quorum.Quorum;
import org.web3j.quorum.tx.response.QuorumPollingTransactionReceiptProcessor;
import org.web3j.utils.Numeric;

/** The nodes of the task, the contract that is deployed, and what is asked again and again. */
final class Network {
    /** `value()`, and `set(uint256)` of the contract. */
    static final String VALUE = "0x3fa4f245";
    static final String SET = "0x60fe47b1";

    /**
     * `core`: as web3j sets Jackson, for the models of its core. They know neither what GoQuorum adds (isPrivacyMarkerTransaction)
     * nor what newer forks add (withdrawalsRoot).
     */
    record Node(Service service, Quorum quorum, Web3j core, String key, String account, String thirdParty) {}

    static final class Service extends HttpService {
        Service(JsonNode node, boolean isStrict) {
            super(node.get("url").asText());
            objectMapper.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, isStrict);
            if (node.has("token")) addHeader("Authorization", "Bearer " + node.get("token").asText());
        }
    }

    final List<Node> nodes = new ArrayList<>();
    final Credentials own;
    final long chainId;
    /** Deploys the contract. */
    final String code;

    Network(JsonNode task) {
        for (JsonNode node : task.get("nodes")) {
            var strict = new Service(node, true);
            nodes.add(new Node(strict, Quorum.build(strict), Web3j.build(new Service(node, false)), node.get("key").asText(),
                node.get("account").asText(), node.path("thirdParty").asText()));
        }
        own = Credentials.create(task.get("privateKey").asText());
        chainId = task.get("chainId").asLong();
        code = task.get("code").asText();
    }

    Node node(int number) {
        return nodes.get(number - 1);
    }

    /** The address of the contract that it created, if any. */
    static String mined(Node node, String hash) throws Exception {
        var receipt = new QuorumPollingTransactionReceiptProcessor(node.quorum, 200, 150).waitForTransactionReceipt(hash);
        if (!receipt.isStatusOK()) throw new IllegalStateException(hash + " failed");
        return receipt.getContractAddress();
    }

    /** Waits until the node has the receipt; what its copy of the contract says: 0 where it has none. */
    static long value(Node node, String hash, String contract) throws Exception {
        Calls.until("receipt", () -> node.core.ethGetTransactionReceipt(hash).send().getTransactionReceipt().orElse(null));
        var call = Transaction.createEthCallTransaction(null, contract, VALUE);
        String answer = Calls.result(node.quorum.ethCall(call, DefaultBlockParameterName.LATEST).send());
        return answer.equals("0x") ? 0 : Numeric.toBigInt(answer).longValue();
    }

    static String set(long value) {
        return SET + String.format("%064x", value);
    }
}

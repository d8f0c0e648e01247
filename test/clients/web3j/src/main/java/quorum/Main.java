package quorum;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;

/** web3j's quorum module, all its calls, with Jackson set to refuse what a model does not know. See ../README.md for the task. */
public class Main {
    public static void main(String[] args) throws Exception {
        JsonNode task = new ObjectMapper().readTree(new File(args[0]));
        String kind = task.get("network").asText();
        var calls = new Calls();
        var network = new Network(task);
        if (kind.equals("tenants")) {
            calls.area("several private states", () -> Tenants.play(calls, network, task));
            calls.area("asynchronous", () -> Asynchronous.play(calls, network, true));
        } else {
            var signed = new SignedHere(calls, network);
            calls.area("private transactions", () -> PrivateTransactions.play(calls, network));
            calls.area("signed by the client", signed::raw);
            calls.area("filled in by the node", signed::filled);
            calls.area("markers", signed::marker);
            calls.area("the manager's API", signed::enclave);
            calls.area("asynchronous", () -> Asynchronous.play(calls, network, false));
            calls.area("contract extension", () -> {
                var extension = new Extension(calls, network);
                extension.cancel();
                extension.play();
            });
            if (kind.equals("raft")) calls.area("raft", () -> Consensus.raft(calls, network));
            else calls.area("istanbul", () -> Consensus.istanbul(calls, network));
            calls.area("permissioning, not switched on", () -> Permission.notServed(calls, network));
        }
        System.out.println(new ObjectMapper().writeValueAsString(calls.areas));
        System.exit(0);
    }
}

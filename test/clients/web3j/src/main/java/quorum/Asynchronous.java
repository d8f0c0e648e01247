package quorum;

import static quorum.Calls.result;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.web3j.protocol.core.Request;
import org.web3j.protocol.core.methods.response.EthSendTransaction;
import org.web3j.quorum.methods.request.PrivateTransaction;

/** eth_sendTransactionAsync, whose outcome comes as a POST; web3j has neither its callbackUrl nor a model of the body. */
final class Asynchronous {
    public static final class Wanted extends PrivateTransaction {
        private final String callbackUrl;

        Wanted(String from, String data, String key, List<String> parties, String callbackUrl) {
            super(from, null, PrivateTransactions.GAS, null, BigInteger.ZERO, data, key, parties);
            this.callbackUrl = callbackUrl;
        }

        public String getCallbackUrl() {
            return callbackUrl;
        }
    }

    /** GoQuorum's body, and what the documented interface adds: absent where the node has --rpc.async-callback goquorum. */
    public static class Callback {
        public String id;
        public String txHash;
        public String error;
        public Callback result;
    }

    static void play(Calls calls, Network network, boolean flat) throws Exception {
        BlockingQueue<Callback> heard = new ArrayBlockingQueue<>(4);
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                heard.add(new ObjectMapper().readValue(exchange.getRequestBody(), Callback.class));
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        try {
            Network.Node sender = network.node(1);
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            List<String> parties = network.nodes.size() > 1 ? List.of(network.node(2).key()) : List.of();
            if (network.nodes.size() > 1) calls.call("ethSendTransactionAsync", () -> result(sender.quorum().ethSendTransactionAsync(
                new PrivateTransaction(sender.account(), null, PrivateTransactions.GAS, null, BigInteger.ZERO, network.code,
                    sender.key(), parties)).send()));
            send(calls, "eth_sendTransactionAsync", sender, new Wanted(sender.account(), network.code, sender.key(), parties, url));
            Callback good = calls.call("its callback", () -> heard.poll(30, TimeUnit.SECONDS));
            calls.call("its receipt", () -> Network.mined(sender, good.txHash));
            calls.expect("its body", flat, () -> good.result == null);
            String nobody = "0x" + "11".repeat(20);
            send(calls, "eth_sendTransactionAsync from an unknown account", sender,
                new Wanted(nobody, network.code, sender.key(), parties, url));
            calls.expect("its callback has an error", true, () -> heard.poll(30, TimeUnit.SECONDS).error != null);
        } finally {
            server.stop(0);
        }
    }

    private static void send(Calls calls, String name, Network.Node node, Wanted wanted) {
        calls.call(name, () -> result(new Request<>(
            "eth_sendTransactionAsync", List.of(wanted), node.service(), EthSendTransaction.class).send()));
    }
}

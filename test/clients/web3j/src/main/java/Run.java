import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.math.BigInteger;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.web3j.abi.FunctionEncoder;
import org.web3j.abi.FunctionReturnDecoder;
import org.web3j.abi.TypeReference;
import org.web3j.abi.datatypes.Address;
import org.web3j.abi.datatypes.DynamicBytes;
import org.web3j.abi.datatypes.Function;
import org.web3j.abi.datatypes.Type;
import org.web3j.abi.datatypes.generated.Uint256;
import org.web3j.crypto.Credentials;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.Web3jService;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.methods.request.EthFilter;
import org.web3j.protocol.core.methods.request.Transaction;
import org.web3j.protocol.core.methods.response.EthLog;
import org.web3j.protocol.core.methods.response.Log;
import org.web3j.protocol.core.methods.response.TransactionReceipt;
import org.web3j.protocol.http.HttpService;
import org.web3j.protocol.websocket.WebSocketClient;
import org.web3j.protocol.websocket.WebSocketService;
import org.web3j.tx.ClientTransactionManager;
import org.web3j.tx.RawTransactionManager;
import org.web3j.tx.TransactionManager;
import org.web3j.tx.gas.ContractGasProvider;
import org.web3j.tx.gas.DefaultGasProvider;
import org.web3j.tx.gas.StaticGasProvider;
import org.web3j.tx.response.PollingTransactionReceiptProcessor;
import org.web3j.utils.Numeric;

/** web3j's core. See ../README.md for what every program does. */
public class Run {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

    static ContractGasProvider gas = new DefaultGasProvider();
    static Web3j web3j;
    static TransactionManager manager;
    static JsonNode contracts;

    public static void main(String[] args) throws Exception {
        JsonNode task = JSON.readTree(new File(args[0]));
        String url = task.get("url").asText();
        String to = task.get("to").asText();
        contracts = task.get("contracts");
        if (task.has("gasPrice"))
            gas = new StaticGasProvider(task.get("gasPrice").bigIntegerValue(), DefaultGasProvider.GAS_LIMIT);
        web3j = Web3j.build(connect(url));
        manager = task.has("privateKey")
            ? new RawTransactionManager(web3j, Credentials.create(task.get("privateKey").asText()), task.get("chainId").asLong())
            : new ClientTransactionManager(web3j, web3j.ethAccounts().send().getAccounts().get(0));

        String token = deploy("Token", "");
        var heard = hear(url, token, to);
        var receipt = send(token, call("transfer", new Address(to), uint(5)), BigInteger.ZERO);
        var past = web3j.ethGetLogs(filter(token, to)).send().getLogs().stream().map(each -> (Log) each.get())
            .map(log -> transferOf(log.getTopics(), log.getData())).toList();

        String first = deploy("BoxV1", "");
        var initialize = new DynamicBytes(Numeric.hexStringToByteArray(call("initialize", uint(41))));
        String box = deploy("BoxProxy", FunctionEncoder.encodeConstructor(List.of(new Address(first), initialize)));
        send(box, call("set", uint(42)), BigInteger.ZERO);
        String second = deploy("BoxV2", "");
        send(box, call("upgradeToAndCall", new Address(second), new DynamicBytes(new byte[0])), BigInteger.ZERO);
        send(to, "", BigInteger.ONE);

        System.out.println(JSON.writeValueAsString(Map.of(
            "token", token, "box", box, "transaction", receipt.getTransactionHash(), "past", past,
            "heard", List.of(heard.poll(30, TimeUnit.SECONDS)),
            "read", Map.of(
                "balance", read(token, call("balanceOf", new Address(to))),
                "value", read(box, call("value")),
                "version", read(box, call("version"))))));
        System.exit(0);
    }

    static Web3jService connect(String url) throws Exception {
        if (!url.startsWith("ws")) return new HttpService(url);
        var service = new WebSocketService(new WebSocketClient(new URI(url)), false);
        service.connect();
        return service;
    }

    static EthFilter filter(String token, String to) {
        EthFilter filter = new EthFilter(DefaultBlockParameterName.EARLIEST, DefaultBlockParameterName.LATEST, token);
        filter.addSingleTopic(TRANSFER).addNullTopic().addSingleTopic("0x" + "0".repeat(24) + to.substring(2));
        return filter;
    }

    /** By a subscription over WebSocket; over HTTP web3j polls a filter. */
    static BlockingQueue<Map<String, String>> hear(String url, String token, String to) {
        var heard = new LinkedBlockingQueue<Map<String, String>>();
        if (!url.startsWith("ws")) {
            web3j.ethLogFlowable(filter(token, to)).subscribe(log -> heard.add(transferOf(log.getTopics(), log.getData())));
            return heard;
        }
        web3j.logsNotifications(List.of(token), List.of(TRANSFER)).subscribe(notification -> {
            var log = notification.getParams().getResult();
            var transfer = transferOf(log.getTopics(), log.getData());
            if (transfer.get("to").equalsIgnoreCase(to)) heard.add(transfer);
        });
        return heard;
    }

    static String deploy(String name, String arguments) throws Exception {
        return send(null, contracts.get(name).get("bytecode").asText() + arguments, BigInteger.ZERO).getContractAddress();
    }

    static TransactionReceipt send(String to, String data, BigInteger value) throws Exception {
        var sent = manager.sendTransaction(gas.getGasPrice(), gas.getGasLimit(), to, data, value);
        if (sent.hasError()) throw new IllegalStateException(sent.getError().getMessage());
        var receipt = new PollingTransactionReceiptProcessor(web3j, 500, 120).waitForTransactionReceipt(sent.getTransactionHash());
        if (!receipt.isStatusOK()) throw new IllegalStateException(sent.getTransactionHash() + " failed");
        return receipt;
    }

    static String read(String address, String data) throws Exception {
        var call = Transaction.createEthCallTransaction(null, address, data);
        String answer = web3j.ethCall(call, DefaultBlockParameterName.LATEST).send().getValue();
        return Numeric.toBigInt(answer).toString();
    }

    static String call(String name, Type... arguments) {
        return FunctionEncoder.encode(new Function(name, List.of(arguments), List.of()));
    }

    static Uint256 uint(long value) {
        return new Uint256(BigInteger.valueOf(value));
    }

    static Map<String, String> transferOf(List<String> topics, String data) {
        return Map.of(
            "from", "0x" + topics.get(1).substring(26),
            "to", "0x" + topics.get(2).substring(26),
            "value", Numeric.toBigInt(data).toString());
    }
}

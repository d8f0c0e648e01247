package quorum;

import static quorum.Calls.result;

import java.math.BigInteger;
import java.net.URI;
import java.util.Base64;
import java.util.List;
import okhttp3.OkHttpClient;
import org.web3j.crypto.RawTransaction;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.Request;
import org.web3j.protocol.core.Response;
import org.web3j.protocol.core.methods.response.Transaction;
import org.web3j.quorum.PrivacyFlag;
import org.web3j.quorum.enclave.Tessera;
import org.web3j.quorum.enclave.protocol.EnclaveService;
import org.web3j.quorum.methods.request.PrivateTransaction;
import org.web3j.quorum.tx.QuorumTransactionManager;
import org.web3j.tx.RawTransactionManager;
import org.web3j.utils.Numeric;

/** Signed by the client: the payload goes to the manager's third-party server first. */
final class SignedHere {
    /** What eth_fillTransaction answers; web3j has no model of it. */
    public static final class Filled extends Response<Filled.Body> {
        public static final class Body {
            public String raw;
            public Transaction tx;
        }
    }

    private final Calls calls;
    private final Network network;
    private final Network.Node sender;
    private final Network.Node party;
    private final Tessera tessera;

    SignedHere(Calls calls, Network network) {
        this.calls = calls;
        this.network = network;
        sender = network.node(1);
        party = network.node(2);
        tessera = tesseraOf(sender);
    }

    private static Tessera tesseraOf(Network.Node node) {
        URI server = URI.create(node.thirdParty());
        String host = server.getScheme() + "://" + server.getHost();
        return new Tessera(new EnclaveService(host, server.getPort(), new OkHttpClient()), node.quorum());
    }

    private QuorumTransactionManager manager(PrivacyFlag flag) {
        List<String> mandatory = flag == PrivacyFlag.MANDATORY_FOR ? List.of(party.key()) : List.of();
        return new QuorumTransactionManager(
            sender.quorum(), tessera, network.own, sender.key(), List.of(party.key()), flag, mandatory);
    }

    void raw() throws Exception {
        for (PrivacyFlag flag : PrivacyFlag.values()) {
            String name = "flag " + flag.getValue() + ": QuorumTransactionManager";
            var manager = manager(flag);
            String created = calls.call(name + " deploys", () ->
                result(manager.sendTransaction(BigInteger.ZERO, PrivateTransactions.GAS, null, network.code, BigInteger.ZERO, true)));
            String contract = Network.mined(sender, created);
            String set = calls.call(name + " sends", () ->
                result(manager.sendTransaction(BigInteger.ZERO, PrivateTransactions.GAS, contract, Network.set(7), BigInteger.ZERO)));
            calls.expect(name + ": the party's state", 7L, () -> Network.value(party, set, contract));
            calls.expect(name + ": a stranger's state", 0L, () -> Network.value(network.node(3), set, contract));
        }
    }

    void enclave() throws Exception {
        calls.expect("upCheck", true, tessera::upCheck);
        String key = calls.call("storeRawRequest", () ->
            tessera.storeRawRequest(base64(network.code), sender.key(), List.of(party.key())).getKey());
        calls.expect("storeRawRequest gives a hash of 64 bytes", 64, () -> Base64.getDecoder().decode(key).length);
    }

    /** Filled in by the node, signed here, sent with eth_sendRawPrivateTransaction. */
    void filled() throws Exception {
        var wanted = new PrivateTransaction(network.own.getAddress(), null, null, null, null, network.code, sender.key(),
            List.of(party.key()));
        Transaction tx = calls.call("eth_fillTransaction", () ->
            result(new Request<>("eth_fillTransaction", List.of(wanted), sender.service(), Filled.class).send())).tx;
        calls.expect("eth_fillTransaction puts the payload's hash in its place", 64, () ->
            Numeric.hexStringToByteArray(tx.getInput()).length);
        String raw = PrivateSignature.sign(RawTransaction.createTransaction(
            tx.getNonce(), tx.getGasPrice(), tx.getGas(), null, tx.getInput()), network.own);
        String hash = calls.call("ethSendRawPrivateTransaction", () ->
            result(sender.quorum().ethSendRawPrivateTransaction(raw, List.of(party.key())).send()));
        calls.call("its receipt", () -> Network.mined(party, hash));
    }

    /** Handed to the managers, and carried by a marker. */
    void marker() throws Exception {
        String precompile = calls.call("ethGetPrivacyPrecompileAddress", () ->
            result(sender.quorum().ethGetPrivacyPrecompileAddress().send()));
        BigInteger nonce = sender.quorum().ethGetTransactionCount(
            network.own.getAddress(), DefaultBlockParameterName.PENDING).send().getTransactionCount();
        String stored = Numeric.toHexString(Base64.getDecoder().decode(
            tessera.storeRawRequest(base64(network.code), sender.key(), List.of(party.key())).getKey()));
        String inner = calls.call("QuorumTransactionManager.sign", () -> manager(PrivacyFlag.PARTY_PROTECTION).sign(
            RawTransaction.createTransaction(nonce, BigInteger.ZERO, PrivateTransactions.GAS, null, stored)));
        String carried = calls.call("ethDistributePrivateTransaction", () -> result(sender.quorum()
            .ethDistributePrivateTransaction(inner, List.of(party.key()), PrivacyFlag.PARTY_PROTECTION).send()));
        String outer = new RawTransactionManager(sender.quorum(), network.own, network.chainId).sign(
            RawTransaction.createTransaction(nonce, BigInteger.ZERO, PrivateTransactions.GAS, precompile, carried));
        String hash = result(sender.quorum().ethSendRawTransaction(outer).send());
        Network.mined(sender, hash);
        calls.expect("ethGetQuorumTransactionReceipt of the marker", true, () ->
            result(sender.quorum().ethGetQuorumTransactionReceipt(hash).send()).isPrivacyMarkerTransaction());
        calls.expect("ethGetPrivateTransactionByHash", true, () ->
            result(party.quorum().ethGetPrivateTransactionByHash(hash).send()).getInput().length() == 130);
        calls.expect("ethGetPrivateTransactionReceipt", "0x1", () ->
            result(party.quorum().ethGetPrivateTransactionReceipt(hash).send()).getStatus());
    }

    private static String base64(String hex) {
        return Base64.getEncoder().encodeToString(Numeric.hexStringToByteArray(hex));
    }
}

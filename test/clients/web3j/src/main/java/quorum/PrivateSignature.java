package quorum;

import java.util.ArrayList;
import org.web3j.crypto.Credentials;
import org.web3j.crypto.RawTransaction;
import org.web3j.crypto.Sign;
import org.web3j.crypto.TransactionEncoder;
import org.web3j.rlp.RlpEncoder;
import org.web3j.rlp.RlpList;
import org.web3j.utils.Numeric;

/** A private transaction is signed without a chain id; its v is 37 or 38. */
final class PrivateSignature {
    static String sign(RawTransaction transaction, Credentials credentials) {
        var signature = Sign.signMessage(TransactionEncoder.encode(transaction), credentials.getEcKeyPair());
        var marked = new Sign.SignatureData((byte) (signature.getV()[0] + 10), signature.getR(), signature.getS());
        var fields = new ArrayList<>(TransactionEncoder.asRlpValues(transaction, marked));
        return Numeric.toHexString(RlpEncoder.encode(new RlpList(fields)));
    }
}

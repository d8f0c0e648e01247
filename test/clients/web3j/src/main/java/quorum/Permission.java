package quorum;

import java.util.List;
import org.web3j.quorum.Quorum;
import org.web3j.quorum.methods.request.PrivateTransaction;

/** A network without --permissioned has no such methods, as at GoQuorum. */
final class Permission {
    static void notServed(Calls calls, Network network) {
        Quorum quorum = network.node(1).quorum();
        var from = new PrivateTransaction(network.node(1).account(), null, null, null, null, null, null, List.of());
        calls.refused("quorumPermissionGetOrgList", "does not exist", () -> quorum.quorumPermissionGetOrgList().send());
        calls.refused("quorumPermissionGetNodeList", "does not exist", () -> quorum.quorumPermissionGetNodeList().send());
        calls.refused("quorumPermissionGetRoleList", "does not exist", () -> quorum.quorumPermissionGetRoleList().send());
        calls.refused("quorumPermissionGetAccountList", "does not exist", () -> quorum.quorumPermissionGetAccountList().send());
        calls.refused("quorumPermissionGetOrgDetails", "does not exist", () -> quorum.quorumPermissionGetOrgDetails("A").send());
        calls.refused("quorumPermissionAddOrg", "does not exist", () ->
            quorum.quorumPermissionAddOrg("A", "enode://", network.node(1).account(), from).send());
    }
}

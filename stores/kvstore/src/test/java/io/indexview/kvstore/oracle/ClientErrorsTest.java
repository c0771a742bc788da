package io.indexview.kvstore.oracle;

import static oracle.kv.Durability.ReplicaAckPolicy.SIMPLE_MAJORITY;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvStoreException;
import java.net.SocketException;
import java.util.Set;
import oracle.kv.AuthenticationFailureException;
import oracle.kv.Consistency;
import oracle.kv.ConsistencyException;
import oracle.kv.DurabilityException;
import oracle.kv.FaultException;
import oracle.kv.RequestTimeoutException;
import oracle.kv.StaleStoreHandleException;
import oracle.kv.StoreIteratorException;
import oracle.kv.UnauthorizedException;
import oracle.kv.impl.fault.RNUnavailableException;
import org.junit.jupiter.api.Test;

class ClientErrorsTest {
  private final ClientErrors errors = new ClientErrors("people");

  @Test
  void takesFaultsAndTimeoutsForPassing() {
    assertThat(errors.translate(new FaultException("no master", true)))
        .isInstanceOf(KvStoreException.Unavailable.class)
        .hasMessageContaining("people")
        .hasMessageContaining("no master");
    assertThat(errors.translate(new RequestTimeoutException(5, "too slow", null, false)))
        .isInstanceOf(KvStoreException.Unavailable.class);
  }

  @Test
  void takesALostMasterForPassing() {
    RuntimeException cut =
        new FaultException(
            "Communication problem with rg1-rn1", new SocketException("Connection reset"), false);

    assertThat(errors.translate(cut))
        .isInstanceOf(KvStoreException.Unavailable.class)
        .hasMessageContaining("rg1-rn1")
        .hasMessageContaining("Connection reset");
  }

  @Test
  void takesALostQuorumForPassingAndNamesIt() {
    Set<String> left = Set.of("rg1-rn3");
    RuntimeException tooFew =
        new DurabilityException(
            new IllegalStateException("1 of 2 replicas"), SIMPLE_MAJORITY, 2, left);

    assertThat(errors.translate(tooFew)).isInstanceOf(KvStoreException.Unavailable.class);
    assertThat(errors.translate(timedOut(tooFew)))
        .isInstanceOf(KvStoreException.Unavailable.class)
        .hasMessageContaining("dispatch timed out")
        .hasMessageContaining("1 of 2 replicas");
  }

  @Test
  void takesAStoreThatTakesNoWritesForPassing() {
    RuntimeException readOnly = timedOut(new RNUnavailableException("write requests are disabled"));

    assertThat(errors.translate(readOnly))
        .isInstanceOf(KvStoreException.Unavailable.class)
        .hasMessageContaining("write requests are disabled");
    assertThat(errors.translate(new StoreIteratorException(readOnly, null)))
        .isInstanceOf(KvStoreException.Unavailable.class);
  }

  @Test
  void takesAReplicaThatLagsForPassing() {
    RuntimeException lagging =
        new ConsistencyException(new IllegalStateException("lags"), Consistency.ABSOLUTE);

    assertThat(errors.translate(lagging)).isInstanceOf(KvStoreException.Unavailable.class);
  }

  @Test
  void doesNotGoOnInAStoreThatWasMadeAnew() {
    RuntimeException stale =
        new StaleStoreHandleException("Inconsistent use of Topology. \n and more");

    assertThat(errors.translate(stale))
        .isInstanceOf(KvStoreException.Misconfigured.class)
        .hasMessageContaining("made anew")
        .hasMessageContaining("incarnation")
        .hasMessageContaining("Inconsistent use of Topology")
        .hasMessageNotContaining("and more")
        .hasCause(stale);
  }

  @Test
  void takesSecurityForAMatterOfSetUp() {
    assertThat(errors.translate(new AuthenticationFailureException("bad password")))
        .isInstanceOf(KvStoreException.Misconfigured.class)
        .hasMessageContaining("security file");
    assertThat(errors.translate(new UnauthorizedException("no write")))
        .isInstanceOf(KvStoreException.Misconfigured.class);
  }

  @Test
  void looksIntoWhatStoppedAScan() {
    RuntimeException stopped =
        new StoreIteratorException(new UnauthorizedException("no read"), null);

    assertThat(errors.translate(stopped)).isInstanceOf(KvStoreException.Misconfigured.class);
  }

  @Test
  void saysWhichJarToPutWhereWhenTheClientIsTooOld() {
    RuntimeException refusal =
        new FaultException(
            new UnsupportedOperationException(
                "The client is incompatible with this service."
                    + " Client version is 18.3.9, but the minimum required version is 22.3.11"),
            true);

    assertThat(errors.translate(refusal))
        .isInstanceOf(KvStoreException.Misconfigured.class)
        .hasMessageContaining("22.3.11")
        .hasMessageContaining("kvclient.jar")
        .hasMessageContaining("lib directory")
        .hasCause(refusal);
  }

  @Test
  void saysSoTooWhenALibraryOfTheClientIsMissing() {
    assertThat(errors.incomplete(new NoClassDefFoundError("org/codehaus/jackson/JsonNode")))
        .isInstanceOf(KvStoreException.Misconfigured.class)
        .hasMessageContaining("org/codehaus/jackson/JsonNode")
        .hasMessageContaining("kvclient.jar");
  }

  @Test
  void leavesMistakesOfTheCallerAlone() {
    RuntimeException mistake = new IllegalArgumentException("bad range");

    assertThat(errors.translate(mistake)).isSameAs(mistake);
    assertThat(errors.translateOpening(mistake)).isInstanceOf(KvStoreException.Misconfigured.class);
  }

  private static RuntimeException timedOut(Exception reason) {
    return new RequestTimeoutException(
        5_000, "dispatch timed out after 1 attempt(s)", reason, false);
  }
}

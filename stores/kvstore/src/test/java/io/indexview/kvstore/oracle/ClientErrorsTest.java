package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvStoreException;
import oracle.kv.AuthenticationFailureException;
import oracle.kv.FaultException;
import oracle.kv.RequestTimeoutException;
import oracle.kv.StoreIteratorException;
import oracle.kv.UnauthorizedException;
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
}

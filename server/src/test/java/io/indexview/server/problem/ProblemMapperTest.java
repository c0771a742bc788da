package io.indexview.server.problem;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.server.ServedTest;
import io.indexview.server.api.Api;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which failures a client may wait out, which are its own, and which are the operator's. */
class ProblemMapperTest extends ServedTest {
  static Stream<Arguments> failures() {
    TopicAuthorizationException forbidden = new TopicAuthorizationException("topic");
    return Stream.of(
        Arguments.of(new KvStoreException.Unavailable("no answer"), 503),
        Arguments.of(new KvStoreException.Refused("the key is too large"), 400),
        Arguments.of(new KvStoreException.Misconfigured("no permission"), 500),
        Arguments.of(new ItemStoreException.Unavailable("throttled", null), 503),
        Arguments.of(new ItemStoreException.Rejected("the item is too large", null), 400),
        Arguments.of(new ItemStoreException.Permanent("no such table", null), 500),
        Arguments.of(new RegistryException.Unavailable("no answer", null), 503),
        Arguments.of(new RegistryException("no permission", null), 500),
        Arguments.of(new TimeoutException("no answer"), 503),
        Arguments.of(new UnsupportedCharsetException("utf-16utf-16"), 415),
        Arguments.of(new IllegalCharsetNameException("utf 16"), 415),
        Arguments.of(new ProducerFencedException("others go on and on"), 503),
        Arguments.of(forbidden, 500),
        Arguments.of(new KafkaException("wrapped", forbidden), 500),
        Arguments.of(new SaslAuthenticationException("wrong password"), 500),
        Arguments.of(new KafkaException("not started", new ConfigException("wrong")), 500),
        Arguments.of(new NoClassDefFoundError("io/Missing"), 500));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void tellsApartWhoCanHelp(Throwable failure, int status) {
    server.views().fail(failure);
    Api.Answer answer = server.api().get("/views/by-org");

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.body().path("status").asInt()).isEqualTo(status);
    assertThat(answer.header("Retry-After") != null).isEqualTo(status == 503);
    if (status == 500) {
      assertThat(answer.body().path("detail").asText())
          .contains("incident")
          .doesNotContain(failure.getMessage());
    }
  }

  /** Its path as it came, which is encoded. */
  @Test
  void namesTheRequestThatFailedInTheLog() {
    server.views().fail(new TimeoutException("no answer"));

    assertThat(logged(ClientProblems.class, () -> api.get("/views/by%20org")))
        .containsExactly(
            "GET /views/by%20org is answered with 503, and may succeed when it is sent again: no answer");
  }
}

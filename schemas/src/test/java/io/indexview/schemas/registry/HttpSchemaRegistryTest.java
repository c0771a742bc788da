package io.indexview.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.RegistryHttpServer.Answer;
import io.indexview.schemas.registry.RegistryHttpServer.Request;
import io.indexview.schemas.registry.SchemaRegistry.Registered;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSchemaRegistryTest {
  private static final Schema V1 =
      SchemaBuilder.record("Person").fields().requiredString("name").endRecord();
  private static final Schema V2 =
      SchemaBuilder.record("Person")
          .fields()
          .requiredString("name")
          .optionalString("email")
          .endRecord();
  private static final Schema BREAKING =
      SchemaBuilder.record("Person").fields().requiredString("email").endRecord();

  private static final Duration UNKNOWN_FOR = Duration.ofMinutes(1);

  private final ManualClock clock = new ManualClock();
  private RegistryHttpServer server;
  private SchemaRegistry registry;

  @BeforeEach
  void start() throws IOException {
    server = new RegistryHttpServer(new InMemorySchemaRegistry());
    RegistryConfig config = new RegistryConfig(Map.of(RegistryConfig.URL_CONFIG, server.url()));
    registry =
        new HttpSchemaRegistry(new RegistryHttp(config.endpoints(), config), UNKNOWN_FOR, clock);
  }

  @AfterEach
  void stop() {
    registry.close();
    server.close();
  }

  @Test
  void registersAndReadsBack() {
    int id = registry.register("people-value", V1);

    assertThat(registry.byId(id)).isEqualTo(V1);
    assertThat(registry.latest("people-value")).contains(new Registered(id, 1, V1));
    assertThat(registry.latest("nobody-value")).isEmpty();
  }

  @Test
  void asksOnceForWhatNeverChanges() {
    int id = registry.register("people-value", V1);
    Schema schema = registry.byId(id);
    int before = server.requests().size();

    assertThat(registry.register("people-value", new Schema.Parser().parse(V1.toString())))
        .isEqualTo(id);
    assertThat(registry.byId(id)).isSameAs(schema);
    assertThat(server.requests()).hasSize(before);

    registry.latest("people-value");
    registry.latest("people-value");
    assertThat(server.requests()).hasSize(before + 2);
  }

  @Test
  void keepsTheSubjectOneSegmentOfThePath() {
    registry.register("a b/c+ü-value", V1);

    assertThat(registry.latest("a b/c+ü-value")).isPresent();
    assertThat(server.requests().get(0).path())
        .isEqualTo("/subjects/a%20b%2Fc%2B%C3%BC-value/versions");
  }

  @Test
  void saysWhatIsCompatible() {
    assertThat(registry.isCompatible("people-value", BREAKING)).isTrue();
    registry.register("people-value", V1);

    assertThat(registry.isCompatible("people-value", V2)).isTrue();
    assertThat(registry.isCompatible("people-value", BREAKING)).isFalse();
  }

  @Test
  void takesAnUnknownSubjectAsCompatibleWhenTheRegistrySaysItDoesNotKnowIt() {
    server.answerNext(Answer.error(404, 40401, "Subject not found"));

    assertThat(registry.isCompatible("people-value", V1)).isTrue();
  }

  @Test
  void checksAgainstTheLatestVersionWhereTheRegistryKnowsNoOtherCheck() {
    server.answerNext(new Answer(405, ""), new Answer(200, "{\"is_compatible\":false}"));

    assertThat(registry.isCompatible("people-value", V1)).isFalse();
    assertThat(server.requests())
        .extracting(Request::path)
        .containsExactly(
            "/compatibility/subjects/people-value/versions",
            "/compatibility/subjects/people-value/versions/latest");
  }

  @Test
  void refusesAnIncompatibleSchema() {
    registry.register("people-value", V1);

    assertThatThrownBy(() -> registry.register("people-value", BREAKING))
        .isInstanceOf(RegistryException.Incompatible.class)
        .hasMessageContaining("people-value")
        .hasMessageContaining(server.url());
    assertThat(server.requests()).hasSize(3);
  }

  @Test
  void registersInTheSecondTryWhenAnotherClientCreatedTheSubjectAtTheSameMoment() {
    server.answerNext(Answer.error(409, 409, "An artifact with ID 'people-value' already exists."));

    int id = registry.register("people-value", V1);

    assertThat(registry.byId(id)).isEqualTo(V1);
  }

  @Test
  void findsAnIdThatTheRegistryGetsBackInTime() {
    assertThatThrownBy(() -> registry.byId(1))
        .isInstanceOf(RegistryException.Unavailable.class)
        .hasMessageContaining("schema id 1");
    clock.pass(UNKNOWN_FOR.minusMillis(1));
    assertThatThrownBy(() -> registry.byId(1)).isInstanceOf(RegistryException.Unavailable.class);
    registry.register("people-value", V1);

    assertThat(registry.byId(1)).isEqualTo(V1);
  }

  @Test
  void saysThatAnIdIsUnknownWhenItStaysSoForLong() {
    assertThatThrownBy(() -> registry.byId(1)).isInstanceOf(RegistryException.Unavailable.class);
    clock.pass(UNKNOWN_FOR);

    assertThatThrownBy(() -> registry.byId(1))
        .isInstanceOf(RegistryException.NotFound.class)
        .hasMessageContaining("schema id 1");
    assertThatThrownBy(() -> registry.byId(2)).isInstanceOf(RegistryException.Unavailable.class);
  }

  /** Whoever reads the same record again, after a restart of its task, is not held up again. */
  @Test
  void staysWithItsJudgement() {
    assertThatThrownBy(() -> registry.byId(7)).isInstanceOf(RegistryException.Unavailable.class);
    clock.pass(Duration.ofHours(1));
    assertThat(registry.byId(registry.register("people-value", V1))).isEqualTo(V1);

    assertThatThrownBy(() -> registry.byId(7)).isInstanceOf(RegistryException.NotFound.class);
  }

  @Test
  void waitsNoLongerForAnUnknownIdWhenTheClockIsSetBack() {
    assertThatThrownBy(() -> registry.byId(7)).isInstanceOf(RegistryException.Unavailable.class);
    clock.setBack(Duration.ofHours(1));
    clock.pass(UNKNOWN_FOR);

    assertThatThrownBy(() -> registry.byId(7)).isInstanceOf(RegistryException.NotFound.class);
  }

  @Test
  void waitsForSomeUnknownIdsOnly() {
    for (int id = 1; id <= 16; id++) {
      int unknown = id;
      assertThatThrownBy(() -> registry.byId(unknown))
          .isInstanceOf(RegistryException.Unavailable.class);
    }
    assertThatThrownBy(() -> registry.byId(17)).isInstanceOf(RegistryException.NotFound.class);
    clock.pass(Duration.ofMinutes(11));

    assertThatThrownBy(() -> registry.byId(17)).isInstanceOf(RegistryException.Unavailable.class);
  }

  @Test
  void takesAnUnknownIdAtItsWordWithoutATimeout() {
    try (SchemaRegistry impatient =
        SchemaRegistries.create(
            Map.of(
                RegistryConfig.URL_CONFIG,
                server.url(),
                RegistryConfig.UNKNOWN_ID_TIMEOUT_CONFIG,
                "0"))) {
      assertThatThrownBy(() -> impatient.byId(1)).isInstanceOf(RegistryException.NotFound.class);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "404, 40401, NotFound",
    "404, 40402, NotFound",
    "404, 40403, NotFound",
    "404, 0, NoSuchResource",
    "422, 42201, Rejected",
    "422, 42205, RegistryException",
    "401, 401, RegistryException",
    "403, 40301, RegistryException",
    "400, 400, RegistryException",
    "302, 0, RegistryException",
    "501, 0, RegistryException",
  })
  void takesEachRefusalForWhatItIsAndDoesNotRepeatTheRequest(int status, int code, String type) {
    server.answerNext(Answer.error(status, code, "said the registry"));

    assertThatThrownBy(() -> registry.register("people-value", V1))
        .isInstanceOf(RegistryException.class)
        .satisfies(e -> assertThat(e.getClass().getSimpleName()).isEqualTo(type))
        .hasMessageContaining("HTTP " + status)
        .hasMessageContaining("said the registry");
    assertThat(server.requests()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<html>log in</html>",
        "",
        "[1]",
        "{}",
        "{\"id\":\"one\"}",
        "{\"id\":99999999999}",
        "{\"id\":1",
      })
  void takesGarbageForNoRegistry(String body) {
    server.answerNext(new Answer(200, body));

    assertThatThrownBy(() -> registry.register("people-value", V1))
        .isExactlyInstanceOf(RegistryException.class)
        .hasMessageContaining("people-value")
        .hasMessageContaining(RegistryConfig.URL_CONFIG);
    assertThat(registry.register("people-value", V1)).isEqualTo(1);
  }

  @Test
  void rejectsSchemasThatAreNotAvro() {
    server.answerNext(new Answer(200, "{\"schemaType\":\"JSON\",\"schema\":\"{}\"}"));
    assertThatThrownBy(() -> registry.byId(7))
        .isInstanceOf(RegistryException.Rejected.class)
        .hasMessageContaining("JSON");

    server.answerNext(new Answer(200, "{\"schema\":\"{\\\"type\\\":\\\"nothing\\\"}\"}"));
    assertThatThrownBy(() -> registry.byId(7))
        .isInstanceOf(RegistryException.Rejected.class)
        .hasMessageContaining("schema id 7");
  }

  @Test
  void readsASchemaThatRefersToOtherSubjects() {
    registry.register("person", V1);
    server.answerNext(
        new Answer(
            200,
            """
            {"schema": "{\\"type\\":\\"array\\",\\"items\\":\\"Person\\"}",
             "references": [{"name": "Person", "subject": "person", "version": 1}]}"""));

    assertThat(registry.byId(7)).isEqualTo(Schema.createArray(V1));
  }

  @Test
  void readsASchemaThatOtherClientsWouldAccept() {
    server.answerNext(
        new Answer(
            200,
            """
            {"schema": "{\\"type\\":\\"record\\",\\"name\\":\\"a-b\\",\\"fields\\":\
            [{\\"name\\":\\"x\\",\\"type\\":\\"int\\",\\"default\\":null}]}"}"""));

    assertThat(registry.byId(7).getName()).isEqualTo("a-b");
  }

  @Test
  void findsTheApiBelowAPath() {
    try (SchemaRegistry below =
        SchemaRegistries.create(
            Map.of(RegistryConfig.URL_CONFIG, server.url() + "/apis/ccompat/v7/"))) {
      server.answerNext(new Answer(200, "{\"id\":5}"));

      assertThat(below.register("people-value", V1)).isEqualTo(5);
      assertThat(server.requests())
          .extracting(Request::path)
          .isEqualTo(List.of("/apis/ccompat/v7/subjects/people-value/versions"));
      assertThatThrownBy(() -> below.latest("people-value"))
          .isInstanceOf(Answers.NoSuchResource.class)
          .hasMessageContaining("check the path");
    }
  }
}

package io.indexview.connect.s3.notification;

import static io.indexview.connect.s3.notification.S3NotificationParserTest.EVENT_BRIDGE;
import static io.indexview.connect.s3.notification.S3NotificationParserTest.RECORD;
import static io.indexview.connect.s3.notification.S3NotificationParserTest.message;
import static io.indexview.connect.s3.notification.S3NotificationParserTest.throughSns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.connect.s3.notification.S3NotificationParser.MalformedNotificationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where in the JSON of a message a field is looked for. */
class RawMessageTest {
  private final S3NotificationParser parser = new S3NotificationParser();
  private final ObjectMapper json = new ObjectMapper();

  private ObjectEvent only(String body) throws MalformedNotificationException {
    List<ObjectEvent> events = parser.parse(body).events();
    assertThat(events).hasSize(1);
    return events.get(0);
  }

  @Test
  void readsFieldsInAnyOrder() throws MalformedNotificationException {
    ObjectNode record = (ObjectNode) tree(RECORD);
    ObjectNode turned = turned(record);
    turned.set("s3", turned((ObjectNode) record.get("s3")));

    assertThat(turned.fieldNames().next()).isEqualTo("unknownField");
    assertThat(only(message(turned.toString()))).isEqualTo(only(message(RECORD)));
    assertThat(only(turned((ObjectNode) tree(throughSns(message(RECORD)))).toString()))
        .isEqualTo(only(message(RECORD)));
    assertThat(only(turned((ObjectNode) tree(EVENT_BRIDGE)).toString()))
        .isEqualTo(only(EVENT_BRIDGE));
  }

  private JsonNode tree(String text) {
    try {
      return json.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  private ObjectNode turned(ObjectNode object) {
    List<Map.Entry<String, JsonNode>> fields = new ArrayList<>(object.properties());
    Collections.reverse(fields);
    ObjectNode turned = json.createObjectNode();
    fields.forEach(field -> turned.set(field.getKey(), field.getValue()));
    return turned;
  }

  @Test
  void readsNoFieldFromAnotherPlace() throws MalformedNotificationException {
    String decoys =
        """
        "key": "no", "sequencer": "00", "name": ["no", {"key": "no"}], "eventName": "ObjectRemoved:Delete",
        "object": {"key": "no", "size": "no"}, "bucket": {"name": "no"}, "Records": [{"key": "no"}]
        """;
    String inS3 = "\"s3\": {\"eventTime\": \"no\", \"key\": \"no\", \"name\": \"no\",";
    String hidden =
        RECORD
            .replace("\"unknownField\": {", "\"unknownField\": {" + decoys + ",")
            .replace("\"userIdentity\": {", "\"userIdentity\": {" + decoys + ",")
            .replace("\"ownerIdentity\": {", "\"ownerIdentity\": {" + decoys + ",")
            .replace("\"s3\": {", inS3);

    assertThat(only(message(hidden))).isEqualTo(only(message(RECORD)));
    assertThat(only("{\"detail\": {\"Records\": []}, \"x\": [" + RECORD + "]," + records()))
        .isEqualTo(only(message(RECORD)));
  }

  private static String records() {
    return message(RECORD).substring(1);
  }

  @Test
  void takesTheLastOfFieldsOfOneName() throws MalformedNotificationException {
    String twice =
        RECORD.replace(
            "\"s3\": {", "\"s3\": {\"object\": {\"key\": \"first\", \"eTag\": \"first\"},");

    assertThat(only(message(twice))).isEqualTo(only(message(RECORD)));
    assertThatThrownBy(() -> parser.parse("{" + records().replaceFirst("}$", ",\"Records\":1}")))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("neither an S3 notification");
    String emptied = RECORD.replaceFirst("\"sequencer\": \"[^\"]*\"\\s*}", "$0, \"object\": 7");
    assertThatThrownBy(() -> parser.parse(message(emptied)))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("key");
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "null", "{}", "\"\"", "\"[]\"", "\"secret garbage\""})
  void refusesWhatSnsDoesNotWrapAsText(String message) {
    assertThatThrownBy(
            () -> parser.parse("{\"Message\":" + message + ",\"Type\":\"Notification\"}"))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("not ")
        .hasMessageContaining("JSON")
        .hasMessageNotContaining("secret");
  }
}

package io.indexview.connect.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.connect.s3.notification.ObjectEvent.Kind;
import io.indexview.connect.s3.notification.S3NotificationParser.MalformedNotificationException;
import io.indexview.connect.s3.notification.S3NotificationParser.Notification;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class S3NotificationParserTest {
  /** Written after the structure in the S3 user guide, "Event message structure". */
  static final String RECORD =
      """
      {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "us-west-2",
        "eventTime": "2017-08-20T23:59:59.123Z",
        "eventName": "ObjectCreated:Put",
        "userIdentity": {"principalId": "AIDAJDPLRKLG7UEXAMPLE"},
        "requestParameters": {"sourceIPAddress": "127.0.0.1"},
        "responseElements": {
          "x-amz-request-id": "C3D13FE58DE4C810",
          "x-amz-id-2": "FMyUVURIY8/IgAtTv8xRjskZQpcIZ9KG4V5Wp6S7S/JRWeUWerMUE5JgHvANOjpD"
        },
        "s3": {
          "s3SchemaVersion": "1.0",
          "configurationId": "testConfigRule",
          "bucket": {
            "name": "documents",
            "ownerIdentity": {"principalId": "A3NL1KOZZKExample"},
            "arn": "arn:aws:s3:::documents"
          },
          "object": {
            "key": "USER001_FILE001.txt",
            "size": 1024,
            "eTag": "d41d8cd98f00b204e9800998ecf8427e",
            "versionId": "096fKKXTRTtl3on89fVO.nfljtsv6qko",
            "sequencer": "0055AED6DCD90281E5"
          }
        },
        "unknownField": {"of": "a later version"}
      }
      """;

  static final String EVENT_BRIDGE =
      """
      {
        "version": "0",
        "id": "17793124-05d4-b198-2fde-7ededc63b103",
        "detail-type": "Object Created",
        "source": "aws.s3",
        "account": "111122223333",
        "time": "2021-11-12T00:00:00Z",
        "region": "ca-central-1",
        "resources": ["arn:aws:s3:::documents"],
        "detail": {
          "version": "0",
          "bucket": {"name": "documents"},
          "object": {
            "key": "a+b %2B.txt",
            "size": 5,
            "etag": "b1946ac92492d2347c6235b4d2611184",
            "version-id": "IYV3p45BT0ac8hjHg1houSdS1a.Mro8e",
            "sequencer": "617f08299329d189"
          },
          "request-id": "N4N7GDK58NMKJ12R",
          "requester": "123456789012",
          "source-ip-address": "1.2.3.4",
          "reason": "PutObject"
        }
      }
      """;

  private final S3NotificationParser parser = new S3NotificationParser();

  static String message(String... records) {
    return "{\"Records\":[" + String.join(",", records) + "]}";
  }

  private static String record(String field, String value) {
    String changed =
        RECORD.replaceFirst("\"" + field + "\": (\"[^\"]*\"|\\d+)", "\"" + field + "\": " + value);
    assertThat(changed).contains("\"" + field + "\": " + value);
    return changed;
  }

  private static String without(String field) {
    String changed = RECORD.replaceFirst("\"" + field + "\": (\"[^\"]*\"|\\d+),", "");
    assertThat(changed).isNotEqualTo(RECORD);
    return changed;
  }

  private ObjectEvent only(String body) throws MalformedNotificationException {
    Notification notification = parser.parse(body);
    assertThat(notification.unknownTypes()).isEmpty();
    assertThat(notification.events()).hasSize(1);
    return notification.events().get(0);
  }

  @Test
  void readsAPlainNotification() throws MalformedNotificationException {
    assertThat(only(message(RECORD)))
        .isEqualTo(
            new ObjectEvent(
                Kind.CREATED,
                "ObjectCreated:Put",
                "documents",
                "USER001_FILE001.txt",
                1024L,
                "d41d8cd98f00b204e9800998ecf8427e",
                "096fKKXTRTtl3on89fVO.nfljtsv6qko",
                "0055AED6DCD90281E5",
                Instant.parse("2017-08-20T23:59:59.123Z")));
  }

  @Test
  void readsANotificationThroughSns() throws MalformedNotificationException {
    assertThat(only(throughSns(message(RECORD)))).isEqualTo(only(message(RECORD)));
  }

  static String throughSns(String body) {
    ObjectMapper json = new ObjectMapper();
    ObjectNode envelope = json.createObjectNode();
    envelope.put("Type", "Notification");
    envelope.put("MessageId", "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324");
    envelope.put("TopicArn", "arn:aws:sns:us-west-2:123456789012:MyTopic");
    envelope.put("Subject", "Amazon S3 Notification");
    envelope.put("Message", body);
    envelope.put("Timestamp", "2012-05-02T00:54:06.655Z");
    try {
      return json.writeValueAsString(envelope);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void readsAnEventOfEventBridgeWhoseKeyIsNotEncoded() throws MalformedNotificationException {
    assertThat(only(EVENT_BRIDGE))
        .isEqualTo(
            new ObjectEvent(
                Kind.CREATED,
                "Object Created",
                "documents",
                "a+b %2B.txt",
                5L,
                "b1946ac92492d2347c6235b4d2611184",
                "IYV3p45BT0ac8hjHg1houSdS1a.Mro8e",
                "617F08299329D189",
                Instant.parse("2021-11-12T00:00:00Z")));
  }

  @Test
  void readsAnEventOfEventBridgeThroughSns() throws MalformedNotificationException {
    assertThat(only(throughSns(EVENT_BRIDGE))).isEqualTo(only(EVENT_BRIDGE));
  }

  @Test
  void readsWhatEventBridgeTellsOfLifecycles() throws MalformedNotificationException {
    String expired =
        EVENT_BRIDGE
            .replace("Object Created", "Object Deleted")
            .replaceFirst("\"sequencer\": *\"[^\"]*\",?", "")
            .replaceFirst("\"version-id\": \"[^\"]*\",?", "")
            .replaceFirst(",(\\s*})", "$1");

    ObjectEvent event = only(expired);
    assertThat(event.kind()).isEqualTo(Kind.REMOVED);
    assertThat(event.sequencer()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Object Restore Completed", "Object Tags Added", "Object Access Tier Changed"})
  void looksAtOtherEventsOfEventBridgeOnlyWhenAsked(String type)
      throws MalformedNotificationException {
    String other = EVENT_BRIDGE.replace("Object Created", type);

    assertThat(parser.parse(other)).isEqualTo(new Notification(List.of(), List.of(type)));
    List<ObjectEvent> asked =
        new S3NotificationParser(true, List.of("Object Restore", "Object Tags", "Object Access"))
            .parse(other)
            .events();
    assertThat(asked).extracting(ObjectEvent::kind).containsExactly(Kind.TOUCHED);
    assertThat(asked.get(0).sequencer()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "Permanently Deleted, VERSION_REMOVED",
    "Delete Marker Created, REMOVED",
  })
  void tellsWhatEventBridgeMeansByDeleted(String deletionType, Kind kind)
      throws MalformedNotificationException {
    String deleted =
        EVENT_BRIDGE
            .replace("Object Created", "Object Deleted")
            .replace("\"reason\"", "\"deletion-type\": \"" + deletionType + "\", \"reason\"");

    assertThat(only(deleted).kind()).isEqualTo(kind);
    assertThat(only(deleted.replaceFirst("\"version-id\": \"[^\"]*\",", "")).kind())
        .isEqualTo(Kind.REMOVED);
  }

  @ParameterizedTest
  @CsvSource({
    "ObjectCreated:Put, CREATED",
    "ObjectCreated:Post, CREATED",
    "ObjectCreated:Copy, CREATED",
    "ObjectCreated:CompleteMultipartUpload, CREATED",
    "s3:ObjectCreated:Put, CREATED",
    "ObjectRemoved:Delete, VERSION_REMOVED",
    "ObjectRemoved:DeleteMarkerCreated, REMOVED",
    "LifecycleExpiration:Delete, VERSION_REMOVED",
    "LifecycleExpiration:DeleteMarkerCreated, REMOVED",
  })
  void tellsCreationsFromRemovals(String type, Kind kind) throws MalformedNotificationException {
    assertThat(only(message(record("eventName", '"' + type + '"'))).kind()).isEqualTo(kind);
  }

  @Test
  void takesARemovalForTheObjectsWhenTheBucketHasNoVersions()
      throws MalformedNotificationException {
    String removed = without("versionId").replace("ObjectCreated:Put", "ObjectRemoved:Delete");

    assertThat(only(message(removed)).kind()).isEqualTo(Kind.REMOVED);
    assertThat(only(message(removed.replaceFirst("\"size\": 1024,", ""))).size()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plain.txt            | plain.txt",
        "red+flower.jpg       | red flower.jpg",
        "red%20flower.jpg     | red flower.jpg",
        "one%2Bone.txt        | one+one.txt",
        "100%25.txt           | 100%.txt",
        "a/b%2Fc              | a/b/c",
        "%E3%83%95.txt        | フ.txt",
        "Gr%C3%BC%C3%9Fe.txt  | Grüße.txt",
        "Grüße+.txt           | Grüße .txt",
        "%EF%BF%BD.txt        | \uFFFD.txt",
      })
  void decodesObjectKeysAsForms(String encoded, String key) throws MalformedNotificationException {
    assertThat(only(message(record("key", '"' + encoded + '"'))).key()).isEqualTo(key);
  }

  @Test
  void readsAllRecordsOfAMessageInOrderAndNamesUnknownTypes()
      throws MalformedNotificationException {
    Notification notification =
        parser.parse(
            message(
                record("key", "\"a\""),
                record("eventName", "\"ObjectRestore:Post\""),
                record("key", "\"b\""),
                record("eventName", "\"ObjectTagging:Put\"")));

    assertThat(notification.events()).extracting(ObjectEvent::key).containsExactly("a", "b");
    assertThat(notification.unknownTypes())
        .containsExactly("ObjectRestore:Post", "ObjectTagging:Put");
    assertThat(parser.parse(EVENT_BRIDGE.replace("Object Created", "Object Tags Added")))
        .isEqualTo(new Notification(List.of(), List.of("Object Tags Added")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"arn:aws:s3:bad", "a/b", "a b", "größe"})
  void refusesWhatNamesNoBucket(String name) {
    assertThatThrownBy(() -> parser.parse(message(record("name", '"' + name + '"'))))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("bucket");
    assertThatThrownBy(
            () -> parser.parse(EVENT_BRIDGE.replaceFirst("(\"name\": *)\"[^\"]*\"", "$1\"a:b\"")))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("bucket");
  }

  @Test
  void ignoresTheTestEvent() throws MalformedNotificationException {
    String test =
        """
        {"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2014-10-13T15:57:02.089Z",
         "Bucket":"documents","RequestId":"5582815E1AEA5ADF","HostId":"8cLeGAmw098X5cv4Zkwcmo"}
        """;

    assertThat(parser.parse(test)).isEqualTo(Notification.EMPTY);
    assertThat(parser.parse(throughSns(test))).isEqualTo(Notification.EMPTY);
  }

  @Test
  void readsWhatMinioSends() throws MalformedNotificationException {
    String minio =
        "{\"EventName\":\"s3:ObjectCreated:Put\",\"Key\":\"documents/a.txt\",\"Records\":["
            + without("versionId").replace("ObjectCreated:Put", "s3:ObjectCreated:Put")
            + "]}";

    assertThat(only(minio).type()).isEqualTo("ObjectCreated:Put");
  }

  @Test
  void readsAnEventThatHasNoSequencer() throws MalformedNotificationException {
    String expired =
        record("eventName", "\"LifecycleExpiration:Delete\"")
            .replaceFirst(",\\s*\"sequencer\": \"[^\"]*\"", "");

    assertThat(only(message(expired)).sequencer()).isNull();
    assertThat(only(message(record("sequencer", "\"\""))).sequencer()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret garbage",
        "[]",
        "7",
        "{}",
        "{\"Records\":{}}",
        "{} {}",
        "{",
        "{\"Records\":[",
        "{\"Records\":[{}"
      })
  void refusesGarbageWithoutQuotingIt(String garbage) {
    assertThatThrownBy(() -> parser.parse(garbage))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"eventName", "eventTime", "key", "name"})
  void refusesARecordWithoutWhatIsNeeded(String field) {
    assertThatThrownBy(() -> parser.parse(message(RECORD, without(field))))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining(field);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "size      | \"big\"        | size",
        "size      | -1             | size",
        "sequencer | \"00XY\"       | sequencer",
        "eventTime | \"yesterday\"  | eventTime",
        "key       | \"100%.txt\"   | key",
        "key       | \"%FF.txt\"    | key",
        "key       | 7              | key",
      })
  void namesTheFieldThatIsWrong(String field, String value, String named) {
    assertThatThrownBy(() -> parser.parse(message(record(field, value))))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining(named);
  }

  private static Stream<String> bodiesBeyondWhatTheParserReads() {
    return Stream.of(
        "{\"a\":" + "[".repeat(2_000) + "]".repeat(2_000) + "}",
        "{\"a\":" + "1".repeat(2_000) + "}",
        "{\"" + "a".repeat(60_000) + "\":1}");
  }

  @ParameterizedTest
  @MethodSource("bodiesBeyondWhatTheParserReads")
  void refusesABodyBeyondWhatTheParserReads(String body) {
    assertThatThrownBy(() -> parser.parse(body))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("not JSON");
  }

  @Test
  void takesTextsAsLongAsS3AllowsThem() throws MalformedNotificationException {
    String key = "%C3%BC".repeat(512);

    ObjectEvent event = parse(with("key", key)).events().get(0);

    assertThat(event.key()).isEqualTo("\u00fc".repeat(512));
  }

  @ParameterizedTest
  @CsvSource({
    "key, a, 1025",
    "key, a, 500000",
    "key, %C3%BC, 513",
    "key, %61, 1025",
    "eTag, a, 1025",
    "versionId, a, 1025",
    "sequencer, 0, 1025",
    "sequencer, 0, 500000",
  })
  void refusesTextsThatAreLongerThanS3AllowsThem(String field, String part, int times) {
    assertThatThrownBy(() -> parse(with(field, part.repeat(times))))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("field " + field)
        .hasMessageContaining("longer");
  }

  @Test
  void refusesATypeThatIsTooLong() {
    assertThatThrownBy(
            () -> parse(RECORD.replace("ObjectCreated:Put", "ObjectCreated:" + "P".repeat(1025))))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("eventName");
  }

  @ParameterizedTest
  @CsvSource({"detail-type, Object Created", "key, a+b %2B.txt"})
  void refusesTextsOfEventBridgeThatAreTooLong(String field, String text) {
    String body = EVENT_BRIDGE.replace("\"" + text + "\"", "\"" + "a".repeat(1025) + "\"");

    assertThat(body).isNotEqualTo(EVENT_BRIDGE);
    assertThatThrownBy(() -> new S3NotificationParser().parse(body))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("field " + field);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+1000000000-12-31T23:59:59Z",
        "-1000000000-01-01T00:00:00Z",
        "+10000-01-01T00:00:00Z"
      })
  void refusesTimesThatNoRecordHolds(String time) {
    assertThatThrownBy(() -> parse(RECORD.replace("2017-08-20T23:59:59.123Z", time)))
        .isInstanceOf(MalformedNotificationException.class)
        .hasMessageContaining("eventTime");
  }

  private static Notification parse(String record) throws MalformedNotificationException {
    return new S3NotificationParser().parse("{\"Records\": [" + record + "]}");
  }

  private static String with(String field, String text) {
    return RECORD.replaceFirst(
        "\"" + field + "\": (\"[^\"]*\")", "\"" + field + "\": \"" + text + "\"");
  }
}

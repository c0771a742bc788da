package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.local.NotifyingBlobStore.ObjectEvent;
import io.indexview.local.NotifyingBlobStore.ObjectEvent.EventJson;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventJsonTest {
  private static final Instant TIME = Instant.parse("2017-08-20T01:02:03.004567Z");

  @Test
  void writesTheStructureOfS3WhenAnObjectIsCreated() throws Exception {
    JsonNode record =
        record(
            new ObjectEvent(
                "ObjectCreated:Put",
                TIME,
                "files",
                "USER001/FILE001.txt",
                "15DC3E1A00000001",
                Optional.of(new ObjectEvent.Content(42, "abc"))));

    assertThat(record.path("eventVersion").asText()).isEqualTo("2.1");
    assertThat(record.path("eventSource").asText()).isEqualTo("aws:s3");
    assertThat(record.path("awsRegion").asText()).isEqualTo("eu-west-1");
    assertThat(record.path("eventTime").asText()).isEqualTo("2017-08-20T01:02:03.004Z");
    assertThat(record.path("eventName").asText()).isEqualTo("ObjectCreated:Put");
    assertThat(record.at("/s3/bucket/name").asText()).isEqualTo("files");
    assertThat(record.at("/s3/bucket/arn").asText()).isEqualTo("arn:aws:s3:::files");
    assertThat(record.at("/s3/object/key").asText()).isEqualTo("USER001/FILE001.txt");
    assertThat(record.at("/s3/object/size").asLong()).isEqualTo(42);
    assertThat(record.at("/s3/object/eTag").asText()).isEqualTo("abc");
    assertThat(record.at("/s3/object/sequencer").asText()).isEqualTo("15DC3E1A00000001");
  }

  @Test
  void leavesOutSizeAndETagWhenAnObjectIsRemoved() throws Exception {
    JsonNode object =
        record(new ObjectEvent("ObjectRemoved:Delete", TIME, "files", "a", "01", Optional.empty()))
            .at("/s3/object");

    assertThat(object.fieldNames()).toIterable().containsExactly("key", "sequencer");
  }

  @ParameterizedTest
  @CsvSource({
    "a b.txt,a+b.txt",
    "a+b.txt,a%2Bb.txt",
    "dir/file (1).txt,dir/file+%281%29.txt",
    "100%.txt,100%25.txt",
    "ünï.txt,%C3%BCn%C3%AF.txt",
    "a%2Fb,a%252Fb"
  })
  void encodesKeysLikeFormsWhenTheyHoldSpecialCharacters(String key, String encoded) {
    assertThat(ObjectEvent.encodedKey(key)).isEqualTo(encoded);
  }

  @Property(tries = 200)
  void givesTheKeyBackWhenItIsDecoded(@ForAll @StringLength(max = 20) String text) {
    // Lone surrogates are no text: UTF-8 has no bytes for them.
    String key = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);

    assertThat(URLDecoder.decode(ObjectEvent.encodedKey(key), StandardCharsets.UTF_8))
        .isEqualTo(key);
  }

  private static JsonNode record(ObjectEvent event) throws Exception {
    JsonNode records =
        new ObjectMapper().readTree(new EventJson("eu-west-1").write(event)).path("Records");
    assertThat(records).hasSize(1);
    return records.get(0);
  }
}

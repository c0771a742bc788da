package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.source.Scans;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceState.Scan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OffsetChangesTest {
  private final KvStoreSourceConnector connector = new KvStoreSourceConnector();

  private static Map<String, String> config() {
    Map<String, String> config = new HashMap<>();
    config.put("schema.registry.url", "mock://offsets");
    config.put("source.name", "corporate");
    config.put("kvstore.uri", "embedded:/data");
    config.put("index.dir", "/index");
    config.put("kafka.bootstrap.servers", "localhost:9092");
    config.put("record.sets", "people");
    config.put("record.set.people.prefix", "/people");
    config.put("record.set.people.schema", People.SCHEMA.toString());
    return config;
  }

  private static Map<String, Object> partition() {
    return new HashMap<>(
        Map.of("source", "corporate", "topic", "indexview.changes.people", "sourcePartition", "0"));
  }

  private static Map<String, Object> offset() {
    Scan scan =
        new Scan(
            3,
            1,
            2,
            10,
            true,
            4,
            Optional.of(new KeyScope("/people", ".lob", List.of("/-"))),
            Map.of(0, 1L),
            Map.of(0, 5L));
    KvStoreSourceOffset.FollowedTo changes =
        new KvStoreSourceOffset.FollowedTo("1 /people", "4c1d", "rg1:4:5:0");
    return new KvStoreSourceOffset("id", Scans.NONE.and(scan), null, null, changes).toMap();
  }

  private boolean alter(Map<String, ?> partition, Map<String, ?> offset) {
    Map<Map<String, ?>, Map<String, ?>> offsets = new HashMap<>();
    offsets.put(partition, offset);
    return connector.alterOffsets(config(), offsets);
  }

  @Test
  void acceptsOffsetsOfItsOwnForm() {
    assertThat(alter(partition(), offset())).isTrue();
    assertThat(alter(partition(), KvStoreSourceOffset.NONE.toMap())).isTrue();
    Map<String, Object> small = offset();
    small.replaceAll(
        (field, value) -> value instanceof Long number ? (Object) number.intValue() : value);
    assertThat(alter(partition(), small)).isTrue();
  }

  @Test
  void takesANullOffsetForAnything() {
    assertThat(alter(Map.of("whatever", "was"), null)).isTrue();
    assertThat(connector.alterOffsets(config(), Map.of())).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "source, crm, source.name is corporate",
    "topic, indexview.changes.peeple, [indexview.changes.people]",
    "sourcePartition, 1, there is only 0",
    "topics, x, not known"
  })
  void refusesWhatItWouldNeverFindAgain(String field, String value, String remedy) {
    Map<String, Object> partition = partition();
    partition.put(field, value);
    assertThatThrownBy(() -> alter(partition, offset()))
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll(field, remedy);
  }

  @ParameterizedTest
  @CsvSource({
    "scan, -1",
    "records, many",
    "adHoc, yes",
    "begins, 0:1:2",
    "ends, '1:5'",
    "snapshot.request, none",
    "changes.position, 'rg1:5'",
    "unknown, 1"
  })
  void namesTheFieldOfAnOffsetThatIsWrong(String field, String value) {
    Map<String, Object> offset = offset();
    offset.put(field, value.equals("-1") ? (Object) (-1L) : value);
    assertThatThrownBy(() -> alter(partition(), offset))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining(field);
  }

  @Test
  void reportsEverythingWrongWithOffsetsAtOnce() {
    Map<String, Object> partition = partition();
    partition.put("sourcePartition", "7");
    Map<String, Object> offset = offset();
    offset.remove("topicId");
    Map<Map<String, ?>, Map<String, ?>> offsets = new HashMap<>();
    offsets.put(partition, offset);
    offsets.put(Map.of("source", 5), offset());

    assertThatThrownBy(() -> connector.alterOffsets(config(), offsets))
        .hasMessageContainingAll(
            "sourcePartition: 7", "topicId: null", "\"source\" must be a text");
  }

  @Test
  void isExactlyOnceInConnectsOwnTransactions() {
    assertThat(connector.exactlyOnceSupport(config())).isEqualTo(ExactlyOnceSupport.SUPPORTED);
    assertThat(connector.canDefineTransactionBoundaries(config()))
        .isEqualTo(ConnectorTransactionBoundaries.UNSUPPORTED);
  }
}

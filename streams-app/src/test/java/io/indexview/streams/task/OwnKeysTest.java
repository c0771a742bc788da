package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.streams.state.Entries;
import io.indexview.streams.task.RowRepairs.OwnKeys;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class OwnKeysTest {
  private static final int PARTITIONS = 4;
  private static final int HERE = 3;

  private static byte[] key(int number) {
    return ("/people/" + number).getBytes(StandardCharsets.UTF_8);
  }

  private static boolean isHere(int number) {
    return Utils.toPositive(Utils.murmur2(key(number))) % PARTITIONS == HERE;
  }

  private static IntStream here() {
    return IntStream.iterate(0, number -> number + 1).filter(OwnKeysTest::isHere);
  }

  private static IntStream elsewhere() {
    return IntStream.iterate(0, number -> number + 1).filter(number -> !isHere(number));
  }

  private static Entry entry(int keySchemaId) {
    return new Entry(null, true, List.of(), 1, 0, 1, null).withKeySchema(keySchemaId);
  }

  private static Entries entries(IntStream numbers, int keySchemaId) {
    Map<byte[], byte[]> all = new LinkedHashMap<>();
    numbers.forEach(number -> all.put(key(number), EntryCodec.encode(entry(keySchemaId))));
    return new Listed(all);
  }

  private static boolean isOwn(Entries entries, int partitions, int number) {
    return OwnKeys.of(entries, HERE, partitions).contains(key(number));
  }

  @Test
  void keysPlacedHereByTheDefaultPartitionerAreOwn() {
    Entries entries = entries(here().limit(30), 0);
    int unknown = here().skip(30).findFirst().orElseThrow();

    assertThat(isOwn(entries, PARTITIONS, unknown)).isTrue();
    assertThat(isOwn(entries, PARTITIONS, elsewhere().findFirst().orElseThrow())).isFalse();
  }

  @Test
  void noKeyIsOwnWhenAnEntryIsPlacedOtherwise() {
    Entries entries = entries(IntStream.concat(here().limit(30), elsewhere().limit(1)), 0);

    assertThat(here().skip(30).limit(20).anyMatch(number -> isOwn(entries, PARTITIONS, number)))
        .isFalse();
  }

  @Test
  void noKeyIsOwnWithTooFewEntries() {
    assertThat(isOwn(entries(here().limit(19), 0), PARTITIONS, here().findFirst().orElseThrow()))
        .isFalse();
    assertThat(isOwn(entries(here().limit(20), 0), PARTITIONS, here().findFirst().orElseThrow()))
        .isTrue();
  }

  @Test
  void everyKeyIsOwnInTheOnlyPartitionOnceItHasAnEntry() {
    assertThat(isOwn(entries(elsewhere().limit(1), 0), 1, 7)).isTrue();
    assertThat(isOwn(entries(IntStream.empty(), 0), 1, 7)).isFalse();
  }

  @Test
  void noKeyIsOwnWhenTheNumberOfPartitionsIsUnknown() {
    assertThat(isOwn(entries(here().limit(30), 0), 0, here().findFirst().orElseThrow())).isFalse();
    assertThat(isOwn(entries(here().limit(30), 12), PARTITIONS, here().findFirst().orElseThrow()))
        .isFalse();
  }

  private record Listed(Map<byte[], byte[]> all) implements Entries {
    @Override
    public byte[] get(byte[] key) {
      throw new UnsupportedOperationException("it only looks at some");
    }

    @Override
    public void put(byte[] key, byte[] entry) {
      throw new UnsupportedOperationException("it only looks at some");
    }

    @Override
    public boolean scan(byte[] after, Visitor visitor) {
      return all.entrySet().stream().allMatch(one -> visitor.visit(one.getKey(), one.getValue()));
    }

    @Override
    public long estimatedSize() {
      return all.size();
    }
  }
}

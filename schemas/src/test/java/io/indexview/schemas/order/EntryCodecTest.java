package io.indexview.schemas.order;

import static io.indexview.schemas.order.Samples.live;
import static io.indexview.schemas.order.Samples.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.SourceVersion;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class EntryCodecTest {

  @Property(tries = 500)
  void givesTheEntryBack(@ForAll("entries") Entry entry) {
    assertThat(EntryCodec.decode(EntryCodec.encode(entry))).isEqualTo(entry);
  }

  @Property(tries = 100)
  void refusesBytesThatWereCut(@ForAll("entries") Entry entry, @ForAll("parts") double part) {
    byte[] whole = EntryCodec.encode(entry.withoutValue());

    assertThatThrownBy(() -> EntryCodec.decode(Arrays.copyOf(whole, (int) (part * whole.length))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("damaged");
  }

  @Test
  void keepsItsFormat() {
    FramedValue slice = new FramedValue(300, new byte[] {9, 1, 2, 9}, 1, 2);
    Entry entry = new Entry(version("A", 5), false, List.of(version("B", 1)), 64, 3, -1, slice);

    assertThat(HexFormat.of().formatHex(EntryCodec.encode(entry)))
        .isEqualTo(
            "01" + "05" + "01410105" + "01" + "01420101" + "8001" + "06" + "01" + "ac020102");
    assertThat(HexFormat.of().formatHex(EntryCodec.encode(entry.withKeySchema(200))))
        .isEqualTo(
            "01"
                + "0d"
                + "01410105"
                + "01"
                + "01420101"
                + "8001"
                + "06"
                + "01"
                + "c801"
                + "ac020102");
    assertThat(HexFormat.of().formatHex(EntryCodec.encode(entry.withUnreadableAt(7))))
        .as("an older build says that a newer one wrote it")
        .isEqualTo(
            "02"
                + "25"
                + "01410105"
                + "01"
                + "01420101"
                + "8001"
                + "06"
                + "01"
                + "0e"
                + "ac020102");
  }

  @Test
  void copiesOnlyTheSourcePartitionOfTheValue() {
    byte[] message = new byte[1_000];
    Entry entry = live(version("A", 5));
    Entry large =
        new Entry(entry.version(), false, List.of(), 1, 1, 1, new FramedValue(1, message, 500, 10));

    byte[] stored = EntryCodec.encode(large);

    assertThat(stored).hasSizeLessThan(30);
    assertThat(EntryCodec.decode(stored).value().buffer()).isSameAs(stored);
  }

  @Test
  void namesBothFormatsWhenANewerReleaseWroteTheEntry() {
    assertThatThrownBy(() -> EntryCodec.decode(new byte[] {3, 0, 0}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("format 3", "reads formats up to 2", "newer release");
  }

  @Test
  void refusesUnknownFlagsAndTrailingBytes() {
    assertThatThrownBy(() -> EntryCodec.decode(new byte[] {1, 32, 0, 0, 0, 0, 0}))
        .hasMessageContaining("damaged");
    assertThatThrownBy(() -> EntryCodec.decode(new byte[] {2, 64, 0, 0, 0, 0}))
        .hasMessageContaining("damaged");
    assertThatThrownBy(() -> EntryCodec.decode(new byte[] {1, 0, 0, 0, 0, 0, 7}))
        .hasMessageContaining("damaged");
  }

  @Provide
  Arbitrary<Double> parts() {
    return Arbitraries.doubles().between(0, false, 1, false).edgeCases(config -> config.none());
  }

  /** The last components: combinators take eight. */
  private record KeyPart(int schemaId, boolean inferred, long unreadableAt) {}

  @Provide
  Arbitrary<Entry> entries() {
    Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(20);
    Arbitrary<SourceVersion> versions =
        Combinators.combine(Arbitraries.strings().ofMaxLength(12), bytes).as(SourceVersion::new);
    Arbitrary<FramedValue> values =
        Combinators.combine(Arbitraries.integers(), bytes, Arbitraries.integers().between(0, 3))
            .as(
                (schemaId, buffer, skip) -> {
                  int offset = Math.min(skip, buffer.length);
                  return new FramedValue(schemaId, buffer, offset, buffer.length - offset);
                });
    return Combinators.combine(
            versions.injectNull(0.2),
            Arbitraries.of(true, false),
            versions.list().ofMaxSize(4),
            Arbitraries.longs(),
            Arbitraries.longs(),
            Arbitraries.longs(),
            values.injectNull(0.3),
            Combinators.combine(
                    Arbitraries.integers().greaterOrEqual(0),
                    Arbitraries.of(true, false),
                    Arbitraries.longs().greaterOrEqual(Entry.READABLE))
                .as(KeyPart::new))
        .as(
            (version, deleted, left, revision, offset, timestampMs, value, key) ->
                new Entry(
                    version,
                    deleted,
                    left,
                    revision,
                    offset,
                    timestampMs,
                    value,
                    key.schemaId(),
                    key.inferred(),
                    key.unreadableAt()));
  }
}

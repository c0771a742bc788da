package io.indexview.kvstore.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sleepycat.util.PackedInteger;
import io.indexview.kvstore.value.StoreAvroValues.FramedAvro;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import oracle.kv.Value;
import org.junit.jupiter.api.Test;

class FramedAvroTest {
  private static byte[] framed(int schemaId, int avroBytes) {
    byte[] value = new byte[PackedInteger.getWriteSortedIntLength(schemaId) + avroBytes];
    PackedInteger.writeSortedInt(value, 0, schemaId);
    return value;
  }

  @Property(tries = 500)
  void findsTheNumberThatTheStoreWrote(
      @ForAll @IntRange(min = 1) int schemaId, @ForAll @IntRange(max = 5) int avroBytes) {
    byte[] value = framed(schemaId, avroBytes);

    FramedAvro framed = FramedAvro.of(value);

    assertThat(framed.schemaId()).isEqualTo(schemaId);
    assertThat(value.length - framed.offset()).isEqualTo(avroBytes);
  }

  @Property(tries = 500)
  void takesNumbersAboveZeroOnly(@ForAll @IntRange(min = Integer.MIN_VALUE, max = 0) int schemaId) {
    byte[] value = framed(schemaId, 1);

    assertThatThrownBy(() -> FramedAvro.of(value)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property(tries = 500)
  void takesAnyBytesWithoutFailingOtherwise(@ForAll byte[] value) {
    try {
      assertThat(FramedAvro.of(value).offset()).isBetween(1, value.length);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining(value.length + " bytes");
    }
  }

  @Test
  void readsWhatTheClientCallsAvro() {
    byte[] value = framed(300, 4);
    Value read = Value.fromByteArray(value);

    assertThat(read.getFormat().name()).isEqualTo("AVRO");
    assertThat(FramedAvro.of(read.getValue())).isEqualTo(new FramedAvro(300, value.length - 4));
    byte[] cut = Arrays.copyOf(value, 1);
    assertThatThrownBy(() -> FramedAvro.of(cut)).hasMessageContaining("1 bytes");
  }
}

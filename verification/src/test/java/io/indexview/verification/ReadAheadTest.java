package io.indexview.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ReadAheadTest {
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Numbered records of a size, and then a failure. */
  private final class Records implements KvIterator<KvRecord> {
    private final int count;
    private final int bytes;
    private final Throwable atEnd;
    private int given;

    Records(int count, int bytes, Throwable atEnd) {
      this.count = count;
      this.bytes = bytes;
      this.atEnd = atEnd;
    }

    @Override
    public boolean hasNext() {
      if (given == count && atEnd instanceof RuntimeException exception) {
        throw exception;
      } else if (given == count && atEnd instanceof Error error) {
        throw error;
      }
      return given < count;
    }

    @Override
    public KvRecord next() {
      KvKey key = KvKey.ofMajor(String.valueOf(given));
      given++;
      return new KvRecord(key, new byte[bytes], new KvVersion("shard", given));
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  @Test
  void givesEveryRecordInItsOrder() throws Exception {
    for (int count : List.of(0, 1, 499, 500, 501, 10_000)) {
      List<String> came = new ArrayList<>();
      try (ReadAhead records = new ReadAhead(List.of(() -> new Records(count, 10, null)))) {
        while (records.hasNext()) {
          came.add(records.next().key().lastComponent());
        }
        assertThatThrownBy(records::next).isInstanceOf(NoSuchElementException.class);
      }
      closed.await();
      assertThat(came).hasSize(count);
      for (int i = 0; i < count; i++) {
        assertThat(came.get(i)).isEqualTo(String.valueOf(i));
      }
    }
  }

  @Test
  void endsBehindEachPart() {
    List<Integer> parts = List.of(0, 3, 0, 501, 1, 0);
    List<Integer> came = new ArrayList<>();
    try (ReadAhead records =
        new ReadAhead(
            parts.stream()
                .<Supplier<KvIterator<KvRecord>>>map(count -> () -> new Records(count, 10, null))
                .toList())) {
      for (int i = 0; i < parts.size(); i++) {
        int count = 0;
        while (records.hasNext()) {
          assertThat(records.next().key().lastComponent()).isEqualTo(String.valueOf(count));
          count++;
        }
        assertThat(records.hasNext()).as("until it is told to go on").isFalse();
        came.add(count);
        records.nextPart();
      }
      assertThat(records.hasNext()).isFalse();
    }
    assertThat(came).isEqualTo(parts);
  }

  @Test
  void failsBehindThePartsThatCameBefore() {
    KvStoreException failure = new KvStoreException.Unavailable("gone");
    try (ReadAhead records =
        new ReadAhead(
            List.of(
                () -> new Records(1, 10, null),
                () -> {
                  throw failure;
                }))) {
      records.next();
      assertThat(records.hasNext()).isFalse();
      records.nextPart();
      assertThatThrownBy(records::hasNext).isSameAs(failure);
    }
  }

  @Test
  void failsBehindWhatCameBefore() {
    for (Throwable failure :
        List.of(new KvStoreException.Unavailable("gone"), new OutOfMemoryError("full"))) {
      try (ReadAhead records = new ReadAhead(List.of(() -> new Records(700, 10, failure)))) {
        for (int i = 0; i < 500; i++) {
          records.next();
        }
        assertThatThrownBy(
                () -> {
                  while (records.hasNext()) {
                    records.next();
                  }
                })
            .isSameAs(failure);
      }
    }
  }

  /** As if it were read to the end: a store may not be closed below its iterators. */
  @Test
  void closesWhatItReadsBeforeItIsClosedItself() {
    Records endless = new Records(Integer.MAX_VALUE, 1 << 16, null);
    try (ReadAhead records = new ReadAhead(List.of(() -> endless))) {
      records.next();
    }
    assertThat(closed.getCount()).isZero();
    // A megabyte is a batch.
    assertThat(endless.given).isLessThan(200);
  }
}

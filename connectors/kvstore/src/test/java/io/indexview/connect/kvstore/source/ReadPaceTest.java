package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadPaceTest {
  private long now = 1_000;

  private int read(ReadPace pace, long size) {
    pace.tick(now);
    int read = 0;
    while (read < 100_000 && pace.allows()) {
      pace.read(size);
      read++;
    }
    return read;
  }

  @Test
  void allowsEverythingWithoutALimit() {
    assertThat(read(new ReadPace(0, 0), 1_000)).isEqualTo(100_000);
  }

  @Test
  void allowsSoManyRecordsPerSecondWhateverTheSlices() {
    ReadPace pace = new ReadPace(500, 0);
    int read = read(pace, 1_000);
    for (int i = 0; i < 1_000; i++) {
      now += 20;
      read += read(pace, 1_000);
    }

    assertThat(read).isEqualTo(500 + 20 * 500);
  }

  @Test
  void allowsSoManyBytesPerSecondAndAtLeastOneRecord() {
    ReadPace pace = new ReadPace(0, 1_000);

    assertThat(read(pace, 5_000)).isEqualTo(1);
    now += 3_999;
    assertThat(read(pace, 5_000)).isZero();
    now += 2;
    assertThat(read(pace, 100)).isPositive();
  }

  @Test
  void savesUpNoMoreThanOneSecond() {
    ReadPace pace = new ReadPace(10, 0);
    read(pace, 1);
    now += 3_600_000;

    assertThat(read(pace, 1)).isEqualTo(10);
  }

  @Test
  void goesOnWhenTheClockIsSetBack() {
    ReadPace pace = new ReadPace(10, 0);
    read(pace, 1);
    now -= 3_600_000;
    assertThat(read(pace, 1)).isZero();
    now += 500;
    assertThat(read(pace, 1)).isEqualTo(5);
  }
}

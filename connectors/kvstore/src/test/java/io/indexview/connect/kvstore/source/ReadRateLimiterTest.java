package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadRateLimiterTest {
  private long now = 1_000;

  private int read(ReadRateLimiter rateLimiter, long size) {
    rateLimiter.tick(now);
    int read = 0;
    while (read < 100_000 && rateLimiter.allows()) {
      rateLimiter.read(size);
      read++;
    }
    return read;
  }

  @Test
  void allowsEverythingWithoutALimit() {
    assertThat(read(new ReadRateLimiter(0, 0), 1_000)).isEqualTo(100_000);
  }

  @Test
  void allowsSoManyRecordsPerSecondWhateverTheSourcePartitions() {
    ReadRateLimiter rateLimiter = new ReadRateLimiter(500, 0);
    int read = read(rateLimiter, 1_000);
    for (int i = 0; i < 1_000; i++) {
      now += 20;
      read += read(rateLimiter, 1_000);
    }

    assertThat(read).isEqualTo(500 + 20 * 500);
  }

  @Test
  void allowsSoManyBytesPerSecondAndAtLeastOneRecord() {
    ReadRateLimiter rateLimiter = new ReadRateLimiter(0, 1_000);

    assertThat(read(rateLimiter, 5_000)).isEqualTo(1);
    now += 3_999;
    assertThat(read(rateLimiter, 5_000)).isZero();
    now += 2;
    assertThat(read(rateLimiter, 100)).isPositive();
  }

  @Test
  void savesUpNoMoreThanOneSecond() {
    ReadRateLimiter rateLimiter = new ReadRateLimiter(10, 0);
    read(rateLimiter, 1);
    now += 3_600_000;

    assertThat(read(rateLimiter, 1)).isEqualTo(10);
  }

  @Test
  void goesOnWhenTheClockIsSetBack() {
    ReadRateLimiter rateLimiter = new ReadRateLimiter(10, 0);
    read(rateLimiter, 1);
    now -= 3_600_000;
    assertThat(read(rateLimiter, 1)).isZero();
    now += 500;
    assertThat(read(rateLimiter, 1)).isEqualTo(5);
  }
}

package io.indexview.local.s3;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;

/**
 * Gives sequencers that only rise, over restarts and clocks set back too: nanoseconds since 1970 in
 * 16 hexadecimal digits. A file holds a bound that none has passed yet; a restart begins there.
 */
final class Sequencer {
  private static final long RESERVED = Duration.ofSeconds(10).toNanos();

  private final Path file;
  private final Clock clock;
  private long last;
  private long bound;

  Sequencer(Path file, Clock clock) throws IOException {
    this.file = file;
    this.clock = clock;
    this.bound = Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
    this.last = bound;
  }

  synchronized String next() throws IOException {
    Instant now = clock.instant();
    long nanos =
        Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
    long next = Math.max(nanos, last + 1);
    if (next >= bound) {
      reserve(next + RESERVED);
    }
    last = next;
    return HexFormat.of().withUpperCase().toHexDigits(next);
  }

  private void reserve(long upTo) throws IOException {
    Path written = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(written, Long.toString(upTo), StandardCharsets.US_ASCII);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    bound = upTo;
  }
}

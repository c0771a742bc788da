package io.indexview.benchmarks.verify;

import io.indexview.client.verify.live.RowDecoder;
import io.indexview.client.verify.live.RowLog;
import io.indexview.schemas.RowHeaders;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A topic of one partition with the rows of a view in a file, as a consumer hands them out: what
 * fetching them costs is left out.
 */
final class StoredTopic implements RowLog {
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path file;
  private final long records;
  private final RowDecoder decoder;

  /**
   * @param records that a {@link Writer} has put into the file
   */
  StoredTopic(Path file, long records, RowDecoder decoder) {
    this.file = file;
    this.records = records;
    this.decoder = decoder;
  }

  @Override
  public Map<Integer, Long> ends() {
    return Map.of(0, records);
  }

  @Override
  public boolean isApplied(Map<Integer, Long> ends) {
    return true;
  }

  @Override
  public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
    if (from.getOrDefault(0, 0L).equals(to.get(0))) {
      return;
    }
    String topic = VerifiedView.GENERATION.viewTopic();
    RowHeaders headers = new RowHeaders();
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES))) {
      for (long offset = 0; offset < records; offset++) {
        ConsumerRecord<byte[], byte[]> message =
            new ConsumerRecord<>(topic, 0, offset, bytes(in), bytes(in));
        headers
            .of(VerifiedView.REVISION, VerifiedView.GENERATION.number())
            .forEach(message.headers()::add);
        decoder.decode(message, visitor);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  @Override
  public void close() {}

  /** Makes the file. */
  static final class Writer implements AutoCloseable {
    private final DataOutputStream out;

    Writer(Path file) throws IOException {
      out =
          new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES));
    }

    void write(byte[] key, byte[] value) throws IOException {
      out.writeInt(key.length);
      out.write(key);
      out.writeInt(value.length);
      out.write(value);
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}

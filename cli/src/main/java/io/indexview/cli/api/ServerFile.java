package io.indexview.cli.api;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Where the server of a local stack is, as the stack writes it into its data directory, for the
 * commands of the same user.
 *
 * @param s3 where the stack's bucket is
 */
public record ServerFile(URI url, S3 s3) {
  private static final String NAME = "server.json";
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /** The server of the bucket, the account that it accepts, and the bucket. */
  public record S3(
      URI endpoint, String region, String accessKeyId, String secretAccessKey, String bucket) {
    @Override
    public String toString() {
      return "S3[endpoint=%s, region=%s]".formatted(endpoint, region);
    }
  }

  static Path in(Path dataDirectory) {
    return dataDirectory.resolve(NAME);
  }

  /**
   * The file of a data directory; empty if there is none.
   *
   * @throws CommandException.Usage if it cannot be read
   */
  public static Optional<ServerFile> read(Path dataDirectory) {
    Path file = in(dataDirectory);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readValue(file.toFile(), ServerFile.class));
    } catch (IOException e) {
      throw new CommandException.Usage("%s cannot be read: %s".formatted(file, e.getMessage()), e);
    }
  }

  /** Writes the file, readable by the user alone. */
  public void write(Path dataDirectory) throws IOException {
    OwnFile.write(in(dataDirectory), JSON.writeValueAsBytes(this));
  }

  /** Files that only their user may read. */
  public static final class OwnFile {
    private OwnFile() {}

    /** Replaces a file as a whole. */
    public static void write(Path file, byte[] content) throws IOException {
      Path directory = file.toAbsolutePath().getParent();
      Path complete = Files.createTempFile(directory, file.getFileName().toString(), null, mode());
      try {
        Files.write(complete, content);
        Files.move(
            complete, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(complete);
      }
    }

    private static FileAttribute<?>[] mode() {
      return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
          ? new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
          }
          : new FileAttribute<?>[0];
    }
  }
}

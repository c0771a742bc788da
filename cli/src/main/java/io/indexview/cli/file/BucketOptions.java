package io.indexview.cli.file;

import io.indexview.cli.api.ServerFile;
import io.indexview.cli.api.UsageException;
import io.indexview.cli.option.ServerOptions;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The bucket of a command that does without the server. */
final class BucketOptions {
  @Option(
      names = "--bucket",
      paramLabel = "BUCKET",
      description = "The bucket. Default: the local stack's.")
  private String bucket;

  @Mixin private S3Options s3;

  S3Objects open(ServerOptions options) {
    return s3.open(options);
  }

  /**
   * Name of the bucket.
   *
   * @throws UsageException if it is not given, and there is no local stack's
   */
  String bucket(ServerOptions options) {
    if (bucket != null) {
      return bucket;
    }
    Optional<String> local =
        s3.address().given()
            ? Optional.empty()
            : ServerFile.read(options.dataDirectory())
                .map(ServerFile::s3)
                .map(ServerFile.S3::bucket);
    return local.orElseThrow(
        () -> new UsageException("which bucket? There is no local stack's here; use --bucket"));
  }
}

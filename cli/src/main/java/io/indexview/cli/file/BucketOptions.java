package io.indexview.cli.file;

import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ServerFile;
import io.indexview.cli.option.ServerOptions;
import java.net.URI;
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
   * @throws CommandException.Usage if it is not given, and there is no local stack's
   */
  String bucket(ServerOptions options) {
    if (bucket != null) {
      return bucket;
    }
    Optional<String> local =
        s3.address().given()
            ? Optional.empty()
            : options.localStack().map(ServerFile::s3).map(ServerFile.S3::bucket);
    return local.orElseThrow(
        () ->
            new CommandException.Usage(
                "which bucket? There is no local stack's here, or another server is named; use --bucket"));
  }

  /** Where a bucket is. */
  static final class S3Options {
    @Option(names = "--region", paramLabel = "REGION", description = "Region of the bucket.")
    private String region;

    @Option(
        names = "--endpoint",
        paramLabel = "URL",
        description = "Server that speaks the API of S3, in place of the region's own.")
    private URI endpoint;

    S3Objects.S3Address address() {
      return new S3Objects.S3Address(endpoint, region);
    }

    S3Objects open(ServerOptions options) {
      return S3Objects.open(address(), options.localStack());
    }
  }
}

package io.indexview.cli.file;

import io.indexview.cli.option.ServerOptions;
import java.net.URI;
import picocli.CommandLine.Option;

/** Where a bucket is. */
final class S3Options {
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
    return S3Objects.open(address(), options.dataDirectory());
  }
}

package io.indexview.cli.file;

import io.indexview.cli.api.ApiPath;
import picocli.CommandLine.Option;

/** The view that files are found in. */
final class FileView {
  @Option(
      names = "--view",
      paramLabel = "VIEW",
      defaultValue = "file-metadata",
      description = "The file view. Default: ${DEFAULT-VALUE}")
  private String name;

  ApiPath rows() {
    return ApiPath.of("views", name, "rows");
  }
}

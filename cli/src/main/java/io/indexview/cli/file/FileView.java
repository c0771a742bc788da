package io.indexview.cli.file;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import java.util.List;
import picocli.CommandLine.Option;

/** The view that files are found in. */
final class FileView {
  private static final String BUCKET = "bucketName";

  @Option(
      names = "--view",
      paramLabel = "VIEW",
      defaultValue = "file-metadata",
      description = "The file view. Default: ${DEFAULT-VALUE}")
  private String name;

  ApiPath rows() {
    return ApiPath.of("views", name, "rows");
  }

  /**
   * The bucket of a row.
   *
   * @throws CommandException.Usage if the view does not hold it
   */
  static String bucket(JsonNode row) {
    for (JsonNode fields : List.of(row.path("values"), row.path("key"))) {
      if (fields.hasNonNull(BUCKET)) {
        return fields.path(BUCKET).asText();
      }
    }
    throw new CommandException.Usage(
        "the view does not hold the bucket of its files; name it with --bucket, or include bucketName in the view");
  }
}

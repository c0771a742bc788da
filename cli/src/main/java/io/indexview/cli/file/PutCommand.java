package io.indexview.cli.file;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview files put}. */
@Command(
    name = "put",
    description = {
      "Writes a file into a bucket, with user metadata.",
      "The account is that of the local stack, or what the AWS SDK finds."
    })
final class PutCommand implements Callable<Integer> {
  /** What S3 takes of all user metadata of an object. */
  private static final int METADATA_BYTES = 2_048;

  @Mixin private ServerOptions options;
  @Mixin private BucketOptions bucket;

  @Parameters(index = "0", paramLabel = "FILE", description = "The file.")
  private Path file;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "OBJECT-KEY",
      description = "Object key. Default: the file's name.")
  private String key;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "NAME=VALUE",
      description =
          "User metadata of the object; repeatable. Views know it as userMetadata.NAME, where the"
              + " source reads user_metadata, as that of the local stack does.")
  private List<String> metadata = List.of();

  @Option(names = "--content-type", paramLabel = "TYPE", description = "Content type.")
  private String type;

  @Override
  public Integer call() {
    List<String> problems = new ArrayList<>();
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      problems.add("%s is no readable file; name one".formatted(file));
    }
    Map<String, String> named = metadata(problems);
    if (key != null && key.isEmpty()) {
      problems.add("OBJECT-KEY is empty; name the object");
    }
    if (!problems.isEmpty()) {
      problems.forEach(problem -> options.err().println(TerminalText.clean(problem)));
      options.err().flush();
      return ExitCodes.USAGE;
    }
    String into = bucket.bucket(options);
    String name = key == null ? file.getFileName().toString() : key;
    try (S3Objects objects = bucket.open(options)) {
      objects.put(into, name, file, named, type);
    }
    ObjectNode written = JsonNodeFactory.instance.objectNode().put("bucket", into).put("key", name);
    options.printer().print(written, out -> out.println("%s/%s".formatted(into, name)));
    return ExitCodes.OK;
  }

  private Map<String, String> metadata(List<String> problems) {
    Map<String, String> named = new LinkedHashMap<>();
    int bytes = 0;
    for (String entry : metadata) {
      String[] parts = entry.split("=", 2);
      if (parts.length < 2 || !parts[0].matches("[a-z0-9._-]+")) {
        problems.add(
            "--metadata %s: use NAME=VALUE, the name of a-z 0-9 . _ -, as S3 keeps it"
                .formatted(entry));
      } else if (!parts[1].matches("[ -~]*") || !parts[1].strip().equals(parts[1])) {
        problems.add(
            "--metadata %s: use a value of printable ASCII characters without spaces around"
                .formatted(entry));
      } else if (named.put(parts[0], parts[1]) != null) {
        problems.add("--metadata %s: %s is there already".formatted(entry, parts[0]));
      }
      bytes += entry.getBytes(StandardCharsets.UTF_8).length - 1;
    }
    if (bytes > METADATA_BYTES) {
      problems.add("--metadata: %,d bytes in all; S3 takes %,d".formatted(bytes, METADATA_BYTES));
    }
    return named;
  }
}

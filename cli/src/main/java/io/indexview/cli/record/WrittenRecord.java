package io.indexview.cli.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.option.ServerOptions;

/** Prints what the server says of a write. */
final class WrittenRecord {
  private WrittenRecord() {}

  static void print(JsonNode written, ServerOptions options) {
    options
        .printer()
        .print(
            written,
            out -> {
              out.println("key      " + written.path("key").asText());
              out.println("version  " + written.path("version").asText());
              if (written.hasNonNull("token")) {
                out.println("token    " + written.path("token").asText());
              }
            });
    if (written.hasNonNull("warning")) {
      options.err().println(written.path("warning").asText());
      options.err().flush();
    }
  }
}

package io.indexview.cli.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ServerClient;
import java.util.function.Supplier;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Which pages of rows a command reads. */
public final class Paging {
  @Option(
      names = "--limit",
      paramLabel = "ROWS",
      description = "Rows of a page at most; pages of large rows have fewer.")
  private Integer limit;

  @ArgGroup private Pages pages = new Pages();

  private static final class Pages {
    @Option(
        names = "--page",
        paramLabel = "TOKEN",
        description = "Goes on after a page: the token that it ended with.")
    private String token;

    @Option(names = "--all", description = "Reads all pages.")
    private boolean all;
  }

  /** Takes the pages, one after the other. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Takes a page.
     *
     * @param goesOn whether the next page follows by itself
     */
    void take(JsonNode page, boolean goesOn);
  }

  /**
   * Reads the pages.
   *
   * @param rows gives the path of the rows, to which the page is added
   */
  public void read(ServerClient server, Supplier<ApiPath> rows, Reader reader) {
    String token = pages.token;
    do {
      JsonNode page = server.get(rows.get().with("limit", limit).with("page", token));
      token = page.hasNonNull("next") ? page.path("next").asText() : null;
      reader.take(page, pages.all);
    } while (pages.all && token != null);
  }
}

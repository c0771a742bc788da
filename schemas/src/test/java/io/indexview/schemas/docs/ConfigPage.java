package io.indexview.schemas.docs;

import java.io.IOException;
import org.apache.kafka.common.config.ConfigDef;

/**
 * A page of {@code docs/config}, generated from a definition.
 *
 * @param file name of the page
 * @param introduction Markdown, above the tables
 */
public record ConfigPage(String file, String title, String introduction, ConfigDef definition) {

  /** Compares the page that is checked in with the definition. */
  public void verify() throws IOException {
    page().verify(render());
  }

  private ComputedPage page() {
    return new ComputedPage("config/" + file, "ConfigReferenceTest");
  }

  private String render() {
    return "# %s\n\n%s\n\n%s\nGenerated from the code's own definition; `%s` writes it anew.\n"
        .formatted(
            title, introduction.strip(), ConfigTable.render(definition), page().writeCommand());
  }
}
